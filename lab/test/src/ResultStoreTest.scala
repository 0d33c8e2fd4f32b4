package undercroft.lab

/** The committed files agree with each other and with the code. */
class ResultStoreTest extends undercroft.tools.Suite:
  private val lab = ResultStore(Command.home / "goals.json", Command.home / "results")

  test("every experiment is found and has a unique name"):
    val names = Experiment.all.map(_.name)
    assertEquals(names.sorted, names.distinct.sorted)
    for name <- Seq("arrays", "memory", "trades") do assert(names.contains(name), names)

  /** Goals of features that do not exist yet: they have no number, and so do not hold. */
  private val toCome = Set.empty[String]

  test("every goal belongs to an experiment that measures it, unless it is planned"):
    for goal <- lab.goals do
      val experiment = Experiment.named(goal.experiment)
      val isMeasured = experiment.exists(_.measures.contains(goal.name))
      assertNotEquals(isMeasured, toCome(goal.name), goal)
      Asked.parse(goal.asked): Unit

  test("every measure belongs to a goal"):
    val goals = lab.goals.map(goal => (goal.experiment, goal.name)).toSet
    for experiment <- Experiment.all; name <- experiment.measures.keys do
      assert(goals((experiment.name, name)), s"${experiment.name}: $name is no goal")

  test("every result that a measure needs is a step of its experiment"):
    for experiment <- Experiment.all do
      val plan = Plan.of(experiment, Set())
      val present = plan.steps.map(_.key).toSet
      for (name, measure) <- experiment.measures; key <- measure.keys do
        val absent = experiment.lack(key).isDefined
        assert(absent || present(key.step), s"$name needs ${key.show}, which is no step")

  test("every result shown beside an article's figure is a step of its experiment"):
    for
      experiment <- Experiment.all; article <- experiment.article; table <- article.tables
      past <- table.rows
    do
      assertEquals(past.cells.size, table.columns.size, past.cells)
      assertEquals(past.here.size, table.here.size, past.cells)
      val present = Plan.of(experiment, Set()).steps.map(_.key).toSet
      for key <- past.here.flatten.map(_.key) do
        assert(present(key) || experiment.lack(key).isDefined, key.show)

  test("the lab's README and the results name each article as its experiment does"):
    for text <- Seq(os.read(Command.home / "README.md"), lab.table) do
      for article <- Experiment.all.flatMap(_.article) do
        assert(text.contains(article.heading), article.heading)

  test("the program of each article is an example of at most a hundred lines"):
    for article <- Experiment.all.flatMap(_.article) do
      val lines = os.read.lines(Command.home / os.up / os.SubPath(article.example))
      assert(lines.sizeIs <= 100, article.example)
      assert(lines.exists(_.startsWith(s"@main def ${article.program}(")), article.example)

  test("the quick plan is a proper part of every experiment"):
    for experiment <- Experiment.all do
      val part = Plan.of(experiment, Set(), Effort.Quick).steps.size
      val whole = Plan.of(experiment, Set()).steps.size
      assert(part > 0 && part < whole, s"${experiment.name}: $part of $whole")

  test("every benchmark class belongs to an experiment"):
    val classes = Plan.benchmarkClasses
    val named = Experiment.all.flatMap(_.benchmarks).toSet
    assertEquals(classes -- named, Set.empty[String])
    assertEquals(named -- classes, Set.empty[String])

  test("the committed verdicts and table equal those computed from the committed results"):
    assertEquals(os.read(lab.askedFile), lab.asked)
    assertEquals(os.read(lab.tableFile), lab.table)
    val readme = os.read(Command.home / os.up / "README.md")
    assertEquals(readme, lab.readme(readme))

  test("a README without the section of numbers is rejected"):
    val error = intercept[IllegalArgumentException](lab.readme("# Undercroft"))
    assertEquals(error.getMessage, "the README has no line ## Numbers")

  test("stored results are read back and give the verdicts"):
    val folder = os.temp.dir(prefix = "lab-test-")
    val store = ResultStore(Command.home / "goals.json", folder)
    def entry(storage: String, millis: Double) =
      ujson.Obj(
        "benchmark" -> "undercroft.lab.bench.SecondDay.day",
        "mode" -> "ss",
        "jvm" -> "java",
        "jvmArgs" -> ujson.Arr("-Xmx8g"),
        "params" -> ujson.Obj("storage" -> storage, "trades" -> "50000000"),
        "primaryMetric" ->
          ujson.Obj("scoreUnit" -> "ms/op", "rawData" -> ujson.Arr(ujson.Arr(millis, millis))),
        "secondaryMetrics" -> ujson.Obj()
      )
    val envelope = RunMetadata(
      "trades",
      "full",
      "2026-01-01T00:00:00Z",
      1,
      "abc",
      Machine.here(),
      Machine.jdk,
      None,
      1,
      Plan.order,
      Map(),
      0,
      0,
      Seq(Skipped("C", "no gcc on the PATH: C is skipped"))
    )
    store.keep(envelope, Seq(entry("packed-rows-huge", 300), entry("unsafe", 600)))
    assertEquals(store.envelope("trades"), Some(envelope))
    val verdicts = ujson.read(store.asked).arr
    val row = verdicts.find(_("name").str == "second-day-rows-vs-unsafe").get
    assertEquals(row("measured").num, 0.5)
    assertEquals(row("holds").bool, true)
    assert(verdicts.filterNot(_ eq row).forall(!_("holds").bool))
    assert(store.table.contains("| SecondDay.day storage=unsafe trades=50000000 | Unsafe | 600 |"))
    assert(store.table.contains("Skipped: C: no gcc on the PATH: C is skipped"))
    assert(!os.read(folder / "trades.json").contains("\"jvm\""))

    val second = envelope.copy(chosen = "only unsafe", seconds = 2, skipped = Seq(), steps = 2)
    store.keep(second, Seq(entry("unsafe", 400), entry("c", 300)), adds = true)
    val merged = store.envelope("trades").get
    assertEquals((merged.chosen, merged.seconds, merged.steps), ("all, then only unsafe", 3L, 3))
    assertEquals(merged.skipped, envelope.skipped)
    val times = store.results("trades").byKey.map((key, result) => key.params("storage") -> result)
    assertEquals(times.keySet, Set("packed-rows-huge", "unsafe", "c"))
    val again = ujson.read(ResultStore(Command.home / "goals.json", folder).asked).arr
    val ratio = again.find(_("name").str == "second-day-rows-vs-unsafe").get
    assertEquals(ratio("measured").num, 0.75)

    // The next run: one step is measured, one has failed, and one is no step any more.
    val third = envelope.copy(started = "2026-02-02T00:00:00Z")
    def key(storage: String) =
      Key("SecondDay.day", "storage" -> storage, "trades" -> "50000000")
    for _ <- 1 to 2 do // the mark stays that of the first run
      store.keep(third, Seq(entry("unsafe", 500)), failed = Set(key("packed-rows-huge")))
    val left = store.results("trades")
    assertEquals(left.byKey.keySet, Set(key("unsafe"), key("packed-rows-huge")))
    assertEquals(left.byKey(key("unsafe")).measured, None)
    assertEquals(left.byKey(key("packed-rows-huge")).measured, Some("2026-01-01"))
    val table = ResultStore(Command.home / "goals.json", folder).table
    assert(table.contains("| 300 (of 2026-01-01) |"), table)
    assert(table.contains("| second-day-columns-vs-c | C | <= 0.6x |  |  | not measured |"), table)
    assert(!table.contains("**no**"), table)
end ResultStoreTest
