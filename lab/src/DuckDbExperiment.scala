package undercroft.lab

/** SQL over tables and files, beside SQL over DuckDB's own format. */
object DuckDbExperiment extends Experiment:
  val name = "duckdb"
  val question = "What does SQL over rows, columns and files cost, beside Parquet?"
  val article = None

  override val notes = Seq(
    "One DuckDB answers all of it, on all threads that it has, each time from the text of the query " +
      "on. The Parquet file is what DuckDB makes of the same trades, with its defaults. The pages of " +
      "all files are in the system's cache. The filter is fulfilled by a tenth of the trades, spread " +
      "over all of the day; the groups are 5 000 tickets. A result is a Parquet file of three Longs, " +
      "a Boolean and a text. The command runs in a JVM that has run it before."
  )

  val benchmarks =
    Seq("DaySql", "TextSql", "SqlResults", "CommandTables", "CommandStart", "PythonTables")

  override def lack(key: Key): Option[String] =
    if key.benchmark.startsWith("PythonTables.") then bench.PythonTables.lack else super.lack(key)

  def rival(key: Key): Rival =
    if key.benchmark == "PythonTables.parquet" then Rival.PythonParquet
    else if key.benchmark.endsWith(".parquet") || key.benchmark.contains(".duckdb") then
      Rival.DuckDb
    else Rival.Undercroft

  override def atFirstLook(key: Key): Boolean = key.params.get("query").forall(_ == "full") &&
    key.params.get("condition").forall(_ == "prefix")

  private val queries = Seq("full", "filtered", "grouped")
  private val tables = Seq("fileRows", "fileColumns", "memoryRows", "memoryColumns")

  private def asked(table: String, query: String) =
    Key(s"DaySql.$table", "query" -> query, "trades" -> "10000000")

  private def command(method: String) = Key(s"CommandTables.$method", "rows" -> "1000000")

  private def python(method: String, library: String) =
    Key(s"PythonTables.$method", "library" -> library, "rows" -> "1000000")

  private def result(method: String) = Key(s"SqlResults.$method", "rows" -> "1000000")

  val measures = Map(
    "sql-into-columns-vs-duckdb" -> Measure.Ratio(
      Seq(Pair(result("columns"), result("duckdbTable")))
    ),
    "csv-into-columns-vs-duckdb" -> Measure.Ratio(
      Seq(Pair(command("convertCsv"), command("duckdbParquet")))
    ),
    "csv-to-parquet-vs-duckdb" -> Measure.Ratio(
      Seq(Pair(command("csvToParquet"), command("duckdbParquet")))
    ),
    "columns-to-csv-vs-duckdb" -> Measure.Ratio(
      Seq(Pair(command("columnsToCsv"), command("duckdbCsv")))
    ),
    "stats-vs-duckdb" -> Measure.Ratio(Seq(Pair(command("stats"), command("duckdbSummary")))),
    "command-start" -> Measure.Millis(
      Seq("help", "schema", "head").map(word => Key("CommandStart.run", "command" -> word))
    ),
    "python-tables-vs-parquet" -> Measure.Ratio(
      Seq("pandas", "arrow", "polars").map(library =>
        Pair(python("struct", library), python("parquet", "arrow"))
      )
    ),
    "sql-million-objects" -> Measure.Millis(Seq(result("objects"))),
    "day-in-duckdb-vs-parquet" -> Measure.Speedup(
      for table <- tables; query <- queries
      yield Pair(asked(table, query), asked("parquet", query))
    )
  )

  private val conditions = Seq("prefix", "equality")

  private val trades = queries.map: query =>
    Chart.Bars(
      s"Ten million trades, $query",
      key =>
        Option.when(key.params.get("query").contains(query))(key.benchmark.stripPrefix("DaySql."))
    )

  private val texts = conditions.map: condition =>
    Chart.Bars(
      s"Four million sales, $condition of texts",
      key =>
        Option.when(key.params.get("condition").contains(condition)):
          key.benchmark.stripPrefix("TextSql.")
    )

  private def bars(title: String, benchmark: String) = Chart.Bars(
    title,
    key =>
      Option.when(
        key.benchmark.startsWith(s"$benchmark.")
      )(key.benchmark.drop(benchmark.length + 1))
  )

  val charts = trades ++ texts ++ Seq(
    bars("A result of a million rows", "SqlResults"),
    bars("The command over a million rows", "CommandTables"),
    Chart.Bars(
      "The start of the command",
      key => Option.when(key.benchmark == "CommandStart.run")(key.params("command"))
    ),
    Chart.Bars(
      "A million rows in Python",
      key =>
        Option.when(key.benchmark.startsWith("PythonTables.")):
          s"${key.benchmark.stripPrefix("PythonTables.")}, ${key.params("library")}"
    )
  )
end DuckDbExperiment
