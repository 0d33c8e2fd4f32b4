package undercroft.buffer

import java.util.zip.{
  Deflater,
  DeflaterOutputStream,
  GZIPInputStream,
  GZIPOutputStream,
  Inflater,
  InflaterInputStream
}

/** Compression by `java.util.zip`, between sources and sinks. Input that ends too early is a
  * `java.io.EOFException`, input that is no such format a `java.util.zip.ZipException`.
  */
object Compression:
  /** What a source in gzip's format holds (RFC 1952), all members of it, its checksums checked. */
  def gunzip(source: Source)(using SegmentPool): Source =
    GZIPInputStream(source.buffered.inputStream(), ChunkBytes).source()

  /** Writes gzip's format; the close writes its end. A flush writes what can be read so far. */
  def gzip(sink: Sink)(using SegmentPool): Sink =
    GZIPOutputStream(sink.buffered.outputStream(), ChunkBytes, true).sink()

  /** What a source in zlib's format holds (RFC 1950); with `raw` that of deflate alone (1951). */
  def inflate(source: Source, raw: Boolean = false)(using SegmentPool): Source =
    val inflater = Inflater(raw)
    val stream = new InflaterInputStream(source.buffered.inputStream(), inflater, ChunkBytes):
      override def close(): Unit =
        try super.close()
        finally inflater.end()
    stream.source()

  /** Writes zlib's format, or with `raw` that of deflate alone.
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
