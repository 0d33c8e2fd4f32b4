package undercroft.lab.bench

/** The answers of public workloads. */
class JobsBenchmarks extends undercroft.tools.Suite:

  private def answer(program: String): Any = Once
    .answers: () =>
      val state = BillionRows()
      state.rows = 1000
      state.stations = 7
      state.program = program
      state
    .apply("run")

  test("the programs of the One Billion Row Challenge have one answer"):
    val expected = answer("Baseline")
    assertEquals(expected.toString.count(_ == '='), 7)
    for program <- Seq("Fast", "ByHand", "Natural") do
      assertEquals(answer(program), expected, program)

  test("DuckDB and Polars have the answer of the baseline"):
    assume(BillionRows.lack("duckdb").isEmpty)
    val expected = answer("Baseline")
    for program <- Seq("duckdb", "polars") do assertEquals(answer(program), expected, program)

  test("the order books of all programs have one answer"):
    val answers =
      for program <- orderBook.InTurns.programs
      yield Once.answer(
        {
          val state = OrderBookDay()
          state.messages = 1000
          state.live = 10
          state.program = program
          state
        },
        "run"
      )
    assertEquals(answers.distinct.size, 1)
    assert(answers(0).toString.matches("trades \\d\\d+ .*, orders \\d+ .*"), answers(0))

  test("lookups of all programs have one answer"):
    val answers =
      for program <- lookups.InTurns.programs
      yield Once.answer(
        {
          val state = PointLookups()
          state.items = 2000
          state.program = program
          state
        },
        "run"
      )
    assertEquals(answers.distinct.size, 1)
    assert(answers(0).toString.matches("sum=\\d\\d+ sum=\\d\\d+"), answers(0))

  test("our actors and Pekko's have the answer of a benchmark"):
    for program <- Seq("Workers", "Pekko") do
      val state = Savina()
      state.name = "ThreadRing"
      state.size = "small"
      state.program = program
      assertEquals(Once.answer(state, "run"), "34", program)

  private def groups(program: String): Any = Once.answer(
    {
      val state = GroupByQuestions()
      state.rows = 1000
      state.groups = 10
      state.program = program
      state
    },
    "run"
  )

  test("our answers to the questions of the group-by have their numbers of groups"):
    groups("Ours") match
      case answers: groupBy.Answers =>
        assertEquals(
          answers.checks.map(_(0)),
          Seq(10, 100, 100, 10, 100, 100, 100, 200, 100, 1000).map(_.toDouble)
        )
      case other => fail(s"$other")

  test("DuckDB and Polars have our answers to the questions of the group-by"):
    assume(BillionRows.lack("duckdb").isEmpty)
    val expected = groups("Ours")
    for program <- Seq("duckdb", "polars") do assertEquals(groups(program), expected, program)
end JobsBenchmarks
