package undercroft.buffer

import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.AtomicInteger

/** A piece of a [[Buffer]]: bytes of its pool's, in an array or outside the heap, of which
  * `[pos, limit)` are in use.
  *
  * {{{
  *   bytes   read already | bytes in use | free
  *                       pos           limit    until
  * }}}
  *
  * One buffer holds it, or the pool. Several segments may show the same bytes: then none of them
  * changes what is below its limit, and only the first of them, which took them from the pool,
  * appends. They go home when the last of these segments is recycled.
  *
  * A segment belongs to the thread that its buffer belongs to. A buffer that has `size` bytes of
  * `end` that ever were appended begins at the position `end - size`; `base` is the position of the
  * first of its bytes, so that a position is found without adding sizes up.
  */
final class Segment private[buffer] (
    array: Array[Byte] | Null,
    outside: MemorySegment,
    home: SegmentPool
) extends SegmentBytes(array, outside, home):
  private[buffer] var pos = 0
  private[buffer] var limit = 0

  /** Where appending ends: at the limit, where others show the same bytes and append to them. */
  private[buffer] var until = capacity
  private[buffer] var base = 0L

  /** The next segment of a pool's stack. */
  private[buffer] var next: Segment | Null = null
  private[buffer] var isHome = false

  /** Which stripe of its pool it goes home to: that of the thread that took it. */
  private[buffer] var stripe = 0

  /** How many segments show the bytes, where it ever was more than this one. */
  private[buffer] var holders: AtomicInteger | Null = null

  /** What the bytes are charged to, and what watches for their loss; shared like them. */
  private[buffer] var charge: SegmentTicket | Null = null
  private[buffer] var ticket: SegmentTicket | Null = null

  private[buffer] def size: Int = limit - pos

  /** Whether no other segment shows the bytes, so that all of them may be changed. */
  private[buffer] def isAlone: Boolean =
    val count = holders
    count == null || count.get == 1

  /** Another segment over the same bytes, which can not be appended to. */
  private[buffer] def share(): Segment =
    val count = holders
    val known = if count != null then count else AtomicInteger(1)
    holders = known
    known.incrementAndGet(): Unit
    val other = Segment(data, memory, pool)
    other.holders = known
    other.charge = charge
    other.ticket = ticket
    other.stripe = stripe
    other.pos = pos
    other.limit = limit
    other.until = limit
    other

  /** Exchanges bytes, and the pool that they go home to, with a segment that nobody uses yet. */
  private[buffer] def exchange(other: Segment): Unit =
    val mine = Segment(data, memory, pool)
    mine.become(this)
    become(other)
    other.become(mine)

  private def become(other: Segment): Unit =
    data = other.data
    memory = other.memory
    pool = other.pool
    stripe = other.stripe
    holders = other.holders
    charge = other.charge
    ticket = other.ticket
    until = capacity

  /** Whether this was the last segment over its bytes, which may go home. */
  private[buffer] def leave(): Boolean =
    val count = holders
    count == null || count.decrementAndGet() == 0

  /** As it was when it was made. */
  private[buffer] def clear(): Unit =
    pos = 0
    limit = 0
    until = capacity
    holders = null
end Segment

private[buffer] object Segment:
  /** Below this many bytes a copy is cheaper than a share. */
  inline val ShareBytes = 1024

  private val nowhere = SegmentPool.none()

  /** What an empty buffer has for its first and last segment. */
  val Nothing: Segment = empty(0)

  /** One that neither has bytes nor room for any, at a position. */
  def empty(position: Long): Segment =
    val made = Segment(new Array[Byte](0), MemorySegment.NULL, nowhere)
    made.base = position
    made
