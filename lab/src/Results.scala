package undercroft.lab

import upickle.default.{ReadWriter, read}

/** One entry of JMH's JSON, with the fields that the lab reads and the fields that it adds.
  *
  * @param frames
  *   the samples of the stack profiler, if it was on
  * @param others
  *   how many processors other processes used meanwhile, if the system reports it
  * @param round
  *   the round of the run that it is of
  * @param repeats
  *   how often it was measured again because of other processes
  * @param measured
  *   the day of the run that measured it, if a later run of it has failed
  */
final case class JmhEntry(
    benchmark: String,
    mode: String,
    params: Map[String, String] = Map(),
    jvmArgs: Seq[String] = Seq(),
    measurementTime: String = "",
    primaryMetric: JmhMetric,
    secondaryMetrics: Map[String, JmhMetric] = Map(),
    frames: Option[Seq[Frame]] = None,
    others: Option[Double] = None,
    round: Option[Int] = None,
    repeats: Int = 0,
    measured: Option[String] = None
) derives ReadWriter, CanEqual:
  /** Class and method, without the package. */
  def name: String = benchmark.split('.').takeRight(2).mkString(".")
  def key: Key = Key(name, params)
  def disturbed: Boolean = others.exists(NoiseGuard.disturbs)

  /** The metric of a profiler; JMH marks such metrics with a middle dot in some versions. */
  def profiled(metric: String): Option[JmhMetric] =
    secondaryMetrics.collectFirst { case (name, value) if name.endsWith(metric) => value }

  /** The counts made by the benchmark itself, by name: JMH's auxiliary counters. */
  def counters: Map[String, JmhMetric] =
    secondaryMetrics.filter((name, _) => name != "stack" && name.forall(_.isLetterOrDigit))

  /** The milliseconds that were measured in all. */
  def measuredMillis: Double =
    val atLeast = measurementTime match
      case s"$millis ms" => millis.toDoubleOption.getOrElse(0.0)
      case s"$seconds s" => seconds.toDoubleOption.getOrElse(0.0) * 1000
      case _             => 0.0
    val unit = primaryMetric.unitMillis.getOrElse(0.0)
    primaryMetric.rawData.flatten.map(call => math.max(atLeast, call * unit)).sum
end JmhEntry

final case class JmhMetric(scoreUnit: String, rawData: Seq[Seq[Double]]) derives ReadWriter,
      CanEqual:
  /** The milliseconds in its unit, if that is a unit of time. */
  def unitMillis: Option[Double] = JmhMetric.millis.get(scoreUnit)

object JmhMetric:
  private val millis = Map("ns/op" -> 1e-6, "us/op" -> 1e-3, "ms/op" -> 1.0, "s/op" -> 1e3)

/** Which result: a benchmark's class and method, and its parameters. */
final case class Key(benchmark: String, params: Map[String, String]) derives CanEqual:
  def show: String =
    (benchmark +: params.toSeq.sorted.map((name, value) => s"$name=$value")).mkString(" ")

  /** The key of a counter that the benchmark reports beside its time. */
  def counted(counter: String): Key = copy(benchmark = s"$benchmark:$counter")

  /** The name of this counter. */
  def counter: String = benchmark.dropWhile(_ != ':').drop(1)

  /** The key of the step that produced this result: the same key without the counter. */
  def step: Key = copy(benchmark = benchmark.takeWhile(_ != ':'))

  /** Whether its iterations are days, one after another in the same process. */
  def hasDays: Boolean = benchmark.startsWith("SecondDay.")

object Key:
  def apply(benchmark: String, params: (String, String)*): Key = new Key(benchmark, params.toMap)

  /** A text that sorts keys by their parameters, numbers by size. */
  def order(key: Key): String =
    key.params.toSeq.sorted.map((name, value) => name + padded(value)).mkString(" ")

  private def padded(value: String): String =
    if value.forall(_.isDigit) then "0" * (20 - value.length) + value else value

