package undercroft.lab.bench

class WorkTest extends undercroft.tools.Suite:

  test("the JIT does not shorten the work: a step takes three cycles at least"):
    var sum = 0L
    var shortest = Long.MaxValue
    for _ <- 1 to 200 do
      val from = System.nanoTime
      sum += Work.run(1_000_000)
      shortest = math.min(shortest, System.nanoTime - from)
    // 500 000 steps; no processor has 7.5 GHz
    assert(shortest >= 200_000, s"$shortest ns for a millisecond of work")
    assertNotEquals(sum, 0L)

  test("no work takes no steps, and work is never zero"):
    assertEquals(Work.run(0), 0L)
    for nanos <- 1 to 1000 do assertNotEquals(Work.run(nanos), 0L)
end WorkTest
