package undercroft.buffer

import java.util.concurrent.atomic.LongAdder
import undercroft.memory.Processor

/** Keeps segments for reuse, because a new array costs its zeroes.
  *
  * Any thread. Which segments a pool keeps, and how threads meet in it, is its kind's to say. Pools
  * are isolated: a segment goes home to the pool that it came from, whichever buffer held it last.
  * A pool keeps at most `idleLimitBytes`; what comes home beyond that is dropped for the garbage
  * collector.
  */
final class SegmentPool private[buffer] (
    val name: String,
    val segmentBytes: Int,
    store: SegmentStore,
    wipe: Boolean,
    watch: SegmentWatch | Null
):
  private val missed = LongAdder()
  private val dropped = LongAdder()

  /** A segment of [[segmentBytes]] bytes, empty, for the caller alone. What its array holds beyond
    * the limit is not zero.
    */
  def take(): Segment =
    val idle = store.take()
    val segment = if idle != null then idle else fresh()
    segment.isHome = false
    if watch != null then watch.taken(segment) else segment

  /** Gives a segment back, which nobody may use any more. Twice is a [[RecycledException]]. */
  def recycle(segment: Segment): Unit =
    if segment.pool ne this then segment.pool.recycle(segment)
    else if segment.isHome then throw RecycledException(name)
    else if segment.leave() then
      segment.clear()
      val home = if watch != null then watch.returned(segment) else segment
      home.isHome = true
      if wipe then java.util.Arrays.fill(home.data, 0.toByte)
      if !store.put(home) then dropped.increment()
    else
      segment.isHome = true
      segment.pos = 0
      segment.limit = 0
      segment.until = 0

  /** Hands idle segments to the garbage collector, until at most `keepBytes` are left. */
  def trim(keepBytes: Long = 0): Unit =
    dropped.add(store.trim((keepBytes / segmentBytes).max(0)))

  /** What happened so far; segments on their way are seen a little before or after. */
  def metrics: SegmentPool.Metrics =
    val idle = store.idle
    val (hits, misses, drops) = (store.hits, missed.sum, dropped.sum)
    val live = misses - drops - idle
    SegmentPool.Metrics(hits, misses, store.lostRaces, store.kept, drops, idle * segmentBytes, live)

  /** For tests: an error, with the places that took them, unless every segment came home. */
  def assertAllHome(): Unit =
    if watch != null then watch.assertNone()
    val live = metrics.live
    if live != 0 then throw NotHomeException(name, live, Nil)

  private def fresh(): Segment =
    missed.increment()
    Segment(new Array[Byte](segmentBytes), this)

  override def toString: String = s"$name of $segmentBytes-byte segments"
end SegmentPool

object SegmentPool:
  /** Bytes of a segment, as in Okio. */
  inline val SegmentBytes = 8192

  /** What a pool keeps where nobody says: as in Okio for a stripe. */
  inline val StripeBytes = 65536L

  /** @param hits
    *   takes that an idle segment served
    * @param misses
    *   takes that a new array served
    * @param lostRaces
    *   times that another thread had the stripe just then
    * @param kept
    *   segments that came home and were kept
    * @param dropped
    *   segments that came home, or were idle, and were left to the garbage collector
    * @param live
    *   segments that are out: misses less what is idle or dropped
    */
  final case class Metrics(
      hits: Long,
      misses: Long,
      lostRaces: Long,
      kept: Long,
      dropped: Long,
      idleBytes: Long,
      live: Long
  ) derives CanEqual

  /** What buffers use that do not say: striped by the processor. */
  given default: SegmentPool = perProcessor()

  /** Keeps nothing: every segment is new. */
  def none(segmentBytes: Int = SegmentBytes): SegmentPool =
    make("no pool", segmentBytes, NoStore, false, false)

  /** One stack behind a monitor. The cheapest for one thread. */
  def synchronizedPool(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false
  ): SegmentPool =
    val store = LockedStore(segments(idleLimitBytes, segmentBytes))
    make("the synchronized pool", segmentBytes, store, wipe, debug)

  /** One stack that a thread takes out and puts back with one exchange each; a thread that finds it
    * taken allocates, or drops, and never waits.
    */
  def lockFree(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false
  ): SegmentPool =
    val store = StripedStore(1, segments(idleLimitBytes, segmentBytes), Stripe.Only)
    make("the lock-free pool", segmentBytes, store, wipe, debug)

  /** Several such stacks; a thread has one by its number, and tries the next when it is taken. */
  def striped(
      stripes: Int = defaultStripes,
      bytesPerStripe: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false
  ): SegmentPool =
    val store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes), Stripe.ByThread)
    make("the striped pool", segmentBytes, store, wipe, debug)

  /** Several such stacks; a thread has the one of the processor that it runs on. Where the system
    * does not tell, by its number.
    */
  def perProcessor(
      stripes: Int = defaultStripes,
      bytesPerStripe: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false
  ): SegmentPool =
    val by = if Processor.isKnown then Stripe.ByProcessor else Stripe.ByThread
    val store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes), by)
    make("the per-processor pool", segmentBytes, store, wipe, debug)

  /** As many as processors, rounded up to a power of two. */
  def defaultStripes: Int = Runtime.getRuntime.availableProcessors

  private def segments(bytes: Long, segmentBytes: Int): Long =
    if bytes < 0 then throw IllegalArgumentException(s"a pool of $bytes bytes")
    bytes / segmentBytes.max(1)

  private def make(
      name: String,
      segmentBytes: Int,
      store: SegmentStore,
      wipe: Boolean,
      debug: Boolean
  ): SegmentPool =
    if segmentBytes < 1 then throw IllegalArgumentException(s"segments of $segmentBytes bytes")
    new SegmentPool(name, segmentBytes, store, wipe, if debug then SegmentWatch(name) else null)
end SegmentPool
