package undercroft.lab

class UndecidedTest extends undercroft.tools.Suite:
  private val (ours, rival) = (Key("A.ours", "size" -> "1"), Key("A.rival", "size" -> "1"))
  private val (large, largeRival) = (Key("A.ours", "size" -> "2"), Key("A.rival", "size" -> "2"))

  private def result(forks: Double*) =
    Result(Samples(forks.map(Seq(_))), "ns/op", Some(Samples(forks.map(Seq(_)))))

  private def open(measure: Measure, asked: String)(results: (Key, Result)*): Set[Key] =
    val goal = Goal("g", "memory", "a rival", asked)
    Undecided.steps(Seq(goal), Map("g" -> measure), Results(results.toMap))

  private val steady = Seq(ours -> result(10, 10.1, 9.9), rival -> result(20, 20.1, 19.9))
  private val unsteady = Seq(large -> result(10, 40, 20), largeRival -> result(20, 20.1, 19.9))

  test("the steps of an interval that spans the bound are selected, and none of another"):
    val ratio = Measure.Ratio(Seq(Pair(ours, rival)))
    for asked <- Seq("<= 1x", "<= 0.4x", ">= 0.6x") do
      assertEquals(open(ratio, asked)(steady*), Set(), asked)
    assertEquals(open(ratio, "<= 0.5x")(steady*), Set(ours, rival))
    val second = Measure.Ratio(Seq(Pair(large, largeRival)))
    assertEquals(open(second, "<= 1x")(unsteady*), Set(large, largeRival))
    assertEquals(open(second, "<= 100x")(unsteady*), Set())

  test("of several pairs the worst one decides"):
    val pairs = Seq(Pair(ours, rival), Pair(large, largeRival))
    val all = steady ++ unsteady
    assertEquals(open(Measure.Ratio(pairs), "<= 1x")(all*), Set(large, largeRival))
    // For a speed-up of at least 1x the slowest pair is the same; for one of at most, the other.
    assertEquals(open(Measure.Speedup(pairs), ">= 1x")(all*), Set(large, largeRival))
    assertEquals(open(Measure.Ratio(pairs), ">= 0.1x")(all*), Set())
    assertEquals(open(Measure.MeanSpeedup(pairs), ">= 1.5x")(all*).size, 4)

  test("the largest and the smallest cost of a unit decide how straight a line is"):
    val calls = Seq((ours, 1.0), (rival, 1.0), (large, 1.0))
    assertEquals(
      open(Measure.Straightness(calls), "<= 1.2x")((steady ++ unsteady)*),
      Set(large, ours)
    )

  test("a counter's step is selected by the key of the benchmark"):
    val pause = ours.counted("pauseNanos")
    assertEquals(
      open(Measure.Counted(Seq(pause)), "<= 2 ms")(pause -> result(1, 900, 5)),
      Set(ours)
    )

  test("missing results and single forks select no step"):
    val noise = Seq(ours -> result(1, 90, 5), rival -> result(80, 1, 3))
    val pairs = Seq(Pair(ours, rival))
    assertEquals(open(Measure.Ratio(pairs), "<= 1x")(noise.take(1)*), Set())
    assertEquals(open(Measure.Ratio(pairs), "<= 1x")(ours -> result(1), rival -> result(9)), Set())
    assertEquals(open(Measure.Ratio(pairs), "<= 1x")(noise*), Set(ours, rival))

  test("a full run has at most nine further rounds, a first look none"):
    assertEquals((Effort.Full.furtherRounds, Effort.Quick.furtherRounds), (9, 0))
end UndecidedTest
