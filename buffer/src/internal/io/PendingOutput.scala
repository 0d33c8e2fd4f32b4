package undercroft.buffer
package internal.io

import java.io.OutputStream
import undercroft.memory.MemoryLimitException

/** Output that cannot be computed again: if a budget has no room for it, it stays here, in memory
  * without a budget, until a later call delivers it. For one thread at a time.
  */
private[buffer] final class PendingOutput:
  private val bytes = Buffer(using PendingOutput.pool)

  def isEmpty: Boolean = bytes.isEmpty

  /** Appends output to a buffer; if its budget has no room, or earlier output is pending, keeps it.
    */
  def append(to: Buffer, output: Array[Byte], from: Int, count: Int): Unit =
    if !isEmpty then bytes.append(output, from, count)
    else
      try to.append(output, from, count)
      catch case _: MemoryLimitException => bytes.append(output, from, count)

  /** A stream whose bytes are appended to a buffer in this way. */
  def stream(to: Buffer): OutputStream = new OutputStream:
    def write(value: Int): Unit = write(Array(value.toByte), 0, 1)
    override def write(output: Array[Byte], from: Int, count: Int): Unit =
      append(to, output, from, count)

  /** Appends the pending output to a sink, a segment of the sink at a time. If the sink's budget
    * has no room, keeps the rest and throws the budget's error.
    */
  def deliver(to: BufferedSink): Unit =
    while !isEmpty do
      to.emit(): Unit // may make room
      val count = Math.min(bytes.head.size, to.buffer.pool.segmentBytes)
      bytes.emptied(count)((output, from, count) => to.buffer.append(output, from, count))

  /** Drops the pending output. */
  def clear(): Unit = bytes.clear()

  /** Moves the pending output to a sink that is closed next, whatever room its budget has. */
  def finish(to: BufferedSink): Unit = to.write(bytes, bytes.size)
end PendingOutput

private[buffer] object PendingOutput:
  private val pool = SegmentPool.none()
