package undercroft.lab

/** The One Billion Row Challenge as whole processes: the programs of `lab/jobs/billionRows`. */
object BillionRowsExperiment extends Experiment:
  val name = "billionRows"
  val question =
    "How long does the One Billion Row Challenge take, as a user would write and start it?"
  val article = None
  val benchmarks = Seq("BillionRows")

  override val notes = Seq(
    "A call is a whole process, its start included, over a file in the system's cache: 100 million " +
      "rows of 413 stations, and 10 million at a first look. The natural program, as in the " +
      "guide, and the baseline, a naive one in Java, use one thread; the fast program, the one by " +
      "hand over a mapped MemorySegment, DuckDB and Polars use all processors."
  )

  override def lack(key: Key): Option[String] = bench.BillionRows.lack(key.params("program"))

  override def slow(key: Key): Boolean = true

  override def atFirstLook(key: Key): Boolean = key.params("rows") == "10000000"

  def rival(key: Key): Rival = key.params("program") match
    case "Baseline" => Rival.Heap
    case "ByHand"   => Rival.Ffm
    case "duckdb"   => Rival.DuckDb
    case "polars"   => Rival.Polars
    case _          => Rival.Undercroft

  private def rows(program: String) = Key(
    "BillionRows.run",
    "program" -> program,
    "rows" -> "100000000",
    "stations" -> "413"
  )

  private def pair(ours: String, rival: String) = Seq(Pair(rows(ours), rows(rival)))

  val measures = Map(
    "billion-rows-fast-vs-by-hand" -> Measure.Ratio(pair("Fast", "ByHand")),
    "billion-rows-fast-vs-duckdb" -> Measure.Speedup(pair("Fast", "duckdb")),
    "billion-rows-fast-vs-polars" -> Measure.Speedup(pair("Fast", "polars")),
    "billion-rows-natural-vs-baseline" -> Measure.Speedup(pair("Natural", "Baseline"))
  )

  val charts = Seq(
    Chart.Bars(
      "The One Billion Row Challenge, by program and rows",
      key => Some(s"${key.params("program")}, ${key.params("rows")}")
    )
  )
end BillionRowsExperiment
