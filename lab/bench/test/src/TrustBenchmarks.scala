package undercroft.lab.bench

/** Every benchmark of the `trust` experiment returns the expected result. */
class TrustBenchmarks extends undercroft.tools.Suite:

  private val methods = Once.benchmarks(classOf[RingTrust]).map(_.getName.nn).toSet

  test("every benchmark that the experiment names exists"):
    assertEquals(methods, Set("audited", "notAudited", "recorded", "timed"))

  for method <- methods do
    test(s"$method: every message of the ring is handled and counted once"):
      assertEquals(Once.answer(RingTrust(), method), Ring.hops.toLong)
end TrustBenchmarks
