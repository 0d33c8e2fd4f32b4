package undercroft.testkit

/** How long rounds of a measurement are repeated. Confined to one thread.
  *
  * They are repeated for a number of milliseconds of the thread's processor time, because a busy
  * machine runs and compiles little in a time by the clock; but for at most
  * [[Allocation.waitMillis]] by the clock, because a body that waits takes little processor time.
  * Both are extended while the JIT is busy, up to [[Allocation.mostMillis]].
  *
  * @param elapsedMillis
  *   the time since the start, by the clock
  * @param usedMillis
  *   the thread's processor time since the start
  * @param mostUsed
  *   the processor time after which rounds end, in milliseconds, unless it is extended
  */
private[testkit] final class Patience(
    elapsedMillis: () => Long,
    usedMillis: () => Long,
    isJitBusy: () => Boolean,
    private var mostUsed: Long
):
  private var mostElapsed: Long = Allocation.waitMillis

  /** Rounds are repeated for at least `millis` more of processor time. */
  def extend(millis: Long): Unit = mostUsed = math.max(mostUsed, usedMillis() + millis)

  /** Whether another round follows after this number of rounds. There is always a first one. */
  def isLeft(rounds: Int): Boolean =
    val elapsed = elapsedMillis()
    rounds == 0 || elapsed < Allocation.mostMillis &&
    (rounds < Patience.MinRounds && elapsed < Allocation.waitMillis ||
      elapsed < mostElapsed && usedMillis() < mostUsed || isExtended(elapsed))

  private def isExtended(elapsed: Long): Boolean =
    val isBusy = isJitBusy()
    if isBusy then
      mostElapsed = math.max(mostElapsed, elapsed + Patience.LongerMillis)
      extend(Patience.LongerMillis)
    isBusy
end Patience

private[testkit] object Patience:
  /** How much longer rounds are repeated each time that the JIT is found busy. */
  private val LongerMillis = 200

  /** Rounds before giving up, at least: a slow body gets its chance to be compiled too. */
  private val MinRounds = 20
