package undercroft.actor
package internal.observe

import java.util.ArrayDeque
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicReferenceArray

/** The histograms of one system: one for each worker, which is its owner, and a few that all other
  * threads share. Thread-safe. Allocates no histogram before a duration is recorded.
  */
private[actor] final class SystemDurations:
  import SystemDurations.*

  private val owned = CopyOnWriteArrayList[DurationHistogram]()
  private val free = ArrayDeque[DurationHistogram]()
  private val shared = AtomicReferenceArray[DurationHistogram | Null](Stripes)

  /** The time of the system's start, in nanoseconds since 1970. */
  val startEpochNanos: Long = System.currentTimeMillis * 1_000_000L

  /** A histogram for a thread that becomes its owner: a new one, or that of a thread that has
    * ended, with its counts.
    */
  def take(): DurationHistogram = synchronized:
    val released = free.poll
    if released != null then released
    else
      val created = DurationHistogram(this)
      owned.add(created)
      created

  /** The owner of a histogram has ended. */
  def release(histogram: DurationHistogram): Unit = synchronized(free.add(histogram): Unit)

  /** Records a duration on a thread without a histogram. */
  def addShared(nanos: Long): Unit =
    val stripe = Thread.currentThread.threadId.toInt & (Stripes - 1)
    val present = shared.get(stripe)
    (if present == null then added(stripe) else present).addShared(nanos)

  private def added(stripe: Int): DurationHistogram =
    val created = DurationHistogram(this)
    val before = shared.compareAndExchange(stripe, null, created)
    if before == null then created else before

  def snapshot: HandlerDurations =
    val counts = new Array[Long](DurationBuckets.Count)
    var (sumNanos, maxNanos) = (0L, 0L)
    def add(histogram: DurationHistogram): Unit =
      histogram.addTo(counts)
      sumNanos += histogram.sumNanos
      maxNanos = math.max(maxNanos, histogram.maxNanos)
    owned.forEach(add(_))
    for stripe <- 0 until Stripes do
      val histogram = shared.get(stripe)
      if histogram != null then add(histogram)
    new HandlerDurations(counts, sumNanos, maxNanos)
end SystemDurations

private[actor] object SystemDurations:
  /** The number of histograms for threads that are no workers: a power of two. */
  private val Stripes: Int =
    math.min(64, Integer.highestOneBit(Runtime.getRuntime.availableProcessors * 2 - 1))
