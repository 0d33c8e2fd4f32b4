package undercroft.buffer

import internal.codec.{Bounds, NumberText, Search, Utf8}
import internal.io.Progress
import java.io.InputStream
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.{ClosedChannelException, ReadableByteChannel}
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

/** A [[Source]] with a buffer that reads numbers, text and bytes.
  *
  * If the input ends too early a read throws an [[EndOfInputException]], and a
  * [[MalformedInputException]] if the bytes have the wrong format; neither consumes any byte.
  * Positions passed as arguments count from the next byte to read.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * val input = ByteArrayInputStream("price 251".getBytes).source().buffered
  * println(input.readUtf8(6))
  * println(input.readDecimalLong())
  * println(input.exhausted)
  * }}}
  */
trait BufferedSource extends Source, NumberReader:
  /** The bytes taken from the input and not yet read.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val input = ByteArrayInputStream("abcd".getBytes).source().buffered
    * input.require(1)
    * println(input.buffer.size) // 4
    * }}}
    */
  def buffer: Buffer

  /** Whether it was closed. */
  private[buffer] def isClosed: Boolean

  /** Whether `byteCount` bytes are available; waits for them or the end of the input.
    *
    * {{{
    * val buffer = Buffer().writeInt(1)
    * println(buffer.request(4)) // true
    * println(buffer.request(8)) // false
    * }}}
    */
  def request(byteCount: Long): Boolean

  /** Waits for `byteCount` bytes; throws an [[EndOfInputException]] if the input ends earlier.
    *
    * {{{
    * try Buffer().writeInt(1).require(8)
    * catch case error: EndOfInputException => println(error.available) // 4
    * }}}
    */
  final def require(byteCount: Long): Unit =
    if !request(byteCount) then throw buffer.ended(Bounds.bytes(byteCount))

  /** Whether the input has no more bytes.
    *
    * {{{
    * val buffer = Buffer().writeByte(1)
    * println(buffer.exhausted) // false
    * buffer.readByte()
    * println(buffer.exhausted) // true
    * }}}
    */
  final def exhausted: Boolean = !request(1)

  /** Skips bytes. A buffer with fewer bytes skips none; a stream that ends earlier has skipped all
    * its bytes, because skipped bytes are not kept.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("price 251")
    * buffer.skip(6)
    * println(buffer.readDecimalLong()) // 251
    * }}}
    */
  def skip(byteCount: Long): Unit

  /** Reads all remaining bytes.
    *
    * {{{
    * val bytes = Buffer().writeInt(258).readByteArray()
    * println(bytes.toList) // List(0, 0, 1, 2)
    * }}}
    */
  final def readByteArray(): Array[Byte] =
    requestAll()
    readByteArray(buffer.size)

  /** Reads exactly `byteCount` bytes. Throws a [[TooLargeException]] if they exceed an array.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abcd")
    * println(String(buffer.readByteArray(3))) // abc
    * }}}
    */
  final def readByteArray(byteCount: Long): Array[Byte] =
    if byteCount <= 0 || byteCount > buffer.front.size then requireFor("an array", byteCount)
    buffer.takeArray(byteCount.toInt)

  /** Requires bytes for a result with the limit of an array's length. */
  private def requireFor(result: String, byteCount: Long): Unit =
    Search.checkCount(byteCount)
    if byteCount > ByteOutput.MaxArrayLength then
      throw TooLargeException(result, byteCount, ByteOutput.MaxArrayLength)
    require(byteCount)

  /** Reads all remaining bytes, or exactly `byteCount` bytes, as an immutable string.
    *
    * {{{
    * val buffer = Buffer().writeInt(1).writeInt(258)
    * println(buffer.readByteString(4).hex) // 00000001
    * println(buffer.readByteString().hex) // 00000102
    * }}}
    */
  final def readByteString(): ByteString = ByteString.wrap(readByteArray())
  final def readByteString(byteCount: Long): ByteString = ByteString.wrap(readByteArray(byteCount))

  /** Fills the whole array, or consumes nothing and throws.
    *
    * {{{
    * val bytes = new Array[Byte](3)
    * Buffer().writeUtf8("abcd").readFully(bytes)
    * println(String(bytes)) // abc
    * }}}
    */
  final def readFully(bytes: Array[Byte]): Unit =
    require(bytes.length)
    buffer.take(bytes)

  /** Moves exactly `byteCount` bytes, or none and throws.
    *
    * {{{
    * val body = Buffer()
    * Buffer().writeUtf8("abcd").readFully(body, 3)
    * println(body.readUtf8()) // abc
    * }}}
    */
  final def readFully(sink: Buffer, byteCount: Long): Unit =
    require(byteCount)
    sink.write(buffer, byteCount)

  /** Reads at least one byte and at most `count`; returns their number, or -1 at the end of the
    * input.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * val bytes = new Array[Byte](8)
    * println(buffer.read(bytes, 0, 8)) // 3
    * println(buffer.read(bytes, 0, 8)) // -1
    * }}}
    */
  final def read(bytes: Array[Byte], from: Int, count: Int): Int =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    read(MemorySegment.ofArray(bytes).asSlice(from, count)).toInt

  final def read(bytes: Array[Byte]): Int = read(bytes, 0, bytes.length)

  /** Reads into a ByteBuffer from its position to at most its limit.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val target = ByteBuffer.allocate(8)
    * println(Buffer().writeUtf8("abc").read(target)) // 3
    * println(target.position) // 3
    * }}}
    */
  final def read(bytes: ByteBuffer): Int =
    val count = read(MemorySegment.ofBuffer(bytes)).toInt
    if count > 0 then bytes.position(bytes.position + count): Unit
    count

  /** Fills the whole segment, or consumes nothing and throws.
    *
    * {{{
    * import java.lang.foreign.Arena
    * val arena = Arena.ofConfined()
    * try
    *   val target = arena.allocate(4)
    *   Buffer().writeIntLe(251).readFully(target)
    *   println(target.byteSize) // 4
    * finally arena.close()
    * }}}
    */
  final def readFully(target: MemorySegment): Unit =
    require(target.byteSize)
    buffer.take(target)

  /** Fills a ByteBuffer from its position to its limit, or consumes nothing and throws.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val target = ByteBuffer.allocate(3)
    * Buffer().writeUtf8("abcd").readFully(target)
    * println(target.position) // 3
    * }}}
    */
  final def readFully(bytes: ByteBuffer): Unit =
    readFully(MemorySegment.ofBuffer(bytes))
    bytes.position(bytes.limit): Unit

  /** Reads the bytes before the next `delimiter` into a segment, from its start on, and skips the
    * delimiter; returns how many they are. The segment's other bytes may change as well. More bytes
    * than the segment has are a [[TooLargeException]]; then, and without a delimiter, nothing is
    * consumed. The fastest way to read a key: see `Text` and `StructMap` of `undercroft.struct`.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * val name = MemorySegment.ofArray(new Array[Byte](24))
    * val buffer = Buffer().writeUtf8("Ada;1815")
    * println(buffer.readUntil(';', name)) // 3
    * println(buffer.readDecimalLong()) // 1815
    * }}}
    */
  final def readUntil(delimiter: Byte, target: MemorySegment): Long =
    val count = buffer.takeFrontUntil(delimiter, target)
    if count >= 0 then count
    else
      def name = s"the delimiter ${Utf8.hex(delimiter)}"
      val limit = Math.min(target.byteSize, Long.MaxValue - 1)
      val end = indexOf(delimiter, until = limit + 1)
      if end < 0 && request(limit + 1) then
        throw TooLargeException(s"the target before $name", limit + 1, limit)
      if end < 0 then throw buffer.ended(name)
      buffer.take(target.asSlice(0, end))
      buffer.drop(1)
      end

  /** Reads at least one byte and at most the segment's size; returns -1 at the end of the input. */
  final def read(target: MemorySegment): Long =
    if target.byteSize == 0 then 0
    else if !request(1) then -1
    else
      val count = Math.min(buffer.size, target.byteSize)
      buffer.take(target.asSlice(0, count))
      count

  /** Moves all remaining bytes to a sink. A sink that leaves bytes is a [[NoProgressException]].
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * println(Buffer().writeUtf8("abc").readAll(stream.sink())) // 3
    * println(stream) // abc
    * }}}
    *
    * @return
    *   the number of bytes
    */
  final def readAll(sink: Sink): Long =
    var total = 0L
    while request(1) do
      val count = buffer.size
      Progress.write(sink, buffer, count)
      total += count
    total

  /** Reads all remaining bytes, or exactly `byteCount` bytes, as UTF-8.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("price 251")
    * println(buffer.readUtf8(5)) // price
    * println(buffer.readUtf8().trim) // 251
    * }}}
    */
  final def readUtf8(): String = readString(UTF_8)
  final def readUtf8(byteCount: Long): String = readString(byteCount, UTF_8)

  /** Reads all remaining bytes, or exactly `byteCount` bytes, as text in a charset.
    *
    * {{{
    * import java.nio.charset.StandardCharsets.UTF_16BE
    * val buffer = Buffer().writeShort('a').writeShort('b')
    * println(buffer.readString(2, UTF_16BE)) // a
    * println(buffer.readString(UTF_16BE)) // b
    * }}}
    */
  final def readString(charset: Charset): String =
    requestAll()
    readString(buffer.size, charset)

  final def readString(byteCount: Long, charset: Charset): String =
    if byteCount <= 0 || byteCount > buffer.front.size then requireFor("a String", byteCount)
    buffer.takeString(byteCount.toInt, charset)

  /** The next line without its end, which is `\n` or `\r\n`. The last line may have no end; null at
    * the end of the input.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("one\r\ntwo")
    * println(buffer.readUtf8Line()) // one
    * println(buffer.readUtf8Line()) // two
    * println(buffer.readUtf8Line()) // null
    * }}}
    */
  final def readUtf8Line(): String | Null =
    val line = buffer.takeFrontLine(Long.MaxValue)
    if line != null then line else readSplitLine()

  /** Reads a line that does not end in the first segment. */
  private def readSplitLine(): String | Null =
    val end = indexOf(BufferedSource.LineFeed, buffer.front.size)
    if end >= 0 then takeLine(end)
    else if buffer.size > 0 then readUtf8(buffer.size)
    else null

  /** The next line without its end, which must occur within `limit` bytes.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("GET /orders\r\nHost: a")
    * println(buffer.readUtf8LineStrict(limit = 100)) // GET /orders
    * try println(buffer.readUtf8LineStrict(limit = 100))
    * catch case _: EndOfInputException => println("no end of line") // no end of line
    * }}}
    */
  final def readUtf8LineStrict(limit: Long = Long.MaxValue): String =
    if limit < 0 then
      throw IllegalArgumentException(s"limit must be at least 0, but is $limit bytes")
    val scanned = if limit == Long.MaxValue then limit else limit + 1
    val line = buffer.takeFrontLine(scanned)
    if line != null then line else readSplitLine(limit, scanned)

  private def readSplitLine(limit: Long, scanned: Long): String =
    val end = indexOf(BufferedSource.LineFeed, Math.min(buffer.front.size, scanned), scanned)
    if end >= 0 then takeLine(end)
    else if scanned < Long.MaxValue && request(scanned) && buffer(scanned - 1) == '\r'
      && request(scanned + 1) && buffer(scanned) == '\n'
    then takeLine(scanned)
    else if scanned < Long.MaxValue && request(scanned) then
      throw EndOfInputException.longLine(limit, buffer.position, buffer.size)
    else throw buffer.ended("the end of a line")

  private def takeLine(end: Long): String =
    val cr = end > 0 && buffer(end - 1) == '\r'
    val line = readUtf8(if cr then end - 1 else end)
    buffer.drop(if cr then 2 else 1)
    line

  /** The remaining lines, without their ends.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("one\ntwo\n")
    * println(buffer.lines.toList) // List(one, two)
    * }}}
    */
  final def lines: Iterator[String] = LineIterator(this)

  /** The next code point; U+FFFD for malformed UTF-8. Waits for as many bytes as the first one
    * announces.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("€5")
    * println(buffer.readUtf8CodePoint() == '€') // true
    * println(buffer.readUtf8CodePoint() == '5') // true
    * }}}
    */
  final def readUtf8CodePoint(): Int =
    require(1)
    val bytes = Utf8.length(buffer(0))
    if bytes > 1 && !request(bytes) then
      throw buffer.ended(s"$bytes bytes of a character that begins with ${Utf8.hex(buffer(0))}")
    buffer.takeCodePoint(bytes)

  /** Reads a decimal number such as `-251`, up to the first byte that is not a digit.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("-251 points")
    * println(buffer.readDecimalLong()) // -251
    * println(buffer.readUtf8()) //  points
    * }}}
    */
  final def readDecimalLong(): Long = NumberText.decimal(this)

  /** Reads a decimal number such as `-0.5`, with at most `scale` digits after a point, as its
    * multiple of `10^-scale`: the unscaled value of a BigDecimal with this scale. Stops at the
    * first byte that does not belong to the number. Throws a [[MalformedInputException]] for a
    * point without a digit before and after it, for more digits after it, and for a result beyond a
    * Long.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("-0.5;12;0.25")
    * println(buffer.readDecimalLong(scale = 1)) // -5
    * buffer.skip(1)
    * println(buffer.readDecimalLong(scale = 1)) // 120
    * buffer.skip(1)
    * try println(buffer.readDecimalLong(scale = 1))
    * catch case e: MalformedInputException => println(e.getMessage)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `scale` is not in `[0, 18]`
    */
  final def readDecimalLong(scale: Int): Long = NumberText.decimal(this, scale)

  /** Reads a hexadecimal number of either case, up to the first byte that is not a digit.
    *
    * {{{
    * println(Buffer().writeUtf8("fB;").readHexadecimalUnsignedLong()) // 251
    * }}}
    */
  final def readHexadecimalUnsignedLong(): Long = NumberText.hexadecimal(this)

  /** Index of the first option that is a prefix of the input, which is consumed; -1, and nothing
    * consumed, if no option matches.
    *
    * {{{
    * val methods = Options(ByteString.utf8("GET "), ByteString.utf8("PUT "))
    * val buffer = Buffer().writeUtf8("PUT /orders")
    * println(buffer.select(methods)) // 1
    * println(buffer.readUtf8()) // /orders
    * }}}
    */
  final def select(options: Options): Int =
    val index = options.find(this)
    if index >= 0 then buffer.drop(options.sizeOf(index))
    index

  /** Value of the first option that is a prefix of the input, which is consumed; None, and nothing
    * consumed, if no option matches.
    *
    * {{{
    * val scale = TypedOptions(List("km" -> 1000, "m" -> 1))((unit, _) => ByteString.utf8(unit))
    * println(Buffer().writeUtf8("m").select(scale)) // Some((m,1))
    * println(Buffer().writeUtf8("ft").select(scale)) // None
    * }}}
    */
  final def select[A](options: TypedOptions[A]): Option[A] =
    options.found(select(options.options))

  /** Offset of the first occurrence of a byte in `[from, until)`, or -1.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("a;b;c")
    * println(buffer.indexOf(';'.toByte)) // 1
    * println(buffer.indexOf(';'.toByte, from = 2)) // 3
    * }}}
    */
  final def indexOf(byte: Byte, from: Long = 0, until: Long = Long.MaxValue): Long =
    Search.checkRange(from, until)
    var at = from
    var index = buffer.find(byte, at, until)
    while index < 0 && { at = at.max(buffer.size); at < until } && request(at + 1) do
      index = buffer.find(byte, at, until)
    index

  /** Offset of the first occurrence of a character's UTF-8 bytes that begins in `[from, until)`, or
    * -1. Throws an IllegalArgumentException for a surrogate.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("a;b;c")
    * println(buffer.indexOf(';')) // 1
    * println(buffer.indexOf(';', 2)) // 3
    * }}}
    */
  final def indexOf(char: Char, from: Long, until: Long): Long =
    if char < 0x80 then indexOf(char.toByte, from, until)
    else if Character.isSurrogate(char) then
      throw IllegalArgumentException(
        s"char must not be a surrogate, but is 0x${char.toInt.toHexString}"
      )
    else indexOf(ByteString.utf8(char.toString), from, until)

  final def indexOf(char: Char, from: Long): Long = indexOf(char, from, Long.MaxValue)

  final def indexOf(char: Char): Long = indexOf(char, 0)

  /** Offset of the first occurrence of the bytes that begins in `[from, until)`, or -1. Waits only
    * while further bytes can change the result.
    *
    * {{{
    * val end = ByteString.utf8("\r\n\r\n")
    * println(Buffer().writeUtf8("Host: a\r\n\r\nbody").indexOf(end)) // 7
    * }}}
    */
  final def indexOf(bytes: ByteString, from: Long, until: Long): Long =
    Search.checkRange(from, until)
    if bytes.isEmpty && from < until then request(from): Unit
    var at = from
    var index = buffer.find(bytes, at, until)
    while index < 0 && { at = buffer.firstPrefix(bytes, at, until); at < until } &&
      request(Math.max(at, buffer.size) + 1)
    do index = buffer.find(bytes, at, until)
    index

  final def indexOf(bytes: ByteString, from: Long): Long = indexOf(bytes, from, Long.MaxValue)

  final def indexOf(bytes: ByteString): Long = indexOf(bytes, 0)

  /** Offset of the first byte, from `from` on, that occurs in `bytes`; or -1.
    *
    * {{{
    * val blanks = ByteString.utf8(" \t")
    * println(Buffer().writeUtf8("price\t251").indexOfElement(blanks)) // 5
    * }}}
    */
  final def indexOfElement(bytes: ByteString, from: Long = 0): Long =
    Search.checkRange(from, Long.MaxValue)
    var at = from
    var index = buffer.findElement(bytes, at)
    while index < 0 && !bytes.isEmpty && { at = at.max(buffer.size); at < Long.MaxValue } &&
      request(at + 1)
    do index = buffer.findElement(bytes, at)
    index

  /** Whether the input has these bytes at `position`.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("%PDF-1.7")
    * println(buffer.rangeEquals(0, ByteString.utf8("%PDF-"))) // true
    * println(buffer.size) // 8
    * }}}
    */
  final def rangeEquals(position: Long, bytes: ByteString): Boolean =
    rangeEquals(position, bytes, 0, bytes.size)

  /** Whether the input has at `position` the `count` bytes of `bytes` that begin at `from`. */
  final def rangeEquals(position: Long, bytes: ByteString, from: Int, count: Int): Boolean =
    if position < 0 || from < 0 || count < 0 || from > bytes.size - count ||
      position > Long.MaxValue - count
    then false
    else
      // Requests no more bytes than needed to find a difference.
      var isEqual = true
      var done = 0
      while isEqual && done < count && { isEqual = request(position + done + 1); isEqual } do
        val step = Math.min(count - done, buffer.size - position - done).toInt
        isEqual = buffer.holds(position + done, bytes, from + done, step)
        done += step
      isEqual

  /** A source that reads the same bytes without consuming them. It is valid until this source is
    * read. It shares the segments that it has read until it is read to its end or closed.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("abc")
    * println(buffer.peek().readUtf8()) // abc
    * println(buffer.readUtf8()) // abc
    * }}}
    */
  final def peek(): BufferedSource = PeekSource(this).buffered(using buffer.pool)

  /** An input stream over this source; closing it closes the source.
    *
    * {{{
    * val stream = Buffer().writeUtf8("abc").inputStream()
    * println(stream.read().toChar) // a
    * println(String(stream.readAllBytes())) // bc
    * }}}
    */
  final def inputStream(): InputStream = new InputStream:
    def read(): Int = if request(1) then readByte() & 0xff else -1
    override def read(bytes: Array[Byte], from: Int, count: Int): Int =
      BufferedSource.this.read(bytes, from, count)
    override def available: Int =
      if isClosed then throw ClosedException("the source")
      Math.min(buffer.size, Int.MaxValue).toInt
    override def close(): Unit = BufferedSource.this.close()

  /** A channel over this source; closing it closes the source.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val channel = Buffer().writeUtf8("abc").readableChannel()
    * println(channel.read(ByteBuffer.allocate(8))) // 3
    * }}}
    */
  final def readableChannel(): ReadableByteChannel = new ReadableByteChannel:
    private var open = true
    def read(bytes: ByteBuffer): Int =
      if !open then throw ClosedChannelException()
      BufferedSource.this.read(bytes)
    def isOpen: Boolean = open && !isClosed
    def close(): Unit =
      open = false
      BufferedSource.this.close()

  private def requestAll(): Unit = while request(buffer.size + 1) do ()
end BufferedSource

private[buffer] object BufferedSource:
  val LineFeed: Byte = '\n'

/** The lines of a source; `hasNext` reads the next line. */
private final class LineIterator(source: BufferedSource) extends Iterator[String]:
  private var line: String | Null = null
  private var isAtEnd = false

  def hasNext: Boolean =
    if line == null && !isAtEnd then
      line = source.readUtf8Line()
      isAtEnd = line == null
    line != null

  def next(): String =
    if !hasNext then throw java.util.NoSuchElementException("no more lines")
    val result = line.nn
    line = null
    result
end LineIterator

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
      val count = Math.min(byteCount, upstream.buffer.size - at)
      upstream.buffer.copyTo(sink, at, count): Unit
      at += count
      count

  def close(): Unit = ()
end PeekSource
