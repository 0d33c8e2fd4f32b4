package undercroft.buffer

import java.lang.ref.{PhantomReference, ReferenceQueue}
import java.util.concurrent.ConcurrentHashMap
import undercroft.memory.{Budget, MemoryLimitException}

/** Outlives the bytes of a segment, an array or a slice of native memory, to tell that they are
  * gone without having come home.
  *
  * @param site
  *   where it was taken; empty where that was not noted
  */
private[buffer] final class SegmentTicket(
    bytes: Object,
    lost: ReferenceQueue[Object],
    val site: List[String]
) extends PhantomReference[Object](bytes, lost)

/** The tickets of segments' bytes that are out. Any thread. */
private[buffer] final class SegmentTickets:
  private val lost = ReferenceQueue[Object]()
  private val out = ConcurrentHashMap.newKeySet[SegmentTicket]().nn

  def issue(segment: Segment, site: List[String] = Nil): SegmentTicket =
    val ticket = SegmentTicket(segment.storage, lost, site)
    out.add(ticket): Unit
    ticket

  def cancel(ticket: SegmentTicket): Unit =
    out.remove(ticket): Unit
    ticket.clear()

  def all: List[SegmentTicket] = scala.jdk.CollectionConverters.SetHasAsScala(out).asScala.toList

  /** Visits the tickets of those that the garbage collector found since the last call. */
  def found(visit: SegmentTicket => Unit): Unit =
    var next = lost.poll()
    while next != null do
      next match
        case ticket: SegmentTicket if out.remove(ticket) => visit(ticket)
        case _                                           => ()
      next = lost.poll()
end SegmentTickets

/** Charges the segments of a pool to a budget, from when they are made until they are dropped, or
  * the garbage collector finds that somebody else dropped them. Any thread.
  */
private[buffer] final class SegmentAccount(budget: Budget, segmentBytes: Int):
  private val tickets = SegmentTickets()

  /** Whether there is room for one more; what the collector found is settled first. */
  def hasRoom: Boolean =
    settle()
    budget.availableBytes >= segmentBytes

  /** A new segment, or a MemoryLimitException. */
  def segment(pool: SegmentPool): Segment =
    settle()
    budget.charge(segmentBytes)
    try
      val segment = pool.bare()
      segment.charge = tickets.issue(segment)
      segment
    catch
      case e: (OutOfMemoryError | MemoryLimitException) =>
        budget.release(segmentBytes)
        throw e

  def dropped(segment: Segment): Unit =
    val charge = segment.charge
    if charge != null then
      tickets.cancel(charge)
      budget.release(segmentBytes)

  private def settle(): Unit = tickets.found(_ => budget.release(segmentBytes))
end SegmentAccount
