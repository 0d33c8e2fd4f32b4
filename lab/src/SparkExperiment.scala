package undercroft.lab

/** The day's trades in Apache Spark, over struct files and over Parquet. */
object SparkExperiment extends Experiment:
  val name = "spark"
  val question = "What does Spark take for a day of trades in struct files, and in Parquet?"
  val article = None

  override val notes = Seq(
    "Spark 4.2 in its local mode, on all processors, in JVMs with a class path of Spark's own. The " +
      "files' pages are in the system's cache. The groups are trades of a hundred tickets of a " +
      "thousand, at the upper half of prices, by ticket: neither filter leaves out a block, because " +
      "both columns are at random. Planning, for which the files are opened, is part of the time."
  )

  val benchmarks = Seq("SparkDay")

  def rival(key: Key): Rival =
    if key.benchmark.endsWith("Parquet") then Rival.Spark else Rival.Undercroft

  override def atFirstLook(key: Key): Boolean = key.benchmark.startsWith("SparkDay.balance")

  private def day(method: String) = Key(s"SparkDay.$method", "trades" -> "10000000")

  val measures = Map(
    "day-in-spark-vs-parquet" -> Measure.Speedup(
      for
        query <- Seq("balance", "groups")
        layout <- Seq("Rows", "Columns")
      yield Pair(day(s"${query}Of$layout"), day(s"${query}OfParquet"))
    )
  )

  val charts = Seq(
    Chart.Bars("The balance of ten million trades", bar("balanceOf")),
    Chart.Bars("Some tickets' trades and balances", bar("groupsOf"))
  )

  private def bar(kind: String)(key: Key): Option[String] =
    Option.when(key.benchmark.startsWith(s"SparkDay.$kind"))(
      key.benchmark.drop(s"SparkDay.$kind".length)
    )
end SparkExperiment
