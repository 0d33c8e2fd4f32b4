package undercroft.lab

class ResultsTest extends munit.FunSuite:
  private def entry(method: String, forks: String) =
    s"""{"jmhVersion": "1.37", "benchmark": "undercroft.lab.bench.AosSum.$method", "mode": "avgt",
       | "threads": 1, "forks": 1, "params": {"trades": "1000"}, "jvmArgs": ["-Xmx2g"],
       | "primaryMetric": {"score": 1.5, "scoreError": "NaN", "scoreUnit": "ns/op",
       |   "rawData": $forks},
       | "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 0.1, "scoreError": "NaN",
       |   "scoreUnit": "B/op", "rawData": [[0.1, 0.3]]}}}""".stripMargin

  test("JMH's entries of one benchmark are joined, a fork for each round"):
    val results =
      Results.parse(
        s"[${entry("a", "[[1.0, 2.0]]")}, ${entry("b", "[[9]]")}, ${entry("a", "[[3, 4]]")}]"
      )
    val found = results.get(Key("AosSum.a", "trades" -> "1000")).get
    assertEquals(found.time, Samples(Seq(Seq(1.0, 2.0), Seq(3.0, 4.0))))
    assertEquals(found.unit, "ns/op")
    assertEquals(found.bytesPerCall.map(_.forks.size), Some(2))
    assertEquals(results.byKey.size, 2)

  test("keys sort their parameters by size where they are numbers"):
    val sizes = Seq("1000", "20", "3")
    val sorted = sizes.map(size => Key("A.b", "n" -> size)).sortBy(Key.order)
    assertEquals(sorted.map(_.params("n")), Seq("3", "20", "1000"))
end ResultsTest
