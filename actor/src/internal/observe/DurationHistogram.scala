package undercroft.actor
package internal.observe

import java.util.concurrent.atomic.AtomicLongArray

/** The number of durations in each of the [[DurationBuckets]], their sum and the longest one.
  * Readers may be any threads; while there are writers, they read the numbers at different moments.
  * A record allocates nothing.
  */
private[actor] final class DurationHistogram(of: SystemDurations):
  import DurationHistogram.*
  private val cells = AtomicLongArray(DurationBuckets.Count + 2)

  /** Its owner ends; another thread may take it. */
  def release(): Unit = of.release(this)

  /** Records a duration. For the one thread that owns this histogram. */
  def add(nanos: Long): Unit =
    increase(DurationBuckets.indexOf(nanos), 1)
    increase(Sum, nanos)
    if nanos > cells.getPlain(Max) then cells.setOpaque(Max, nanos)

  private def increase(index: Int, by: Long): Unit =
    cells.setOpaque(index, cells.getPlain(index) + by)

  /** Records a duration. Thread-safe, lock-free; for a histogram without an owner. */
  def addShared(nanos: Long): Unit =
    cells.getAndAdd(DurationBuckets.indexOf(nanos), 1): Unit
    cells.getAndAdd(Sum, nanos): Unit
    var longest = cells.get(Max)
    while nanos > longest && !cells.weakCompareAndSetVolatile(Max, longest, nanos) do
      longest = cells.get(Max)

  /** Adds the counts to those of other histograms. */
  def addTo(counts: Array[Long]): Unit =
    var i = 0
    while i < DurationBuckets.Count do
      counts(i) += cells.getOpaque(i)
      i += 1

  def sumNanos: Long = cells.getOpaque(Sum)
  def maxNanos: Long = cells.getOpaque(Max)
end DurationHistogram

private[actor] object DurationHistogram:
  private inline val Sum = DurationBuckets.Count
  private inline val Max = DurationBuckets.Count + 1
