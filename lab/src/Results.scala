package undercroft.lab

import upickle.default.{ReadWriter, read}

/** One entry of JMH's JSON, as far as the lab reads it. */
final case class JmhEntry(
    benchmark: String,
    mode: String,
    params: Map[String, String] = Map(),
    jvmArgs: Seq[String] = Seq(),
    primaryMetric: JmhMetric,
    secondaryMetrics: Map[String, JmhMetric] = Map()
) derives ReadWriter, CanEqual:
  /** Class and method, without the package. */
  def name: String = benchmark.split('.').takeRight(2).mkString(".")
  def key: Key = Key(name, params)
end JmhEntry

final case class JmhMetric(scoreUnit: String, rawData: Seq[Seq[Double]]) derives ReadWriter,
      CanEqual

/** Which result: a benchmark's class and method, and its parameters. */
final case class Key(benchmark: String, params: Map[String, String]) derives CanEqual:
  def show: String =
    (benchmark +: params.toSeq.sorted.map((name, value) => s"$name=$value")).mkString(" ")

object Key:
  def apply(benchmark: String, params: (String, String)*): Key = new Key(benchmark, params.toMap)

  /** A text that sorts keys by their parameters, numbers by size. */
  def order(key: Key): String =
    key.params.toSeq.sorted.map((name, value) => name + padded(value)).mkString(" ")

  private def padded(value: String): String =
    if value.forall(_.isDigit) then "0" * (20 - value.length) + value else value

/** One benchmark's result over all rounds of a run. */
final case class Result(time: Samples, unit: String, bytesPerCall: Option[Samples]) derives CanEqual

/** The results of one run of one experiment, by key. */
final case class Results(byKey: Map[Key, Result]) derives CanEqual:
  def get(key: Key): Option[Result] = byKey.get(key)

  /** In the order of name, then of parameters with numbers by size. */
  def sorted: Seq[(Key, Result)] =
    byKey.toSeq.sortBy((key, _) => (key.benchmark, Key.order(key)))

object Results:
  val none: Results = Results(Map())

  /** From JMH's JSON; entries of the same benchmark (one for each round) are joined. */
  def parse(json: String): Results =
    val entries = read[Seq[JmhEntry]](json)
    Results(entries.groupBy(_.key).map((key, same) => key -> joined(same)))

  private def joined(entries: Seq[JmhEntry]): Result =
    def forks(metrics: Seq[JmhMetric]) = Samples(metrics.flatMap(_.rawData))
    // JMH marks the metrics of its profilers with a middle dot.
    val allocated = entries.flatMap: entry =>
      entry.secondaryMetrics.collect { case (s"${_}gc.alloc.rate.norm", metric) => metric }
    Result(
      forks(entries.map(_.primaryMetric)),
      entries.head.primaryMetric.scoreUnit,
      Option.when(allocated.nonEmpty)(forks(allocated))
    )
end Results
