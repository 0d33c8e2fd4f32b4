package undercroft.buffer

import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.LongAdder
import undercroft.memory.{Budget, Processor}

/** Keeps segments for reuse, because a new one costs its zeroes.
  *
  * Any thread. Which segments a pool keeps, and how threads meet in it, is its kind's to say. Pools
  * are isolated: a segment goes home to the pool that it came from, whichever buffer held it last.
  * Segments are arrays, or lie outside the heap, as the pool's [[SegmentMemory]] says. A pool keeps
  * at most `idleLimitBytes`; what comes home beyond that is dropped for the garbage collector. With
  * a budget all segments that there are count, idle or out; one that its buffer dropped counts
  * until the collector finds it.
  */
final class SegmentPool private[buffer] (
    val name: String,
    val segmentBytes: Int,
    val memory: SegmentMemory,
    store: SegmentStore,
    private[buffer] val wipe: Boolean,
    watch: SegmentWatch | Null,
    account: SegmentAccount | Null,
    nativeTwin: () => SegmentPool
):
  /** The binary logarithm of [[segmentBytes]], rounded down. */
  private[buffer] val segmentShift = 31 - Integer.numberOfLeadingZeros(segmentBytes)

  private val slabs =
    if memory == SegmentMemory.Native then SegmentSlabs(segmentBytes, alone = account != null)
    else null

  /** A pool of the same kind outside the heap: for what this one's segments hold, when native code
    * is to have it.
    */
  private[buffer] lazy val native: SegmentPool = if slabs != null then this else nativeTwin()

  private val missed = LongAdder()
  private val dropped = LongAdder()
  SegmentFlight.show(this)

  /** A segment of [[segmentBytes]] bytes, empty, for the caller alone. What it holds beyond the
    * limit is not zero. One more than the budget holds is a MemoryLimitException.
    */
  private[undercroft] def take(): Segment =
    val idle = store.take()
    val segment = if idle != null then idle else fresh()
    segment.isHome = false
    if watch != null then watched(segment, watch) else segment

  /** In debug mode poison lay over what was wiped. */
  private def watched(segment: Segment, watch: SegmentWatch): Segment =
    val taken = watch.taken(segment)
    if wipe then taken.fill(0, taken.capacity, 0)
    taken

  /** Gives a segment back, which nobody may use any more. Twice is a [[RecycledException]], unless
    * somebody took it meanwhile: so buffers alone do this.
    */
  private[undercroft] def recycle(segment: Segment): Unit =
    if segment.pool ne this then segment.pool.recycle(segment)
    else if segment.isHome then throw RecycledException(name)
    else if segment.leave() then
      segment.clear()
      val home = if watch != null then watch.returned(segment) else segment
      home.stripe = segment.stripe
      home.isHome = true
      if wipe && watch == null then home.fill(0, home.capacity, 0)
      if !store.put(home) then drop(home)
    else
      segment.isHome = true
      segment.pos = 0
      segment.limit = 0
      segment.until = 0

  /** Hands idle segments to the garbage collector, until at most `keepBytes` are left. */
  def trim(keepBytes: Long = 0): Unit =
    store.trim((keepBytes / segmentBytes).max(0))(drop(_))
    if slabs != null && keepBytes < segmentBytes then slabs.trim()

  /** What happened so far; segments on their way are seen a little before or after. */
  def metrics: SegmentPool.Metrics =
    val idle = store.idle
    val (hits, misses, drops) = (store.hits, missed.sum, dropped.sum)
    val live = misses - drops - idle
    val leaked = if watch != null then watch.leaked else 0
    SegmentPool.Metrics(
      hits,
      misses,
      store.lostRaces,
      store.kept,
      drops,
      idle * segmentBytes,
      live,
      leaked
    )

  /** In debug mode, the places that took some of the segments that are out: of one take in 64. */
  def takenAt: List[List[String]] = if watch != null then watch.sites else Nil

  /** For tests: an error, with the places that took them, unless every segment came home. */
  def assertAllHome(): Unit =
    if watch != null then watch.assertNone()
    val live = metrics.live
    if live != 0 then throw NotHomeException(name, live, Nil)

  private def drop(segment: Segment): Unit =
    dropped.increment()
    if account != null then account.dropped(segment)

  private def fresh(): Segment =
    // Where the budget is used up, what is idle in other stripes is better used here.
    if account != null && !account.hasRoom then trim()
    val made = if account != null then account.segment(this) else bare()
    missed.increment()
    made.stripe = store.home
    made

  /** A new segment. */
  private[buffer] def bare(): Segment =
    if slabs != null then Segment(null, slabs.next(), this)
    else Segment(new Array[Byte](segmentBytes), MemorySegment.NULL, this)

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
    *   takes that a new segment served
    * @param lostRaces
    *   times that another thread had the stripe just then
    * @param kept
    *   segments that came home and were kept
    * @param dropped
    *   segments that came home, or were idle, and were left to the garbage collector
    * @param live
    *   segments that are out: misses less what is idle or dropped
    * @param leaked
    *   of those, the ones that debug mode saw garbage collected
    */
  final case class Metrics(
      hits: Long,
      misses: Long,
      lostRaces: Long,
      kept: Long,
      dropped: Long,
      idleBytes: Long,
      live: Long,
      leaked: Long = 0
  ) derives CanEqual

  /** What buffers use that do not say: striped by the processor. */
  given default: SegmentPool = perProcessor()

  /** Keeps nothing: every segment is new. */
  def none(
      segmentBytes: Int = SegmentBytes,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool = make("no pool", segmentBytes, NoStore, false, false, None, memory)

  /** One stack behind a monitor. The cheapest for one thread. */
  def synchronizedPool(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    def store = LockedStore(segments(idleLimitBytes, segmentBytes))
    make("the synchronized pool", segmentBytes, store, wipe, debug, budget, memory)

  /** One stack that a thread takes out and puts back with one exchange each; a thread that finds it
    * taken allocates, or drops, and never waits.
    */
  def lockFree(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    def store = StripedStore(1, segments(idleLimitBytes, segmentBytes), Stripe.Only)
    make("the lock-free pool", segmentBytes, store, wipe, debug, budget, memory)

  /** Several such stacks. A thread takes from one by its number, and from the next one where that
    * is taken or empty; a segment goes back to the one of the thread that took it, whoever returns
    * it.
    */
  def striped(
      stripes: Int = defaultStripes,
      bytesPerStripe: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    def store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes), Stripe.ByThread)
    make("the striped pool", segmentBytes, store, wipe, debug, budget, memory)

  /** Several such stacks, as in [[striped]]; a thread has the one of the processor that it runs on.
    * Where the system does not tell, by its number.
    */
  def perProcessor(
      stripes: Int = defaultStripes,
      bytesPerStripe: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    val by = if Processor.isKnown then Stripe.ByProcessor else Stripe.ByThread
    def store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes), by)
    make("the per-processor pool", segmentBytes, store, wipe, debug, budget, memory)

  /** As many as processors, rounded up to a power of two. */
  def defaultStripes: Int = Runtime.getRuntime.availableProcessors

  private def segments(bytes: Long, segmentBytes: Int): Long =
    if bytes < 0 then throw IllegalArgumentException(s"a pool of $bytes bytes")
    bytes / segmentBytes.max(1)

  private def make(
      name: String,
      segmentBytes: Int,
      store: => SegmentStore,
      wipe: Boolean,
      debug: Boolean,
      budget: Option[Budget],
      memory: SegmentMemory
  ): SegmentPool =
    if segmentBytes < 1 then throw IllegalArgumentException(s"segments of $segmentBytes bytes")
    val full = if memory == SegmentMemory.Native then s"$name outside the heap" else name
    val watch = if debug then SegmentWatch(full) else null
    val account = budget match
      case Some(budget) => SegmentAccount(budget, segmentBytes)
      case None         => null
    def twin(): SegmentPool =
      make(name, segmentBytes, store, wipe, debug, budget, SegmentMemory.Native)
    new SegmentPool(full, segmentBytes, memory, store, wipe, watch, account, twin)
end SegmentPool
