package undercroft.lab

class VerdictTest extends undercroft.tools.Suite:
  private val fast = Key("A.ours")
  private val rival = Key("A.rival")
  private val slow = Key("A.ours", "size" -> "2")

  private def result(values: Double*) =
    Result(Samples(values.map(Seq(_))), "ns/op", Some(Samples(Seq(Seq(values.head)))))
  private val results =
    Results(Map(fast -> result(1, 1.2), rival -> result(2, 2.4), slow -> result(4, 4.8)))

  private def verdict(asked: String, measure: Measure) =
    Verdict.all(Seq(Goal("g", "memory", "r", asked)), Map("g" -> measure), _ => results).head

  test("an upper limit of a ratio holds up to its value"):
    val measure = Measure.Ratio(Seq(Pair(fast, rival)))
    assertEquals(verdict("<= 0.5x", measure).measured, Some(0.5))
    assert(verdict("<= 0.5x", measure).holds)
    assert(!verdict("<= 0.49x", measure).holds)

  test("a speed-up is the rival's time divided by ours"):
    val measure = Measure.Speedup(Seq(Pair(fast, rival)))
    assertEquals(verdict(">= 2x", measure).measured, Some(2.0))
    assert(verdict(">= 2x", measure).holds)
    assert(!verdict(">= 2.1x", measure).holds)

  test("the worst of several pairs counts, by the direction of the goal"):
    val pairs = Seq(Pair(fast, rival), Pair(slow, rival))
    assertEquals(verdict("<= 1x", Measure.Ratio(pairs)).measured, Some(2.0))
    assertEquals(verdict(">= 1x", Measure.Speedup(pairs)).measured, Some(0.5))

  test("a difference is reported in the benchmark's unit"):
    val measure = Measure.Difference(Seq(Pair(rival, fast)))
    assertEquals(verdict("<= 1.1 ns", measure).measured, Some(1.1))

  test("a time in milliseconds is the mean of a call, whatever the benchmark's unit"):
    val measure = Measure.Millis(Seq(fast))
    assertEqualsDouble(verdict("<= 1 ms", measure).measured.get, 1.1e-6, 1e-12)
    val slower = Results(Map(fast -> result(99, 103).copy(unit = "ms/op")))
    val rows = Verdict.all(
      Seq(Goal("g", "files", "none", "<= 100 ms")),
      Map("g" -> measure),
      _ => slower
    )
    assertEqualsDouble(rows.head.measured.get, 101, 1e-9)
    assert(!rows.head.holds)

  test("straightness compares the time per unit of work of each call"):
    // 1.1 for one unit, 4.4 for four; for two units, a unit costs twice as much.
    val straightness = Measure.Straightness(Seq((fast, 1.0), (slow, 4.0)))
    assertEquals(verdict("<= 1.2x", straightness).measured, Some(1.0))
    val bent = Measure.Straightness(Seq((fast, 1.0), (slow, 2.0)))
    assertEquals(verdict("<= 1.2x", bent).measured, Some(2.0))
    assert(!verdict("<= 1.2x", bent).holds)

  test("a goal of no garbage holds below half a byte per call"):
    val calm = Results(Map(fast -> result(0.01)))
    val goal = Seq(Goal("g", "memory", "none", "0 B/op"))
    val measures = Map("g" -> Measure.Garbage(Seq(fast)))
    assert(Verdict.all(goal, measures, _ => calm).head.holds)
    assert(!Verdict.all(goal, measures, _ => results).head.holds)

  test("a counter holds only against a goal in its own unit"):
    val measure = Measure.Counted(Seq(fast))
    assert(verdict("<= 2 B", measure).holds)
    assert(!verdict("<= 1 %", measure).holds)

  test("a goal without a result is not measured"):
    val nothing = Key("A.nothing")
    val row = verdict("<= 9x", Measure.Ratio(Seq(Pair(fast, rival), Pair(nothing, rival))))
    assertEquals(row.measured, None)
    assert(!row.holds)
    assertEquals(row.told, "not measured")
    val held = verdict("<= 9x", Measure.Ratio(Seq(Pair(fast, rival))))
    val lost = verdict("<= 0.1x", Measure.Ratio(Seq(Pair(fast, rival))))
    assertEquals(Verdict.count(Seq(row, held, lost, held)), "2 of 3 goals hold, 1 not measured")
    assertEquals(Verdict.count(Seq(held)), "1 of 1 goals hold")

  test("a goal within the interval of its measurement is undecided"):
    val near = verdict("<= 0.51x", Measure.Ratio(Seq(Pair(fast, rival))))
    assert(near.low.get < 0.51 && near.high.get > 0.51, near)
    assertEquals((near.holds, near.told), (true, "undecided"))
    assertEquals(Verdict.count(Seq(near)), "0 of 1 goals hold, 1 undecided")

  test("a goal without a measure does not hold"):
    val row = Verdict.all(Seq(Goal("g", "memory", "r", "<= 1x")), Map(), _ => results).head
    assert(!row.holds)

  test("a verdict row has the eight agreed fields, with null for unmeasured ones"):
    val row = verdict("<= 1x", Measure.Ratio(Seq(Pair(fast, Key("A.nothing")))))
    val json = ujson.read(Verdict.json(Seq(row))).arr.head.obj
    assertEquals(
      json.keys.toSeq,
      Seq("name", "experiment", "rival", "asked", "measured", "low", "high", "holds")
    )
    assertEquals(json("measured"), ujson.Null: ujson.Value)
    assertEquals(json("holds"), ujson.False: ujson.Value)

  test("Asked.parse of malformed text throws and shows the text"):
    for text <- Seq("fast", "<= x", "> 2x", "<= 1.0 s") do
      val error = intercept[IllegalArgumentException](Asked.parse(text))
      assertEquals(error.getMessage, s"cannot read what is asked: '$text'")

  test("two goals of the same name throw IllegalArgumentException"):
    val goal = """{"name": "a", "experiment": "b", "rival": "c", "asked": "<= 1x"}"""
    val error = intercept[IllegalArgumentException](Goal.all(s"[$goal, $goal]"))
    assertEquals(error.getMessage, "goals named twice: a")
end VerdictTest
