/** JSON by jsoniter-scala through the buffers of Undercroft: a file to copy. */
package bufferjson

import com.github.plokhotnyuk.jsoniter_scala.core.{
  JsonValueCodec,
  ReaderConfig,
  WriterConfig,
  readFromStream,
  writeToStream
}
import java.io.InputStream
import undercroft.buffer.{
  Buffer,
  BufferedSink,
  BufferedSource,
  ByteString,
  SegmentPool,
  TooLargeException
}

/** Most bytes of a line of JSON, 1 MiB. */
final val DefaultMaxLineBytes = 1L << 20

extension (source: BufferedSource)
  /** Reads the rest of the source as one JSON value. The value is parsed while the source is read,
    * through a buffer of jsoniter-scala of 32 KiB that each thread reuses
    * (`config.preferredBufSize`); only a string or a number that is longer extends it, up to
    * `config.maxBufSize`. A byte order mark before the value is skipped. Malformed JSON throws a
    * JsonReaderException: a buffer then keeps all bytes of the value; of other sources a part is
    * consumed.
    */
  def readJson[A](config: ReaderConfig = ReaderConfig)(using JsonValueCodec[A]): A =
    JsonLines.skipMark(source)
    source match
      case buffer: Buffer => buffer.readJsonFrame(buffer.size, config)
      case _              => readFromStream(source.inputStream(), config)

  /** Reads the next `byteCount` bytes, which are all requested first, as one JSON value. If they
    * are malformed, or the input ends earlier, no byte is consumed: `skip(byteCount)` continues
    * after them.
    *
    * @throws com.github.plokhotnyuk.jsoniter_scala.core.JsonReaderException
    *   if the codec rejects them
    * @throws undercroft.buffer.EndOfInputException
    *   if there are fewer bytes
    */
  def readJsonFrame[A](byteCount: Long, config: ReaderConfig = ReaderConfig)(using
      JsonValueCodec[A]
  ): A =
    source.require(byteCount)
    val value = readFromStream(FrameStream(source.buffer, byteCount), config)
    source.skip(byteCount)
    value

  /** The values of the source's lines, one in each line (JSON Lines), read on demand. Blank lines
    * are skipped. Memory is bounded by the longest line. For one thread at a time.
    *
    * A malformed line throws a JsonReaderException and is consumed, so the next call returns the
    * value of the next line. A malformed last line without a line feed is not consumed: it may be a
    * part of a line that another program writes. There are no more lines then, until more bytes
    * have arrived, with which it is parsed again. A byte order mark before the first line is
    * skipped. A line of more than `maxLineBytes` bytes throws a TooLargeException, and no byte of
    * it is consumed.
    *
    * @param isGrowing
    *   whether only a line feed ends a line, because the source grows: the part of a line at its
    *   end stays in the source, and there are no more lines until the line is complete. Otherwise a
    *   part that is valid JSON, such as the first digits of a number, is taken for the line
    * @throws java.lang.IllegalArgumentException
    *   if `maxLineBytes` is less than 1
    */
  def jsonLines[A](
      maxLineBytes: Long = DefaultMaxLineBytes,
      config: ReaderConfig = ReaderConfig,
      isGrowing: Boolean = false
  )(using JsonValueCodec[A]): Iterator[A] =
    if maxLineBytes < 1 then
      throw IllegalArgumentException(s"maxLineBytes must be at least 1, but is $maxLineBytes")
    JsonLines(source, maxLineBytes, isGrowing)(_.readJsonFrame(_, config))
end extension

extension (sink: BufferedSink)
  /** Writes a value as JSON, in steps of 32 KiB (`config.preferredBufSize`). If the codec throws, a
    * buffer is unchanged; another sink may have got a part.
    */
  def writeJson[A](value: A, config: WriterConfig = WriterConfig)(using
      JsonValueCodec[A],
      SegmentPool
  ): sink.type =
    sink match
      case buffer: Buffer =>
        val json = Buffer()
        try
          writeToStream(value, json.outputStream(), config)
          buffer.write(json, json.size)
        finally json.clear()
      case _ => writeToStream(value, sink.outputStream(), config)
    sink
end extension

/** The first `byteCount` bytes of a buffer, which must have them, as a stream that consumes none.
  */
private final class FrameStream(buffer: Buffer, byteCount: Long) extends InputStream:
  private val cursor = buffer.cursor()
  private var at = 0L

  def read(): Int =
    if at == byteCount then -1
    else
      cursor.seek(at): Unit
      at += 1
      cursor(0) & 0xff

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    if at == byteCount && count > 0 then -1
    else if count == 0 then 0
    else
      val step = Math.min(Math.min(cursor.seek(at), byteCount - at), count).toInt
      cursor.read(bytes, from, step)
      at += step
      step
end FrameStream

/** Values of lines; `parse` reads a value of a number of bytes, and consumes none if it fails.
  *
  * @param isGrowing
  *   whether only a line feed ends a line; otherwise the end of the input does, too
  */
private final class JsonLines[A](
    source: BufferedSource,
    maxLineBytes: Long,
    isGrowing: Boolean
)(parse: (BufferedSource, Long) => A)
    extends Iterator[A]:
  // Bytes that are searched for the end of a line: its most bytes and the line end.
  private val searchBytes = if maxLineBytes == Long.MaxValue then maxLineBytes else maxLineBytes + 1

  /** Bytes of a last line without an end that was malformed: it may be a part of a longer one. */
  private var malformedBytes = 0L
  private var isAtStart = true

  def hasNext: Boolean =
    if isAtStart then
      isAtStart = false
      JsonLines.skipMark(source)
    if malformedBytes == 0 then skipBlanks()
    if isGrowing then source.indexOf('\n'.toByte, 0, searchBytes) >= 0 || isTooLong
    else source.request(malformedBytes + 1)

  def next(): A =
    if !hasNext then throw java.util.NoSuchElementException("the source has no more lines of JSON")
    val end = source.indexOf('\n'.toByte, 0, searchBytes)
    if end < 0 && isTooLong then
      throw TooLargeException("a line of JSON", searchBytes, maxLineBytes)
    val count = if end >= 0 then end else source.buffer.size
    malformedBytes = 0
    try parse(source, count)
    catch
      case e: Throwable =>
        if end >= 0 then source.skip(count) else malformedBytes = count
        throw e

  private def isTooLong: Boolean = source.request(searchBytes)

  /** Skips blanks and line ends before a value, which no limit bounds. */
  private def skipBlanks(): Unit =
    while source.request(1) && isBlank(source.buffer(0)) do source.skip(1)

  private def isBlank(byte: Byte): Boolean =
    byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'
end JsonLines

private object JsonLines:
  /** U+FEFF in UTF-8. */
  private val ByteOrderMark: ByteString = ByteString.of(0xef, 0xbb, 0xbf)

  /** Skips a byte order mark, which Windows programs write. */
  def skipMark(source: BufferedSource): Unit =
    if source.rangeEquals(0, ByteOrderMark) then source.skip(ByteOrderMark.size)
