package undercroft.buffer

import java.util.concurrent.atomic.AtomicInteger

/** A piece of a [[Buffer]]: an array of its pool's, of which the bytes `[pos, limit)` are in use.
  *
  * {{{
  *   data    read already | bytes in use | free
  *                       pos           limit    until
  * }}}
  *
  * One buffer holds it, or the pool. Several segments may show the same array: then none of them
  * changes what is below its limit, and only the first of them, which took the array from the pool,
  * appends. The array goes home when the last of them is recycled.
  *
  * A segment belongs to the thread that its buffer belongs to. A buffer that has `size` bytes of
  * `end` that ever were appended begins at the position `end - size`; `base` is the position of the
  * array's first byte, so that a position is found without adding sizes up.
  */
final class Segment private[buffer] (
    private[buffer] var data: Array[Byte],
    private[buffer] val pool: SegmentPool
):
  private[buffer] var pos = 0
  private[buffer] var limit = 0

  /** Where appending ends: at the limit, where others show the same array and append to it. */
  private[buffer] var until = data.length
  private[buffer] var base = 0L

  /** The next segment of a pool's stack. */
  private[buffer] var next: Segment | Null = null
  private[buffer] var isHome = false

  /** Which stripe of its pool it goes home to: that of the thread that took it. */
  private[buffer] var stripe = 0

  /** How many segments show the array, where it ever was more than this one. */
  private[buffer] var holders: AtomicInteger | Null = null

  /** What its array is charged to, and what watches for its loss; shared like the array. */
  private[buffer] var charge: SegmentTicket | Null = null
  private[buffer] var ticket: SegmentTicket | Null = null

  private[buffer] def size: Int = limit - pos

  /** Whether no other segment shows the array, so that all of it may be changed. */
  private[buffer] def isAlone: Boolean =
    val count = holders
    count == null || count.get == 1

  /** Another segment over the same bytes, which can not be appended to. */
  private[buffer] def share(): Segment =
    val count = holders
    val known = if count != null then count else AtomicInteger(1)
    holders = known
    known.incrementAndGet(): Unit
    val other = Segment(data, pool)
    other.holders = known
    other.charge = charge
    other.ticket = ticket
    other.stripe = stripe
    other.pos = pos
    other.limit = limit
    other.until = limit
    other

  /** Exchanges arrays with a segment that nobody uses yet. */
  private[buffer] def exchange(other: Segment): Unit =
    val (itsData, itsHolders, itsCharge, itsTicket) =
      (other.data, other.holders, other.charge, other.ticket)
    other.data = data
    other.holders = holders
    other.charge = charge
    other.ticket = ticket
    data = itsData
    holders = itsHolders
    charge = itsCharge
    ticket = itsTicket
    until = data.length

  /** Whether this was the last segment over its array, which may go home. */
  private[buffer] def leave(): Boolean =
    val count = holders
    count == null || count.decrementAndGet() == 0

  /** As it was when it was made. */
  private[buffer] def clear(): Unit =
    pos = 0
    limit = 0
    until = data.length
    holders = null
end Segment

private[buffer] object Segment:
  /** Below this many bytes a copy is cheaper than a share. */
  inline val ShareBytes = 1024

  /** What an empty buffer has for its first and last segment. */
  val Nothing: Segment = Segment(new Array[Byte](0), SegmentPool.none())
