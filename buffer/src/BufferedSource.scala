package undercroft.buffer

import java.io.InputStream
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.ReadableByteChannel
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

/** A [[Source]] that gives numbers, text and bytes in every form.
  *
  * Where the input ends before what is to be read an [[EndOfInputException]] says so, and where it
  * is something else a [[MalformedInputException]]; then nothing of it is consumed. Positions that
  * are asked for count from the next byte to be read.
  */
trait BufferedSource extends Source, ReadsNumbers:
  /** What was taken from the input and not read yet. */
  def buffer: Buffer

  /** Whether `byteCount` bytes are there; waits for them or the end of the input. */
  def request(byteCount: Long): Boolean

  /** Waits for `byteCount` bytes, or throws. */
  final def require(byteCount: Long): Unit =
    if !request(byteCount) then throw buffer.ended(s"$byteCount bytes")

  /** Whether there is nothing more. */
  final def exhausted: Boolean = !request(1)

  /** Drops bytes. A buffer that has fewer drops none; a stream that ends before has dropped what it
    * had, because it does not keep what is skipped.
    */
  def skip(byteCount: Long): Unit

  /** Takes everything there is. */
  final def readByteArray(): Array[Byte] =
    requestAll()
    readByteArray(buffer.size)

  /** Of more than an array holds a [[TooLargeException]]. */
  final def readByteArray(byteCount: Long): Array[Byte] =
    if byteCount < 0 || byteCount > ByteOutput.LargestArray then
      throw TooLargeException("an array", byteCount, ByteOutput.LargestArray)
    require(byteCount)
    val bytes = new Array[Byte](byteCount.toInt)
    buffer.take(bytes)
    bytes

  final def readByteString(): ByteString = ByteString.wrap(readByteArray())
  final def readByteString(byteCount: Long): ByteString = ByteString.wrap(readByteArray(byteCount))

  /** Fills the array; all of it, or none. */
  final def readFully(bytes: Array[Byte]): Unit =
    require(bytes.length)
    buffer.take(bytes)

  /** Moves exactly `byteCount` bytes, or none. */
  final def readFully(sink: Buffer, byteCount: Long): Unit =
    require(byteCount)
    sink.write(buffer, byteCount)

  /** Reads at least one byte and at most `count`; -1 at the end of the input. */
  final def read(bytes: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    read(MemorySegment.ofArray(bytes).asSlice(from, count)).toInt

  final def read(bytes: Array[Byte]): Int = read(bytes, 0, bytes.length)

  /** Reads into what a ByteBuffer has between its position and its limit. */
  final def read(bytes: ByteBuffer): Int =
    val some = read(MemorySegment.ofBuffer(bytes)).toInt
    if some > 0 then bytes.position(bytes.position + some): Unit
    some

  /** Fills the segment; all of it, or none. */
  final def readFully(target: MemorySegment): Unit =
    require(target.byteSize)
    buffer.take(target)

  /** Reads at least one byte and at most as many as the segment has; -1 at the end of the input. */
  final def read(target: MemorySegment): Long =
    if target.byteSize == 0 then 0
    else if !request(1) then -1
    else
      val some = Math.min(buffer.size, target.byteSize)
      buffer.take(target.asSlice(0, some))
      some

  /** Moves everything there is.
    *
    * @return
    *   how many bytes
    */
  final def readAll(sink: Sink): Long =
    var total = 0L
    while request(1) do
      val some = buffer.size
      sink.write(buffer, some)
      total += some
    total

  final def readUtf8(): String = readString(UTF_8)
  final def readUtf8(byteCount: Long): String = readString(byteCount, UTF_8)

  final def readString(charset: Charset): String =
    requestAll()
    readString(buffer.size, charset)

  final def readString(byteCount: Long, charset: Charset): String =
    if byteCount < 0 || byteCount > ByteOutput.LargestArray then
      throw TooLargeException("a String", byteCount, ByteOutput.LargestArray)
    require(byteCount)
    buffer.takeString(byteCount.toInt, charset)

  /** The next line without its end, which is `\n` or `\r\n`; at the end of the input what is left,
    * and null where nothing is.
    */
  final def readUtf8Line(): String | Null =
    val end = indexOf(BufferedSource.LineFeed)
    if end >= 0 then takeLine(end)
    else if buffer.size > 0 then readUtf8(buffer.size)
    else null

  /** The next line without its end, which has to be there within `limit` bytes. */
  final def readUtf8LineStrict(limit: Long = Long.MaxValue): String =
    if limit < 0 then throw IllegalArgumentException(s"a limit of $limit bytes")
    val scanned = if limit == Long.MaxValue then limit else limit + 1
    val end = indexOf(BufferedSource.LineFeed, 0, scanned)
    if end >= 0 then takeLine(end)
    else if scanned < Long.MaxValue && request(scanned) && buffer(scanned - 1) == '\r'
      && request(scanned + 1) && buffer(scanned) == '\n'
    then takeLine(scanned)
    else
      val within = if limit == Long.MaxValue then "" else s" within $limit bytes"
      throw buffer.ended(s"the end of a line$within")

  private def takeLine(end: Long): String =
    val cr = end > 0 && buffer(end - 1) == '\r'
    val line = readUtf8(if cr then end - 1 else end)
    buffer.drop(if cr then 2 else 1)
    line

  /** The lines that are left, without their ends. */
  final def lines: Iterator[String] =
    Iterator.continually(readUtf8Line()).takeWhile(_ != null).map(_.nn)

  /** The next character; U+FFFD for what is not UTF-8. */
  final def readUtf8CodePoint(): Int =
    require(1)
    val bytes = Utf8.length(buffer(0))
    if bytes > 1 && !request(bytes) then
      throw buffer.ended(s"$bytes bytes of a character that begins with ${Utf8.hex(buffer(0))}")
    buffer.takeCodePoint(bytes)

  /** Reads digits, as many as follow, such as `-251`. */
  final def readDecimalLong(): Long = Digits.decimal(this)

  /** Reads hexadecimal digits, as many as follow, of either case. */
  final def readHexadecimalUnsignedLong(): Long = Digits.hexadecimal(this)

  /** The index of the first option, in their order, that the input begins with, which is read; -1
    * if there is none, and then nothing is read.
    */
  final def select(options: Options): Int =
    val found = options.find(this)
    if found >= 0 then buffer.drop(options.sizeOf(found))
    found

  /** What the first option that the input begins with stands for; the option is read. None, and
    * nothing read, if there is none.
    */
  final def select[A](options: TypedOptions[A]): Option[A] =
    val found = select(options.options)
    if found >= 0 then Some(options(found)) else None

  /** Where a byte is first found in `[from, until)`, or -1. */
  final def indexOf(byte: Byte, from: Long = 0, until: Long = Long.MaxValue): Long =
    Search.checkRange(from, until)
    var at = from
    var found = buffer.find(byte, at, until)
    while found < 0 && { at = at.max(buffer.size); at < until } && request(at + 1) do
      found = buffer.find(byte, at, until)
    found

  /** Where bytes first begin in `[from, until)`, or -1. */
  final def indexOf(bytes: ByteString, from: Long, until: Long): Long =
    Search.checkRange(from, until)
    var at = from
    var found = buffer.find(bytes, at, until)
    while found < 0 && { at = at.max(buffer.size - bytes.size + 1); at < until } &&
      request(Math.max(at, buffer.size) + 1)
    do found = buffer.find(bytes, at, until)
    found

  final def indexOf(bytes: ByteString, from: Long): Long = indexOf(bytes, from, Long.MaxValue)

  final def indexOf(bytes: ByteString): Long = indexOf(bytes, 0)

  /** Where one of some bytes is first found from `from` on, or -1. */
  final def indexOfElement(bytes: ByteString, from: Long = 0): Long =
    Search.checkRange(from, Long.MaxValue)
    var at = from
    var found = buffer.findElement(bytes, at)
    while found < 0 && { at = at.max(buffer.size); at < Long.MaxValue } && request(at + 1) do
      found = buffer.findElement(bytes, at)
    found

  /** Whether these bytes follow at a position. */
  final def rangeEquals(position: Long, bytes: ByteString): Boolean =
    rangeEquals(position, bytes, 0, bytes.size)

  /** Whether at a position `count` bytes follow that these have from an index on. */
  final def rangeEquals(position: Long, bytes: ByteString, from: Int, count: Int): Boolean =
    position >= 0 && from >= 0 && count >= 0 && from <= bytes.size - count &&
      position <= Long.MaxValue - count && request(position + count) &&
      buffer.holds(position, bytes, from, count)

  /** Reads the same bytes without consuming them, until something of this source is consumed. */
  final def peek(): BufferedSource = PeekSource(this).buffered(using buffer.pool)

  /** This source as a stream, whose close closes it. */
  final def inputStream(): InputStream = new InputStream:
    def read(): Int = if request(1) then readByte() & 0xff else -1
    override def read(bytes: Array[Byte], from: Int, count: Int): Int =
      BufferedSource.this.read(bytes, from, count)
    override def available: Int = Math.min(buffer.size, Int.MaxValue).toInt
    override def close(): Unit = BufferedSource.this.close()

  /** This source as a channel, whose close closes it. */
  final def readableChannel(): ReadableByteChannel = new ReadableByteChannel:
    private var open = true
    def read(bytes: ByteBuffer): Int = BufferedSource.this.read(bytes)
    def isOpen: Boolean = open
    def close(): Unit =
      open = false
      BufferedSource.this.close()

  private def requestAll(): Unit = while request(buffer.size + 1) do ()
end BufferedSource

private[buffer] object BufferedSource:
  val LineFeed: Byte = '\n'

/** Reads a source's bytes without consuming them. */
private[buffer] final class PeekSource(upstream: BufferedSource) extends Source:
  private val begin = upstream.buffer.position
  private var at = 0L

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if upstream.buffer.position != begin then
      throw IllegalStateException(
        s"peeked from position $begin on, but the source is at ${upstream.buffer.position}"
      )
    if !upstream.request(at + 1) then -1
    else
      val some = Math.min(byteCount, upstream.buffer.size - at)
      upstream.buffer.copyTo(sink, at, some): Unit
      at += some
      some

  def close(): Unit = ()
end PeekSource
