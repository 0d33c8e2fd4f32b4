package undercroft.buffer

import internal.codec.Bounds
import internal.segment.Segment
import java.util.Objects

/** Random access to the bytes of a buffer, piece by piece: reads and, if writable, changes bytes
  * while the buffer is read and written.
  *
  * Owner thread of the buffer only. A piece is the part of the buffer in one segment. Moving is
  * O(log n) in the number of segments and does not allocate. Using a cursor whose bytes were
  * consumed or cut off throws an IllegalStateException: a cursor never accesses a segment that its
  * buffer no longer owns. Shared bytes are copied before the first change, one segment at a time.
  *
  * {{{
  * val buffer = Buffer().writeUtf8("abcd")
  * val cursor = buffer.cursor(writable = true)
  * cursor.seek(2)
  * cursor(0) = 'X'
  * println(buffer.readUtf8()) // abXd
  * }}}
  */
final class Cursor private[buffer] (buffer: Buffer, val isWritable: Boolean):
  private var segment: Segment = Segment.Nothing

  // Positions, which are fixed for a byte while it is in the buffer.
  private var at = -1L
  private var end = -1L
  private var cuts = 0

  /** Offset from the next byte to read; -1 before the first [[seek]] and at the end.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * println(cursor.offset) // -1
    * cursor.seek(2)
    * println(cursor.offset) // 2
    * }}}
    */
  def offset: Long = if at < 0 then -1 else at - buffer.position

  /** Number of bytes from here to the end of the piece.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * cursor.seek(1)
    * println(cursor.remaining) // 3
    * }}}
    */
  def remaining: Int = (end - at).toInt

  /** Moves to a byte.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * println(cursor.seek(1)) // 3
    * println(cursor.seek(4)) // -1
    * }}}
    *
    * @return
    *   number of bytes from there to the end of its piece; -1 at the end of the buffer
    */
  def seek(offset: Long): Int =
    if offset < 0 || offset > buffer.size then
      throw IndexOutOfBoundsException(
        if offset < 0 then Bounds.negative("offset", offset, 0, buffer.size)
        else s"offset $offset exceeds size ${buffer.size}"
      )
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
  end seek

  /** Moves to the next piece, initially the first; returns the same as [[seek]].
    *
    * {{{
    * val buffer = Buffer().write(new Array[Byte](10_000))
    * val cursor = buffer.cursor()
    * println(cursor.next()) // 8192
    * println(cursor.next()) // 1808
    * println(cursor.next()) // -1
    * }}}
    */
  def next(): Int =
    if at < 0 then seek(0)
    else
      checkHere()
      seek(end - buffer.position)

  /** The byte `index` bytes from here, within the piece.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * cursor.seek(1)
    * println(cursor(2).toChar) // d
    * }}}
    */
  def apply(index: Int): Byte =
    checkHere()
    segment.byte(place(index, 1))

  /** Changes the byte `index` bytes from here, within the piece.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * val cursor = buffer.cursor(writable = true)
    * cursor.seek(1)
    * cursor(0) = 'X'
    * println(buffer.readUtf8()) // aXcd
    * }}}
    */
  def update(index: Int, value: Byte): Unit =
    checkWritable(s"byte $value cannot be stored")
    checkHere()
    val i = place(index, 1)
    buffer.own(segment)
    segment.setByte(i, value)

  /** Copies `count` bytes from here, within the piece, to an array.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * cursor.seek(1)
    * val bytes = new Array[Byte](2)
    * cursor.read(bytes, 0, 2)
    * println(String(bytes)) // bc
    * }}}
    */
  def read(target: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, target.length): Unit
    checkHere()
    segment.get(place(0, count), target, from, count)

  /** Overwrites `count` bytes from here, within the piece, with bytes of an array.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * val cursor = buffer.cursor(writable = true)
    * cursor.seek(1)
    * cursor.write("XY".getBytes, 0, 2)
    * println(buffer.readUtf8()) // aXYd
    * }}}
    */
  def write(source: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, source.length): Unit
    checkWritable(s"$count bytes cannot be stored")
    checkHere()
    val i = place(0, count)
    buffer.own(segment)
    segment.put(i, source, from, count)

  /** Extends the buffer with zeros, or truncates it, to `size` bytes; then moves to the previous
    * end of the buffer, or to its end.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * val cursor = buffer.cursor(writable = true)
    * println(cursor.resize(2)) // 4
    * println(buffer.readUtf8()) // ab
    * }}}
    *
    * @return
    *   the previous size
    */
  def resize(size: Long): Long =
    checkWritable(s"${buffer.size} bytes cannot become $size")
    if size < 0 then
      throw IllegalArgumentException(s"size must be at least 0, but is $size bytes")
    val before = buffer.size
    if size < before then buffer.cut(before - size)
    else
      var rest = size - before
      buffer.whole:
        while rest > 0 do rest -= zeros(buffer.writable(), rest)
    seek(Math.min(before, size)): Unit
    before

  /** Extends the buffer with zeros by one piece of at least `least` bytes, up to the room of its
    * segment; then moves to the first of them.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * val cursor = buffer.cursor(writable = true)
    * println(cursor.expand(1)) // 8188
    * cursor(0) = 'e'
    * println(buffer.readUtf8(5)) // abcde
    * }}}
    *
    * @return
    *   the number of bytes added
    */
  def expand(least: Int): Int =
    checkWritable(s"$least bytes cannot be added")
    val maxBytes = buffer.pool.segmentBytes
    if least < 1 || least > maxBytes then
      throw IllegalArgumentException(s"least must be in [1, $maxBytes], but is $least bytes")
    val before = buffer.size
    val count = zeros(buffer.writable(least), maxBytes)
    seek(before): Unit
    count

  /** Appends zeros up to the room of the segment, at most `most`. */
  private def zeros(target: Segment, maxBytes: Long): Int =
    val count = Math.min(maxBytes, target.until - target.limit).toInt
    target.fill(target.limit, target.limit + count, 0)
    buffer.grown(count)
    count

  private def place(index: Int, count: Int): Int =
    if index < 0 || count < 0 || index > remaining - count then
      throw IndexOutOfBoundsException(
        if index < 0 then Bounds.negative("index", index, count, remaining)
        else s"index $index + $count exceeds the ${Bounds.bytes(remaining)} of the piece"
      )
    (at + index - segment.base).toInt

  private def checkHere(): Unit =
    if at < buffer.position || cuts != buffer.cuts || (segment.owner ne buffer) then lost()

  private def lost(): Unit =
    buffer.checkFree()
    throw IllegalStateException(
      if at < 0 then "the cursor has no current byte; call seek first"
      else s"the byte at position $at, the cursor's, was consumed or cut off"
    )

  private inline def checkWritable(inline effect: String): Unit =
    if !isWritable then
      throw UnsupportedOperationException(s"the cursor at position $at is read-only: $effect")
end Cursor
