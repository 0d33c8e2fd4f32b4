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
end ComparisonTest
