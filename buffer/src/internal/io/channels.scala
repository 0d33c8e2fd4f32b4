package undercroft.buffer
package internal.io

import internal.codec.{Bounds, Search}
import internal.segment.SegmentTransfer
import java.nio.ByteBuffer
import java.nio.channels.{
  Channel,
  ClosedByInterruptException,
  FileChannel,
  GatheringByteChannel,
  IllegalBlockingModeException,
  InterruptibleChannel,
  ReadableByteChannel,
  SelectableChannel,
  WritableByteChannel
}

/** Writes segments to a blocking channel in place; a gathering channel gets several per call. */
private[buffer] final class ChannelSink(channel: WritableByteChannel) extends Sink:
  private val calls = ChannelCalls(channel)
  override def timeout: Timeout = calls.timeout

  def write(source: Buffer, byteCount: Long): Unit =
    Search.checkCount(byteCount)
    if byteCount > source.size then throw source.ended(Bounds.bytes(byteCount))
    val callCancels = timeout.cancelCount
    var rest = byteCount
    var emptyWrites = 0
    while rest > 0 do
      val bytes = AsyncTimeout.callBytes(rest, timeout)
      val count = calls.run(callCancels)(writeOnce(source, bytes))
      emptyWrites = Progress.emptyWrites(emptyWrites, count, rest)
      rest -= count

  /** Writes once; returns the number of written bytes. */
  private def writeOnce(source: Buffer, byteCount: Long): Long =
    val gathers = channel.isInstanceOf[GatheringByteChannel]
    val pieces = source.byteBuffers(byteCount, if gathers then ChannelSink.MostPieces else 1)
    val pieceBytes = ChannelSink.bytes(pieces)
    val from = source.position
    val count = source.holding(source.tail):
      channel match
        case gathering: GatheringByteChannel => gathering.write(pieces)
        case _                               => channel.write(pieces(0)).toLong
    if count < 0 || count > pieceBytes then throw SegmentTransfer.wrongAnswer(count, pieceBytes)
    if source.position != from then throw source.changed("bytes were read")
    source.drop(count)
    count

  def flush(): Unit = ()
  def close(): Unit = channel.close()
end ChannelSink

private[buffer] object ChannelSink:
  /** Segments per call: 512 KiB of full segments, well below the limit of systems (1024). */
  val MostPieces = 64

  private def bytes(pieces: Array[ByteBuffer]): Long =
    var sum = 0L
    for piece <- pieces do sum += piece.remaining
    sum

/** Reads from a blocking channel directly into segments. */
private[buffer] final class ChannelSource(channel: ReadableByteChannel) extends Source:
  private val calls = ChannelCalls(channel)
  private val lateReads = AsyncTimeout.LateReads()
  override def timeout: Timeout = calls.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    val callCancels = timeout.cancelCount
    if byteCount == 0 then
      calls.check(callCancels)
      0
    else lateReads.read(sink)(calls.run(callCancels)(readOnce(sink, byteCount)))

  private def readOnce(sink: Buffer, byteCount: Long): Long =
    sink.filledInPlace(byteCount)(channel.read(_))

  def close(): Unit = channel.close()
end ChannelSource

/** The calls of a channel that may wait. A call that exceeds its limit closes the channel, if a
  * close ends the calls of other threads; the limit of other channels is checked before each call.
  * A call without a limit starts no watch. A call may be a part of a read or write that began when
  * the timeout's `cancelCount` was `callCancels`: after a cancel, its later parts are unlimited.
  */
private final class ChannelCalls(channel: Channel):
  private val selectable = channel match
    case selectable: SelectableChannel => selectable
    case _                             => null

  private val watched: AsyncTimeout | Null = channel match
    case _: InterruptibleChannel => AsyncTimeout(() => channel.close())
    case _                       => null

  val timeout: Timeout = if watched == null then Timeout() else watched

  /** Throws if no call may begin. */
  def check(callCancels: Int): Unit =
    timeout.throwIfReachedInCall(callCancels)
    if selectable != null then ChannelCalls.checkBlocking(selectable)

  /** The JDK cannot end a call of a FileChannel on a virtual thread: a close waits for it. */
  private def isUninterruptible: Boolean =
    channel.isInstanceOf[FileChannel] && Thread.currentThread.isVirtual

  inline def run(callCancels: Int)(inline call: Long): Long =
    check(callCancels)
    try
      if watched == null || !timeout.isLimited || isUninterruptible then call
      else watched.withTimeoutSince(callCancels)(call)
    catch case error: ClosedByInterruptException => throw Interrupts.whileWaiting(error)
end ChannelCalls

private[buffer] object ChannelCalls:
  /** Throws if the channel does not wait. Its mode may change between two calls. */
  def checkBlocking(channel: SelectableChannel): Unit =
    if !channel.isBlocking then throw NonBlockingChannelException()

/** A source returns at least one byte, so its channel has to wait. */
private final class NonBlockingChannelException extends IllegalBlockingModeException:
  override def getMessage: String = "the channel must be in blocking mode, but is non-blocking"
