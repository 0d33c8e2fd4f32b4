package undercroft.buffer.netty
package internal.bytes

import io.netty.buffer.ByteBuf
import java.nio.ReadOnlyBufferException
import undercroft.buffer.{Buffer, ClosedException, Sink, TooLargeException}

/** Appends to a ByteBuf, which it does not own. */
private[netty] final class ByteBufSink(bytes: ByteBuf) extends Sink:
  private var open = true

  def write(source: Buffer, byteCount: Long): Unit =
    if !open then throw ClosedException("the ByteBuf's sink")
    source.require(byteCount)
    ByteBufCopies.holding(bytes):
      if bytes.isReadOnly then throw ReadOnlyBufferException()
      val room = bytes.maxWritableBytes
      if byteCount > room then throw TooLargeException("the ByteBuf's rest", byteCount, room)
      bytes.ensureWritable(byteCount.toInt)
      ByteBufCopies.move(source, bytes, byteCount.toInt)

  def flush(): Unit = ()
  def close(): Unit = open = false
end ByteBufSink
