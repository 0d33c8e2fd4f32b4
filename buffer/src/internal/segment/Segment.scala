package undercroft.buffer
package internal.segment

import java.lang.foreign.MemorySegment
import java.lang.invoke.MethodHandles
import java.util.ConcurrentModificationException
import java.util.concurrent.atomic.AtomicInteger

/** A fixed-size block of bytes of a [[Buffer]], allocated by a pool, in a heap array or off-heap.
  * The bytes `[pos, limit)` are in use.
  *
  * {{{
  *   bytes   read already | bytes in use | free
  *                       pos           limit    until
  * }}}
  *
  * It is owned by one buffer or by the pool. Several segments may share the same bytes: then none
  * of them changes bytes below its limit, and only the original segment, which took them from the
  * pool, appends. The bytes return to the pool when the last of these segments is recycled.
  *
  * A segment belongs to the owner thread of its buffer. A buffer of `size` bytes to which `end`
  * bytes were ever appended begins at the position `end - size`; `base` is the position of the
  * segment's first byte, so that a position is found without adding sizes.
  */
final class Segment private[buffer] (
    array: Array[Byte] | Null,
    offHeap: MemorySegment | Null,
    home: SegmentPool
) extends SegmentBytes(array, offHeap, home):
  private[buffer] var pos = 0
  private[buffer] var limit = 0

  /** End of the room for appending; equals the limit if another segment shares the bytes and
    * appends.
    */
  private[buffer] var until = capacity
  private[buffer] var base = 0L

  /** The next segment in a pool's stack. */
  private[buffer] var next: Segment | Null = null
  private[buffer] var isHome = false

  /** The buffer that contains it, or null. A buffer torn by a data race may refer to a segment that
    * has moved to another buffer; it compares this field before it uses a segment, and removes a
    * segment by a compare-and-set, so that two threads never recycle it for one take.
    */
  private[buffer] var owner: SegmentQueue | Null = null

  /** The stripe of its pool to which it returns: the stripe of the thread that took it. */
  private[buffer] var stripe = 0

  /** Number of segments that share the bytes; null if they were never shared. */
  private[buffer] var holders: AtomicInteger | Null = null

  /** Trackers for the budget charge and for leak detection; shared together with the bytes. */
  private[buffer] var charge: SegmentTracker | Null = null
  private[buffer] var ticket: SegmentTracker | Null = null

  private[buffer] def size: Int = limit - pos

  /** Whether no other segment shares the bytes, so that all of them may be changed. */
  private[buffer] def isAlone: Boolean =
    val count = holders
    count == null || count.get == 1

  /** Another segment over the same bytes, which cannot be appended to. `queue` contains this one.
    */
  private[buffer] def share(queue: SegmentQueue | Null): Segment =
    val counter = holding
    counter.incrementAndGet(): Unit
    // A thread that removes or recycles it concurrently sees the count, or is detected here.
    if isHome || (owner ne queue) then
      counter.decrementAndGet(): Unit
      throw recycledMeanwhile
    val copy = Segment(data, outside, pool)
    copy.holders = counter
    copy.charge = charge
    copy.ticket = ticket
    copy.stripe = stripe
    copy.pos = pos
    copy.limit = limit
    copy.until = limit
    copy

  /** The count of segments that share the bytes, created on first use. */
  private def holding: AtomicInteger =
    val count = holders
    if count != null then count
    else
      val counter = AtomicInteger(1)
      if Segment.counts.compareAndSet(this, null, counter) then counter
      else
        val rivalCounter = holders
        if rivalCounter == null then throw recycledMeanwhile // recycled between the two loads
        rivalCounter

  private def recycledMeanwhile: ConcurrentModificationException =
    ConcurrentModificationException("a segment was shared while another thread recycled it")

  /** Ends its ownership by a queue: returns true to exactly one of the threads that remove it. */
  private[buffer] def removeFrom(queue: SegmentQueue): Boolean =
    (owner eq queue) && Segment.owners.compareAndSet(this, queue, null)

  /** Claims it for its pool, if no queue contains it: returns true to exactly one of the threads
    * that recycle it.
    */
  private[buffer] def goHome(): Boolean = Segment.homes.compareAndSet(this, false, true)

  /** Exchanges the bytes and their pool with a segment that is not in use yet. */
  private[buffer] def exchange(other: Segment): Unit =
    val temporary = Segment(data, outside, pool)
    temporary.become(this)
    become(other)
    other.become(temporary)

  private def become(other: Segment): Unit =
    data = other.data
    outside = other.outside
    pool = other.pool
    stripe = other.stripe
    holders = other.holders
    charge = other.charge
    ticket = other.ticket
    until = capacity

  /** Releases the bytes; true if this was the last segment that shares them, so they may be
    * recycled.
    */
  private[buffer] def leave(): Boolean =
    val count = holders
    count == null || count.decrementAndGet() == 0

  /** Whether it belongs to `queue` and has room for `bytes` bytes. */
  private[buffer] def hasRoom(queue: SegmentQueue, bytes: Int): Boolean =
    bytes <= until - limit && (owner eq queue)

  /** Resets it to its initial state. */
  private[buffer] def clear(): Unit =
    empty()
    holders = null

  /** Makes all its bytes room for appending. */
  private[buffer] def empty(): Unit =
    pos = 0
    limit = 0
    until = capacity
end Segment

private[buffer] object Segment:
  /** Smallest number of bytes for which sharing is cheaper than copying. */
  inline val ShareBytes = 1024

  // Not by SegmentPool's factories, whose object refers to this one.
  private val nowhere = new SegmentPool(
    "no pool",
    SegmentPool.SegmentBytes,
    SegmentMemory.Heap,
    NoStore,
    wipe = false,
    debug = false,
    budget = null
  )

  private val lookup = MethodHandles.privateLookupIn(classOf[Segment], MethodHandles.lookup())
  private val homes = lookup.findVarHandle(classOf[Segment], "isHome", classOf[Boolean])
  private val owners = lookup.findVarHandle(classOf[Segment], "owner", classOf[SegmentQueue])
  private val counts = lookup.findVarHandle(classOf[Segment], "holders", classOf[AtomicInteger])

  /** The first and last segment of an empty buffer. */
  val Nothing: Segment = empty(0)

  /** A segment at a position, without bytes and without room. */
  def empty(position: Long): Segment =
    val segment = Segment(new Array[Byte](0), null, nowhere)
    segment.base = position
    segment
end Segment
