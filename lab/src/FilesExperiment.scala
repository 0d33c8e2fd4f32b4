package undercroft.lab

/** Tables that survive the process, beside the file formats and databases that others use. */
object FilesExperiment extends Experiment:
  val name = "files"
  val question = "What do tables in files cost to open, to append to and to read?"
  val article = None

  override val notes = Seq(
    "The pages of all files are in the system's cache, and one thread answers, DuckDB's and " +
      "SQLite's too. An append is 4096 trades and a commit; SQLite has a write-ahead log and forces " +
      "it to the disk at each commit, as committed rows are. An event of the thousand persistent " +
      "actors is answered when it is on the disk; their journal commits all events that wait " +
      "together, and SQLite has a transaction for each event or for a thousand. What a file of 16 " +
      "GiB holds is zeros that take nothing of the disk. Compressed files, ours and Parquet, have " +
      "Zstandard at the level 3; `fileBytes` is the size of each file."
  )

  val benchmarks =
    Seq("FileOpen", "FolderOpen", "FileScan", "CompressedScan", "FileAppend", "EventSourced")

  def rival(key: Key): Rival =
    val method = key.benchmark.dropWhile(_ != '.').drop(1)
    if method.startsWith("duckdb") || method.endsWith("Parquet") then Rival.DuckDb
    else if method.startsWith("sqlite") then Rival.Sqlite
    else Rival.Undercroft

  override def atFirstLook(key: Key): Boolean =
    key.params.get("mebibytes").forall(Set("1", "16384").contains)

  private def open(mebibytes: String) = Key("FileOpen.open", "mebibytes" -> mebibytes)
  private def scan(method: String) = Key(s"FileScan.$method", "trades" -> "10000000")

  private def compressed(method: String) =
    Key(s"CompressedScan.$method", "trades" -> "10000000")

  val measures = Map(
    "file-open-16-gib-vs-1-mib" -> Measure.Ratio(Seq(Pair(open("16384"), open("1")))),
    "open-all-1000-files" -> Measure.Millis(Seq(Key("FolderOpen.openAll", "files" -> "1000"))),
    "file-scan-vs-memory" -> Measure.Speedup(Seq(Pair(scan("fileRows"), scan("memoryRows")))),
    "file-columns-scan-vs-memory" -> Measure.Speedup(
      Seq(Pair(scan("fileColumns"), scan("memoryColumns")))
    ),
    "file-append-vs-sqlite" -> Measure.Speedup(
      Seq(Pair(Key("FileAppend.committed"), Key("FileAppend.sqliteWal")))
    ),
    "event-sourced-vs-sqlite" -> Measure.Speedup(
      Seq(Pair(Key("EventSourced.actors"), Key("EventSourced.sqliteEach")))
    ),
    "file-day-vs-duckdb-parquet" -> Measure.Speedup(
      Seq("fileRows", "fileColumns").map(table => Pair(scan(table), scan("duckdbParquet")))
    ),
    "scan-compressed-vs-parquet" -> Measure.Speedup(
      Seq(Pair(compressed("sumOfBlocks"), compressed("sumOfParquet")))
    ),
    "file-day-vs-sqlite" -> Measure.Speedup(
      Seq("fileRows", "fileColumns").map(table => Pair(scan(table), scan("sqliteTable")))
    )
  )

  val charts = Seq(
    Chart.lines("Opening, by size", "mebibytes")(key =>
      Option.when(key.benchmark == "FileOpen.open")("open")
    ),
    Chart.lines("Opening a folder, by its files", "files")(key =>
      Option.when(key.benchmark == "FolderOpen.openAll")("openAll")
    ),
    Chart.Bars("The balance of ten million trades", bar("FileScan")),
    Chart.Bars("Ten million trades in a compressed file", bar("CompressedScan")),
    Chart.Bars("4096 trades and a commit", bar("FileAppend")),
    Chart.Bars("An event of one of a thousand ids, durable", bar("EventSourced"))
  )

  private def bar(kind: String)(key: Key): Option[String] =
    Option.when(key.benchmark.startsWith(s"$kind."))(key.benchmark.drop(kind.length + 1))
end FilesExperiment
