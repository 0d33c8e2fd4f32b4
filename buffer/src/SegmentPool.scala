package undercroft.buffer

import internal.segment.{
  LockedStore,
  NoStore,
  Segment,
  SegmentBudget,
  SegmentLeakDetector,
  SegmentPoolJfr,
  SegmentStore,
  StripedStore
}
import java.util.concurrent.atomic.{AtomicBoolean, LongAdder}
import undercroft.memory.Budget

/** A pool of segments for reuse: a new segment costs its zeroing.
  *
  * Thread-safe. The kind of pool determines which segments it keeps and how threads contend for
  * them. Pools are isolated: a segment is recycled into the pool that allocated it, whichever
  * buffer held it last. Segments are heap arrays or off-heap, according to the pool's
  * [[SegmentMemory]]. A pool keeps at most `idleLimitBytes`; a segment recycled beyond that is left
  * to the garbage collector. With a budget all existing segments are charged, idle or outstanding;
  * a leaked segment stays charged until the collector finds it.
  *
  * {{{
  * val pool = SegmentPool.lockFree(debug = true)
  * val buffer = Buffer(using pool).writeUtf8("hello")
  * buffer.clear() // recycles the segments
  * pool.assertNoLeaks()
  * }}}
  */
final class SegmentPool private[buffer] (
    val name: String,
    val segmentBytes: Int,
    val memory: SegmentMemory,
    store: SegmentStore,
    private[buffer] val wipe: Boolean,
    debug: Boolean,
    budget: Budget | Null
):
  private val watch = if debug then SegmentLeakDetector(name) else null
  private val account = if budget != null then SegmentBudget(budget, segmentBytes) else null

  /** The binary logarithm of [[segmentBytes]], rounded down. */
  private[buffer] val segmentShift = 31 - Integer.numberOfLeadingZeros(segmentBytes)

  private val slabs =
    if memory == SegmentMemory.Native then SegmentSlabs(segmentBytes, alone = account != null)
    else null

  /** An off-heap pool of the same kind: the bytes of this pool's segments are copied to it when
    * native code needs them.
    */
  private[buffer] def native: SegmentPool =
    if slabs != null then this else synchronized(existingOrNewTwin())

  private var twin: SegmentPool | Null = null

  private def existingOrNewTwin(): SegmentPool =
    val existing = twin
    if existing != null then existing
    else
      val store = this.store.another
      val created =
        SegmentPool.make(name, segmentBytes, store, wipe, debug, budget, SegmentMemory.Native)
      twin = created
      created

  private val missed = LongAdder()
  private val dropped = LongAdder()
  private val isShown = AtomicBoolean()
  if account != null then account.serve(this)

  /** Takes an empty segment of [[segmentBytes]] bytes for exclusive use by the caller. Its bytes
    * beyond the limit are not zeroed. Throws a MemoryLimitException if the budget has no room for a
    * new segment.
    */
  private[undercroft] def take(): Segment =
    val idle = store.take()
    val segment = if idle != null then idle else fresh()
    segment.isHome = false
    val result = if watch != null then watched(segment, watch) else segment
    // Two threads that shared its last buffer may have changed it after it was recycled.
    result.empty()
    result

  /** Wipes the segment if `wipe` is set: debug mode overwrote the wiped bytes with poison. */
  private def watched(segment: Segment, watch: SegmentLeakDetector): Segment =
    val result = watch.taken(segment)
    if wipe then result.fill(0, result.capacity, 0)
    result

  /** Returns a segment to the pool; the caller must not use it again. A double recycle throws a
    * [[DoubleRecycleException]], unless the segment was taken again in between, so only buffers
    * call this.
    */
  private[undercroft] def recycle(segment: Segment): Unit =
    if segment.pool ne this then segment.pool.recycle(segment)
    else if !segment.goHome() then throw DoubleRecycleException(name)
    else accept(segment)

  /** Recycles a segment that the caller has removed from its queue, which only one thread can do.
    */
  private[buffer] def recycleRemoved(segment: Segment): Unit =
    if segment.pool ne this then segment.pool.recycleRemoved(segment)
    else if segment.isHome then throw DoubleRecycleException(name)
    else
      segment.isHome = true
      accept(segment)

  private def accept(segment: Segment): Unit =
    if segment.leave() then
      segment.clear()
      val home = if watch != null then watch.returned(segment) else segment
      home.stripe = segment.stripe
      home.isHome = true
      if wipe && watch == null then home.fill(0, home.capacity, 0)
      if !store.put(home) then drop(home)
    else
      segment.pos = 0
      segment.limit = 0
      segment.until = 0

  /** Drops a segment that another thread may still use: its bytes are never reused. */
  private[buffer] def discard(segment: Segment): Unit =
    if segment.pool ne this then segment.pool.discard(segment)
    else if segment.goHome() && segment.leave() then
      if watch != null then watch.discarded(segment)
      drop(segment)

  /** Releases idle segments to the garbage collector until at most `keepBytes` remain.
    *
    * {{{
    * val pool = SegmentPool.lockFree()
    * Buffer(using pool).writeUtf8("hello").clear()
    * pool.trim()
    * println(pool.metrics.idleBytes) // 0
    * }}}
    */
  def trim(keepBytes: Long = 0): Unit =
    store.trim(Math.max(keepBytes / segmentBytes, 0))(drop(_))
    if slabs != null && keepBytes < segmentBytes then slabs.trim()

  /** Counters of this pool. A segment in transit between threads may be counted a little early or
    * late.
    *
    * {{{
    * val pool = SegmentPool.lockFree()
    * for _ <- 1 to 10 do Buffer(using pool).writeUtf8("hello").clear()
    * println((pool.metrics.hits, pool.metrics.misses)) // (9,1)
    * }}}
    */
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

  /** Allocation sites of outstanding segments, in debug mode: one take in 64 is sampled.
    *
    * {{{
    * val pool = SegmentPool.lockFree(debug = true)
    * val buffer = Buffer(using pool).writeUtf8("hello")
    * for site <- pool.leakSites do println(site.head)
    * }}}
    */
  def leakSites: List[List[String]] = SegmentLeakDetector.sites(watch)

  /** For tests: throws, with the allocation sites, unless all segments were recycled.
    *
    * {{{
    * val pool = SegmentPool.lockFree(debug = true)
    * val buffer = Buffer(using pool).writeUtf8("hello")
    * println(buffer.readUtf8()) // hello
    * pool.assertNoLeaks() // reading all bytes has recycled the segment
    * }}}
    */
  def assertNoLeaks(): Unit =
    if watch != null then watch.assertNone()
    val live = metrics.live
    if live != 0 then throw SegmentLeakDetector.leak(name, live)

  private def drop(segment: Segment): Unit =
    dropped.increment()
    if account != null then account.dropped(segment)

  private def fresh(): Segment =
    val segment = if account != null then account.segment(this) else bare()
    // A program that needs one segment does not load the classes of JFR.
    if missed.sum > 0 then show()
    missed.increment()
    segment.stripe = store.home
    segment

  /** Reports the counters to JFR from now on. */
  private def show(): Unit = if isShown.compareAndSet(false, true) then SegmentPoolJfr.show(this)

  /** Allocates a segment, without charging the budget. */
  private[buffer] def bare(): Segment =
    if slabs != null then Segment(null, slabs.next(), this)
    else Segment(new Array[Byte](segmentBytes), null, this)

  override def toString: String = s"$name of $segmentBytes-byte segments"
