package undercroft.buffer

import internal.codec.{Bounds, NumberCodec, Search, TextCodec}
import internal.segment.{
  Scratch,
  Segment,
  SegmentQueue,
  SegmentSearch,
  SegmentTransfer,
  SharedBytes
}
import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer
import scala.annotation.publicInBinary
import undercroft.memory.MemoryLimitException

/** A FIFO queue of bytes in segments: appended at the end, consumed at the beginning, and moved
  * between buffers by segment without copying.
  *
  * It is a [[BufferedSource]] and a [[BufferedSink]] at once, with no limit of 2 GiB. For one
  * thread at a time. It takes segments from its pool as it grows and recycles them as it is read;
  * [[clear]] recycles all of them, and an unreachable buffer leaves them to the garbage collector.
  * Reading and writing allocate nothing, except new segments of the pool. `flush` and `close` do
  * nothing.
  *
  * Copies share their bytes; so do parts of a segment of at least 1 KiB that [[write]] moves.
  *
  * Off-heap segments (`memory = SegmentMemory.Native`) are passed to channels and native code
  * without a copy; see `withIovecs`. A buffer may contain segments of both kinds.
  *
  * {{{
  * val buffer = Buffer()
  * buffer.writeUtf8("price ").writeDecimalLong(251)
  * println(buffer.readUtf8(6))
  * println(buffer.readDecimalLong())
  *
  * val other = Buffer()
  * other.write(Buffer().writeUtf8("moved, not copied"), 5)
  * }}}
  */
