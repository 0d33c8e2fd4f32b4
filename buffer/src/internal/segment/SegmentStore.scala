package undercroft.buffer
package internal.segment

import undercroft.memory.internal.platform.CurrentCpu
import java.util.concurrent.atomic.{AtomicReferenceArray, LongAdder}

/** The idle segments of a pool. Thread-safe. */
private[buffer] sealed trait SegmentStore:
  /** An idle segment, or null. */
  def take(): Segment | Null

  /** The stripe that segments taken by this thread belong to. */
  def home: Int = 0

  /** Keeps a segment; false if there is no room. */
  def put(segment: Segment): Boolean

  /** A new store of the same kind, without segments. */
  def another: SegmentStore

  /** Removes idle segments until at most `keep` remain, and calls `drop` with each. */
  def trim(keep: Long)(drop: Segment => Unit): Unit

  def hits: Long
  def kept: Long
  def lostRaces: Long

  /** Number of idle segments. */
  def idle: Long
end SegmentStore

private[buffer] object NoStore extends SegmentStore:
  def take(): Segment | Null = null
  def put(segment: Segment): Boolean = false
  def another: SegmentStore = this
  def trim(keep: Long)(drop: Segment => Unit): Unit = ()
  def hits: Long = 0
  def kept: Long = 0
  def lostRaces: Long = 0
  def idle: Long = 0

/** One stack behind a monitor. */
private[buffer] final class LockedStore(maxSegments: Long) extends SegmentStore:
  private var head: Segment | Null = null
  private var count = 0L
  private var hit = 0L
  private var put = 0L

  def take(): Segment | Null = synchronized:
    val segment = head
    if segment != null then
      head = segment.next
      segment.next = null
      count -= 1
      hit += 1
    segment

  def put(segment: Segment): Boolean = synchronized:
    if count >= maxSegments then false
    else
      segment.next = head
      head = segment
      count += 1
      put += 1
      true

  def another: SegmentStore = LockedStore(maxSegments)

  def trim(keep: Long)(drop: Segment => Unit): Unit = synchronized:
    while count > keep do
      val dropped = head.nn
      head = dropped.next
      count -= 1
      drop(dropped)

  def hits: Long = synchronized(hit)
  def kept: Long = synchronized(put)
  def lostRaces: Long = 0
  def idle: Long = synchronized(count)
end LockedStore

/** Stacks that a thread owns between two atomic exchanges.
  *
  * {{{
  *   take    head = exchange(Busy); store(head.next)
  *   put     head = exchange(Busy); segment.next = head; store(segment)
  * }}}
  *
  * A thread that finds Busy, an empty stack or no room tries the next stripe once, then allocates
  * or drops a segment. So no thread waits, not even for a thread that was preempted between its
  * exchanges. A segment is put on the stripe of the thread that took it, so segments that one
  * thread takes and another recycles serve the first thread again. The sentinel for a stack in use
  * is Okio's (`SegmentPool`, since 2.8); storing the head back needs only release order. Counts are
  * written only by the thread that owns the stripe.
  *
  * The heads and counts of two stripes are at least 128 bytes apart, to prevent false sharing.
  */
private[buffer] final class StripedStore(
    minStripes: Int,
    maxPerStripe: Long,
    byProcessor: Boolean = false
) extends SegmentStore:
  import StripedStore.*
  if minStripes < 1 || minStripes > MostStripes then
    throw IllegalArgumentException(s"stripes must be in [1, $MostStripes], but is $minStripes")

  private val stripes = if minStripes == 1 then 1 else Integer.highestOneBit(minStripes - 1) << 1
  private val heads = AtomicReferenceArray[Segment | Null]((stripes + 1) * Apart)
  private val counts = new Array[Long]((stripes + 1) * Apart)
  private val lost = LongAdder()

  /** Whether the processor that a thread runs on selects its stripe; otherwise its id does. A
    * native call returns the processor, so it is linked at the first contention. A plain field: a
    * thread that reads an old value uses another stripe.
    */
  private var knowsProcessor = false

  def take(): Segment | Null =
    val first = home
    val segment = pop(first)
    if segment != null && (segment ne Busy) then taken(segment, first)
    else
      if segment eq Busy then contended()
      val fallback = if stripes == 1 then null else pop((first + 1) & (stripes - 1))
      if fallback eq Busy then null else if fallback != null then taken(fallback, first) else null

  private def taken(segment: Segment, stripe: Int): Segment =
    segment.stripe = stripe
    segment

  def put(segment: Segment): Boolean =
    val first = segment.stripe
    val pushed = push(first, segment)
    if pushed == Lost then contended()
    pushed == Kept || stripes > 1 && push((first + 1) & (stripes - 1), segment) == Kept

  private def contended(): Unit =
    lost.increment()
    if byProcessor && !knowsProcessor then knowsProcessor = CurrentCpu.request()

  def another: SegmentStore = StripedStore(minStripes, maxPerStripe, byProcessor)

  override def home: Int =
    if stripes == 1 then 0
    else if knowsProcessor then CurrentCpu.current & (stripes - 1)
    else
      val number = Thread.currentThread.threadId * 0x9e3779b97f4a7c15L
      (number >>> 32).toInt & (stripes - 1)

  private def pop(stripe: Int): Segment | Null =
    val at = (stripe + 1) * Apart
    val head = heads.getAndSet(at, Busy)
    if head eq Busy then head
    else if head == null then
      heads.setRelease(at, null)
      null
    else
      counts(at + Idle) -= 1
      counts(at + Hits) += 1
      val rest = head.next
      head.next = null
      heads.setRelease(at, rest)
      head

  private def push(stripe: Int, segment: Segment): Int =
    val at = (stripe + 1) * Apart
    val head = heads.getAndSet(at, Busy)
    if head eq Busy then Lost
    else if counts(at + Idle) >= maxPerStripe then
      heads.setRelease(at, head)
      Full
    else
      counts(at + Idle) += 1
      counts(at + Puts) += 1
      segment.next = head
      heads.setRelease(at, segment)
      Kept

  def trim(keep: Long)(drop: Segment => Unit): Unit =
    var left = keep
    var stripe = 0
    while stripe < stripes do
      val at = (stripe + 1) * Apart
      var head = heads.getAndSet(at, Busy)
      if head ne Busy then
        while counts(at + Idle) > left do
          val dropped = head.nn
          head = dropped.next
          counts(at + Idle) -= 1
          drop(dropped)
        left -= counts(at + Idle)
        heads.setRelease(at, head)
      stripe += 1

  def hits: Long = sum(Hits)
  def kept: Long = sum(Puts)
  def lostRaces: Long = lost.sum
  def idle: Long = sum(Idle)

  private def sum(counter: Int): Long =
    var total = 0L
    var stripe = 0
    while stripe < stripes do
      val at = (stripe + 1) * Apart
      heads.getAcquire(at): Unit // acquire: makes the counts of the last owner visible
      total += counts(at + counter)
      stripe += 1
    total
end StripedStore

private[buffer] object StripedStore:
  private val Busy = Segment.Nothing
  private inline val Apart = 32
  private inline val Idle = 0
  private inline val Hits = 1
  private inline val Puts = 2
  private inline val Lost = 0
  private inline val Full = 1
  private inline val Kept = 2

  /** Largest number of stripes: no machine has more processors. */
  private val MostStripes = 4096
end StripedStore
