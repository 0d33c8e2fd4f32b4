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
    */
  def gunzip(source: Source)(using SegmentPool): Source = GunzipSource(source)

  /** Compresses as gzip; the close writes the trailer. After a flush a reader can decompress all
    * bytes written so far.
    */
  def gzip(sink: Sink)(using SegmentPool): Sink =
    GZIPOutputStream(sink.buffered.outputStream(), ChunkBytes, true).sink()

  /** Decompresses zlib (RFC 1950); with `raw` plain deflate (RFC 1951). */
  def inflate(source: Source, raw: Boolean = false)(using SegmentPool): Source =
    val inflater = Inflater(raw)
    val stream = new InflaterInputStream(source.buffered.inputStream(), inflater, ChunkBytes):
      override def close(): Unit =
        try super.close()
        finally inflater.end()
    stream.source()

  /** Compresses as zlib, or with `raw` as plain deflate.
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
