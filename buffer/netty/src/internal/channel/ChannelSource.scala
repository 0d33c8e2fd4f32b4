package undercroft.buffer.netty
package internal.channel

import io.netty.buffer.ByteBuf
import io.netty.channel.socket.ChannelInputShutdownEvent
import io.netty.channel.{Channel, ChannelHandlerContext, ChannelInboundHandlerAdapter}
import java.io.IOException
import java.util.concurrent.RejectedExecutionException
import undercroft.buffer.{Buffer, ClosedException, SegmentPool, Source, Timeout}

/** Passes the bytes that a channel receives from its event loop to a thread that waits for them. */
private[netty] final class ChannelSource(channel: Channel, maxBytes: Int)(using SegmentPool)
    extends WaitingEnd(channel, "the source"),
      Source:
  private val buffer = Buffer()
  private var open = true
  private var ended = false

  /** Whether the channel was asked to read, and has not completed it yet. */
  private var isReading = false

  override def timeout: Timeout = limit

  def read(sink: Buffer, byteCount: Long): Long =
    checkThread()
    if byteCount < 0 then
      throw IllegalArgumentException(s"byteCount must be at least 0, but is $byteCount")
    locked:
      checkOpen()
      val cancels = limit.cancelCount
      while buffer.isEmpty && !ended && (failure eq null) && byteCount > 0 do
        request()
        if failure eq null then awaitChange(cancels)
        checkOpen()
      if byteCount == 0 then 0
      else if !buffer.isEmpty then
        val count = buffer.read(sink, byteCount)
        request()
        count
      else
        checkFailure()
        -1

  def close(): Unit =
    locked:
      open = false
      buffer.clear()
      changed.signalAll()
    channel.close(): Unit

  private def checkOpen(): Unit = if !open then throw ClosedException("the channel's source")

  /** Asks the channel to read if there is room; the caller holds the lock. */
  private def request(): Unit =
    if !isReading && open && !ended && buffer.size < maxBytes then
      isReading = true
      try channel.read(): Unit
      catch case e: RejectedExecutionException => fail(e) // its event loop has terminated

  /** Repeats a request, which a channel drops while it is not connected or has no event loop. */
  private def renew(): Unit = locked:
    if isReading then
      isReading = false
      request()

  /** Adds the handler to the channel, unless that is closed or its event loop has terminated. */
  private def attach(): Unit =
    // a terminated event loop calls no listener
    if !channel.closeFuture.isDone then afterClose(() => end())
    if channel.closeFuture.isDone then end()
    else
      try
        channel.config.setAutoRead(false)
        HalfClosure.add(channel, HalfClosure.source)
        channel.pipeline.addLast(Handler): Unit
      catch case e: RejectedExecutionException => fail(e)

  private def end(): Unit = locked:
    ended = true
    changed.signalAll()

  private def receive(bytes: ByteBuf): Unit =
    try
      locked:
        if open then
          buffer.writeByteBuf(bytes): Unit
          changed.signalAll()
    catch
      case e: Throwable => // the pool's budget
        fail(e)
        channel.close(): Unit
    finally bytes.release(): Unit

  private object Handler extends ChannelInboundHandlerAdapter:
    override def channelRegistered(context: ChannelHandlerContext): Unit =
      renew()
      context.fireChannelRegistered(): Unit

    override def channelActive(context: ChannelHandlerContext): Unit =
      HalfClosure.allow(channel)
      renew()
      context.fireChannelActive(): Unit

    override def channelRead(context: ChannelHandlerContext, message: Object): Unit =
      message match
        case bytes: ByteBuf => receive(bytes)
        case _              => context.fireChannelRead(message): Unit

    override def channelReadComplete(context: ChannelHandlerContext): Unit =
      locked:
        isReading = false
        request()
      context.fireChannelReadComplete(): Unit

    override def userEventTriggered(context: ChannelHandlerContext, event: Object): Unit =
      if event.isInstanceOf[ChannelInputShutdownEvent] then end()
      context.fireUserEventTriggered(event): Unit

    override def exceptionCaught(context: ChannelHandlerContext, cause: Throwable): Unit =
      fail(cause)

    override def handlerRemoved(context: ChannelHandlerContext): Unit =
      if channel.isOpen then
        fail(IOException("its handler was removed from the channel's pipeline"))
  end Handler
end ChannelSource

private[netty] object ChannelSource:
  def add(channel: Channel, maxBytes: Int)(using SegmentPool): ChannelSource =
    val source = ChannelSource(channel, maxBytes)
    source.attach()
    source
