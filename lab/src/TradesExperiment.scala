package undercroft.lab

/** The second article: fifty million trades and the day's balance, by where they are kept. */
object TradesExperiment extends Experiment:
  val name = "trades"
  val question = "What do 50 million trades and the day's balance cost, by where they are kept?"

  val article = Some(
    Article(
      "50 M trades, then the day's balance",
      Seq("storage", "seconds"),
      Seq(
        Seq("objects", "6.7, or out of memory"),
        Seq("heap ByteBuffer", "1.5"),
        Seq("int array", "0.70"),
        Seq("direct ByteBuffer", "0.65"),
        Seq("scala-offheap", "0.35"),
        Seq("Unsafe", "0.29")
      )
    )
  )

  val benchmarks = Seq("FirstDay", "SecondDay", "Growth", "ArticleArithmetic")

  def rival(key: Key): Rival =
    val storage = key.params.getOrElse("storage", key.benchmark.dropWhile(_ != '.').drop(1))
    val name = storage.toLowerCase
    if name.contains("rows") || name.contains("columns") then Rival.Undercroft
    else if name.startsWith("c-") || name == "compiledc" then Rival.C
    else if name.contains("unsafe") then Rival.Unsafe
    else if name.contains("direct") then Rival.Direct
    else Rival.Heap

  private def second(storage: String) = day("SecondDay", storage)
  private def day(which: String, storage: String) =
    Key(s"$which.day", "storage" -> storage, "trades" -> "50000000")
  private def growth(method: String, trades: String) = Key(s"Growth.$method", "trades" -> trades)
  private def ratio(ours: Key, rival: Key) = Measure.Ratio(Seq(Pair(ours, rival)))

  val measures = Map(
    "first-day-rows-vs-unsafe" ->
      ratio(day("FirstDay", "packed-rows"), day("FirstDay", "unsafe")),
    "second-day-rows-vs-unsafe" -> ratio(second("packed-rows-huge"), second("unsafe")),
    "second-day-rows-vs-c" -> ratio(second("packed-rows-huge"), second("c-malloc")),
    "second-day-columns-vs-c" -> ratio(second("columns-huge"), second("c-malloc")),
    "second-day-rows-vs-unsafe-huge" -> ratio(second("packed-rows-huge"), second("unsafe-huge")),
    "second-day-rows-vs-c-huge" -> ratio(second("packed-rows-huge"), second("c-huge")),
    "growth-vs-c" -> Measure.Ratio(
      Seq("1000000", "10000000", "100000000", "1000000000").map: trades =>
        Pair(growth("packedRows", trades), growth("compiledC", trades))
    )
  )

  val charts = Seq(
    Chart.Bars("First day, ms", key => storage(key, "FirstDay")),
    Chart.Bars("From the second day on, ms", key => storage(key, "SecondDay")),
    Chart.Bars(
      "The article's arithmetic and the exact one, 1 M trades, ns",
      key =>
        Option.when(key.benchmark.startsWith("Article") && key.params("trades") == "1000000"):
          key.benchmark.drop("ArticleArithmetic.".length)
    ),
    Chart.Lines(
      "Growth, ns for at least 100 M trades, by how many are kept",
      "trades",
      key => Option.when(key.benchmark.startsWith("Growth."))(key.benchmark.drop(7))
    )
  )

  private def storage(key: Key, day: String) =
    Option.when(key.benchmark.startsWith(day))(key.params.getOrElse("storage", ""))
end TradesExperiment