/** One benchmark's result over all rounds of a run.
  *
  * @param collecting
  *   the share of the time for which the garbage collector stops the program; from 0 to 1
  * @param collections
  *   the garbage collections, and the milliseconds that they took
  * @param frames
  *   the methods on top of the stack, if the stack was sampled
  * @param disturbed
  *   whether other processes used the machine in one of its rounds
  * @param measured
  *   the day of an earlier run that it is of, if the step of this run has failed
  */
final case class Result(
    time: Samples,
    unit: String,
    bytesPerCall: Option[Samples],
    collecting: Option[Double] = None,
    collections: Option[(count: Double, millis: Double)] = None,
    frames: Seq[Frame] = Seq(),
    disturbed: Boolean = false,
    measured: Option[String] = None
) derives CanEqual:
  /** What a reader must know of the figure, as marks after it. */
  def marks: String =
    (if disturbed then " †" else "") + measured.fold("")(day => s" (of $day)")

  /** The nanoseconds in its unit, if that is a unit of time. */
  def nanosPerUnit: Option[Double] = JmhMetric(unit, Seq()).unitMillis.map(_ * 1e6)

  /** How long a call takes. */
  def millis: Option[Double] = nanosPerUnit.map(_ * time.mean / 1e6)

/** The results of one run of one experiment, by key. */
final case class Results(byKey: Map[Key, Result]) derives CanEqual:
  def get(key: Key): Option[Result] = byKey.get(key)

  /** Times, in the order of name, then of parameters with numbers by size. */
  def sorted: Seq[(Key, Result)] =
    val times = byKey.toSeq.filter((key, _) => key == key.step)
    times.sortBy((key, _) => (key.benchmark, Key.order(key)))

  /** Times by key: without counters and without results whose unit is no unit of time. */
  def times: Map[Key, Result] =
    byKey.filter((key, result) => key == key.step && result.nanosPerUnit.isDefined)

  /** The names of the counts beside the times. */
  lazy val counters: Seq[String] =
    byKey.keys.filter(key => key != key.step).map(_.counter).toSeq.distinct.sorted

  /** The counts beside a time, one for each of [[counters]]. */
  def counts(key: Key): Seq[Option[Double]] =
    counters.map(name => get(key.counted(name)).map(_.time.mean))

object Results:
  /** A counter's name as text: `hits of hundred` for `hitsOfHundred`. */
  def words(counter: String): String =
    counter.flatMap(c => if c.isUpper then s" ${c.toLower}" else c.toString)

  val empty: Results = Results(Map())

  /** From JMH's JSON; entries of the same benchmark (one for each round) are joined. */
  def parse(json: String): Results =
    val entries = read[Seq[JmhEntry]](json)
    val timed = entries.groupBy(_.key).map((key, group) => key -> joined(group))
    Results(timed ++ counted(entries))

  private def counted(entries: Seq[JmhEntry]): Map[Key, Result] =
    val metrics =
      for entry <- entries; (counter, metric) <- entry.counters
      yield (entry.key.counted(counter), metric, entry)
    metrics.groupBy(_._1).map: (key, group) =>
      val samples = Samples(group.flatMap(_._2.rawData), group.flatMap(_._3.round))
      key -> Result(samples, "", None, disturbed = group.exists(_._3.disturbed))

  private def joined(entries: Seq[JmhEntry]): Result =
    def forks(metrics: Seq[JmhMetric]) =
      Samples(metrics.flatMap(_.rawData), entries.flatMap(_.round))
    val allocated = entries.flatMap(_.profiled("gc.alloc.rate.norm"))
    val collections = entries.flatMap(_.profiled("gc.count"))
    val count = collections.flatMap(_.rawData).flatten.sum
    val pauses = entries.flatMap(_.profiled("gc.time")).flatMap(_.rawData).flatten.sum
    val measured = entries.map(_.measuredMillis).sum
    Result(
      forks(entries.map(_.primaryMetric)),
      entries.head.primaryMetric.scoreUnit,
      Option.when(allocated.nonEmpty)(forks(allocated)),
      Option.when(collections.nonEmpty && measured > 0)(math.min(1, pauses / measured)),
      Option.when(collections.nonEmpty)((count = count, millis = pauses)),
      Frame.mean(entries.flatMap(_.frames)),
      entries.exists(_.disturbed),
      entries.flatMap(_.measured).headOption
    )
end Results
