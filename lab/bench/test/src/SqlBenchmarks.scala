package undercroft.lab.bench

/** Every benchmark of SQL, of the command and of Python over files returns the expected result. */
class SqlBenchmarks extends undercroft.tools.Suite:

  test("SQL returns the same over rows, columns, files and Parquet"):
    for query <- Seq("full", "filtered", "grouped") do
      val answers = Once.answers: () =>
        val state = DaySql()
        state.trades = 20_000
        state.query = query
        state
      assertEquals(answers.size, 5)
      assertEquals(answers.values.toSet.size, 1, s"$query: $answers")
      val trades = (0L until 20_000L).map(DaySql.trade)
      val selection = if query == "filtered" then trades.filter(_.amount >= 900) else trades
      if query != "grouped" then
        assertEquals(answers("fileRows"), selection.map(_.balance).sum: Any, query)

  test("SQL with a condition on texts returns the same by the scan, by DuckDB and over Parquet"):
    for condition <- Seq("prefix", "equality") do
      def open(): TextSql =
        val state = TextSql()
        state.sales = 20_000
        state.condition = condition
        state
      val answers = Once.answers(() => open())
      val selected = (0L until 20_000L).map(TextSql.sale)
        .filter(sale => TextSql.holds(condition, sale.item.string))
      assert(selected.nonEmpty, condition)
      assertEquals(answers.size, 5)
      for (method, answer) <- answers do
        assertEquals(answer, selected.map(_.amount.toLong).sum: Any, s"$condition $method")
      val state = open()
      state.make()
      try
        for table <- Seq("file_rows", "file_columns") do
          val (byScan, byDuckDb) = (state.plan(table, true), state.plan(table, false))
          assert(!byScan.contains(" Filter "), s"$condition of $table was not pushed down: $byScan")
          assert(byDuckDb.contains(" Filter "), s"$condition of $table was pushed down: $byDuckDb")
      finally state.close()

  test("a result of SQL has the same rows in columns, as objects and in DuckDB's table"):
    val answers = Once.answers: () =>
      val state = SqlResults()
      state.rows = 20_000
      state
    assertEquals(answers.size, 3)
    assertEquals(answers.values.toSet, Set[Any](20_000L + 19_999L))

  test("the command and DuckDB read all rows of a table"):
    val answers = Once.answers: () =>
      val state = CommandTables()
      state.rows = 20_000
      state
    assertEquals(answers.size, 7)
    assertEquals(answers.values.toSet, Set[Any](20_000L))

  test("the command prints its help, a schema and the head of a table in a process of its own"):
    for (command, least) <- Seq("help" -> 8L, "schema" -> 2L, "head" -> 10L) do
      val answers = Once.answers: () =>
        val state = CommandStart()
        state.command = command
        state
      assert(answers("run").asInstanceOf[Long] >= least, s"$command: $answers")

  test("Python reads all rows of a struct file and of Parquet"):
    val _ = undercroft.tools.Requirement.python()
    val state = PythonTables()
    state.rows = 2000
    state.make()
    try
      for library <- Seq("pandas", "arrow", "polars") do
        state.library = library
        assertEquals((state.struct(), state.parquet()), (2000L, 2000L), library)
    finally state.close()
end SqlBenchmarks
