package undercroft.buffer

import java.util.concurrent.atomic.{AtomicLong, LongAdder}

/** What a pool in debug mode knows of its segments: who took some of those that are not home, and
  * that nobody wrote to one that is.
  *
  * A segment that comes home is emptied for good, and its bytes go on in another: whoever uses it
  * later gets an error, and never the bytes of its next owner. One that was dropped without coming
  * home is found by the garbage collector, counted, and logged at the next take.
  */
private[buffer] final class SegmentWatch(pool: String):
  private val takes = AtomicLong()
  private val tickets = SegmentTickets()
  private val lost = LongAdder()

  def taken(segment: Segment): Segment =
    if segment.limit == SegmentWatch.Poisoned then
      var i = 0
      while i < segment.capacity do
        if segment.byte(i) != SegmentWatch.Poison then throw WrittenAfterRecycleException(pool, i)
        i += 1
      segment.limit = 0
    val sampled = takes.getAndIncrement() % SegmentWatch.Sampled == 0
    segment.ticket = tickets.issue(segment, if sampled then SegmentWatch.site() else Nil)
    report()
    segment

  def returned(segment: Segment): Segment =
    val ticket = segment.ticket
    if ticket != null then tickets.cancel(ticket)
    val next = Segment(segment.data, segment.memory, segment.pool)
    segment.forget()
    segment.until = 0
    segment.isHome = true
    next.fill(0, next.capacity, SegmentWatch.Poison)
    next.charge = segment.charge
    next.limit = SegmentWatch.Poisoned
    next

  /** How many were dropped without coming home, as far as the collector found them. */
  def leaked: Long =
    report()
    lost.sum

  /** The places of those that are out and were noted. */
  def sites: List[List[String]] = tickets.all.map(_.site).filter(_.nonEmpty)

  def assertNone(): Unit =
    val out = tickets.all
    if out.nonEmpty then
      throw NotHomeException(pool, out.size, out.map(_.site).find(_.nonEmpty).getOrElse(Nil))

  private def report(): Unit = tickets.found: ticket =>
    lost.increment()
    if ticket.site.nonEmpty then
      SegmentWatch.logger.log(
        System.Logger.Level.WARNING,
        s"a segment of $pool was dropped without coming home; it was taken at\n  " +
          ticket.site.mkString("\n  ")
      )
end SegmentWatch

private[buffer] object SegmentWatch:
  private val Poison: Byte = 0xdb.toByte
  private val logger = System.getLogger("undercroft.buffer")

  /** The limit of a segment whose bytes are poison. */
  private val Poisoned = -1

  /** The place is noted of one take in so many, beginning with the first: it costs microseconds. */
  private val Sampled = 64
  private val Frames = 12
  private val walker = StackWalker.getInstance()

  private def site(): List[String] =
    val frames = walker.walk(_.filter(f => !own.contains(f.getClassName)).limit(Frames).toArray)
    frames.map(_.toString).toList

  private val own: Set[String | Null] =
    Set(classOf[SegmentPool].getName, classOf[SegmentWatch].getName, getClass.getName)
end SegmentWatch
