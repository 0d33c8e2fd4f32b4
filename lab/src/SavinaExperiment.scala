package undercroft.lab

import savina.Benchmark as ActorBenchmark

/** Savina's actor benchmarks as whole processes: the programs of `lab/jobs/savina`. */
object SavinaExperiment extends Experiment:
  val name = "savina"
  val question =
    "How long does an iteration of Savina's actor benchmarks take under our run models, and in Pekko typed?"
  val article = None
  val benchmarks = Seq("Savina")

  override val notes = Seq(
    "A call is a whole process: iterations for two seconds, then five, of whose times " +
      "`iterationNanos` is the median. An iteration spawns the actors, and ends when all have " +
      "stopped. The benchmarks are those of S. Imam and V. Sarkar's suite (2014) whose time is " +
      "that of actors, with its sizes or multiples of them, and the tree of a million leaves of " +
      "A. Temerev's Skynet. Left out are the benchmarks of computation and of busy waiting. " +
      "Pekko's default dispatcher has two threads, as our workers and the executor have; its other " +
      "settings are the defaults. All programs have a heap of 3 GiB, and no log.",
    "The goals compare `Workers`, the default, with Pekko. The sieve and the bounded buffer " +
      "compute for most of their time. In single runs radix sort was slower than with Pekko: its " +
      "actors are a chain that is spread over both workers. The philosophers, the buffer and the Fibonacci " +
      "tree take less time with one worker. With `Thread` or `Virtual`, a message that wakes its " +
      "receiver costs a switch of threads."
  )

  override def slow(key: Key): Boolean = true

  override def lack(key: Key): Option[String] =
    bench.Savina.lack(key.params("name"), key.params("program"))

  override def atFirstLook(key: Key): Boolean =
    Set("Workers", "Pekko").contains(key.params("program"))

  def rival(key: Key): Rival =
    if key.params("program") == "Pekko" then Rival.Pekko else Rival.Undercroft

  private def iteration(benchmark: ActorBenchmark, program: String) = Key(
    "Savina.run",
    "name" -> benchmark.toString,
    "size" -> "measured",
    "program" -> program
  ).counted("iterationNanos")

  private val pairs =
    for benchmark <- ActorBenchmark.values.toSeq
    yield Pair(iteration(benchmark, "Workers"), iteration(benchmark, "Pekko"))

  val measures = Map(
    "savina-mean-vs-pekko" -> Measure.MeanSpeedup(pairs),
    "savina-each-vs-pekko" -> Measure.Speedup(pairs)
  )

  val charts = Seq(
    Chart.Bars(
      "An iteration of a benchmark, by benchmark and program",
      key =>
        Option.when(key.benchmark == "Savina.run:iterationNanos"):
          s"${key.params("name")}, ${key.params("program")}"
    )
  )
end SavinaExperiment
