package undercroft.buffer.netty
package internal.channel

import io.netty.buffer.ByteBuf
import io.netty.channel.{Channel, ChannelFuture, ChannelFutureListener}
import java.util.concurrent.RejectedExecutionException
import undercroft.buffer.{Buffer, ClosedException, Sink, Timeout}

/** Writes to a channel. Waits by the completion of its own writes, which needs no handler in the
  * pipeline: if none is pending, it may write although other bytes fill the channel.
  */
private[netty] final class ChannelSink(channel: Channel)
    extends WaitingEnd(channel, "the sink"),
      Sink:
  private var open = true

  /** Number of writes whose bytes the transport has not written yet. */
  private var pending = 0

  private val completion: ChannelFutureListener = (written: ChannelFuture) =>
    locked:
      checkWritten(written) // before a thread can see that no write is pending
      pending -= 1
      changed.signalAll()

  override def timeout: Timeout = limit

  def write(source: Buffer, byteCount: Long): Unit =
    checkOpen()
    checkThread()
    source.require(byteCount)
    val cancels = limit.cancelCount
    var rest = byteCount
    while rest > 0 do
      await(untilWritable = true, cancels)
      val count = Math.min(rest, ChannelSink.WriteBytes)
      send(source.readByteBuf(count, channel.alloc))
      rest -= count

  def flush(): Unit =
    checkOpen()
    checkThread()
    val cancels = limit.cancelCount
    flushChannel()
    await(untilWritable = false, cancels)

  def close(): Unit =
    if open then
      checkThread()
      try flush()
      finally
        open = false
        channel.close(): Unit

  /** Passes bytes to the channel, which releases them. A write that has failed already gets no
    * listener: a terminated event loop, which rejects writes, would not call it.
    */
  private def send(bytes: ByteBuf): Unit =
    val written = channel.write(bytes)
    if written.isDone then checkWritten(written)
    else
      locked(pending += 1)
      written.addListener(completion): Unit

  private def checkWritten(written: ChannelFuture): Unit =
    val cause = written.cause
    if cause ne null then fail(cause)

  /** Waits until no write is pending, or only until the channel is writable. */
  private def await(untilWritable: Boolean, callCancels: Int): Unit = locked:
    checkFailure()
    if isBlocked(untilWritable) then
      flushChannel()
      checkFailure()
      while isBlocked(untilWritable) do
        awaitChange(callCancels)
        checkFailure()

  /** Requests that the channel writes its bytes, which a terminated event loop rejects. */
  private def flushChannel(): Unit =
    try channel.flush(): Unit
    catch case e: RejectedExecutionException => locked(if pending > 0 then fail(e))

  private def isBlocked(untilWritable: Boolean): Boolean =
    pending > 0 && !(untilWritable && channel.isWritable)

  private def checkOpen(): Unit = if !open then throw ClosedException("the channel's sink")
end ChannelSink

private[netty] object ChannelSink:
  /** Most bytes of one ByteBuf, eight segments: the default high-water mark of a channel. */
  private val WriteBytes = 65536L
