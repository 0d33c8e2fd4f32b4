package undercroft.testkit

class PatienceTest extends undercroft.tools.Suite:

  /** The milliseconds by the clock that rounds are repeated for, if each takes `roundMillis` by the
    * clock and `usedMillis` of processor time.
    */
  private def repeated(roundMillis: Long, usedMillis: Long, leastRound: Int = 0)(
      isBusy: Long => Boolean
  ): Long =
    var (elapsed, used) = (0L, 0L)
    var rounds = 0
    val patience = Patience(() => elapsed, () => used, () => isBusy(elapsed), 3000)
    while patience.isLeft(rounds) do
      rounds += 1
      elapsed += roundMillis
      used += usedMillis
      if rounds <= leastRound then patience.extend(500)
    elapsed

  test("rounds are repeated for three seconds of processor time"):
    assertEquals(repeated(10, 10)(_ => false), 3000L)
    assertEquals(repeated(30, 10)(_ => false), 9000L)

  test("rounds are repeated for half a second of processor time after the least one"):
    assertEquals(repeated(10, 10, leastRound = 100)(_ => false), 3000L)
    assertEquals(repeated(10, 10, leastRound = 400)(_ => false), 4500L)

  test("a body that waits is repeated for ten seconds by the clock"):
    assertEquals(repeated(10, 0)(_ => false), 10_000L)
    assertEquals(repeated(1000, 1)(_ => false), 10_000L)

  test("rounds go on while the JIT is busy, and for at most two minutes"):
    val busyEnd = repeated(10, 10)(_ < 20_000)
    assert(busyEnd >= 20_000 && busyEnd <= 20_200, s"$busyEnd")
    assertEquals(repeated(10, 10)(_ => true), 120_000L)
    assertEquals(repeated(10, 0)(_ => true), 120_000L)

  test("there is a first round, however long it takes, and few rounds of a slow body"):
    assertEquals(repeated(200_000, 0)(_ => false), 200_000L)
    assertEquals(repeated(400, 400)(_ => false), 8000L) // 20 rounds
end PatienceTest
