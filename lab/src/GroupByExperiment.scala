package undercroft.lab

/** The group-by of the database-like ops benchmark: the programs of `lab/jobs/groupBy`. */
object GroupByExperiment extends Experiment:
  val name = "groupBy"
  val question =
    "How long do the ten group-bys of the database-like ops benchmark take, as a user would write them?"
  val article = None
  val benchmarks = Seq("GroupByQuestions")

  override val notes = Seq(
    "A call is a whole process: it loads 10 million rows of 100 groups (100 000 for id3 and id6), " +
      "or a million at a first look, and answers each question five times. `q1` to `q10` are the median seconds of a question. " +
      "Ours stores the texts id1 to id3 as the numbers of distinct texts, DuckDB as an ENUM, and " +
      "Polars as Categorical; that is done at loading. Our time includes a pass over the answer, " +
      "the others' do not. All use all processors. Our questions are loops over columns that " +
      "update an off-heap hash map for each processor, row by row; if the map is larger than " +
      "256 KiB, the entries of 256 keys are loaded ahead. Questions 6 and 10 read a key's " +
      "column once for each of eight parts of the keys."
  )

  override def lack(key: Key): Option[String] = bench.BillionRows.lack(key.params("program"))

  override def slow(key: Key): Boolean = true

  override def atFirstLook(key: Key): Boolean = key.params("rows") == "1000000"

  def rival(key: Key): Rival = key.params("program") match
    case "duckdb" => Rival.DuckDb
    case "polars" => Rival.Polars
    case _        => Rival.Undercroft

  private def question(program: String, number: Int) = Key(
    "GroupByQuestions.run",
    "groups" -> "100",
    "program" -> program,
    "rows" -> "10000000"
  ).counted(s"q$number")

  private def mean(rival: String) = Measure.MeanSpeedup(
    for number <- 1 to 10 yield Pair(question("Ours", number), question(rival, number))
  )

  val measures = Map("group-by-vs-duckdb" -> mean("duckdb"), "group-by-vs-polars" -> mean("polars"))

  val charts = Seq(
    Chart.Bars(
      "A question of the group-by, by program",
      key =>
        Option.when(key.benchmark.startsWith("GroupByQuestions.run:")):
          s"${key.counter}, ${key.params("program")}, ${key.params("rows")}"
    )
  )
end GroupByExperiment
