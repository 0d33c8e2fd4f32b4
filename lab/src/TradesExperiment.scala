package undercroft.lab

/** The second article: fifty million trades and the day's balance, by storage. */
object TradesExperiment extends Experiment:
  val name = "trades"
  val question = "What do 50 million trades and the day's balance cost, by where they are kept?"

  private def day(which: String, storage: String) =
    Key(s"$which.day", "storage" -> storage, "trades" -> "50000000")
  private def first(storage: String) = day("FirstDay", storage)
  private def second(storage: String) = day("SecondDay", storage)

  private def past(storage: String, seconds: String, scala: String, java: String = "") =
    def named(name: String) = Option.when(name.nonEmpty)(name)
    Past(
      Seq(storage, seconds),
      Seq(scala, java).map(named).flatMap(name => Seq(name.map(first), name.map(second)))
        .map(_.map(Shown(_)))
    )

  val article = Some(
    Article(
      "Scala and off-heap",
      None,
      "stockExchange",
      "Objects die in the garbage collector, whatever the language; the bytes of a trade outside " +
        "the heap do not.",
      Seq(
        Printed(
          Seq("storage", "the article, s"),
          Seq("Scala, first day", "second day on", "Java, first day", "second day on"),
          Seq(
            past("objects in an ArrayBuffer", "6.7", "array-buffer", "java-array-list"),
            past("objects in a ListBuffer", "out of memory", "list-buffer"),
            past("heap ByteBuffer", "1.5", "heap-buffer", "java-heap-buffer"),
            past("int array", "0.70", "int-array", "java-int-array"),
            past("direct ByteBuffer", "0.65", "direct-buffer", "java-direct-buffer"),
            past("scala-offheap, @data and EmbedArray", "0.35", "scala-offheap"),
            past("Unsafe", "0.29", "unsafe", "java-unsafe"),
            past("MemorySegment, confined arena", "", "segment-confined", "java-segment-confined"),
            past("MemorySegment, shared arena", "", "segment-shared"),
            past("Undercroft, packed rows", "", "packed-rows"),
            past("Undercroft, rows", "", "rows"),
            past("Undercroft, columns", "", "columns"),
            past("C, malloc", "", "c-malloc")
          )
        )
      ),
      results =>
        for
          rows <- ArticleTable.times(results, second("array-buffer"), second("packed-rows"))
          unsafe <- ArticleTable.times(results, second("array-buffer"), second("unsafe"))
        yield "Unsafe was 23x as fast as objects; here, from the second day on, packed rows are " +
          s"$rows as fast as objects, and Unsafe $unsafe."
    )
  )

  override val notes = Seq(
    "A first day is one call in a fresh JVM; the days from the second on run in the same process. " +
      "Names that end in -huge use huge pages, which unsafe-huge and c-huge also keep from day to " +
      "day; the others use the system's small pages. 13 B is a packed trade, 16 B one with the " +
      "padding of C's layout. scala-offheap, of 2015, is compiled by Scala 2.11 and runs in a class " +
      "loader of its own. An arena zeroes its segment, which Unsafe, malloc and ours do not.",
    "On a first day heap storages have pages that were touched before the measurement, and native " +
      "ones touch theirs in it: that is why the order differs from the article's on the first day.",
    "ExchangeFirstDay is the exchange's own first command, both days in a JVM of its own with a heap " +
      "of 1 GiB; with aot the JVM has the classes and profiles of an earlier run.",
    "Growth appends trades until there are so many, over pages that were touched before: C and " +
      "Unsafe fill a block that they kept, ours starts each time from no row at all."
  )

  val benchmarks = Seq("FirstDay", "SecondDay", "Growth", "ArticleArithmetic", "ExchangeFirstDay")

  def rival(key: Key): Rival =
    val storage = key.params.getOrElse("storage", key.benchmark.dropWhile(_ != '.').drop(1))
    val name = storage.toLowerCase
    if name.contains("rows") || name.contains("columns") then Rival.Undercroft
    else if name.startsWith("c-") || name.startsWith("compiledc") then Rival.C
    else if name.contains("unsafe") then Rival.Unsafe
    else if name.contains("segment") then Rival.Ffm
    else if name == "scala-offheap" then Rival.ScalaOffheap
    else if name.contains("direct") then Rival.Direct
    else Rival.Heap

  private val firstLook = Seq("packed-rows", "unsafe").map(first).toSet ++ Seq(
    "array-buffer",
    "java-array-list",
    "int-array",
    "direct-buffer",
    "unsafe",
    "java-unsafe",
    "unsafe-huge",
    "segment-confined",
    "scala-offheap",
    "rows",
    "packed-rows-huge",
    "columns-huge",
    "c-malloc",
    "c-huge"
  ).map(second)
  override def atFirstLook(key: Key): Boolean =
    firstLook(key) || key.benchmark.startsWith("Article") ||
      key.benchmark.startsWith("Growth.") && key.params("trades").length <= "10000000".length

  override def lack(key: Key): Option[String] =
    super.lack(key).orElse:
      val bytes = if key.benchmark.startsWith("Growth.") then grownBytes(key) else 0
      val memory = Machine.memoryBytes.getOrElse(Long.MaxValue)
      val needed = bytes + (2L << 30) // for the JVM and the system
      Option.when(needed > memory):
        s"${key.params("trades")} trades need $needed bytes of memory, and there are $memory"

  private def grownBytes(key: Key): Long =
    val padded = Set("Growth.rows", "Growth.compiledCLayout")(key.benchmark)
    key.params("trades").toLong * (if padded then 16 else 13)

  private def growth(method: String, trades: String) = Key(s"Growth.$method", "trades" -> trades)
  private def ratio(ours: Key, rival: Key) = Measure.Ratio(Seq(Pair(ours, rival)))

  private def grownLike(method: String, rival: String) =
    Measure.Ratio(
      Seq("1000000", "10000000", "100000000", "1000000000").map: trades =>
        Pair(growth(method, trades), growth(rival, trades))
    )

  private def cached(storage: String) =
    Key("ExchangeFirstDay.days", "storage" -> storage, "trades" -> "50000000", "cache" -> "aot")
      .counted("firstDayMillis")

  val measures = Map(
    "first-day-rows-vs-unsafe-aot" -> ratio(cached("packed-rows"), cached("unsafe")),
    "first-day-rows-vs-unsafe" -> ratio(first("packed-rows"), first("unsafe")),
    "second-day-rows-vs-unsafe" -> ratio(second("packed-rows-huge"), second("unsafe")),
    "second-day-rows-vs-c" -> ratio(second("packed-rows-huge"), second("c-malloc")),
    "second-day-columns-vs-c" -> ratio(second("columns-huge"), second("c-malloc")),
    "second-day-rows-vs-unsafe-huge" -> ratio(second("packed-rows-huge"), second("unsafe-huge")),
    "second-day-rows-vs-c-huge" -> ratio(second("packed-rows-huge"), second("c-huge")),
    "growth-vs-c" -> grownLike("packedRowsByNumber", "compiledC"),
    "append-batch-vs-c" -> grownLike("packedRowsInBatches", "compiledC"),
    "growth-one-by-one-vs-unsafe" -> grownLike("packedRows", "unsafeOneByOne")
  )

  val charts = Seq(
    Chart.Bars("First day", key => storage(key, "FirstDay")),
    Chart.Bars("From the second day on", key => storage(key, "SecondDay")),
    Chart.Course("Day by day from the second day on", "day after the first", key => daily(key)),
    Chart.Lines(
      "Trades appended, by how many",
      "trades",
      trades,
      grown,
      key => trades(key) / appended(key)
    ),
    Chart.Bars(
      "The article's arithmetic and the exact one, 1 M trades",
      key =>
        Option.when(key.benchmark.startsWith("Article") && key.params("trades") == "1000000"):
          key.benchmark.stripPrefix("ArticleArithmetic.")
    )
  )

  private def storage(key: Key, day: String) =
    Option.when(key.benchmark.startsWith(day)):
      val name = key.params.getOrElse("storage", "")
      s"$name, ${bytes(name)}"

  private val followed =
    Set("packed-rows-huge", "columns-huge", "unsafe-huge", "unsafe", "c-malloc")
  private def daily(key: Key) =
    storage(key, "SecondDay").filter(_ => key.params.get("storage").exists(followed))

  private def trades(key: Key) = key.params("trades").toDouble

  /** A call that appends few trades repeats them. */
  private def appended(key: Key) = math.max(trades(key), bench.Growth.least.toDouble)
  private def grown(key: Key) = Option.when(key.benchmark.startsWith("Growth.")):
    val method = key.benchmark.stripPrefix("Growth.")
    s"$method, ${bytes(method)}"

  /** How a storage or a method stores a trade. */
  private def bytes(name: String): String =
    if name.contains("list") || name.contains("array-buffer") then "objects"
    else if name.contains("int-array") || name.startsWith("rows") then "16 B"
    else if name.endsWith("c-layout") || name == "compiledCLayout" then "16 B"
    else "13 B"
end TradesExperiment
