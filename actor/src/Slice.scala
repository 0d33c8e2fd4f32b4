package undercroft.actor

/** A share of a worker's time. The clock is read after some messages, not after each: so many that
  * about a sixteenth of a slice passes between two readings, 64 at most. One thread.
  */
private[actor] final class Slice(lengthNanos: Long):
  private var quota = 1
  private var left = 1
  private var lastRead = System.nanoTime
  private var from = lastRead
  private var isFresh = true

  /** What a message took at least, by the last readings: one long pause, for whatever reason, says
    * nothing about messages.
    */
  var nanosPerMessage: Long = Slice.Unknown
  private var nanosBefore = Slice.Unknown

  /** A slice begins: at the next reading of the clock, to be exact. */
  def begin(): Unit = isFresh = true

  /** The worker did nothing for a while; `now` is the time. */
  def resume(now: Long): Unit =
    lastRead = now
    left = quota
    isFresh = true

  /** Counts a message; whether the slice is over. */
  def isSpent(): Boolean =
    left -= 1
    left <= 0 && read()

  private def read(): Boolean =
    val now = System.nanoTime
    val passed = now - lastRead
    lastRead = now
    val nanos = passed / quota
    nanosPerMessage = math.min(nanos, nanosBefore)
    nanosBefore = nanos
    if passed < lengthNanos / 16 then quota = math.min(quota * 2, Slice.MaxQuota)
    else if passed > lengthNanos / 4 then quota = 1
    left = quota
    if isFresh then
      isFresh = false
      from = now
      passed >= lengthNanos
    else now - from >= lengthNanos
end Slice

private[actor] object Slice:
  private inline val MaxQuota = 64

  /** Before the first reading: long enough to be worth sharing. */
  private inline val Unknown = 100_000L

  /** One that ends when a thread has nothing else to do anyway. */
  def endless(): Slice = Slice(Long.MaxValue)
