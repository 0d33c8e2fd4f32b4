package undercroft.lab

class PlanTest extends undercroft.tools.Suite:
  private val steps = Seq("a", "b", "c").map(Step(_, false, Map()))

  test("every second round runs the steps in reverse order"):
    val order = Plan(steps, Seq()).rounds(Effort.Full).map(_.step.benchmark)
    assertEquals(order.mkString, "abccbaabc")

  test("a step that only a chart shows runs in the first round"):
    val two = Seq(steps.head, steps(1).copy(needed = false))
    val order = Plan(two, Seq()).rounds(Effort.Full).map(_.step.benchmark)
    assertEquals(order.mkString, "abaa")
    val arrays = Plan.of(ArraysExperiment, Set()).steps
    def needed(name: String) = arrays.filter(_.key.benchmark == name).map(_.needed).distinct
    assertEquals(needed("ClassTags.fillOurs"), Seq(true)) // a goal's
    assertEquals(needed("ClassTags.fillStandard"), Seq(false))
    assertEquals(needed("ArraysBenchmark.ofDim1"), Seq(false, true)) // the article's for 32 bytes

  test("a further round has its own steps, in its order"):
    def order(round: Int) =
      Plan(steps, Seq()).round(round, _.benchmark != "b").map(step => step.step.benchmark).mkString
    assertEquals((order(4), order(5)), ("ca", "ac"))

  test("steps that a goal compares stand next to each other"):
    for experiment <- Experiment.all do
      val places = Plan.of(experiment, Set()).steps.map(_.key).zipWithIndex.toMap
      val pairs = experiment.measures.values.toSeq.flatMap(_.compared).map(_.keys.map(_.step))
      val groups = pairs.filter(_.forall(places.contains)).map(_.map(places).toSet)
      // Of a pair only steps lie between that are compared with one of it, or with each other.
      for group <- groups; between <- group.min + 1 until group.max do
        assert(groups.exists(_(between)), s"${experiment.name}: step $between is in no pair")

  test("a plan with chosen rivals contains only these and Undercroft"):
    val plan = Plan.of(MemoryExperiment, Set(Rival.Unsafe))
    val rivals = plan.steps.map(step => MemoryExperiment.rival(step.key)).toSet
    assert(rivals(Rival.Unsafe))
    assert(rivals.subsetOf(Set(Rival.Unsafe, Rival.Undercroft)), rivals)

  private def ringRivals =
    Plan.of(RingExperiment, Set()).steps.map(step => step.key -> RingExperiment.rival(step.key))

  test("messages that are objects are measured as the heap's"):
    val rivals = ringRivals
    def of(benchmark: String, param: String, value: String) = rivals.collect:
      case (key, rival) if key.benchmark == benchmark && key.params.get(param).contains(value) =>
        rival
    for benchmark <- Seq("RingMessages.pass", "RingTail.pass") do
      assertEquals(of(benchmark, "messages", "objects").toSet, Set(Rival.Heap))
      assertEquals(of(benchmark, "messages", "structs").toSet, Set(Rival.Undercroft))

  test("the plan of the ring has Erlang's steps if and only if erl is on the PATH"):
    val erlang = ringRivals.collect { case (key, Rival.Erlang) => key.params.get("system") }
    val expected =
      if undercroft.tools.Requirement.ERLANG.isMet then Set(Option("erlang")) else Set()
    assertEquals(erlang.toSet, expected)

  test("every combination of parameters is a step"):
    val gather = Plan.of(MemoryExperiment, Set()).steps.map(_.key)
    assertEquals(gather.count(_.benchmark == "RandomGather.unsafe"), 12)

  test("JmhRunner runs a step and reads its entry back"):
    val step = Step("undercroft.lab.bench.ClassTags.newArray", false, Map("length" -> "10"))
    val conduct = JmhRunner(Effort.Quick, os.temp())
    val entries = conduct.run(step).fold(fail(_), identity)
    val results = Results.parse(ujson.write(ujson.Arr.from(entries)))
    val result = results.get(Key("ClassTags.newArray", "length" -> "10")).get
    assertEquals(result.time.forks.map(_.size), Seq(Effort.Quick.iterations))
    // 16 bytes of header and ten Ints: the profiler sees the allocation.
    assertEqualsDouble(result.bytesPerCall.get.mean, 56, 0.5)

  test("a step whose calls take seconds has one warm-up and one iteration"):
    val step = Plan
      .of(OutputExperiment, Set())
      .steps
      .find(_.key == Key("AnySize.coldByteOutput", "load" -> "twos", "mebibytes" -> "8192"))
      .get
    assert(step.slow)
    assertEquals((Effort.Full.warmupsOf(step), Effort.Full.iterationsOf(step)), (1, 1))
    assertEqualsDouble(Effort.Full.secondsOf(step, 4000), 9.5, 1e-9)
    val small = step.copy(slow = false)
    assertEquals((Effort.Full.warmupsOf(small), Effort.Full.iterationsOf(small)), (5, 4))

  test("a step of Scala 2.13 runs with its own library and a sampled stack"):
    val name = "undercroft.lab.arrays213.ArraysBenchmark.ofDim1"
    val step = Step(name, false, Map("bytes" -> "1024"), sampled = true)
    val entries = JmhRunner(Effort.Quick, os.temp()).run(step).fold(fail(_), identity)
    val result =
      Results.parse(ujson.write(ujson.Arr.from(entries))).get(step.key).get
    // The stack profiler allocates in the same JVM.
    assertEqualsDouble(result.bytesPerCall.get.mean, 1040, 100)
    val shares = result.frames.map(_.share).sum
    assert(shares > 0.9 && shares < 1.1, result.frames)
    assert(result.collecting.exists(share => share >= 0 && share <= 1), result.collecting)

  test("a failed step reports the reason".tag(LongTest)):
    val step =
      Step("undercroft.lab.bench.SecondDay.day", true, Map("storage" -> "shoebox", "trades" -> "1"))
    val conduct = JmhRunner(Effort.Quick, os.temp())
    val reason = conduct.run(step).left.getOrElse(fail("it did not fail"))
    assert(reason.contains("no storage is called shoebox"), reason)

  test("a JVM that ends without a message is reported by its exit code"):
    val killed =
      Seq("# Fork: 1 of 1", "<forked VM failed with exit code 137>", "<stdout last='20 lines'>")
    assertEquals(JmhRunner.error(killed), Some("forked VM failed with exit code 137"))
    val threw = "java.lang.OutOfMemoryError: Java heap space" +: killed
    assertEquals(JmhRunner.error(threw), Some("java.lang.OutOfMemoryError: Java heap space"))
    assertEquals(JmhRunner.error(Seq("# Run complete")), None)

  test("the output of a step is redirected to a file only while it runs"):
    val file = os.temp()
    val (out, errors) = (System.out, System.err)
    intercept[IllegalStateException]:
      JmhRunner.aside(file) {
        System.out.println("a"); System.err.println("b"); throw IllegalStateException()
      }
    assertEquals(os.read.lines(file).toSeq, Seq("a", "b"))
    assert((System.out eq out) && (System.err eq errors))

  test("an unknown benchmark is an error and is not skipped"):
    val conduct = JmhRunner(Effort.Quick, os.temp())
    assert(conduct.run(Step("undercroft.lab.bench.Nothing.here", false, Map())).isLeft)
end PlanTest
