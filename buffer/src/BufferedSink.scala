package undercroft.buffer

import java.io.OutputStream
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel
import java.nio.charset.Charset

/** A [[Sink]] that takes numbers, text and bytes in every form. Each call answers the sink itself,
  * so that calls can be chained.
  */
trait BufferedSink extends Sink, WritesNumbers:
  /** What was written and not handed on yet. */
  def buffer: Buffer

  /** What every operation ends with. */
  private[buffer] def written(): Unit

  final def write(bytes: Array[Byte]): this.type = write(bytes, 0, bytes.length)

  final def write(bytes: Array[Byte], from: Int, count: Int): this.type =
    buffer.append(bytes, from, count)
    written()
    this

  /** Writes bytes, or shares them where the string shares its segments. */
  final def write(bytes: ByteString): this.type =
    bytes.appendTo(buffer)
    written()
    this

  /** Copies what a ByteBuffer has between its position and its limit, and moves its position. */
  final def write(bytes: ByteBuffer): this.type =
    buffer.append(MemorySegment.ofBuffer(bytes))
    bytes.position(bytes.limit): Unit
    written()
    this

  /** Writes all bytes of a segment, of any size: what is full is handed on each mebibyte. A buffer
    * takes all or nothing.
    */
  final def write(bytes: MemorySegment): this.type =
    val most = if buffer eq this then bytes.byteSize else BufferedSink.PieceBytes
    var done = 0L
    while done < bytes.byteSize do
      val some = Math.min(bytes.byteSize - done, most)
      buffer.append(bytes.asSlice(done, some))
      written()
      done += some
    this

  /** Writes a part of a string. */
  final def write(bytes: ByteString, from: Int, count: Int): this.type =
    write(bytes.substring(from, from + count))

  /** Moves exactly `byteCount` bytes of a source; where it ends before, an [[EndOfInputException]]
    * and what there was.
    */
  final def write(source: Source, byteCount: Long): this.type =
    Search.checkCount(byteCount)
    var rest = byteCount
    while rest > 0 do
      val some = source.read(buffer, rest)
      if some == -1 then
        throw EndOfInputException(s"$byteCount bytes", byteCount - rest, 0)
      rest -= some
      written()
    this

  /** Hands everything on to the sink behind this one, which may keep it; a flush does not. */
  def emit(): this.type

  /** Hands on what more writing leaves alone. */
  def emitCompleteSegments(): this.type

  /** Moves everything that a source still gives.
    *
    * @return
    *   how many bytes
    */
  final def writeAll(source: Source): Long =
    var total = 0L
    var some = source.read(buffer, BufferedSink.MoveBytes)
    while some != -1 do
      total += some
      written()
      some = source.read(buffer, BufferedSink.MoveBytes)
    total

  /** Writes text as UTF-8; a surrogate that has no pair as `?`. */
  final def writeUtf8(text: String): this.type = writeUtf8(text, 0, text.length)

  final def writeUtf8(text: String, from: Int, until: Int): this.type =
    buffer.appendUtf8(text, from, until)
    written()
    this

  /** Writes a code point as UTF-8; a surrogate as `?`, and what is none is refused. */
  final def writeUtf8CodePoint(point: Int): this.type =
    if !Character.isValidCodePoint(point) then
      throw IllegalArgumentException(s"0x${Integer.toHexString(point)} is no code point")
    if point >= 0xd800 && point <= 0xdfff then writeByte('?')
    else writeUtf8(Character.toString(point))

  final def writeString(text: String, charset: Charset): this.type = write(text.getBytes(charset))

  final def writeString(text: String, from: Int, until: Int, charset: Charset): this.type =
    writeString(text.substring(from, until), charset)

  /** Writes lines as UTF-8, each with a line feed behind it. */
  final def writeUtf8Lines(lines: Iterator[String]): this.type =
    lines.foreach(line => writeUtf8(line).writeByte('\n'): Unit)
    this

  /** Writes a number as text, such as `-251`. */
  final def writeDecimalLong(value: Long): this.type =
    buffer.appendDecimal(value)
    written()
    this

  /** Writes a number as hexadecimal digits without a sign or leading zeros, such as `fb`. */
  final def writeHexadecimalUnsignedLong(value: Long): this.type =
    buffer.appendHexadecimal(value)
    written()
    this

  /** This sink as a stream, whose close closes it. */
  final def outputStream(): OutputStream = new OutputStream:
    def write(value: Int): Unit = writeByte(value): Unit
    override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
      BufferedSink.this.write(bytes, from, count): Unit
    override def flush(): Unit = BufferedSink.this.flush()
    override def close(): Unit = BufferedSink.this.close()

  /** This sink as a channel, whose close closes it. */
  final def writableChannel(): WritableByteChannel = new WritableByteChannel:
    private var open = true
    def write(bytes: ByteBuffer): Int =
      val count = bytes.remaining
      BufferedSink.this.write(bytes): Unit
      count
    def isOpen: Boolean = open
    def close(): Unit =
      open = false
      BufferedSink.this.close()
end BufferedSink

private[buffer] object BufferedSink:
  /** Of a large segment, what is copied before it is handed on. */
  val PieceBytes: Long = 1L << 20

  /** Bytes moved at a time. */
  val MoveBytes = 8192L
