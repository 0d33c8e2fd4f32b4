package undercroft.buffer

import internal.codec.{Bounds, Search}
import internal.io.Progress
import java.io.OutputStream
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.{ClosedChannelException, WritableByteChannel}
import java.nio.charset.Charset

/** A [[Sink]] with a buffer that writes numbers, text and bytes. Calls return the sink, for
  * chaining.
  *
  * {{{
  * import java.io.ByteArrayOutputStream
  * val bytes = ByteArrayOutputStream()
  * val output = bytes.sink().buffered
  * output.writeUtf8("price ").writeDecimalLong(251).flush()
  * println(bytes.size)
  * }}}
  */
trait BufferedSink extends Sink, NumberWriter:
  /** The bytes written and not yet passed to the underlying sink.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val output = ByteArrayOutputStream().sink().buffered.writeUtf8("abc")
    * println(output.buffer.size) // 3
    * }}}
    */
  def buffer: Buffer

  /** Whether it was closed. */
  private[buffer] def isClosed: Boolean

  /** Called at the end of every write. */
  private[buffer] def written(): Unit

  /** Copies all bytes of an array, or `count` bytes from index `from`.
    *
    * {{{
    * val bytes = Array[Byte](1, 2, 3, 4)
    * val buffer = Buffer().write(bytes).write(bytes, 1, 2)
    * println(buffer.readByteString().hex) // 010203040203
    * }}}
    */
  final def write(bytes: Array[Byte]): this.type = write(bytes, 0, bytes.length)

  final def write(bytes: Array[Byte], from: Int, count: Int): this.type =
    buffer.append(bytes, from, count)
    written()
    this

  /** Writes bytes; shares the segments if the string has shared segments.
    *
    * {{{
    * println(Buffer().write(ByteString.utf8("abc")).readUtf8()) // abc
    * }}}
    */
  final def write(bytes: ByteString): this.type =
    bytes.appendTo(buffer)
    written()
    this

  /** Copies the bytes of a ByteBuffer between its position, which advances, and its limit.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val bytes = ByteBuffer.wrap("abcd".getBytes).position(1)
    * println(Buffer().write(bytes).readUtf8()) // bcd
    * println(bytes.hasRemaining) // false
    * }}}
    */
  final def write(bytes: ByteBuffer): this.type =
    buffer.append(MemorySegment.ofBuffer(bytes))
    bytes.position(bytes.limit): Unit
    written()
    this

  /** Writes all bytes of a segment of any size; full segments are emitted after each MiB. A buffer
    * takes all bytes or none.
    *
    * {{{
    * import java.lang.foreign.Arena
    * val arena = Arena.ofConfined()
    * try println(Buffer().write(arena.allocateFrom("abc")).size) // 4
    * finally arena.close()
    * }}}
    */
  final def write(bytes: MemorySegment): this.type =
    val maxStep = if buffer eq this then bytes.byteSize else BufferedSink.PieceBytes
    var done = 0L
    while done < bytes.byteSize do
      val step = Math.min(bytes.byteSize - done, maxStep)
      buffer.append(bytes.asSlice(done, step))
      written()
      done += step
    this

  /** Writes `count` bytes of a string, from index `from`.
    *
    * {{{
    * println(Buffer().write(ByteString.utf8("abcd"), 1, 2).readUtf8()) // bc
    * }}}
    */
  final def write(bytes: ByteString, from: Int, count: Int): this.type =
    java.util.Objects.checkFromIndexSize(from, count, bytes.size): Unit
    // A substring of all bytes would share the segments until it is closed.
    if count == bytes.size then write(bytes) else write(bytes.substring(from, from + count))

  /** Moves `byteCount` bytes from the beginning of a buffer; if it has fewer, throws and moves
    * none.
    */
  def write(source: Buffer, byteCount: Long): Unit

  /** Moves exactly `byteCount` bytes from a source; if it ends earlier, keeps the bytes that were
    * read and throws an [[EndOfInputException]].
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val source = ByteArrayInputStream("abcd".getBytes).source()
    * println(Buffer().write(source, 3).readUtf8()) // abc
    * }}}
    */
  final def write(source: Source, byteCount: Long): this.type =
    Search.checkCount(byteCount)
    var rest = byteCount
    while rest > 0 do
      val count = Progress.read(source, buffer, rest)
      if count == -1 then
        throw EndOfInputException(Bounds.bytes(byteCount), byteCount - rest, 0)
      rest -= count
      written()
    this

  /** Passes all buffered bytes to the underlying sink, without flushing that sink.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * val output = stream.sink().buffered.writeUtf8("abc")
    * println(stream.size) // 0
    * output.emit()
    * println(stream.size) // 3
    * }}}
    */
  def emit(): this.type

  /** Passes full segments, which further writes do not change, to the underlying sink.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * val output = stream.sink().buffered
    * output.buffer.write(new Array[Byte](10_000)) // not through `output`, which emits by itself
    * output.emitCompleteSegments()
    * println(stream.size) // 8192
    * }}}
    */
  def emitCompleteSegments(): this.type

  /** Moves all remaining bytes of a source. A source without progress is a [[NoProgressException]].
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val buffer = Buffer()
    * println(buffer.writeAll(ByteArrayInputStream("abc".getBytes).source())) // 3
    * println(buffer.readUtf8()) // abc
    * }}}
    *
    * @return
    *   the number of bytes
    */
  final def writeAll(source: Source): Long =
    var total = 0L
    var count = Progress.read(source, buffer, BufferedSink.MoveBytes)
    while count != -1 do
      total += count
      written()
      count = Progress.read(source, buffer, BufferedSink.MoveBytes)
    total

  /** Writes text as UTF-8; an unpaired surrogate becomes `?`.
    *
    * {{{
    * val buffer = Buffer().writeUtf8("€").writeUtf8("a price", 2, 7)
    * println(buffer.size) // 8
    * println(buffer.readUtf8()) // €price
    * }}}
    */
  final def writeUtf8(text: String): this.type = writeUtf8(text, 0, text.length)

  final def writeUtf8(text: String, from: Int, until: Int): this.type =
    buffer.appendUtf8(text, from, until)
    written()
    this

  /** Writes a code point as UTF-8; a surrogate becomes `?`. Throws an IllegalArgumentException if
    * it is not a code point.
    *
    * {{{
    * println(Buffer().writeUtf8CodePoint(0x20ac).readUtf8()) // €
    * }}}
    */
  final def writeUtf8CodePoint(point: Int): this.type =
    if !Character.isValidCodePoint(point) then
      throw IllegalArgumentException(s"0x${Integer.toHexString(point)} is not a code point")
    if point >= 0xd800 && point <= 0xdfff then writeByte('?')
    else writeUtf8(Character.toString(point))

  /** Writes text in a charset.
    *
    * {{{
    * import java.nio.charset.StandardCharsets.UTF_16BE
    * println(Buffer().writeString("ab", UTF_16BE).readByteString().hex) // 00610062
    * }}}
    */
  final def writeString(text: String, charset: Charset): this.type = write(text.getBytes(charset))

  final def writeString(text: String, from: Int, until: Int, charset: Charset): this.type =
    writeString(text.substring(from, until), charset)

  /** Writes lines as UTF-8, each followed by a line feed. A line that exceeds a budget was taken
    * from the iterator, and nothing of it is written.
    *
    * {{{
    * println(Buffer().writeUtf8Lines(Iterator("one", "two")).size) // 8
    * }}}
    */
  final def writeUtf8Lines(lines: Iterator[String]): this.type =
    lines.foreach: line =>
      buffer.appendLine(line)
      written()
    this

  /** Writes a number in decimal text, such as `-251`.
    *
    * {{{
    * println(Buffer().writeDecimalLong(-251).readUtf8()) // -251
    * }}}
    */
  final def writeDecimalLong(value: Long): this.type =
    buffer.appendDecimal(value)
    written()
    this

  /** Writes a number in hexadecimal text without a sign or leading zeros, such as `fb`.
    *
    * {{{
    * println(Buffer().writeHexadecimalUnsignedLong(251).readUtf8()) // fb
    * }}}
    */
  final def writeHexadecimalUnsignedLong(value: Long): this.type =
    buffer.appendHexadecimal(value)
    written()
    this

  /** An output stream over this sink; closing it closes the sink.
    *
    * {{{
    * import java.util.zip.GZIPOutputStream
    * val buffer = Buffer()
    * val stream = GZIPOutputStream(buffer.outputStream())
    * stream.write("hello".getBytes)
    * stream.close()
    * println(Compression.gunzip(buffer).buffered.readUtf8()) // hello
    * }}}
    */
  final def outputStream(): OutputStream = new OutputStream:
    def write(value: Int): Unit = writeByte(value): Unit
    override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
      BufferedSink.this.write(bytes, from, count): Unit
    override def flush(): Unit = BufferedSink.this.flush()
    override def close(): Unit = BufferedSink.this.close()

  /** A channel over this sink; closing it closes the sink.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val buffer = Buffer()
    * buffer.writableChannel().write(ByteBuffer.wrap("abc".getBytes))
    * println(buffer.readUtf8()) // abc
    * }}}
    */
  final def writableChannel(): WritableByteChannel = new WritableByteChannel:
    private var open = true
    def write(bytes: ByteBuffer): Int =
      if !open then throw ClosedChannelException()
      val count = bytes.remaining
      BufferedSink.this.write(bytes): Unit
      count
    def isOpen: Boolean = open && !isClosed
    def close(): Unit =
      open = false
      BufferedSink.this.close()
end BufferedSink

private[buffer] object BufferedSink:
  /** Bytes of a large memory segment that are copied before full segments are emitted. */
  val PieceBytes: Long = 1L << 20

  /** Bytes moved at a time. */
  val MoveBytes = 8192L
