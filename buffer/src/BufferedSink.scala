package undercroft.buffer

import internal.codec.{Bounds, Search}
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
  /** The bytes written and not yet passed to the underlying sink. */
  def buffer: Buffer

  /** Whether it was closed. */
  private[buffer] def isClosed: Boolean

  /** Called at the end of every write. */
  private[buffer] def written(): Unit

  final def write(bytes: Array[Byte]): this.type = write(bytes, 0, bytes.length)

  final def write(bytes: Array[Byte], from: Int, count: Int): this.type =
    buffer.append(bytes, from, count)
    written()
    this

  /** Writes bytes; shares the segments if the string has shared segments. */
  final def write(bytes: ByteString): this.type =
    bytes.appendTo(buffer)
    written()
    this

  /** Copies the bytes of a ByteBuffer between its position, which advances, and its limit. */
  final def write(bytes: ByteBuffer): this.type =
    buffer.append(MemorySegment.ofBuffer(bytes))
    bytes.position(bytes.limit): Unit
    written()
    this

  /** Writes all bytes of a segment of any size; full segments are emitted after each MiB. A buffer
    * takes all bytes or none.
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

  /** Writes `count` bytes of a string, from index `from`. */
  final def write(bytes: ByteString, from: Int, count: Int): this.type =
    write(bytes.substring(from, from + count))

  /** Moves `byteCount` bytes from the beginning of a buffer; if it has fewer, throws and moves
    * none.
    */
  def write(source: Buffer, byteCount: Long): Unit

  /** Moves exactly `byteCount` bytes from a source; if it ends earlier, keeps the bytes that were
    * read and throws an [[EndOfInputException]].
    */
  final def write(source: Source, byteCount: Long): this.type =
    Search.checkCount(byteCount)
    var rest = byteCount
    while rest > 0 do
      val count = source.read(buffer, rest)
      if count == -1 then
        throw EndOfInputException(Bounds.bytes(byteCount), byteCount - rest, 0)
      rest -= count
      written()
    this

  /** Passes all buffered bytes to the underlying sink, without flushing that sink. */
  def emit(): this.type

  /** Passes full segments, which further writes do not change, to the underlying sink. */
  def emitCompleteSegments(): this.type

  /** Moves all remaining bytes of a source.
    *
    * @return
    *   the number of bytes
    */
  final def writeAll(source: Source): Long =
    var total = 0L
    var count = source.read(buffer, BufferedSink.MoveBytes)
    while count != -1 do
      total += count
      written()
      count = source.read(buffer, BufferedSink.MoveBytes)
    total

  /** Writes text as UTF-8; an unpaired surrogate becomes `?`. */
  final def writeUtf8(text: String): this.type = writeUtf8(text, 0, text.length)

  final def writeUtf8(text: String, from: Int, until: Int): this.type =
    buffer.appendUtf8(text, from, until)
    written()
    this

  /** Writes a code point as UTF-8; a surrogate becomes `?`. Throws an IllegalArgumentException if
    * it is not a code point.
    */
  final def writeUtf8CodePoint(point: Int): this.type =
    if !Character.isValidCodePoint(point) then
      throw IllegalArgumentException(s"0x${Integer.toHexString(point)} is not a code point")
    if point >= 0xd800 && point <= 0xdfff then writeByte('?')
    else writeUtf8(Character.toString(point))

  final def writeString(text: String, charset: Charset): this.type = write(text.getBytes(charset))

  final def writeString(text: String, from: Int, until: Int, charset: Charset): this.type =
    writeString(text.substring(from, until), charset)

  /** Writes lines as UTF-8, each followed by a line feed. */
  final def writeUtf8Lines(lines: Iterator[String]): this.type =
    lines.foreach(line => writeUtf8(line).writeByte('\n'): Unit)
    this

  /** Writes a number in decimal text, such as `-251`. */
  final def writeDecimalLong(value: Long): this.type =
    buffer.appendDecimal(value)
    written()
    this

  /** Writes a number in hexadecimal text without a sign or leading zeros, such as `fb`. */
  final def writeHexadecimalUnsignedLong(value: Long): this.type =
    buffer.appendHexadecimal(value)
    written()
    this

  /** An output stream over this sink; closing it closes the sink. */
  final def outputStream(): OutputStream = new OutputStream:
    def write(value: Int): Unit = writeByte(value): Unit
    override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
      BufferedSink.this.write(bytes, from, count): Unit
    override def flush(): Unit = BufferedSink.this.flush()
    override def close(): Unit = BufferedSink.this.close()

  /** A channel over this sink; closing it closes the sink. */
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
