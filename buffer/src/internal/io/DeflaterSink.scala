package undercroft.buffer
package internal.io

import java.io.{IOException, OutputStream}
import java.util.zip.DeflaterOutputStream

/** Compresses by a stream of the JDK, into a buffer whose full segments are passed to the sink
  * between two steps: if that fails, the bytes are consumed, and are not compressed again. Output
  * for which a budget has no room is delivered by the next call. For one thread at a time.
  */
private[buffer] final class DeflaterSink(sink: Sink, name: String)(
    compress: OutputStream => DeflaterOutputStream
)(using SegmentPool)
    extends Sink:
  private val output = sink.buffered
  private val pending = PendingOutput()
  private val stream = compress(pending.stream(output.buffer))
  private var open = true

  override def timeout: Timeout = sink.timeout

  def write(source: Buffer, byteCount: Long): Unit =
    checkOpen()
    source.require(byteCount)
    pending.deliver(output)
    var rest = byteCount
    while rest > 0 do
      val step = Math.min(rest, DeflaterSink.StepBytes)
      source.emptied(step)((bytes, from, count) => deflating(stream.write(bytes, from, count)))
      pending.deliver(output)
      output.written()
      rest -= step

  def flush(): Unit =
    checkOpen()
    deflating(stream.flush())
    pending.deliver(output)
    output.flush()

  def close(): Unit =
    if open then
      open = false
      Closing.all(
        () => deflating(stream.close()),
        () => pending.finish(output),
        () => output.close()
      )

  /** Runs a step of the Deflater, which its owner may have ended. */
  private inline def deflating(inline step: Unit): Unit =
    try step
    catch case e: IllegalStateException => throw IOException(s"the Deflater of $name was ended", e)

  private def checkOpen(): Unit = if !open then throw ClosedException(name)
end DeflaterSink

private[buffer] object DeflaterSink:
  /** Bytes that are compressed before full segments are passed on. */
  val StepBytes = 8192L
