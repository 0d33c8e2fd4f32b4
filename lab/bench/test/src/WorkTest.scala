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

  test("work is a chain of 500 steps of xorshift64 for each microsecond"):
    def chain(start: Long, steps: Int) = (1 to steps).foldLeft(start): (value, _) =>
      val first = value ^ (value << 13)
      val second = first ^ (first >>> 7)
      second ^ (second << 17)
    assertEquals(Work.run(1000), chain(1000, 500))
    assertEquals(Work.run(5000), chain(5000, 2500))

  test("no work takes no steps, and work is never zero"):
    assertEquals(Work.run(0), 0L)
    for nanos <- 1 to 1000 do assertNotEquals(Work.run(nanos), 0L)
end WorkTest
