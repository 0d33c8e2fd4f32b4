package undercroft.lab

class ResultsTest extends undercroft.tools.Suite:
  private def entry(method: String, forks: String) =
    s"""{"jmhVersion": "1.37", "benchmark": "undercroft.lab.bench.AosSum.$method", "mode": "avgt",
       | "threads": 1, "forks": 1, "params": {"trades": "1000"}, "jvmArgs": ["-Xmx2g"],
       | "primaryMetric": {"score": 1.5, "scoreError": "NaN", "scoreUnit": "ns/op",
       |   "rawData": $forks},
       | "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 0.1, "scoreError": "NaN",
       |   "scoreUnit": "B/op", "rawData": [[0.1, 0.3]]}}}""".stripMargin

  test("JMH's entries of one benchmark are joined, with one fork for each round"):
    val results =
      Results.parse(
        s"[${entry("a", "[[1.0, 2.0]]")}, ${entry("b", "[[9]]")}, ${entry("a", "[[3, 4]]")}]"
      )
    val result = results.get(Key("AosSum.a", "trades" -> "1000")).get
    assertEquals(result.time, Samples(Seq(Seq(1.0, 2.0), Seq(3.0, 4.0))))
    assertEquals(result.unit, "ns/op")
    assertEquals(result.bytesPerCall.map(_.forks.size), Some(2))
    assertEquals(results.byKey.size, 2)

  test("the GC share is relative to a call's time or an iteration's time"):
    def entry(mode: String, time: String, unit: String, raw: String, pauses: String) =
      s"""[{"benchmark": "undercroft.lab.bench.A.b", "mode": "$mode", "measurementTime": "$time",
         | "primaryMetric": {"scoreUnit": "$unit", "rawData": [$raw]}, "secondaryMetrics": {
         |  "gc.count": {"scoreUnit": "counts", "rawData": [[1, 1]]},
         |  "gc.time": {"scoreUnit": "ms", "rawData": [$pauses]}}}]""".stripMargin
    def collecting(json: String) = Results.parse(json).get(Key("A.b")).get.collecting
    assertEquals(
      collecting(entry("ss", "single-shot", "ms/op", "[400, 600]", "[100, 0]")),
      Some(0.1)
    )
    assertEquals(collecting(entry("avgt", "300 ms", "ns/op", "[5, 5]", "[30, 30]")), Some(0.1))
    assertEquals(collecting(entry("avgt", "1 s", "ns/op", "[5, 2e9]", "[300]")), Some(0.1))

  test("a result is disturbed if one of its rounds is"):
    def entry(others: Double) =
      s"""{"benchmark": "undercroft.lab.bench.A.b", "mode": "avgt", "others": $others,
         | "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[1]]}}""".stripMargin
    def disturbed(others: Double*) =
      Results.parse(others.map(entry).mkString("[", ",", "]")).get(Key("A.b")).get.disturbed
    assert(!disturbed(0.1, 0.0))
    assert(disturbed(0.1, 0.9))

  test("an auxiliary counter of a benchmark is a separate result"):
    def entry(held: Int) =
      s"""{"benchmark": "undercroft.lab.bench.A.b", "mode": "ss", "params": {"n": "3"},
         | "primaryMetric": {"scoreUnit": "ms/op", "rawData": [[1]]}, "secondaryMetrics": {
         |  "gc.count": {"scoreUnit": "counts", "rawData": [[1]]},
         |  "stack": {"scoreUnit": "---", "rawData": [[1]]},
         |  "heldBytes": {"scoreUnit": "#", "rawData": [[$held]]}}}""".stripMargin
    val results = Results.parse(s"[${entry(64)}, ${entry(66)}]")
    val key = Key("A.b", "n" -> "3")
    assertEquals(results.byKey.keySet, Set(key, key.counted("heldBytes")))
    assertEquals(results.get(key.counted("heldBytes")).get.time, Samples(Seq(Seq(64.0), Seq(66.0))))
    assertEquals(key.counted("heldBytes").step, key)
    // In tables it is a column beside the time, not a row.
    assertEquals(results.sorted.map(_._1), Seq(key))
    assertEquals(results.counters.map(Results.words), Seq("held bytes"))
    assertEquals(results.counts(key), Seq(Some(65.0)))

  test("keys sort numeric parameters by value"):
    val sizes = Seq("1000", "20", "3")
    val sorted = sizes.map(size => Key("A.b", "n" -> size)).sortBy(Key.order)
    assertEquals(sorted.map(_.params("n")), Seq("3", "20", "1000"))
end ResultsTest
