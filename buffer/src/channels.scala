package undercroft.buffer

import java.nio.ByteBuffer
import java.nio.channels.{GatheringByteChannel, ReadableByteChannel, WritableByteChannel}

/** Hands a blocking channel segments in place; one that gathers many in one call of the system. */
private final class ChannelSink(channel: WritableByteChannel) extends Sink:
  override val timeout: Timeout = Timeout()

  def write(source: Buffer, byteCount: Long): Unit =
    Search.checkCount(byteCount)
    if byteCount > source.size then throw source.ended(s"$byteCount bytes")
    var rest = byteCount
    while rest > 0 do
      timeout.throwIfReached()
      val most = if channel.isInstanceOf[GatheringByteChannel] then ChannelSink.MostPieces else 1
      val pieces = source.byteBuffers(rest, most)
      val shown = ChannelSink.bytes(pieces)
      val from = source.position
      val some = source.holding(source.tail):
        channel match
          case gathering: GatheringByteChannel => gathering.write(pieces)
          case _                               => channel.write(pieces(0)).toLong
      if some < 0 || some > shown then throw SegmentFlow.wrongAnswer(some, shown)
      if source.position != from then throw source.changed("bytes were read")
      source.drop(some)
      rest -= some

  def flush(): Unit = ()
  def close(): Unit = channel.close()
end ChannelSink

private object ChannelSink:
  /** Half a mebibyte of whole segments, and well below what systems take in one call (1024). */
  val MostPieces = 64

  private def bytes(pieces: Array[ByteBuffer]): Long =
    var sum = 0L
    for piece <- pieces do sum += piece.remaining
    sum

/** Lets a blocking channel fill segments in place. */
private final class ChannelSource(channel: ReadableByteChannel) extends Source:
  override val timeout: Timeout = Timeout()

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    timeout.throwIfReached()
    if byteCount == 0 then 0 else sink.filledInPlace(byteCount)(channel.read(_))

  def close(): Unit = channel.close()
end ChannelSource
