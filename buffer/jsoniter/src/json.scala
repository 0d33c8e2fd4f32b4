package undercroft.buffer.jsoniter

import com.github.plokhotnyuk.jsoniter_scala.core.{
  JsonValueCodec,
  ReaderConfig,
  WriterConfig,
  readFromStream,
  writeToStream
}
import internal.stream.{FrameStream, JsonLines}
import undercroft.buffer.{Buffer, BufferedSink, BufferedSource}

/** Most bytes of a line of JSON, 1 MiB. */
final val DefaultMaxLineBytes = 1L << 20

extension (source: BufferedSource)
  /** Reads the rest of the source as one JSON value. The value is parsed while the source is read,
    * through a buffer of jsoniter-scala of 32 KiB that each thread reuses
    * (`config.preferredBufSize`); only a string or a number that is longer extends it, up to
    * `config.maxBufSize`. A byte order mark before the value is skipped. Malformed JSON throws a
    * JsonReaderException: a buffer then keeps all bytes of the value; of other sources a part is
    * consumed.
    *
    * {{{
    * import com.github.plokhotnyuk.jsoniter_scala.core.*
    * import undercroft.buffer.Buffer
    * given JsonValueCodec[Long] with
    *   def decodeValue(in: JsonReader, default: Long): Long = in.readLong()
    *   def encodeValue(value: Long, out: JsonWriter): Unit = out.writeVal(value)
    *   def nullValue: Long = 0
    * println(Buffer().writeUtf8(" 251 ").readJson[Long]()) // 251
    * }}}
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
    * {{{
    * import com.github.plokhotnyuk.jsoniter_scala.core.*
    * import undercroft.buffer.Buffer
    * given JsonValueCodec[String] with
    *   def decodeValue(in: JsonReader, default: String): String = in.readString(default)
    *   def encodeValue(value: String, out: JsonWriter): Unit = out.writeVal(value)
    *   def nullValue: String = ""
    * val buffer = Buffer().writeInt(7).writeUtf8("\"price\"").writeUtf8("the next frame")
    * println(buffer.readJsonFrame[String](buffer.readInt())) // price
    * println(buffer.readUtf8()) // the next frame
    * }}}
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
    * {{{
    * import com.github.plokhotnyuk.jsoniter_scala.core.*
    * import undercroft.buffer.Buffer
    * given JsonValueCodec[Long] with
    *   def decodeValue(in: JsonReader, default: Long): Long = in.readLong()
    *   def encodeValue(value: Long, out: JsonWriter): Unit = out.writeVal(value)
    *   def nullValue: Long = 0
    * println(Buffer().writeUtf8("1\n20\n\n300").jsonLines[Long]().sum) // 321
    * }}}
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
    *
    * {{{
    * import com.github.plokhotnyuk.jsoniter_scala.core.*
    * import undercroft.buffer.Buffer
    * given JsonValueCodec[String] with
    *   def decodeValue(in: JsonReader, default: String): String = in.readString(default)
    *   def encodeValue(value: String, out: JsonWriter): Unit = out.writeVal(value)
    *   def nullValue: String = ""
    * println(Buffer().writeJson("price").readUtf8()) // "price"
    * }}}
    */
  def writeJson[A](value: A, config: WriterConfig = WriterConfig)(using
      JsonValueCodec[A]
  ): sink.type =
    sink match
      case buffer: Buffer =>
        val json = Buffer(using buffer.pool)
        try
          writeToStream(value, json.outputStream(), config)
          buffer.write(json, json.size)
        finally json.clear()
      case _ => writeToStream(value, sink.outputStream(), config)
    sink
end extension
