package undercroft.buffer

import internal.io.{DeflaterSink, GunzipSource, InflaterSource}
import java.util.zip.{Deflater, DeflaterOutputStream, GZIPOutputStream, Inflater}

/** Compression by `java.util.zip` for sources and sinks. Truncated input throws a
  * `java.io.EOFException`, malformed input a `java.util.zip.ZipException`. Each source and sink has
  * the timeout of its argument. One read either returns bytes or throws. A write that fails has
  * consumed the bytes that it has compressed; the next call passes their output on.
  *
  * {{{
  * val packed = Buffer()
  * Compression.gzip(packed).buffered.writeUtf8("hello").close()
  * println(Compression.gunzip(packed).buffered.readUtf8())
  * }}}
  */
object Compression:
  /** Decompresses gzip (RFC 1952): all members, verifying the checksum and the size of each. Throws
    * an EOFException for a truncated member, and a ZipException for a corrupt one or for bytes
    * after the last member, except zeros, which are padding; both after all bytes that were decoded
    * before. Reads no input before the first read.
    *
    * {{{
    * try println(Compression.gunzip(Buffer().writeUtf8("not gzip")).buffered.readUtf8())
    * catch case error: java.util.zip.ZipException => println("damaged") // damaged
    * }}}
    */
  def gunzip(source: Source)(using SegmentPool): Source =
    GunzipSource(inputOf(source), mostMembers = Long.MaxValue)

  /** Decompresses one member of gzip, as [[gunzip]], and leaves the bytes after it in `source`. Its
    * close closes `source`.
    *
    * {{{
    * val packed = Buffer()
    * Compression.gzip(packed).buffered.writeUtf8("hello").close()
    * packed.writeUtf8("the next part")
    * println(Compression.gunzipMember(packed).buffered.readUtf8()) // hello
    * println(packed.readUtf8()) // the next part
    * }}}
    */
  def gunzipMember(source: BufferedSource): Source =
    GunzipSource(source, mostMembers = 1)

  /** Compresses as gzip; the close writes the trailer. After a flush a reader can decompress all
    * bytes written so far.
    *
    * {{{
    * val packed = Buffer()
    * val output = Compression.gzip(packed).buffered
    * output.writeUtf8("hello").flush()
    * println(packed.size > 0) // true
    * output.close()
    * println(Compression.gunzip(packed).buffered.readUtf8()) // hello
    * }}}
    *
    * @param level
    *   from 1, fast, to 9, small; 0 stores, -1 is zlib's default
    */
  def gzip(sink: Sink, level: Int = Deflater.DEFAULT_COMPRESSION)(using SegmentPool): Sink =
    checkLevel(level)
    DeflaterSink(sink, "the gzip sink"): output =>
      new GZIPOutputStream(output, ChunkBytes, true):
        `def`.setLevel(level)

  /** Decompresses zlib (RFC 1950); with `raw` plain deflate (RFC 1951). Ends at the end of the
    * data; the bytes after it remain in `source` if that is a [[BufferedSource]], for example a
    * Buffer. Invalid data is a ZipException, and truncated data an EOFException, after all bytes
    * that were decoded before.
    *
    * {{{
    * val packed = Buffer()
    * Compression.deflate(packed).buffered.writeUtf8("hello").close()
    * println(Compression.inflate(packed).buffered.readUtf8()) // hello
    * }}}
    *
    * @param dictionary
    *   the bytes that the data was compressed with, if any. Data that needs another dictionary
    *   throws a ZipException
    */
  def inflate(source: Source, raw: Boolean = false, dictionary: ByteString = ByteString.empty)(using
      SegmentPool
  ): Source =
    val inflater = Inflater(raw)
    if raw && !dictionary.isEmpty then inflater.setDictionary(dictionary.toByteArray)
    InflaterSource(inputOf(source), inflater, isOwn = true, dictionary)

  /** Decompresses by an Inflater that the caller ends after the close. As above, and the source
    * also ends where its input ends at a flush, as each message of WebSocket's permessage-deflate
    * does: `inflater.finished` is false then, and after more input has arrived the source
    * continues. After `inflater.reset()` it reads further data. An Inflater that was ended is an
    * IOException.
    *
    * {{{
    * import java.util.zip.{Deflater, Inflater}
    * val (deflater, inflater) = (Deflater(6, true), Inflater(true))
    * val wire = Buffer()
    * val output = Compression.deflate(wire, deflater).buffered
    * val input = Compression.inflate(wire, inflater)
    * for message <- List("one", "two") do
    *   output.writeUtf8(message).flush()
    *   val text = Buffer()
    *   text.writeAll(input)
    *   println(text.readUtf8()) // one, then two
    * }}}
    */
  def inflate(source: Source, inflater: Inflater)(using SegmentPool): Source =
    InflaterSource(inputOf(source), inflater, isOwn = false, ByteString.empty)

  private def inputOf(source: Source)(using SegmentPool): BufferedSource = source match
    case input: BufferedSource => input
    case _                     => source.buffered

  /** Compresses as zlib, or with `raw` as plain deflate.
    *
    * {{{
    * val (fast, small) = (Buffer(), Buffer())
    * for (target, level) <- List((fast, 1), (small, 9)) do
    *   Compression.deflate(target, level).buffered.writeUtf8("price 251 " * 1000).close()
    * println(small.size <= fast.size) // true
    * }}}
    *
    * @param level
    *   from 1, fast, to 9, small; 0 stores, -1 is zlib's default
    * @param dictionary
    *   bytes that the data is likely to contain, for short data: at most the last 32 KiB count, and
    *   the reader needs the same bytes
    */
  def deflate(
      sink: Sink,
      level: Int = Deflater.DEFAULT_COMPRESSION,
      raw: Boolean = false,
      dictionary: ByteString = ByteString.empty
  )(using SegmentPool): Sink =
    checkLevel(level)
    val deflater = Deflater(level, raw)
    if !dictionary.isEmpty then deflater.setDictionary(dictionary.toByteArray)
    deflated(sink, deflater, isOwn = true)

  /** Compresses by a Deflater that the caller ends after the close. One that was ended before is an
    * IOException.
    *
    * {{{
    * import java.util.zip.Deflater
    * val deflater = Deflater()
    * deflater.setStrategy(Deflater.HUFFMAN_ONLY)
    * val packed = Buffer()
    * try Compression.deflate(packed, deflater).buffered.writeUtf8("hello").close()
    * finally deflater.end()
    * println(Compression.inflate(packed).buffered.readUtf8()) // hello
    * }}}
    */
  def deflate(sink: Sink, deflater: Deflater)(using SegmentPool): Sink =
    deflated(sink, deflater, isOwn = false)

  private def deflated(sink: Sink, deflater: Deflater, isOwn: Boolean)(using SegmentPool): Sink =
    DeflaterSink(sink, "the deflate sink"): output =>
      new DeflaterOutputStream(output, deflater, ChunkBytes, true):
        override def close(): Unit =
          try super.close()
          finally if isOwn then deflater.end()

  private def checkLevel(level: Int): Unit =
    if level < Deflater.DEFAULT_COMPRESSION || level > Deflater.BEST_COMPRESSION then
      throw IllegalArgumentException(s"the compression level must be from -1 to 9; it is $level")

  private val ChunkBytes = 8192
end Compression
