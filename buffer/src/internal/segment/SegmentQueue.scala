package undercroft.buffer
package internal.segment

import java.util.ConcurrentModificationException

/** The segments of a buffer in a ring: bytes are appended at the tail and consumed at the head.
  *
  * {{{
  *   ring        .  .  head  ·  ·  ·  tail  .
  *   positions        begin  ..  end
  * }}}
  *
  * No segment in it is empty. A position is found by binary search, because each segment stores its
  * own position.
  *
  * For one thread at a time. A data race between two threads tears it: loops that make no progress
  * then end, and inconsistent state throws a ConcurrentModificationException. A segment is used
  * only while this queue is its `owner`, and is recycled once. Segments of a torn buffer are
  * dropped for the garbage collector, so no other buffer of the pool gets a segment that a thread
  * may still write.
  */
private[buffer] abstract class SegmentQueue(private[undercroft] val pool: SegmentPool):
  private var ring = new Array[Segment | Null](4)
  private var first = 0
  private var count = 0

  /** The first and the last segment; in an empty queue a segment without bytes and without room. */
  private[buffer] var head: Segment = Segment.Nothing
  private[buffer] var tail: Segment = Segment.Nothing

  // The next position of an empty queue. Otherwise the first and the last segment define where the
  // bytes begin and end, so that a read or a write changes one field only.
  private var resume = 0L

  /** The first segment; in a torn, lent or empty queue a segment without bytes. Reads that end
    * before its last byte change it in place. All other reads are for the methods that check the
    * queue.
    */
  private[buffer] final def front: Segment =
    val segment = head
    if segment.owner eq this then segment else Segment.Nothing

  /** The position of the next byte to be read. */
  private[buffer] final def begin: Long = if count == 0 then resume else head.base + head.pos

  /** The position of the next byte to be appended. */
  private[buffer] final def end: Long = if count == 0 then resume else tail.base + tail.limit

  /** Number of unread bytes. */
  private[buffer] final def used: Long =
    val bytes = tail.base + tail.limit - head.base - head.pos
    if bytes < 0 then
      checkFree()
      throw torn()
    bytes

  /** Number of times that bytes at the end were dropped; their positions may since have been
    * reused.
    */
  private[buffer] var cuts = 0

  // Number of bytes lent to native code, or -1. Meanwhile placeholders for the first and the last
  // segment have no room and make the number of bytes negative, so that every use reaches a check.
  private var lentBytes = -1L

  /** Blocks every use until [[free]]. */
  private[buffer] final def reserve(): Unit =
    val bytes = used
    val from = begin
    // Both are allocated first: an OutOfMemoryError then changes nothing.
    val headPlaceholder = Segment.empty(from)
    val tailPlaceholder = Segment.empty(from - 1)
    lentBytes = bytes
    head = headPlaceholder
    tail = tailPlaceholder
    cuts = ~cuts

  private[buffer] final def free(): Unit =
    lentBytes = -1
    head = if count == 0 then Segment.Nothing else segment(0)
    tail = if count == 0 then Segment.Nothing else segment(count - 1)
    cuts = ~cuts

  private[buffer] final def checkFree(): Unit =
    if lentBytes >= 0 then
      throw IllegalStateException(s"native code reads the buffer, its $lentBytes bytes")

  private[buffer] final def isLent: Boolean = lentBytes >= 0

  private[buffer] final def segmentCount: Int = count
  private[buffer] final def segment(i: Int): Segment =
    val slots = ring
    val segment = slots((first + i) & (slots.length - 1))
    if segment == null || (segment.owner ne this) then throw torn()
    segment

  /** A segment with room for at least one byte; the caller must append to it next. */
  private[buffer] final def writable(): Segment =
    val last = tail
    if last.hasRoom(this, 1) then last
    else
      checkFree()
      val fresh = pool.take()
      link(fresh)
      fresh

  /** A segment with room for `minBytes` bytes, at most the segment size of the pool. */
  private[buffer] final def writable(minBytes: Int): Segment =
    val last = tail
    if last.hasRoom(this, minBytes) then last
    else
      checkFree()
      val fresh = pool.take()
      link(fresh)
      fresh

  /** Records that `bytes` bytes were appended to the last segment. */
  private[buffer] final def grown(bytes: Int): Unit =
    val last = tail
    val end = last.limit + bytes
    if last.owner ne this then throw torn()
    if end > last.until then throw changed("bytes were appended")
    last.limit = end

  /** Runs `append`; if it fails, removes the bytes that it appended. */
  private[buffer] inline def whole(inline append: Unit): Unit =
    checkFree()
    val before = end
    try append
    catch
      case e: Throwable =>
        cutTo(before)
        throw e

  private[buffer] final def cutTo(before: Long): Unit =
    withdrawEmpty()
    if end > before then cut(end - before)

  // The segment whose bytes are exposed to user code: it must not be recycled meanwhile.
  private var exposedSegment: Segment | Null = null

  /** Runs user code that gets bytes of this queue, the last of them in `segment`, or room in
    * `segment`. If that code re-enters and empties the buffer it gets an error, and the buffer is
    * unchanged.
    */
  private[buffer] inline def holding[A](segment: Segment)(inline body: A): A =
    hold(segment)
    try body
    finally letGo()

  private[buffer] final def hold(segment: Segment): Unit =
    if exposedSegment != null then throw changed("it was used again")
    exposedSegment = segment

  private[buffer] final def letGo(): Unit = exposedSegment = null

  /** Throws if user code has bytes of this queue or room in it. */
  private[buffer] final def checkUnexposed(change: String): Unit =
    if exposedSegment != null then throw changed(change)

  private[buffer] final def changed(change: String): ConcurrentModificationException =
    ConcurrentModificationException(
      s"$change while the buffer was filled or emptied, at positions [$begin, $end)"
    )

  // Whether two threads used it at once: its segments are no longer recycled.
  private var isTorn = false

  /** Marks the buffer as torn by a data race and returns the error. */
  private[buffer] final def torn(): ConcurrentModificationException =
    checkFree()
    isTorn = true
    ConcurrentModificationException(
      s"two threads used the buffer at once: its $count segments and its positions [$begin, $end) do" +
        " not fit; clear it"
    )

  /** Returns `bytes`, the progress of a loop, if it is at least one; otherwise the buffer is torn.
    */
  private[buffer] final def progress(bytes: Int): Int = if bytes > 0 then bytes else throw torn()

  private def recycle(segment: Segment): Unit =
    if isTorn then segment.pool.discard(segment) else segment.pool.recycleRemoved(segment)

  /** If the buffer is torn, drops all segments and returns true; otherwise returns false. */
  private def abandon(): Boolean =
    val wasTorn = isTorn
    if wasTorn then
      resume = Math.max(0, end)
      val slots = ring
      ring = new Array[Segment | Null](4)
      first = 0
      count = 0
      head = Segment.Nothing
      tail = Segment.Nothing
      cuts += 1
      isTorn = false
      for segment <- slots do
        if segment != null && segment.removeFrom(this) then segment.pool.discard(segment)
    wasTorn

  /** Drops all bytes and recycles all segments; drops them if the buffer is torn. If this call
    * finds that it is torn it throws, and the next call succeeds.
    */
  private[buffer] final def dropAll(): Unit =
    checkFree()
    if !abandon() then
      val isExposed = exposedSegment != null
      try drop(used)
      catch
        case e: ConcurrentModificationException =>
          isTorn |= !isExposed
          throw e
      // A torn buffer may contain segments although its positions show no bytes.
      val isEmpty = count == 0 && (head eq Segment.Nothing) && (tail eq Segment.Nothing)
      if !isEmpty && !isExposed then throw torn()

  /** Takes over a segment and its bytes, or copies the bytes if the last segment has room for all.
    */
  private[buffer] final def push(segment: Segment): Unit =
    val bytes = segment.size
    val last = tail
    if last.hasRoom(this, bytes) then
      segment.get(segment.pos, last, last.limit, bytes)
      grown(bytes)
      recycle(segment)
    else link(segment)

  /** Removes the first segment and passes its ownership to the caller. */
  private[buffer] final def pop(): Segment =
    val segment = head
    unlink(segment)
    segment

  /** Drops the last `bytes` bytes, which must exist. */
  private[buffer] final def cut(bytes: Long): Unit =
    cuts += 1
    var rest = bytes
    while rest > 0 do
      val segment = tail
      val step = progress(Math.min(rest, segment.size).toInt)
      if segment.owner ne this then throw torn()
      // Shared copies may contain bytes above the limit then: this segment must not append over
      // them.
      if !segment.isAlone then segment.until = segment.limit - step
      segment.limit -= step
      rest -= step
      withdrawEmpty()

  /** Drops the first bytes if they are not all bytes of the first segment; otherwise returns false.
    */
  private[buffer] final def dropInFront(bytes: Long): Boolean =
    val segment = front
    val isInside = bytes >= 0 && bytes < segment.size
    if isInside then segment.pos += bytes.toInt
    isInside

  /** Drops the first `bytes` bytes, which must exist. */
  private[buffer] final def drop(bytes: Long): Unit =
    var rest = bytes
    while rest > 0 do
      val step = progress(Math.min(rest, head.size).toInt)
      consumed(step)
      rest -= step

  /** Records that `bytes` bytes of the first segment were consumed. */
  private[buffer] final def consumed(bytes: Int): Unit =
    val segment = head
    val at = segment.pos + bytes
    if at < segment.limit && (segment.owner eq this) then segment.pos = at else spent(segment, at)

  private def spent(segment: Segment, at: Int): Unit =
    if count == 0 || at > segment.limit && (segment.owner eq this) then
      throw changed("bytes were consumed")
    unlink(segment)
    recycle(segment)

  /** Index of the segment with the existing byte at `offset` from the next byte to read. */
  private[buffer] final def indexAt(offset: Long): Int =
    val position = begin + offset
    // If all segments are full, a shift yields the index.
    val guess = Math.min((position - head.base) >>> pool.segmentShift, count - 1).toInt
    val likely = segment(guess)
    if position >= likely.base + likely.pos && position < likely.base + likely.limit then guess
    else
      var low = 0
      var high = count - 1
      while low < high do
        val middle = (low + high + 1) >>> 1
        val segment = this.segment(middle)
        if position < segment.base + segment.pos then high = middle - 1 else low = middle
      low

  /** Index of that byte in its segment. */
  private[buffer] final def placeIn(segment: Segment, offset: Long): Int =
    (begin + offset - segment.base).toInt

  /** Makes room in the ring for another segment: a segment that was removed from another queue
    * before would be lost with an OutOfMemoryError.
    */
  private[buffer] final def makeRoom(): Unit =
    if count == ring.length then
      val shorter = ring
      val longer = new Array[Segment | Null](shorter.length * 2)
      var i = 0
      while i < shorter.length do
        longer(i) = shorter((first + i) & (shorter.length - 1))
        i += 1
      ring = longer
      first = 0

  private def link(segment: Segment): Unit =
    if count < 0 || count > ring.length || segment.owner != null then throw torn()
    makeRoom()
    segment.base = end - segment.pos
    segment.owner = this
    ring((first + count) & (ring.length - 1)) = segment
    count += 1
    tail = segment
    if count == 1 then head = segment

  /** Returns the last segment to the pool if it is empty. */
  private[buffer] final def withdrawEmpty(): Unit = if count > 0 && tail.size == 0 then withdraw()

  private def withdraw(): Unit =
    val empty = tail
    if empty eq exposedSegment then throw changed("the last segment was dropped")
    if !empty.removeFrom(this) then throw torn()
    resume = empty.base + empty.limit
    count -= 1
    ring((first + count) & (ring.length - 1)) = null
    if count == 0 then
      head = Segment.Nothing
      tail = Segment.Nothing
    else tail = segment(count - 1)
    recycle(empty)

  private def unlink(target: Segment): Unit =
    if exposedSegment != null then throw changed("the first segment was consumed")
    if count <= 0 || (ring(first) ne target) || !target.removeFrom(this) then throw torn()
    resume = target.base + target.limit
    ring(first) = null
    first = (first + 1) & (ring.length - 1)
    count -= 1
    if count == 0 then
      head = Segment.Nothing
      tail = Segment.Nothing
    else head = segment(0)
end SegmentQueue
