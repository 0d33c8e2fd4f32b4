package undercroft.pekko
package internal.stream

import org.apache.pekko.util.ByteString
import undercroft.buffer.{Buffer, SegmentPool, Sink}

/** Writes byte strings to a sink, through a buffer. */
private[pekko] final class SinkWriter(sink: Sink, autoFlush: Boolean)(using SegmentPool)
    extends Target[ByteString]:
  private val buffer = Buffer()

  def write(bytes: ByteString): Long =
    bytes.asByteBuffers.foreach(part => buffer.write(part))
    buffer.readAll(sink): Unit // a sink that leaves bytes is an error
    if autoFlush then sink.flush()
    bytes.length

  def complete(): Unit = sink.flush()

  def close(): Unit =
    buffer.clear()
    sink.close()
end SinkWriter
