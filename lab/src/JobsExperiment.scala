package undercroft.lab

/** Public workloads as whole processes: the programs of `lab/jobs`. */
object JobsExperiment extends Experiment:
  val name = "jobs"
  val question = "How long does a public workload take, as a user would write and start it?"
  val article = None
  val benchmarks = Seq("BillionRows", "OrderBookDay")

  override val notes = Seq(
    "A call is a whole process, its start included, over a file in the system's cache. The One " +
      "Billion Row Challenge has 100 million rows of 413 stations here, and 10 million at a first look. The natural program, as in the " +
      "guide, and the baseline, a naive one in Java, use one thread; the fast program, the one by " +
      "hand over a mapped MemorySegment, DuckDB and Polars use all processors.",
    "The order book handles 20 million messages in one thread: 82 % replace an order, 9 % are limits, 6 % cancel " +
      "an order, and 3 % are at the market, as in exchange-core's benchmark. `messageNanos` is the mean of a message, with the " +
      "start of its code; the percentiles leave out the first tenth. `nanosOf` is the time in which a message is handled, " +
      "`delayOf` the time from its arrival, had one arrived every two microseconds: it waits for " +
      "the messages before it, as in a collection of garbage. All programs have a heap of 2 GiB. Our book uses removed orders " +
      "again, the others make new objects. In a small book, which stays in the processor's cache, a search of our ordered map " +
      "costs more than one of TreeMap. " +
      "Of the sizes and collectors of a goal, the pair that is worst for us counts. exchange-core " +
      "publishes 5 million operations a second, on other hardware and with risk checks."
  )

  override def lack(key: Key): Option[String] =
    if key.benchmark == "OrderBookDay.run" then super.lack(key)
    else bench.BillionRows.lack(key.params("program")).orElse(super.lack(key))

  override def slow(key: Key): Boolean = true

  override def atFirstLook(key: Key): Boolean =
    key.params.get("rows").orElse(key.params.get("live")).exists(Set("10000000", "1000"))

  def rival(key: Key): Rival = key.params("program") match
    case "Baseline"   => Rival.Heap
    case "ByHand"     => Rival.Ffm
    case "duckdb"     => Rival.DuckDb
    case "polars"     => Rival.Polars
    case s"Heap-$_"   => Rival.Heap
    case s"Agrona-$_" => Rival.Agrona
    case _            => Rival.Undercroft

  private def rows(program: String) = Key(
    "BillionRows.run",
    "program" -> program,
    "rows" -> "100000000",
    "stations" -> "413"
  )

  private def pair(ours: String, rival: String) = Seq(Pair(rows(ours), rows(rival)))

  private def day(program: String, live: String, counter: String) = Key(
    "OrderBookDay.run",
    "messages" -> "20000000",
    "live" -> live,
    "program" -> program
  ).counted(counter)

  /** A number of our book and of the book of objects, for both sizes. */
  private def days(counter: String, rivals: String*) =
    for live <- Seq("1000", "1000000"); rival <- rivals
    yield Pair(day("Ours", live, counter), day(rival, live, counter))

  val measures = Map(
    "order-book-vs-heap" -> Measure.Speedup(days("messageNanos", "Heap-G1", "Heap-ZGC")),
    "order-book-vs-agrona" -> Measure.Speedup(days("messageNanos", "Agrona-G1", "Agrona-ZGC")),
    "order-book-tail-vs-heap" -> Measure.Ratio(days("nanosOf9999", "Heap-G1", "Heap-ZGC")),
    "order-book-delay-vs-heap" -> Measure.Ratio(days("delayOf9999", "Heap-G1", "Heap-ZGC")),
    "billion-rows-fast-vs-by-hand" -> Measure.Ratio(pair("Fast", "ByHand")),
    "billion-rows-fast-vs-duckdb" -> Measure.Speedup(pair("Fast", "duckdb")),
    "billion-rows-fast-vs-polars" -> Measure.Speedup(pair("Fast", "polars")),
    "billion-rows-natural-vs-baseline" -> Measure.Speedup(pair("Natural", "Baseline"))
  )

  val charts = Seq(
    Chart.Bars(
      "The One Billion Row Challenge, by program and rows",
      key =>
        Option.when(key.benchmark == "BillionRows.run"):
          s"${key.params("program")}, ${key.params("rows")}"
    ),
    Chart.Bars(
      "A message of the order book, by program and live orders",
      key =>
        Option.when(key.benchmark == "OrderBookDay.run:messageNanos"):
          s"${key.params("program")}, ${key.params("live")}"
    )
  )
end JobsExperiment
