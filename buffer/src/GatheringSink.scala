package undercroft.buffer

import java.nio.channels.GatheringByteChannel

/** Hands a blocking channel many segments in one call of the system. */
private final class GatheringSink(channel: GatheringByteChannel) extends Sink:
  override val timeout: Timeout = Timeout()

  def write(source: Buffer, byteCount: Long): Unit =
    source.checkRange(0, byteCount)
    var rest = byteCount
    while rest > 0 do
      timeout.throwIfReached()
      val pieces = source.byteBuffers(rest, GatheringSink.MostPieces)
      val some = channel.write(pieces)
      source.drop(some)
      rest -= some

  def flush(): Unit = ()
  def close(): Unit = channel.close()
end GatheringSink

private object GatheringSink:
  /** Half a mebibyte of whole segments, and well below what systems take in one call (1024). */
  val MostPieces = 64
