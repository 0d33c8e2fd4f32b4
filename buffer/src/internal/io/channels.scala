package undercroft.buffer
package internal.io

import internal.codec.{Bounds, Search}
import internal.segment.SegmentTransfer
import java.nio.ByteBuffer
import java.nio.channels.{GatheringByteChannel, ReadableByteChannel, WritableByteChannel}

/** Writes segments to a blocking channel in place; a gathering channel gets several per call. */
private[buffer] final class ChannelSink(channel: WritableByteChannel) extends Sink:
  override val timeout: Timeout = Timeout()

  def write(source: Buffer, byteCount: Long): Unit =
    Search.checkCount(byteCount)
    if byteCount > source.size then throw source.ended(Bounds.bytes(byteCount))
    var rest = byteCount
    while rest > 0 do
      timeout.throwIfReached()
      val gathers = channel.isInstanceOf[GatheringByteChannel]
      val maxPieces = if gathers then ChannelSink.MostPieces else 1
      val pieces = source.byteBuffers(rest, maxPieces)
      val pieceBytes = ChannelSink.bytes(pieces)
      val from = source.position
      val count = source.holding(source.tail):
        channel match
          case gathering: GatheringByteChannel => gathering.write(pieces)
          case _                               => channel.write(pieces(0)).toLong
      if count < 0 || count > pieceBytes then throw SegmentTransfer.wrongAnswer(count, pieceBytes)
      if source.position != from then throw source.changed("bytes were read")
      source.drop(count)
      rest -= count

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
  override val timeout: Timeout = Timeout()

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    timeout.throwIfReached()
    if byteCount == 0 then 0 else sink.filledInPlace(byteCount)(channel.read(_))

  def close(): Unit = channel.close()
end ChannelSource
