package undercroft.buffer

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer
import scala.annotation.publicInBinary

/** Bytes in a row: written at its end, read from its beginning, in pieces that move to other
  * buffers without a copy.
  *
  * It is a [[BufferedSource]] and a [[BufferedSink]] at once, with no limit of 2 GiB. For one
  * thread at a time. It takes segments from its pool as it grows, and gives them back as it is
  * read; [[clear]] gives all of them back, and one that is dropped leaves them to the garbage
  * collector. Reading and writing allocate nothing beyond what the pool has to. `flush` and `close`
  * do nothing.
  *
  * Copies share their bytes; so does what [[write]] moves of a segment from 1 KiB on.
  *
  * With segments of a pool that lies outside the heap (`memory = SegmentMemory.Native`) channels
  * and native code get them as they lie; see `lend`. Segments of both kinds may be in one buffer.
  */
final class Buffer(using pool: SegmentPool)
    extends SegmentFlow(pool),
      BufferedSource,
      BufferedSink derives CanEqual:
  def buffer: Buffer = this

  /** [[Timeout.none]]: it never waits. */
  override def timeout: Timeout = Timeout.none

  /** Bytes that can be read. */
  def size: Long = used

  /** Bytes that were read, since it was made. */
  def position: Long = begin

  def isEmpty: Boolean = used == 0

  def request(byteCount: Long): Boolean =
    Search.checkCount(byteCount)
    used >= byteCount

  private[buffer] def written(): Unit = ()
  def emit(): this.type = this
  def emitCompleteSegments(): this.type = this
  def flush(): Unit = ()
  def close(): Unit = ()

  def skip(byteCount: Long): Unit =
    Search.checkCount(byteCount)
    require(byteCount)
    drop(byteCount)

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val last = tail
    val at = last.limit
    if at + bytes <= last.until then
      last.store(at, value, bytes, little)
      last.limit = at + bytes
    else writeNumberSplit(value, bytes, little)

  private[buffer] def readNumber(bytes: Int, little: Boolean): Long =
    val it = head
    val at = it.pos
    if at + bytes < it.limit then
      it.pos = at + bytes
      it.load(at, bytes, little)
    else readNumberSplit(bytes, little)

  private def writeNumberSplit(value: Long, bytes: Int, little: Boolean): Unit =
    val first = writable()
    if first.until - first.limit >= bytes then
      first.store(first.limit, value, bytes, little)
      grown(bytes)
    else
      var rest = Numbers.ordered(value, bytes, little)
      whole:
        for _ <- 0 until bytes do
          val target = writable()
          target.setByte(target.limit, rest.toByte)
          grown(1)
          rest >>>= 8

  private def readNumberSplit(bytes: Int, little: Boolean): Long =
    if used < bytes then throw ended(s"a number of $bytes bytes")
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
      Numbers.ordered(number, bytes, little)

  /** The byte that is `offset` bytes after the next one to be read. O(log n) of the segments. */
  def apply(offset: Long): Byte =
    if offset < 0 || offset >= used then
      throw IndexOutOfBoundsException(s"offset $offset exceeds size $used")
    val it = segment(indexAt(offset))
    it.byte(placeIn(it, offset))

  /** Drops everything, and gives all segments back. */
  def clear(): Unit = drop(used)

  /** Moves `byteCount` bytes from the beginning of `source` to the end of this. Whole segments
    * change hands; of a part of one less than 1 KiB is copied.
    */
  def write(source: Buffer, byteCount: Long): Unit =
    if source eq this then throw IllegalArgumentException("a buffer can not be moved to itself")
    checkFree()
    withdrawEmpty() // while a stream fills it that is an error
    Search.checkCount(byteCount)
    if byteCount > source.size then throw source.ended(s"$byteCount bytes")
    var rest = byteCount
    while rest > 0 do
      val it = source.head
      if it.size <= rest then
        rest -= it.size
        push(source.pop())
      else
        piece(it, it.pos, rest.toInt)
        source.consumed(rest.toInt)
        rest = 0

  /** Moves up to `byteCount` bytes to the end of `sink`; -1 where there are none. */
  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if used == 0 then -1
    else
      val some = Math.min(used, byteCount)
      sink.write(this, some)
      some

  /** Copies bytes to the end of another buffer, or of this one, by sharing their segments. */
  def copyTo(sink: Buffer, offset: Long, byteCount: Long): this.type =
    checkRange(offset, byteCount)
    sink.whole:
      parts(offset, byteCount)((it, from, count) => sink.piece(it, from, count))
    this

  def copyTo(sink: Buffer): this.type = copyTo(sink, 0, used)

  /** A buffer of the same bytes, shared with this one. */
  def copy(): Buffer =
    val other = Buffer(using pool)
    copyTo(other)
    other

  override def clone(): Buffer = copy()

  /** Appends bytes of a segment that stays where it is. */
  private[buffer] def piece(it: Segment, from: Int, bytes: Int): Unit =
    if bytes < Math.min(Segment.ShareBytes, it.pool.segmentBytes) then appendFrom(it, from, bytes)
    else
      checkFree()
      withdrawEmpty()
      val part = it.share()
      part.pos = from
      part.limit = from + bytes
      part.until = part.limit
      push(part)

  /** Writes bytes to a stream, which stay here. */
  def copyTo(target: OutputStream, offset: Long, byteCount: Long): this.type =
    checkRange(offset, byteCount)
    holding(tail):
      pieces(offset, byteCount)((data, from, count) => target.write(data, from, count))
    this

  /** Moves bytes to a stream. */
  def writeTo(target: OutputStream, byteCount: Long): this.type =
    emptied(byteCount)((data, from, count) => target.write(data, from, count))
    this

  /** Takes everything that a stream still gives. */
  def readFrom(stream: InputStream): this.type =
    writeAll(stream.source()): Unit
    this

  /** Takes exactly `byteCount` bytes of a stream; where it ends before, an [[EndOfInputException]]
    * and what there was.
    */
  def readFrom(stream: InputStream, byteCount: Long): this.type = write(stream.source(), byteCount)

  /** A place in it, to look at bytes, or to change them too. */
  def cursor(writable: Boolean = false): Cursor = Cursor(this, writable)

  /** Copies bytes to an array. */
  def copyTo(offset: Long, target: Array[Byte]): Unit =
    checkRange(offset, target.length)
    var done = 0
    parts(offset, target.length): (it, from, count) =>
      it.get(from, target, done, count)
      done += count

  /** The first `byteCount` bytes: copied, or shared from 64 KiB on. */
  def snapshot(byteCount: Int): ByteString =
    checkRange(0, byteCount)
    if byteCount >= SharedBytes.LeastBytes then ByteString.share(this, byteCount)
    else
      val bytes = new Array[Byte](byteCount)
      copyTo(0, bytes)
      ByteString.wrap(bytes)

  /** All bytes, in the same way; of more than an array holds a [[TooLargeException]]. */
  def snapshot(): ByteString =
    if used > ByteOutput.LargestArray then
      throw TooLargeException("an array", used, ByteOutput.LargestArray)
    snapshot(used.toInt)

  /** Bytes of segments that are full: those that more writing leaves alone. */
  def completeSegmentByteCount: Long =
    if tail.limit < tail.until then used - tail.size else used

  /** Calls `visit` with the array, the first index and the count of each piece of a range. */
  private[buffer] inline def pieces(offset: Long, byteCount: Long)(
      inline visit: (Array[Byte], Int, Int) => Unit
  ): Unit =
    val scratch = Scratch()
    try
      parts(offset, byteCount): (it, from, count) =>
        var done = 0
        while done < count do
          val some = scratch.most(it, count - done)
          visit(scratch.array(it, from + done, some), scratch.index(it, from + done), some)
          done += some
    finally scratch.close()

  private[buffer] inline def parts(offset: Long, byteCount: Long)(
      inline visit: (Segment, Int, Int) => Unit
  ): Unit =
    var at = offset
    val until = offset + byteCount
    var i = if byteCount > 0 then indexAt(offset) else 0
    while at < until do
      val it = segment(i)
      val from = placeIn(it, at)
      val some = Math.min(until - at, it.limit - from).toInt
      visit(it, from, some)
      at += some
      i += 1

  /** The first bytes in place, as at most so many ByteBuffers. */
  private[buffer] def byteBuffers(byteCount: Long, most: Int): Array[ByteBuffer] =
    var bytes = 0L
    Array.tabulate(Math.min(most, if byteCount == 0 then 0 else indexAt(byteCount - 1) + 1)): i =>
      val it = segment(i)
      val some = Math.min(it.size, byteCount - bytes).toInt
      bytes += some
      it.view(it.pos, some).asReadOnlyBuffer

  private[buffer] def checkRange(offset: Long, byteCount: Long): Unit =
    if offset < 0 || byteCount < 0 || offset > used - byteCount then
      throw IndexOutOfBoundsException(s"offset $offset + $byteCount exceeds size $used")

  private[buffer] def ended(expected: String): EndOfInputException =
    EndOfInputException(expected, position, used)

  /** Where this buffer and another first differ: -1 where they are the same, the smaller size where
    * one begins the other.
    */
  def mismatch(other: Buffer): Long = Bulk.mismatch(this, other)

  override def equals(other: Any): Boolean = other match
    case that: Buffer => (that eq this) || that.size == size && mismatch(that) < 0
    case _            => false

  /** Of the bytes, however they lie in segments. */
  override def hashCode: Int = Bulk.hash(this)

  /** The beginning, in hexadecimal digits; of one that native code has, a description. */
  override def toString: String = if isLent then "[lent to native code]" else show

  private def show: String =
    val shown = Math.min(used, Buffer.Shown).toInt
    val hex = snapshot(shown).hex
    if used <= Buffer.Shown then s"[size=$used hex=$hex]" else s"[size=$used hex=$hex…]"

  private[buffer] def find(byte: Byte, from: Long, until: Long): Long =
    Bulk.find(this, byte, from, until)
  private[buffer] def find(bytes: ByteString, from: Long, until: Long): Long =
    Bulk.find(this, bytes, from, until)
  private[buffer] def findElement(bytes: ByteString, from: Long): Long =
    Bulk.findElement(this, bytes, from)
  private[buffer] def holds(offset: Long, bytes: ByteString, from: Int, count: Int): Boolean =
    Bulk.holds(this, offset, bytes, from, count)
  private[buffer] def takeString(byteCount: Int, charset: java.nio.charset.Charset): String =
    Text.take(this, byteCount, charset)
  private[buffer] def takeCodePoint(bytes: Int): Int = Text.takeCodePoint(this, bytes)
  private[buffer] def appendUtf8(text: String, from: Int, until: Int): Unit =
    Text.append(this, text, from, until)
  private[buffer] def appendDecimal(value: Long): Unit = Text.appendDecimal(this, value)
  private[buffer] def appendHexadecimal(value: Long): Unit = Text.appendHexadecimal(this, value)
end Buffer

object Buffer:
  private val Shown = 64L
