package undercroft.actor
package internal.dispatch

import java.util.concurrent.atomic.AtomicInteger

/** A time slice of a worker. The clock is read after every n-th message, at most 64, so that about
  * a sixteenth of a slice passes between two readings, or less if messages are long. Not
  * thread-safe.
  *
  * @param idleCount
  *   the number of idle workers: while it is positive, a slice of long messages is over at the next
  *   reading, so that the worker can share its actors
  */
private[actor] final class TimeSlice(
    lengthNanos: Long,
    idleCount: AtomicInteger = TimeSlice.NoneIdle
):
  private var quota = 1
  private var left = 1
  private var lastRead = System.nanoTime
  private var from = lastRead
  private var isFresh = true

  /** Whether the last reading of the clock ended it. */
  private var isOver = false

  /** The time per message, as the smaller value of the last two readings: one long pause, for
    * whatever reason, says nothing about messages.
    */
  var nanosPerMessage: Long = TimeSlice.Unknown
  private var nanosBefore = TimeSlice.Unknown

  /** Begins a slice; its start time is the next reading of the clock. */
  def begin(): Unit =
    isFresh = true
    isOver = false

  /** If it is over, lets other virtual threads run, and begins the next one. */
  def yieldIfSpent(): Unit = if isOver then
    HelperThreads.yieldCarrier()
    begin()

  /** The worker was idle; `now` is the time. */
  def resume(now: Long): Unit =
    lastRead = now
    left = quota
    begin()

  /** Counts a message. Returns whether the slice is over. */
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
    if nanosPerMessage >= TimeSlice.SharedNanos && lengthNanos >= 16 * TimeSlice.SharedQuotaNanos
    then
      quota = math.max(1L, TimeSlice.SharedQuotaNanos / nanosPerMessage).toInt
    else if passed < lengthNanos / 16 then quota = math.min(quota * 2, TimeSlice.MaxQuota)
    else if passed > lengthNanos / 4 then quota = 1
    left = quota
    if isFresh then
      isFresh = false
      from = now
      isOver = passed >= lengthNanos || isShared
    else isOver = now - from >= lengthNanos || isShared
    isOver

  private def isShared: Boolean =
    nanosPerMessage >= TimeSlice.SharedNanos && idleCount.get > 0
end TimeSlice

private[actor] object TimeSlice:
  private inline val MaxQuota = 64

  private val NoneIdle = AtomicInteger()

  /** The shortest message time for which workers share more than whole turns. */
  inline val SharedNanos = 400L

  /** The time between two readings then: a reading takes about a hundredth of it. */
  private inline val SharedQuotaNanos = 4000L

  /** The assumed time before the first reading: long enough to be worth sharing. */
  private inline val Unknown = 100_000L

  /** The time slice of an actor while others wait: the time of 50 000 messages at best. */
  inline val LengthNanos = 500_000L

  /** The slice of an actor that runs on this thread: without an end on a platform thread, whose
    * processor the system shares out.
    */
  def ofThread(): TimeSlice =
    TimeSlice(if Thread.currentThread.isVirtual then LengthNanos else Long.MaxValue)
end TimeSlice
