package undercroft.pekko
package internal.stream

import java.io.IOException
import org.apache.pekko.util.ByteString
import undercroft.buffer.{Buffer, SegmentPool, Source}

/** Reads a source in chunks. Each is copied from the buffer to an array of its own, because the
  * buffer's segments return to their pool.
  */
private[pekko] final class SourceReader(source: Source, chunkBytes: Int)(using SegmentPool):
  private val buffer = Buffer()

  /** The next bytes: at least one, at most `chunkBytes`. */
  def next(): Option[ByteString] =
    val count = source.read(buffer, chunkBytes)
    if count == -1 then None
    else if count < 1 || count > chunkBytes || count != buffer.size then
      throw IOException(
        s"a source must read from 1 to $chunkBytes bytes; it returned $count and moved ${buffer.size}"
      )
    else Some(ByteString.fromArrayUnsafe(buffer.readByteArray()))

  def close(): Unit =
    buffer.clear()
    source.close()
end SourceReader
