package undercroft.buffer

import java.util.Objects

/** A place in a buffer, moved at will, at whose piece bytes are looked at and, by one that may,
  * changed; the buffer goes on being read and written beside it.
  *
  * For the buffer's thread. A piece is what lies in one segment. Moving is O(log n) of the segments
  * and allocates nothing. A place whose bytes were read meanwhile, or cut off, is an
  * IllegalStateException: a cursor never sees a segment that is no longer its buffer's. Bytes that
  * others share are copied before the first change, a segment of them.
  */
final class Cursor private[buffer] (buffer: Buffer, val isWritable: Boolean):
  private var segment: Segment = Segment.Nothing

  // By position, which for a byte is the same as long as it is in the buffer.
  private var at = -1L
  private var end = -1L
  private var cuts = 0

  /** From the next byte to be read; -1 before the first [[seek]] and at the end. */
  def offset: Long = if at < 0 then -1 else at - buffer.position

  /** Bytes from here to the end of the piece. */
  def remaining: Int = (end - at).toInt

  /** Goes to a byte.
    *
    * @return
    *   the bytes from there to the end of its piece; -1 at the end of the buffer
    */
  def seek(offset: Long): Int =
    if offset < 0 || offset > buffer.size then
      throw IndexOutOfBoundsException(s"offset $offset exceeds size ${buffer.size}")
    if offset == buffer.size then
      at = -1
      end = -1
      -1
    else
      val position = buffer.position + offset
      val inside = position >= segment.base + segment.pos && position < end && at >= 0 &&
        cuts == buffer.cuts
      at = position
      if !inside then
        segment = buffer.segment(buffer.indexAt(offset))
        end = segment.base + segment.limit
        cuts = buffer.cuts
      (end - at).toInt

  /** Goes to the next piece, at first to the first one; answers as [[seek]]. */
  def next(): Int =
    if at < 0 then seek(0)
    else
      checkHere()
      seek(end - buffer.position)

  /** The byte at `index` bytes from here, within the piece. */
  def apply(index: Int): Byte =
    checkHere()
    segment.byte(place(index, 1))

  /** Changes the byte at `index` bytes from here, within the piece. */
  def update(index: Int, value: Byte): Unit =
    checkWritable(s"byte $value can not be stored")
    checkHere()
    val i = place(index, 1)
    buffer.own(segment)
    segment.setByte(i, value)

  /** Copies `count` bytes, from here on within the piece, to an array. */
  def read(target: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, target.length): Unit
    checkHere()
    segment.get(place(0, count), target, from, count)

  /** Copies `count` bytes of an array over those from here on within the piece. */
  def write(source: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, source.length): Unit
    checkWritable(s"$count bytes can not be stored")
    checkHere()
    val i = place(0, count)
    buffer.own(segment)
    segment.put(i, source, from, count)

  /** Makes the buffer larger, by zeros, or smaller, at its end; then goes to where it ended before,
    * or to its end.
    *
    * @return
    *   its size before
    */
  def resize(size: Long): Long =
    checkWritable(s"${buffer.size} bytes can not become $size")
    if size < 0 then throw IllegalArgumentException(s"a size of $size bytes")
    val before = buffer.size
    if size < before then buffer.cut(before - size)
    else
      var rest = size - before
      buffer.whole:
        while rest > 0 do rest -= zeros(buffer.writable(), rest)
    seek(Math.min(before, size)): Unit
    before

  /** Makes the buffer larger, by zeros at its end: by one piece of at least `least` bytes, and as
    * many as there is room for. Then goes to the first of them.
    *
    * @return
    *   how many there are
    */
  def expand(least: Int): Int =
    checkWritable(s"$least bytes can not be added")
    val most = buffer.pool.segmentBytes
    if least < 1 || least > most then
      throw IllegalArgumentException(s"$least bytes are not in [1, $most], in one segment")
    val before = buffer.size
    val some = zeros(buffer.writable(least), most)
    seek(before): Unit
    some

  /** Appends as many zeros as a segment has room for, up to `most`. */
  private def zeros(target: Segment, most: Long): Int =
    val some = Math.min(most, target.until - target.limit).toInt
    target.fill(target.limit, target.limit + some, 0)
    buffer.grown(some)
    some

  private def place(index: Int, count: Int): Int =
    if index < 0 || count < 0 || index > remaining - count then
      throw IndexOutOfBoundsException(s"index $index + $count exceeds the $remaining bytes here")
    (at + index - segment.base).toInt

  private def checkHere(): Unit =
    if at < buffer.position || cuts != buffer.cuts then lost()

  private def lost(): Unit =
    buffer.checkFree()
    throw IllegalStateException(
      if at < 0 then "the cursor is at no byte"
      else s"the byte at position $at, where the cursor is, is gone"
    )

  private inline def checkWritable(inline refused: String): Unit =
    if !isWritable then
      throw UnsupportedOperationException(s"the cursor at position $at only looks: $refused")
end Cursor
