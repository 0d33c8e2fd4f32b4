package undercroft.buffer

import internal.io.GunzipSource
import java.util.zip.{
  Deflater,
  DeflaterOutputStream,
  GZIPOutputStream,
  Inflater,
  InflaterInputStream
}

/** Compression by `java.util.zip` for sources and sinks. Truncated input throws a
  * `java.io.EOFException`, malformed input a `java.util.zip.ZipException`.
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
    * after the last member, except zeros, which are padding. Reads no input before the first read.
    *
    * {{{
    * try println(Compression.gunzip(Buffer().writeUtf8("not gzip")).buffered.readUtf8())
    * catch case error: java.util.zip.ZipException => println("damaged") // damaged
    * }}}
    */
  def gunzip(source: Source)(using SegmentPool): Source = GunzipSource(source)

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
    */
  def gzip(sink: Sink)(using SegmentPool): Sink =
    GZIPOutputStream(sink.buffered.outputStream(), ChunkBytes, true).sink()

  /** Decompresses zlib (RFC 1950); with `raw` plain deflate (RFC 1951).
    *
    * {{{
    * val packed = Buffer()
    * Compression.deflate(packed).buffered.writeUtf8("hello").close()
    * println(Compression.inflate(packed).buffered.readUtf8()) // hello
    * }}}
    */
  def inflate(source: Source, raw: Boolean = false)(using SegmentPool): Source =
    val inflater = Inflater(raw)
    val stream = new InflaterInputStream(source.buffered.inputStream(), inflater, ChunkBytes):
      override def close(): Unit =
        try super.close()
        finally inflater.end()
    stream.source()

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
    *   from 1, fast, to 9, small
    */
  def deflate(sink: Sink, level: Int = Deflater.DEFAULT_COMPRESSION, raw: Boolean = false)(using
      SegmentPool
  ): Sink =
    val deflater = Deflater(level, raw)
    val stream =
      new DeflaterOutputStream(sink.buffered.outputStream(), deflater, ChunkBytes, true):
        override def close(): Unit =
          try super.close()
          finally deflater.end()
    stream.sink()

  private val ChunkBytes = 8192
end Compression
