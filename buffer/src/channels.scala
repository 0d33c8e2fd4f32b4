package undercroft.buffer

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
      val some = channel match
        case gathering: GatheringByteChannel =>
          gathering.write(source.byteBuffers(rest, ChannelSink.MostPieces))
        case _ => channel.write(source.byteBuffers(rest, 1)(0)).toLong
      source.drop(some)
      rest -= some

  def flush(): Unit = ()
  def close(): Unit = channel.close()
end ChannelSink

private object ChannelSink:
  /** Half a mebibyte of whole segments, and well below what systems take in one call (1024). */
  val MostPieces = 64

/** Lets a blocking channel fill segments in place. */
private final class ChannelSource(channel: ReadableByteChannel) extends Source:
  override val timeout: Timeout = Timeout()

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    timeout.throwIfReached()
    if byteCount == 0 then 0 else sink.filledInPlace(byteCount)(channel.read(_))

  def close(): Unit = channel.close()
end ChannelSource
