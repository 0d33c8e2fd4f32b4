package undercroft.actor
package internal.observe

import java.util.concurrent.atomic.{AtomicLongArray, AtomicReferenceArray}

/** The number of durations of one system in each of the [[DurationBuckets]], their sum and the
  * longest one, in a few stripes: a thread records in one of them, so that workers rarely write to
  * the same. Thread-safe, lock-free. Allocates a stripe when a duration is recorded there.
  */
private[actor] final class SystemDurations:
  import SystemDurations.*

  private val stripes = AtomicReferenceArray[AtomicLongArray | Null](Stripes)

  /** Records a duration. */
  def add(nanos: Long): Unit =
    val index = Thread.currentThread.threadId.toInt & (Stripes - 1)
    val present = stripes.get(index)
    val stripe = if present == null then added(index) else present
    stripe.getAndAdd(DurationBuckets.indexOf(nanos), 1): Unit
    stripe.getAndAdd(Sum, nanos): Unit
    var longest = stripe.get(Max)
    while nanos > longest && !stripe.weakCompareAndSetVolatile(Max, longest, nanos) do
      longest = stripe.get(Max)

  private def added(index: Int): AtomicLongArray =
    val created = AtomicLongArray(DurationBuckets.Count + 2)
    stripes.compareAndExchange(index, null, created).orCreate(created)

  /** All durations so far. While threads record, the numbers are read at different moments. */
  def snapshot: HandlerDurations =
    val counts = new Array[Long](DurationBuckets.Count)
    var (sumNanos, maxNanos) = (0L, 0L)
    for index <- 0 until Stripes do
      val stripe = stripes.get(index)
      if stripe != null then
        for i <- counts.indices do counts(i) += stripe.get(i)
        sumNanos += stripe.get(Sum)
        maxNanos = math.max(maxNanos, stripe.get(Max))
    new HandlerDurations(counts, sumNanos, maxNanos)
end SystemDurations

private[actor] object SystemDurations:
  private inline val Sum = DurationBuckets.Count
  private inline val Max = DurationBuckets.Count + 1

  /** A power of two. */
  private val Stripes: Int =
    math.min(64, Integer.highestOneBit(Runtime.getRuntime.availableProcessors * 4))
