package undercroft.buffer
package internal.segment

import java.util.concurrent.atomic.{AtomicLong, LongAdder}

/** Leak and use-after-recycle detection of a pool in debug mode: samples allocation sites of
  * outstanding segments and checks that no pooled segment is written.
  *
  * A recycled segment object is emptied permanently and its bytes move to a new one: a later use of
  * the old object gets an error, never the bytes of the next owner. A leaked segment is found by
  * the garbage collector, counted, and logged at the next take.
  */
private[buffer] final class SegmentLeakDetector(pool: String):
  private val takes = AtomicLong()
  private val tickets = SegmentTrackers()
  private val lost = LongAdder()

  def taken(segment: Segment): Segment =
    if segment.limit == SegmentLeakDetector.Poisoned then
      var i = 0
      while i < segment.capacity do
        if segment.byte(i) != SegmentLeakDetector.Poison then
          throw WriteAfterRecycleException(pool, i)
        i += 1
      segment.limit = 0
    val sampled = takes.getAndIncrement() % SegmentLeakDetector.Sampled == 0
    segment.ticket = tickets.issue(segment, if sampled then SegmentLeakDetector.site() else Nil)
    report()
    segment

  def returned(segment: Segment): Segment =
    val ticket = segment.ticket
    if ticket != null then tickets.cancel(ticket)
    val next = Segment(segment.data, segment.outside, segment.pool)
    segment.forget()
    segment.until = 0
    segment.isHome = true
    next.fill(0, next.capacity, SegmentLeakDetector.Poison)
    next.charge = segment.charge
    next.limit = SegmentLeakDetector.Poisoned
    next

  /** Stops tracking a segment that is dropped on purpose. */
  def discarded(segment: Segment): Unit =
    val ticket = segment.ticket
    if ticket != null then tickets.cancel(ticket)

  /** Number of leaked segments that the garbage collector has found. */
  def leaked: Long =
    report()
    lost.sum

  /** Sampled allocation sites of outstanding segments. */
  def sites: List[List[String]] = tickets.all.map(_.site).filter(_.nonEmpty)

  def assertNone(): Unit =
    val out = tickets.all
    if out.nonEmpty then
      throw SegmentLeakException(pool, out.size, out.map(_.site).find(_.nonEmpty).getOrElse(Nil))

  private def report(): Unit = tickets.found: ticket =>
    lost.increment()
    if ticket.site.nonEmpty then
      SegmentLeakDetector.logger.log(
        System.Logger.Level.WARNING,
        s"a segment of $pool was leaked without being recycled; it was taken at\n  " +
          ticket.site.mkString("\n  ")
      )
end SegmentLeakDetector

private[buffer] object SegmentLeakDetector:
  private val Poison: Byte = 0xdb.toByte
  private val logger = System.getLogger("undercroft.buffer")

  /** The limit of a segment whose bytes are poison. */
  private val Poisoned = -1

  /** Takes per recorded allocation site, which costs microseconds; the first take is recorded. */
  private val Sampled = 64
  private val Frames = 12
  private val walker = StackWalker.getInstance()

  private def site(): List[String] =
    val frames = walker.walk(_.filter(f => !classes.contains(f.getClassName)).limit(Frames).toArray)
    frames.map(_.toString).toList

  /** The sampled sites of a pool's outstanding segments. */
  def sites(detector: SegmentLeakDetector | Null): List[List[String]] =
    if detector != null then detector.sites else Nil

  /** The error about outstanding segments of a pool without a detector. */
  def leak(pool: String, segments: Long): SegmentLeakException =
    SegmentLeakException(pool, segments, Nil)

  private val classes: Set[String | Null] =
    Set(classOf[SegmentPool].getName, classOf[SegmentLeakDetector].getName, getClass.getName)
end SegmentLeakDetector