final class Buffer(using pool: SegmentPool)
    extends SegmentTransfer(pool),
      BufferedSource,
      BufferedSink derives CanEqual:
  def buffer: Buffer = this

  /** [[Timeout.none]]: a buffer never waits. */
  override def timeout: Timeout = Timeout.none

  /** Number of bytes that can be read.
    *
    * {{{
    * println(Buffer().writeUtf8("price").size) // 5
    * }}}
    */
  def size: Long = used

  /** Number of bytes that were read since the buffer was created.
    *
    * {{{
    * val buffer = Buffer().writeInt(1).writeInt(2)
    * buffer.readInt()
    * println(buffer.position) // 4
    * }}}
    */
  def position: Long = begin

  def isEmpty: Boolean = used == 0

  def request(byteCount: Long): Boolean =
    Search.checkCount(byteCount)
    byteCount < front.size || used >= byteCount

  private[buffer] def written(): Unit = ()
  private[buffer] def isClosed: Boolean = false
  def emit(): this.type = this
  def emitCompleteSegments(): this.type = this
  def flush(): Unit = ()
  def close(): Unit = ()

  def skip(byteCount: Long): Unit =
    if !dropInFront(byteCount) then
      Search.checkCount(byteCount)
      require(byteCount)
      drop(byteCount)

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val last = tail
    val at = last.limit
    if at + bytes <= last.until && (last.owner eq this) then
      last.store(at, value, bytes, little)
      last.limit = at + bytes
    else writeNumberSplit(value, bytes, little)

  private[buffer] def readNumber(bytes: Int, little: Boolean): Long =
    val segment = head
    val at = segment.pos
    if at + bytes < segment.limit && (segment.owner eq this) then
      segment.pos = at + bytes
      segment.load(at, bytes, little)
    else readNumberSplit(bytes, little)

  private def writeNumberSplit(value: Long, bytes: Int, little: Boolean): Unit =
    val first = writable()
    if first.until - first.limit >= bytes then
      first.store(first.limit, value, bytes, little)
      grown(bytes)
    else
      var rest = NumberCodec.ordered(value, bytes, little)
      whole:
        for _ <- 0 until bytes do
          val target = writable()
          target.setByte(target.limit, rest.toByte)
          grown(1)
          rest >>>= 8

  private def readNumberSplit(bytes: Int, little: Boolean): Long =
    if used < bytes then throw ended(s"a number of ${Bounds.bytes(bytes)}")
    if head.size >= bytes then
      val number = head.load(head.pos, bytes, little)
      consumed(bytes)
      number
    else
      var number = 0L
      var i = 0
      while i < bytes do
        number |= (head.byte(head.pos) & 0xffL) << (8 * i)
        consumed(1)
        i += 1
      NumberCodec.ordered(number, bytes, little)

  /** The byte `offset` bytes after the next byte to read. O(log n) in the number of segments.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * println(buffer(1).toChar) // b
    * println(buffer.size) // 3
    * }}}
    */
  def apply(offset: Long): Byte =
    if offset < 0 || offset >= used then
      throw Bounds.outside("offset", offset, 1, used)
    val segment = this.segment(indexAt(offset))
    segment.byte(placeIn(segment, offset))

  /** Drops all bytes and recycles all segments.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * buffer.clear()
    * println(buffer.isEmpty) // true
    * }}}
    */
  def clear(): Unit = dropAll()

  /** Moves `byteCount` bytes from the beginning of `source` to the end of this buffer. Whole
    * segments change owner without a copy; a part of a segment of less than 1 KiB is copied, unless
    * a budget has no room for the copy after whole segments have moved.
    *
    * {{{
    * val (source, target) = (Buffer().writeUtf8("abcd"), Buffer())
    * target.write(source, 3)
    * println(target.readUtf8()) // abc
    * println(source.readUtf8()) // d
    * }}}
    */
  def write(source: Buffer, byteCount: Long): Unit =
    if source eq this then throw IllegalArgumentException("a buffer cannot be written to itself")
    checkFree()
    withdrawEmpty() // an error while a stream fills this buffer
    Search.checkCount(byteCount)
    if byteCount > source.size then throw source.ended(Bounds.bytes(byteCount))
    var rest = byteCount
    while rest > 0 do
      val segment = source.head
      if segment.size <= rest then
        rest -= segment.size
        makeRoom()
        push(source.pop())
      else
        val bytes = rest.toInt
        try piece(source, segment, segment.pos, bytes)
        catch
          // Whole segments have moved: shares the part, which needs no memory of the pool.
          case _: (MemoryLimitException | OutOfMemoryError) if rest < byteCount =>
            pushPart(source, segment, segment.pos, bytes)
        source.consumed(bytes)
        rest = 0
  end write

  /** Moves up to `byteCount` bytes to the end of `sink`; returns their number, or -1 if this is
    * empty.
    *
    * {{{
    * val (source, sink) = (Buffer().writeUtf8("abc"), Buffer())
    * println(source.read(sink, 100)) // 3
    * println(source.read(sink, 100)) // -1
    * }}}
    */
  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if used == 0 then -1
    else
      val bytes = Math.min(used, byteCount)
      sink.write(this, bytes)
      bytes

  /** Copies bytes to the end of another buffer, or of this one, by sharing their segments.
    *
    * {{{
    * val (source, copy) = (Buffer().writeUtf8("a price"), Buffer())
    * source.copyTo(copy, offset = 2, byteCount = 5)
    * println(copy.readUtf8()) // price
    * println(source.size) // 7
    * }}}
    */
  def copyTo(sink: Buffer, offset: Long, byteCount: Long): this.type =
    checkRange(offset, byteCount)
    sink.whole:
      parts(offset, byteCount)((segment, from, count) => sink.piece(this, segment, from, count))
    this

  def copyTo(sink: Buffer): this.type = copyTo(sink, 0, used)

  /** A copy of this buffer that shares its bytes.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * val copy = buffer.copy()
    * buffer.clear()
    * println(copy.readUtf8()) // abc
    * }}}
    */
  def copy(): Buffer =
    val result = Buffer(using pool)
    copyTo(result)
    result

  override def clone(): Buffer = copy()

  /** Appends bytes of a segment, which stays in its queue. */
  private[buffer] def piece(
      queue: SegmentQueue | Null,
      segment: Segment,
      from: Int,
      bytes: Int
  ): Unit =
    if bytes < Math.min(Segment.ShareBytes, segment.pool.segmentBytes) then
      appendFrom(segment, from, bytes)
    else pushPart(queue, segment, from, bytes)

  /** Shares bytes of a segment, which stays in its queue. */
  private def pushPart(
      queue: SegmentQueue | Null,
      segment: Segment,
      from: Int,
      bytes: Int
  ): Unit =
    checkFree()
    withdrawEmpty()
    val part = segment.share(queue)
    part.pos = from
    part.limit = from + bytes
    part.until = part.limit
    push(part)

  /** Appends a line as UTF-8 and a line feed. */
  private[buffer] def appendLine(line: String): Unit = whole:
    appendUtf8(line, 0, line.length)
    writeByte('\n'): Unit

  /** Writes bytes to a stream without consuming them.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * val buffer = Buffer().writeUtf8("abcd").copyTo(stream, offset = 1, byteCount = 2)
    * println(stream) // bc
    * println(buffer.size) // 4
    * }}}
    */
  def copyTo(target: OutputStream, offset: Long, byteCount: Long): this.type =
    checkRange(offset, byteCount)
    holding(tail):
      pieces(offset, byteCount)((data, from, count) => target.write(data, from, count))
    this

  /** Moves bytes to a stream.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * val buffer = Buffer().writeUtf8("abcd").writeTo(stream, 3)
    * println(stream) // abc
    * println(buffer.size) // 1
    * }}}
    */
  def writeTo(target: OutputStream, byteCount: Long): this.type =
    emptied(byteCount)((data, from, count) => target.write(data, from, count))
    this

  /** Reads a stream to its end.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val buffer = Buffer().readFrom(ByteArrayInputStream("price 251".getBytes))
    * println(buffer.readUtf8()) // price 251
    * }}}
    */
  def readFrom(stream: InputStream): this.type =
    writeAll(stream.source()): Unit
    this

  /** Reads exactly `byteCount` bytes from a stream; if it ends earlier, keeps the bytes that were
    * read and throws an [[EndOfInputException]].
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val stream = ByteArrayInputStream("price 251".getBytes)
    * println(Buffer().readFrom(stream, 5).readUtf8()) // price
    * }}}
    */
  def readFrom(stream: InputStream, byteCount: Long): this.type = write(stream.source(), byteCount)

  /** A cursor over the bytes, for random reads and optionally writes.
    *
    * {{{
    * val cursor = Buffer().writeUtf8("abcd").cursor()
    * cursor.seek(2)
    * println(cursor(0).toChar) // c
    * }}}
    */
  def cursor(writable: Boolean = false): Cursor = Cursor(this, writable)

  /** Copies bytes to an array.
    *
    * {{{
    * val bytes = new Array[Byte](2)
    * Buffer().writeUtf8("abcd").copyTo(1, bytes)
    * println(String(bytes)) // bc
    * }}}
    */
  def copyTo(offset: Long, target: Array[Byte]): Unit =
    checkRange(offset, target.length)
    var done = 0
    parts(offset, target.length): (segment, from, count) =>
      segment.get(from, target, done, count)
      done += count

  /** The first `byteCount` bytes: copied, or shared from 64 KiB on. Shared segments return to their
    * pool when the byte string is closed, or after a garbage collection.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * println(buffer.snapshot(2).utf8) // ab
    * println(buffer.snapshot().utf8) // abcd
    * println(buffer.size) // 4
    * }}}
    */
  def snapshot(byteCount: Int): ByteString =
    checkRange(0, byteCount)
    if byteCount >= SharedBytes.LeastBytes then ByteString.share(this, byteCount)
    else
      val bytes = new Array[Byte](byteCount)
      copyTo(0, bytes)
      ByteString.wrap(bytes)

  /** All bytes, copied or shared in the same way. Throws a [[TooLargeException]] if they exceed an
    * array.
    */
  def snapshot(): ByteString =
    if used > ByteOutput.MaxArrayLength then
      throw TooLargeException("an array", used, ByteOutput.MaxArrayLength)
    snapshot(used.toInt)

  /** Number of bytes in full segments, which further writes do not change.
    *
    * {{{
    * val buffer = Buffer().write(new Array[Byte](10_000))
    * println(buffer.completeSegmentByteCount) // 8192
    * }}}
    */
  def completeSegmentByteCount: Long =
    val last = tail
    if last.limit >= last.until then used else if head eq last then 0 else used - last.size

  /** Calls `visit` with the array, the first index and the count of each piece of a range. */
  private[buffer] inline def pieces(offset: Long, byteCount: Long)(
      inline visit: (Array[Byte], Int, Int) => Unit
  ): Unit =
    val scratch = Scratch()
    try
      parts(offset, byteCount): (segment, from, count) =>
        var done = 0
        while done < count do
          val step = scratch.most(segment, count - done)
          val at = from + done
          visit(scratch.array(segment, at, step), scratch.index(segment, at), step)
          done += step
    finally scratch.close()

  private[buffer] inline def parts(offset: Long, byteCount: Long)(
      inline visit: (Segment, Int, Int) => Unit
  ): Unit =
    var at = offset
    val until = offset + byteCount
    var i = if byteCount > 0 then indexAt(offset) else 0
    while at < until do
      val segment = this.segment(i)
      val from = placeIn(segment, at)
      val step = progress(Math.min(until - at, segment.limit - from).toInt)
      visit(segment, from, step)
      at += step
      i += 1

  /** The first `byteCount` bytes in place, as at most `most` ByteBuffers. */
  private[buffer] def byteBuffers(byteCount: Long, maxPieces: Int): Array[ByteBuffer] =
    var bytes = 0L
    val segments = if byteCount == 0 then 0 else indexAt(byteCount - 1) + 1
    Array.tabulate(Math.min(maxPieces, segments)): i =>
      val segment = this.segment(i)
      val pieceBytes = Math.min(segment.size, byteCount - bytes).toInt
      bytes += pieceBytes
      segment.view(segment.pos, pieceBytes).asReadOnlyBuffer

  private[buffer] def checkRange(offset: Long, byteCount: Long): Unit =
    if byteCount < 0 then
      throw IllegalArgumentException(s"byteCount must be at least 0, but is $byteCount")
    if offset < 0 || offset > used - byteCount then
      throw Bounds.outside("offset", offset, byteCount, used)

  private[buffer] def ended(expected: String): EndOfInputException =
    EndOfInputException(expected, position, used)

  /** Offset of the first difference from another buffer; -1 if they are equal, the smaller size if
    * one is a prefix of the other.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * println(buffer.mismatch(Buffer().writeUtf8("abXd"))) // 2
    * println(buffer.mismatch(Buffer().writeUtf8("abcd"))) // -1
    * }}}
    */
  def mismatch(other: Buffer): Long = SegmentSearch.mismatch(this, other)

  /** Whether the other object is a buffer with the same bytes, however they are divided.
    *
    * {{{
    * println(Buffer().writeUtf8("ab").writeUtf8("cd") == Buffer().writeUtf8("abcd")) // true
    * }}}
    */
  override def equals(other: Any): Boolean = other match
    case that: Buffer => (that eq this) || that.size == size && mismatch(that) < 0
    case _            => false

  /** Hash of the bytes, independent of their division into segments. */
  override def hashCode: Int = SegmentSearch.hash(this)

  /** The first bytes in hexadecimal; a description while the buffer is lent to native code.
    *
    * {{{
    * println(Buffer().writeUtf8("abc")) // [size=3 hex=616263]
    * }}}
    */
  override def toString: String = if isLent then "[lent to native code]" else show

  private def show: String =
    val previewBytes = Math.min(used, Buffer.Shown).toInt
    val hex = snapshot(previewBytes).hex
    if used <= Buffer.Shown then s"[size=$used hex=$hex]" else s"[size=$used hex=$hex…]"

  private[buffer] def find(byte: Byte, from: Long, until: Long): Long =
    SegmentSearch.find(this, byte, from, until)
  private[buffer] def find(bytes: ByteString, from: Long, until: Long): Long =
    SegmentSearch.find(this, bytes, from, until)
  private[buffer] def firstPrefix(bytes: ByteString, from: Long, until: Long): Long =
    SegmentSearch.firstPrefix(this, bytes, from, until)
  private[buffer] def findElement(bytes: ByteString, from: Long): Long =
    SegmentSearch.findElement(this, bytes, from)
  private[buffer] def holds(offset: Long, bytes: ByteString, from: Int, count: Int): Boolean =
    SegmentSearch.holds(this, offset, bytes.data, from, count)
  private[buffer] def takeString(byteCount: Int, charset: java.nio.charset.Charset): String =
    TextCodec.take(this, byteCount, charset)
  private[buffer] def takeFrontLine(maxBytes: Long): String | Null =
    TextCodec.takeFrontLine(this, maxBytes)
  private[buffer] def takeCodePoint(bytes: Int): Int = TextCodec.takeCodePoint(this, bytes)
  private[buffer] def appendUtf8(text: String, from: Int, until: Int): Unit =
    TextCodec.append(this, text, from, until)
  private[buffer] def appendDecimal(value: Long): Unit = TextCodec.appendDecimal(this, value)
  private[buffer] def appendHexadecimal(value: Long): Unit =
    TextCodec.appendHexadecimal(this, value)
end Buffer

object Buffer:
  private val Shown = 64L