end SegmentPool

object SegmentPool:
  /** Bytes of a segment, as in Okio. */
  inline val SegmentBytes = 8192

  /** Bytes that a pool keeps by default: as in Okio, per stripe. */
  inline val StripeBytes = 65536L

  /** @param hits
    *   takes served by an idle segment
    * @param misses
    *   takes served by a new segment
    * @param lostRaces
    *   accesses that found the stripe in use by another thread
    * @param kept
    *   segments that were recycled and kept
    * @param dropped
    *   segments, recycled or idle, that were left to the garbage collector
    * @param live
    *   outstanding segments: misses minus idle and dropped segments
    * @param leaked
    *   outstanding segments that debug mode found garbage collected
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

  /** The default pool of buffers: striped per processor. */
  given default: () => SegmentPool = common

  // Without a lazy value and an Option: both load Scala's collections, a third of the time of the
  // first buffer.
  private val common =
    val store = StripedStore(defaultStripes, StripeBytes / SegmentBytes, byProcessor = true)
    new SegmentPool(PerProcessor, SegmentBytes, SegmentMemory.Heap, store, false, false, null)

  /** A pool that keeps no segments: every segment is new.
    *
    * {{{
    * val buffer = Buffer(using SegmentPool.none(segmentBytes = 16)).writeUtf8("hello")
    * println(buffer.completeSegmentByteCount) // 0
    * }}}
    */
  def none(
      segmentBytes: Int = SegmentBytes,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool = make("no pool", segmentBytes, NoStore, false, false, null, memory)

  /** A pool with one stack behind a monitor. The cheapest kind for one thread.
    *
    * {{{
    * val pool = SegmentPool.synchronizedPool(idleLimitBytes = 1 << 20)
    * println(Buffer(using pool).writeUtf8("hello").readUtf8()) // hello
    * }}}
    */
  def synchronizedPool(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    val store = LockedStore(segments(idleLimitBytes, segmentBytes))
    make("the synchronized pool", segmentBytes, store, wipe, debug, limit(budget), memory)

  /** A lock-free pool with one stack, which a thread detaches and stores back with one atomic
    * exchange each. A thread that finds the stack detached allocates or drops a segment and never
    * waits.
    *
    * {{{
    * val pool = SegmentPool.lockFree(wipe = true) // bytes are zeroed when they are recycled
    * println(Buffer(using pool).writeUtf8("a password").readUtf8()) // a password
    * }}}
    */
  def lockFree(
      idleLimitBytes: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    val store = StripedStore(1, segments(idleLimitBytes, segmentBytes))
    make("the lock-free pool", segmentBytes, store, wipe, debug, limit(budget), memory)

  /** A pool with several such stacks (stripes). The thread id selects the stripe; if that stripe is
    * in use or empty the thread tries the next one. A segment returns to the stripe of the thread
    * that took it, whichever thread recycles it.
    *
    * {{{
    * import undercroft.memory.*
    * val pool = SegmentPool.striped(budget = Some(Budget("requests", 10.MiB)))
    * println(Buffer(using pool).writeUtf8("hello").readUtf8()) // hello
    * }}}
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
    val store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes))
    make("the striped pool", segmentBytes, store, wipe, debug, limit(budget), memory)

  /** A pool with several stripes, as in [[striped]], selected by the processor that the thread runs
    * on. Until two threads have contended for a stripe, and if the system does not report the
    * processor, the thread id selects the stripe.
    *
    * {{{
    * val pool = SegmentPool.perCpu(bytesPerStripe = 256 << 10)
    * println(Buffer(using pool).writeUtf8("hello").readUtf8()) // hello
    * }}}
    */
  def perCpu(
      stripes: Int = defaultStripes,
      bytesPerStripe: Long = StripeBytes,
      segmentBytes: Int = SegmentBytes,
      wipe: Boolean = false,
      debug: Boolean = false,
      budget: Option[Budget] = None,
      memory: SegmentMemory = SegmentMemory.Heap
  ): SegmentPool =
    val store = StripedStore(stripes, segments(bytesPerStripe, segmentBytes), byProcessor = true)
    make(PerProcessor, segmentBytes, store, wipe, debug, limit(budget), memory)

  private inline val PerProcessor = "the per-processor pool"

  /** The number of available processors; a pool rounds it up to a power of two. */
  def defaultStripes: Int = Runtime.getRuntime.availableProcessors

  private def segments(bytes: Long, segmentBytes: Int): Long =
    if bytes < 0 then
      throw IllegalArgumentException(s"the pool's limit must be at least 0 bytes, but is $bytes")
    bytes / Math.max(segmentBytes, 1)

  private def limit(budget: Option[Budget]): Budget | Null =
    if budget.isEmpty then null else budget.get

  private def make(
      name: String,
      segmentBytes: Int,
      store: SegmentStore,
      wipe: Boolean,
      debug: Boolean,
      budget: Budget | Null,
      memory: SegmentMemory
  ): SegmentPool =
    if segmentBytes < 1 then
      throw IllegalArgumentException(s"segmentBytes must be at least 1, but is $segmentBytes")
    val full = if memory == SegmentMemory.Native then s"$name outside the heap" else name
    val pool = new SegmentPool(full, segmentBytes, memory, store, wipe, debug, budget)
    pool.show()
    pool
end SegmentPool
