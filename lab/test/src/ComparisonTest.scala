package undercroft.lab

class ComparisonTest extends undercroft.tools.Suite:
  private def results(times: (String, Seq[Double])*) =
    Results(
      times.map((name, forks) =>
        Key(name) -> Result(Samples(forks.map(Seq(_))), "ns/op", None)
      ).toMap
    )
  private def compared(old: Results, recent: Results, threshold: Double = 0.05) =
    Comparison.of(_ => old, _ => recent, Seq("memory"), threshold)

  private val old = results("A.a" -> Seq(10, 10.1, 9.9), "A.b" -> Seq(10, 14, 6))

  test("a slowdown beyond noise and threshold is a regression"):
    val comparison = compared(old, results("A.a" -> Seq(12, 12.1, 11.9)))
    assertEquals(comparison.regressions.map(_.key.show), Seq("A.a"))
    assert(comparison.lines.exists(_.contains("memory A.a: 1.2x")), comparison.lines)

  test("a slowdown within the threshold is reported but is no regression"):
    val comparison = compared(old, results("A.a" -> Seq(12, 12.1, 11.9)), threshold = 0.3)
    assertEquals(comparison.slower.size, 1)
    assertEquals(comparison.regressions, Seq())

  test("a slowdown within the noise is not reported"):
    val comparison = compared(old, results("A.b" -> Seq(12, 16, 8)))
    assertEquals(comparison.slower, Seq())
    assertEquals(comparison.compared, 1)

  test("a speed-up beyond the noise is reported"):
    val comparison = compared(old, results("A.a" -> Seq(5, 5.1, 4.9)))
    assertEquals(comparison.faster.map(_.key.show), Seq("A.a"))

  test("a result with one observation is never reported as slower"):
    assertEquals(compared(old, results("A.a" -> Seq(99))).slower, Seq())

  test("results without a counterpart are counted as unmatched"):
    assertEquals(compared(old, results("A.a" -> Seq(10, 10), "A.c" -> Seq(1))).unmatched, 2)

  test("counters are not compared"):
    def counted(hits: Double) =
      val samples = Samples(Seq(Seq(hits), Seq(hits)))
      Results(old.byKey + (Key("A.a").counted("hits") -> Result(samples, "", None)))
    for (before, after) <- Seq(0.0 -> 0.0, 1.0 -> 2.0) do
      val comparison = compared(counted(before), counted(after))
      assertEquals((comparison.compared, comparison.unmatched), (2, 0))
      assertEquals(comparison.regressions, Seq())

  test("times in different units are compared in the same unit"):
    def time(unit: String, means: Double*) =
      Results(Map(Key("A.a") -> Result(Samples(means.map(Seq(_))), unit, None)))
    val nanos = time("ns/op", 10000, 10100, 9900)
    val same = compared(nanos, time("us/op", 10, 10.1, 9.9))
    assertEquals((same.slower, same.faster, same.compared), (Seq(), Seq(), 1))
    val slow = compared(nanos, time("us/op", 20, 20.1, 19.9))
    assert(slow.lines.exists(_.contains("memory A.a: 2x")), slow.lines)

  test("results whose unit is no unit of time are not compared"):
    val rate = Results(Map(Key("A.a") -> Result(Samples(Seq(Seq(1), Seq(2))), "ops/s", None)))
    assertEquals((compared(rate, rate).compared, compared(old, rate).unmatched), (0, 2))
end ComparisonTest
