package undercroft.buffer
package internal.segment

import internal.codec.{Bounds, NumberCodec, Search}
import java.io.IOException
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.{ByteBuffer, ByteOrder}

/** Transfers bytes into and out of the segments of a buffer, and replaces shared bytes by copies.
  */
private[buffer] abstract class SegmentTransfer(pool: SegmentPool) extends SegmentQueue(pool):
  private[buffer] final def append(bytes: Array[Byte], from: Int, count: Int): Unit =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val last = tail
    if last.hasRoom(this, count) then
      last.put(last.limit, bytes, from, count)
      grown(count)
    else appendSplit(bytes, from, count)

  private def appendSplit(bytes: Array[Byte], from: Int, count: Int): Unit = whole:
    var at = from
    val until = from + count
    while at < until do
      val target = writable()
      val step = Math.min(until - at, target.until - target.limit)
      target.put(target.limit, bytes, at, step)
      grown(step)
      at += step

  /** Copies bytes of a segment of either kind. */
  private[buffer] final def appendFrom(segment: Segment, from: Int, count: Int): Unit = whole:
    var at = from
    val until = from + count
    while at < until do
      val target = writable()
      val step = Math.min(until - at, target.until - target.limit)
      segment.get(at, target, target.limit, step)
      grown(step)
      at += step

  private[buffer] final def append(bytes: MemorySegment): Unit = whole:
    var at = 0L
    while at < bytes.byteSize do
      val target = writable()
      val step = Math.min(bytes.byteSize - at, target.until - target.limit).toInt
      target.put(target.limit, bytes, at, step)
      grown(step)
      at += step

  /** Consumes bytes until the target is full; the buffer must have enough. */
  private[buffer] final def take(target: MemorySegment): Unit =
    var at = 0L
    while at < target.byteSize do
      val segment = head
      val step = progress(Math.min(target.byteSize - at, segment.size).toInt)
      segment.get(segment.pos, target, at, step)
      consumed(step)
      at += step

  /** Consumes the bytes before a delimiter, which the target has room for, and the delimiter, if it
    * is in the first segment; otherwise returns -1.
    */
  private[buffer] final def takeFrontUntil(delimiter: Byte, target: MemorySegment): Int =
    val segment = front
    val from = segment.pos
    val array = segment.data
    if array != null && from + 16 <= array.length && target.byteSize >= 16 then
      // Keys differ in size, so one of up to 15 bytes is copied without a branch for it.
      val low = NumberCodec.long(array, from)
      val high = NumberCodec.long(array, from + 8)
      val count = Search.firstOf(low, high, delimiter)
      if count < 16 && from + count + 1 < segment.limit then
        target.set(SegmentTransfer.Word, 0, low)
        target.set(SegmentTransfer.Word, 8, high)
        segment.pos = from + count + 1
        count
      else takeFarUntil(segment, delimiter, target)
    else takeFarUntil(segment, delimiter, target)

  private def takeFarUntil(segment: Segment, delimiter: Byte, target: MemorySegment): Int =
    val from = segment.pos
    val room = (Math.min(segment.size - 1, target.byteSize) + 1).toInt
    val end = segment.find(from, from + room, delimiter)
    if end < 0 then -1
    else
      segment.get(from, target, 0, end - from)
      consumed(end + 1 - from)
      end - from

  /** Consumes bytes until the array is full; the buffer must have enough. */
  private[buffer] final def take(target: Array[Byte]): Unit =
    var at = 0
    while at < target.length do
      val segment = head
      val step = progress(Math.min(target.length - at, segment.size))
      segment.get(segment.pos, target, at, step)
      consumed(step)
      at += step

  /** Consumes bytes; the buffer must have enough. */
  private[buffer] final def takeArray(count: Int): Array[Byte] =
    val segment = front
    if count > 0 && count <= segment.size then
      val bytes = segment.copy(segment.pos, count)
      consumed(count)
      bytes
    else
      val bytes = new Array[Byte](count)
      take(bytes)
      bytes

  /** Appends the bytes that `fill` stores in an array, given the first index and the room, at most
    * `maxBytes`. Returns the result of `fill`: the number of bytes, or -1.
    */
  private[buffer] final def filled(maxBytes: Long)(fill: (Array[Byte], Int, Int) => Int): Long =
    val target = writable()
    try
      val (at, from) = (target.limit, begin)
      val room = Math.min(target.until - at, maxBytes).toInt
      val array = target.data
      val result =
        if array != null then holding(target)(fill(array, at, room))
        else fillCopy(target, room, fill)
      filledBy(result, room, target, at, from)
    finally withdrawEmpty()

  /** Fills a scratch array and copies it to the target, unless `fill` changed the target. */
  private def fillCopy(target: Segment, room: Int, fill: (Array[Byte], Int, Int) => Int): Int =
    Scratch.use(target.pool): copy =>
      val at = target.limit
      val maxBytes = Math.min(room, Scratch.Bytes)
      val result = holding(target)(fill(copy, 0, maxBytes))
      if result > maxBytes then throw SegmentTransfer.wrongAnswer(result, maxBytes)
      if result > 0 && target.limit == at then target.put(at, copy, 0, result)
      result

  /** Appends the bytes that a channel reads into a ByteBuffer of at most `maxBytes` bytes, as
    * [[filled]].
    */
  private[buffer] final def filledInPlace(maxBytes: Long)(fill: ByteBuffer => Int): Long =
    val target = writable()
    try
      val (at, from) = (target.limit, begin)
      val room = Math.min(target.until - at, maxBytes).toInt
      val result = holding(target)(fill(target.view(at, room)))
      filledBy(result, room, target, at, from)
    finally withdrawEmpty()

  /** Completes a fill: checks that the buffer is unchanged and that the result is in range. */
  private def filledBy(result: Int, room: Int, target: Segment, at: Int, from: Long): Long =
    if (tail ne target) || target.limit != at || begin != from then
      throw changed("bytes were read or written")
    if result < -1 || result > room then throw SegmentTransfer.wrongAnswer(result, room)
    if result > 0 then grown(result)
    result

  /** Consumes bytes piece by piece, each after `visit` returns. */
  private[buffer] final def emptied(bytes: Long)(visit: (Array[Byte], Int, Int) => Unit): Unit =
    Search.checkCount(bytes)
    if bytes > used then throw EndOfInputException(Bounds.bytes(bytes), begin, used)
    val scratch = Scratch()
    var rest = bytes
    try
      while rest > 0 do
        val segment = head
        val at = segment.pos
        val step = progress(scratch.most(segment, Math.min(rest, segment.size)))
        holding(segment)(visit(scratch.array(segment, at, step), scratch.index(segment, at), step))
        if (head ne segment) || segment.pos != at then throw changed("bytes were read")
        consumed(step)
        rest -= step
    finally scratch.close()

  /** Makes a segment's bytes exclusive, to be changed; other segments keep sharing the old bytes.
    */
  private[buffer] final def own(segment: Segment): Unit =
    if !segment.isAlone then replace(segment, segment.pool)

  private var copied = 0L

  /** Number of bytes copied from arrays for native code since the buffer was created. */
  final def copiedBytes: Long = copied

  /** All bytes as off-heap memory, one piece per segment: heap segments are replaced by off-heap
    * copies.
    */
  private[buffer] final def outside(): Seq[MemorySegment] =
    checkFree()
    Vector.tabulate(segmentCount): i =>
      val segment = this.segment(i)
      if segment.data != null then
        replace(segment, segment.pool.native)
        copied += segment.size
      segment.memory.asSlice(segment.pos, segment.size)

  /** Moves a segment to storage of `target`, of the same size; its old storage is recycled. Throws
    * while user code has the bytes of a segment.
    */
  private def replace(segment: Segment, target: SegmentPool): Unit =
    checkUnexposed("bytes were moved to other storage")
    val fresh = target.take()
    segment.get(segment.pos, fresh, segment.pos, segment.size)
    segment.exchange(fresh)
    fresh.pool.recycle(fresh)
end SegmentTransfer

private[buffer] object SegmentTransfer:
  private val Word = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN)

  /** The error for a stream or a channel that returns a count below -1 or above the bytes it was
    * given.
    */
  def wrongAnswer(bytes: Long, limit: Long): IOException =
    IOException(s"a stream or channel that was given $limit bytes returned $bytes")
