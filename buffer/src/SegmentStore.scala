package undercroft.buffer

import java.util.concurrent.atomic.{AtomicReferenceArray, LongAdder}
import undercroft.memory.Processor

/** Where a pool keeps idle segments. Any thread. */
private[buffer] sealed trait SegmentStore:
  /** An idle segment, or null. */
  def take(): Segment | Null

  /** The stripe that what this thread takes belongs to. */
  def home: Int = 0

  /** Keeps a segment; false where it is not kept. */
  def put(segment: Segment): Boolean

  /** Drops idle segments until at most `keep` are left, and tells of each. */
  def trim(keep: Long)(drop: Segment => Unit): Unit

  def hits: Long
  def kept: Long
  def lostRaces: Long

  /** Segments that are idle now. */
  def idle: Long

private[buffer] object NoStore extends SegmentStore:
  def take(): Segment | Null = null
  def put(segment: Segment): Boolean = false
  def trim(keep: Long)(drop: Segment => Unit): Unit = ()
  def hits: Long = 0
  def kept: Long = 0
  def lostRaces: Long = 0
  def idle: Long = 0

/** One stack behind a monitor. */
private[buffer] final class LockedStore(most: Long) extends SegmentStore:
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
    if count >= most then false
    else
      segment.next = head
      head = segment
      count += 1
      put += 1
      true

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

/** Which stripe a thread uses first. */
private[buffer] enum Stripe derives CanEqual:
  case Only, ByThread, ByProcessor

/** Stacks that a thread has for itself between two exchanges.
  *
  * {{{
  *   take    head = exchange(Busy); store(head.next)
  *   put     head = exchange(Busy); segment.next = head; store(segment)
  * }}}
  *
  * A thread that finds Busy tries the next stripe once, and then does without; so does one that
  * finds nothing to take, or no room. So nobody waits, not even for a thread that was stopped
  * between its exchanges. A segment is put on the stripe that its taker takes from, so what one
  * thread takes and another gives back serves the first again. The idea of a sentinel for a stack
  * that is being changed is Okio's (`SegmentPool`, 2.8 on); storing it back needs no more than
  * release. Counts are written only by the thread that has the stripe.
  *
  * Heads and counts lie 128 bytes apart, so that no two stripes share a line of the cache.
  */
private[buffer] final class StripedStore(asked: Int, most: Long, by: Stripe) extends SegmentStore:
  import StripedStore.*
  if asked < 1 || asked > MostStripes then
    throw IllegalArgumentException(s"$asked stripes are not in [1, $MostStripes]")

  private val stripes = if asked == 1 then 1 else Integer.highestOneBit(asked - 1) << 1
  private val heads = AtomicReferenceArray[Segment | Null]((stripes + 1) * Apart)
  private val counts = new Array[Long]((stripes + 1) * Apart)
  private val lost = LongAdder()

  def take(): Segment | Null =
    val first = home
    val segment = pop(first)
    if segment != null && (segment ne Busy) then taken(segment, first)
    else
      if segment eq Busy then lost.increment()
      val other = if stripes == 1 then null else pop((first + 1) & (stripes - 1))
      if other eq Busy then null else if other != null then taken(other, first) else null

  private def taken(segment: Segment, stripe: Int): Segment =
    segment.stripe = stripe
    segment

  def put(segment: Segment): Boolean =
    val first = segment.stripe
    val pushed = push(first, segment)
    if pushed == Lost then lost.increment()
    pushed == Kept || stripes > 1 && push((first + 1) & (stripes - 1), segment) == Kept

  override def home: Int = by match
    case Stripe.Only        => 0
    case Stripe.ByProcessor => Processor.current & (stripes - 1)
    case Stripe.ByThread =>
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
    else if counts(at + Idle) >= most then
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

  private def sum(which: Int): Long =
    var all = 0L
    var stripe = 0
    while stripe < stripes do
      val at = (stripe + 1) * Apart
      heads.getAcquire(at): Unit // sees the counts of whoever stored it
      all += counts(at + which)
      stripe += 1
    all
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

  /** More have no use: there are no machines with more processors. */
  private val MostStripes = 4096
end StripedStore
