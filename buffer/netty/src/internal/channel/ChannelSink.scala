package undercroft.buffer.netty
package internal.channel

import io.netty.channel.{Channel, ChannelFuture, ChannelFutureListener}
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
      val cause = written.cause
      if cause ne null then fail(cause) // before a thread can see that no write is pending
      pending -= 1
      changed.signalAll()

  override def timeout: Timeout = limit

  def write(source: Buffer, byteCount: Long): Unit =
    checkOpen()
    checkThread()
    source.require(byteCount)
    var rest = byteCount
    while rest > 0 do
      await(channel.isWritable)
      val count = Math.min(rest, ChannelSink.WriteBytes)
      val bytes = source.readByteBuf(count, channel.alloc)
      locked(pending += 1)
      channel.write(bytes).addListener(completion)
      rest -= count

  def flush(): Unit =
    checkOpen()
    checkThread()
    channel.flush()
    await(false)

  def close(): Unit =
    if open then
      checkThread()
      try flush()
      finally
        open = false
        channel.close(): Unit

  /** Waits until `isReady`, or until no write is pending. */
  private inline def await(inline isReady: Boolean): Unit = locked:
    checkFailure()
    if pending > 0 && !isReady then
      channel.flush()
      while pending > 0 && !isReady do
        limit.awaitSignal(changed)
        checkFailure()

  private def checkOpen(): Unit = if !open then throw ClosedException("the channel's sink")
end ChannelSink

private[netty] object ChannelSink:
  /** Most bytes of one ByteBuf, eight segments: the default high-water mark of a channel. */
  private val WriteBytes = 65536L
