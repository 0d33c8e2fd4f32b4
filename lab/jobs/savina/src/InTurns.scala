package savina

// How fast are the actor benchmarks under our run models, beside Pekko typed and Erlang, as
// whole processes in turns?

import turns.Run

object InTurns:
  /** The seconds of a warm-up. */
  val WarmUp = 2

  /** The programs that run a benchmark: our run models and the rivals. */
  def programs(benchmark: Benchmark): Seq[String] =
    Ours.runs.filter(run => run != "Thread" || benchmark.threads) :+ "Pekko"

  def main(args: Array[String]): Unit = args match
    case Array(rounds, names*) =>
      val benchmarks =
        if names.isEmpty then Benchmark.values.toSeq else names.map(Benchmark.valueOf)
      println("round, benchmark, program, nanoseconds, processor seconds")
      for
        number <- 0 until rounds.toInt
        benchmark <- benchmarks
        run <- round(benchmark, benchmark.size, WarmUp, number)
      do
        println(
          f"${number + 1} $benchmark%-18s ${run.program}%-8s ${nanos(run)}%12d ${run.cpuSeconds}%.2f"
        )
    case _ => throw IllegalArgumentException("arguments must be ROUNDS BENCHMARK...")

  /** Runs a benchmark by all its programs, in the other order if `number` is odd. */
  def round(benchmark: Benchmark, size: Int, warmUp: Int, number: Int): Seq[Run] =
    turns.round(programs(benchmark), number)(run(_, benchmark, size, warmUp))(answer)

  def run(program: String, benchmark: Benchmark, size: Int, warmUp: Int): Run =
    val mainClass = if program == "Pekko" then "savina.PekkoTyped" else "savina.Ours"
    val flags = Seq("-Xms3g", "-Xmx3g", "--sun-misc-unsafe-memory-access=allow")
    val arguments = Seq(program, benchmark.toString, size.toString, warmUp.toString)
    turns.runJava(program, mainClass, flags, arguments*)

  private def words(run: Run) = run.output.trim.split(' ')

  /** The nanoseconds of an iteration. */
  def nanos(run: Run): Long = words(run)(1).toLong

  def answer(run: Run): String = words(run)(2)
end InTurns
