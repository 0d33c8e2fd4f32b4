package undercroft.buffer.fs2streams
package internal.pipe

import java.io.IOException
import undercroft.buffer.{Buffer, ForwardingSource, Pipe, SegmentPool, Sink}

/** The reader's end of a pipe to which a stream writes. */
private[fs2streams] final class StreamSource(pipe: Pipe) extends ForwardingSource(pipe.source):
  @volatile private var failure: Throwable | Null = null

  def sink: Sink = pipe.sink

  override def read(sink: Buffer, byteCount: Long): Long =
    val count = super.read(sink, byteCount)
    val cause = failure
    if count == -1 && (cause ne null) then throw IOException(s"the stream failed: $cause", cause)
    count

  /** Ends the input; called once, by the stream. */
  def end(outcome: Either[Throwable, Unit]): Unit =
    outcome.left.foreach(cause => failure = cause)
    try pipe.sink.close()
    catch case _: IOException => () // the reader has closed its end

  def cancel(): Unit = pipe.cancel()
end StreamSource

private[fs2streams] object StreamSource:
  def apply(maxBytes: Long)(using SegmentPool): StreamSource = new StreamSource(Pipe(maxBytes))
