package undercroft.lab

import undercroft.report.FigureText

/** The fifth article: pools of segments under contention, and a buffer's operations. */
object SegmentsExperiment extends Experiment:
  val name = "segments"
  val question = "What do pooled segments cost by pool and threads, and what a buffer's operations?"

  val article = Some(
    Article(
      "Optimizing new byte[]",
      Some("Jesse Wilson, Public Object, 2020"),
      "segmentPools",
      "An array costs its zeroes, so Okio pools segments; and a pool costs its threads' meetings.",
      Seq(
        Printed(
          Seq("pool", "the article, times no pool's throughput"),
          Seq("one thread", "4 threads", "16 threads", "64 threads"),
          Seq(
            past("none", "1.0", "none"),
            past("synchronized", "1.3", "synchronizedPool"),
            past("lock-free", "2.0", "lockFree"),
            past("lock-free, as large as the striped one", "", "lockFreeOfSameBytes"),
            past("striped lock-free", "5.8", "striped"),
            past("per processor", "", "perProcessor"),
            past("Okio 2.7, lock-free, against Okio 2.6", "", "okio27", "OkioReleases")
          )
        ),
        Printed(
          Seq("new byte[]", "the article, ns"),
          Seq("here", "of which zero fill"),
          Seq(array("1000", "83"), array("10000", "546"), array("100000", "4659"))
        )
      ),
      results =>
        def speed(threads: String) =
          ArticleTable.times(results, pair("none", threads), pair("striped", threads))
        val pools =
          for alone <- speed("1"); many <- speed("64")
          yield "A striped pool had 5.8x the throughput of no pool; here it has " +
            s"$alone on one thread, and $many on 64."
        val sentences = pools.toSeq ++ cost(results)
        Option.when(sentences.nonEmpty)(sentences.mkString(" "))
    )
  )

  private def past(pool: String, times: String, method: String, benchmark: String = "PoolPairs") =
    val threads = Seq("1", "4", "16", "64")
    Past(
      Seq(pool, times),
      threads.map(n => Some(Shown(pair(method, n, benchmark = benchmark)))),
      threads.map(n =>
        pair(if benchmark == "PoolPairs" then "none" else "okio26", n, benchmark = benchmark)
      )
    )

  private def fresh(method: String, bytes: String) = Key(s"NewBytes.$method", "bytes" -> bytes)
  private def array(bytes: String, nanos: String) =
    val here = Seq("newArray", "zeroFill").map(method => Some(Shown(fresh(method, bytes))))
    Past(Seq(s"$bytes bytes", nanos), here)

  /** The article's estimate, from the smallest and the largest array: the cost of a new array, and
    * the cost of each 100 000 of its bytes.
    */
  private def cost(results: Results): Option[String] =
    def nanos(bytes: String) = results.get(fresh("newArray", bytes)).flatMap(_.millis).map(_ * 1e6)
    for small <- nanos("1000"); large <- nanos("100000") yield
      val slope = (large - small) / 99_000
      val words = Seq(small - slope * 1000, slope * 100_000).map(FigureText.time)
      "A new array cost 37 ns and each 100 000 of its bytes 4 622 ns; here " +
        s"${words(0)} and ${words(1)}."

  val benchmarks = Seq(
    "NewBytes",
    "PoolPairs",
    "LinesShuffled",
    "HandedOver",
    "OkioReleases",
    "BufferOperations",
    "OperationsInARow",
    "WritesInARow",
    "FileLines",
    "BufferHandOff"
  )

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1).toLowerCase
    if method.contains("okio") then Rival.Okio
    else if method.contains("netty") then Rival.Netty
    else if key.benchmark.startsWith("NewBytes.") || Seq("bare", "reader").exists(method.contains)
    then Rival.Heap
    else Rival.Undercroft

  private def pair(method: String, threads: String, benchmark: String = "PoolPairs") =
    val key = Key(s"$benchmark.$method", "threads" -> threads)
    if benchmark == "PoolPairs" then key.copy(params = key.params + ("kind" -> "platform")) else key
  private val contended = Seq("4", "16", "64")
  private val fast = Seq("striped", "perProcessor")
  private val texts = Seq("ascii", "two-bytes", "emoji")
  private def operation(name: String, params: (String, String)*) =
    val of = (whose: String) => Key(s"BufferOperations.$name$whose", params*)
    Pair(of("Ours"), of("Okio"))

  private def inARow(benchmark: String, operations: String*)(place: String) =
    operations.map: operation =>
      val of =
        (whose: String) => Key(s"$benchmark.$whose", "operation" -> operation, "place" -> place)
      Pair(of("ours"), of("okio"))

  private val rows =
    Seq("buffer", "file").flatMap(
      inARow(
        "OperationsInARow",
        "skip",
        "readByteArray16",
        "readUtf8of8",
        "readUtf8of40",
        "readByte",
        "readInt",
        "readLong"
      )
    ) ++ Seq(
      "buffer",
      "sink"
    ).flatMap(inARow("WritesInARow", "writeUtf8of8", "writeByte", "writeLong"))

  private val numbersAndLines =
    Seq("buffer", "file").flatMap(
      inARow(
        "OperationsInARow",
        "readDecimalLong",
        "readHexadecimalUnsignedLong",
        "readUtf8Line",
        "indexOf"
      )
    ) ++ Seq("buffer", "sink").flatMap(
      inARow("WritesInARow", "writeDecimalLong", "writeHexadecimalUnsignedLong")
    )

  private val pairs =
    Seq("ints", "littleLongs", "byteString", "getByte", "seek", "select").map(operation(_)) ++
      texts.map(text => operation("utf8", "text" -> text))

  val measures = Map(
    "buffer-vs-okio-each" -> Measure.Speedup(pairs),
    "buffer-vs-okio-geometric-mean" -> Measure.MeanSpeedup(pairs),
    "buffer-equals-and-search-vs-okio" ->
      Measure.Speedup(Seq("equals", "indexOf").map(operation(_))),
    "buffer-in-a-row-vs-okio" -> Measure.Speedup(rows),
    "buffer-numbers-in-a-row-vs-okio" -> Measure.Speedup(numbersAndLines),
    "file-lines-vs-buffered-reader" -> Measure.Speedup(
      Seq(Pair(Key("FileLines.ours"), Key("FileLines.bufferedReader")))
    ),
    "pool-pair-vs-floor" -> Measure.Ratio(
      fast.map(method => Pair(pair(method, "1"), pair("bareExchanges", "1")))
    ),
    "pool-one-thread-vs-monitor" -> Measure.Ratio(
      fast.map(method => Pair(pair(method, "1"), pair("synchronizedPool", "1")))
    ),
    "pool-contended-vs-monitor" -> Measure.Ratio(
      for threads <- contended; method <- fast
      yield Pair(pair(method, threads), pair("synchronizedPool", threads))
    ),
    "buffer-garbage" -> Measure.Garbage(
      Seq("ints", "littleLongs", "getByte", "select", "equals", "indexOf").map: name =>
        Key(s"BufferOperations.${name}Ours")
    )
  )

  override def atFirstLook(key: Key): Boolean =
    key.params.get("threads").forall(Set("1", "4").contains) &&
      key.params.get("place").forall(_ == "buffer") && !key.params.get(
        "kind"
      ).contains("virtual") && key.params.get("text").forall(_ == "ascii")

  private val contention =
    for
      (benchmark, title, kind) <-
        Seq(
          ("PoolPairs", "A segment taken and given back, platform threads", "platform"),
          ("PoolPairs", "A segment taken and given back, virtual threads", "virtual"),
          ("LinesShuffled", "A line", ""),
          ("HandedOver", "A segment taken by one thread and given back by another", ""),
          ("OkioReleases", "A segment taken and given back, by Okio's version", "")
        )
    yield Chart.lines(title, "threads")(key =>
      Option.when(
        key.benchmark.startsWith(s"$benchmark.") && key.params.getOrElse("kind", "") == kind
      ):
        key.benchmark.dropWhile(_ != '.').drop(1)
    )

  val charts = contention :+
    Chart.Bars(
      "A buffer's operations; comparisons and searches by the KiB",
      key =>
        Option.when(key.benchmark.startsWith("BufferOperations.")):
          (key.benchmark.drop(17) +: key.params.values.toSeq).mkString(", ")
    ) :+
    Chart.Bars(
      "8 KiB written to a buffer or an output, and handed over",
      key =>
        Option.when(key.benchmark.startsWith("BufferHandOff.")):
          s"${key.benchmark.drop(14)}, ${key.params("kind")}"
    )
end SegmentsExperiment
