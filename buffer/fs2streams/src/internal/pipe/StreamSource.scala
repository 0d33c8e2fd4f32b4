package undercroft.buffer.fs2streams
package internal.pipe

import java.io.IOException
import java.util.concurrent.CompletableFuture
import undercroft.buffer.{Buffer, ForwardingSource, Pipe, SegmentPool, Sink}

/** The reader's end of a pipe to which a stream writes. */
private[fs2streams] final class StreamSource(pipe: Pipe) extends ForwardingSource(pipe.source):
  @volatile private var failure: Throwable | Null = null
  private var hasEnded = false

  /** Completed when the reader closes the source. */
  val closed: CompletableFuture[Unit] = CompletableFuture()

  def sink: Sink = pipe.sink

  override def read(sink: Buffer, byteCount: Long): Long =
    val count = super.read(sink, byteCount)
    val cause = failure
    if count == -1 && (cause ne null) then throw IOException(s"the stream failed: $cause", cause)
    count

  override def close(): Unit =
    super.close()
    closed.complete(()): Unit

  /** Ends the input; called by the stream, as [[fail]]. */
  def end(): Unit =
    hasEnded = true
    try pipe.sink.close()
    catch case _: IOException => () // the reader has closed its end

  /** Ends the input by an error, unless it has ended. */
  def fail(cause: Throwable): Unit = if !hasEnded then
    failure = cause
    end()

  def cancel(): Unit = pipe.cancel()
end StreamSource

private[fs2streams] object StreamSource:
  def apply(maxBytes: Long)(using SegmentPool): StreamSource = new StreamSource(Pipe(maxBytes))
