package undercroft.buffer.netty
package internal.bytes

import io.netty.buffer.ByteBuf
import undercroft.buffer.{Buffer, ClosedException, Source}

/** Reads a ByteBuf and owns one reference to it. A lock keeps a read from using the object after a
  * close in another thread: Netty uses released objects again.
  */
private[netty] final class ByteBufSource(bytes: ByteBuf) extends Source:
  private val lock = Object()
  private var open = true

  def read(sink: Buffer, byteCount: Long): Long = lock.synchronized:
    if !open then throw ClosedException("the ByteBuf's source")
    if byteCount < 0 then
      throw IllegalArgumentException(s"byteCount must be at least 0, but is $byteCount")
    ByteBufCopies.holding(bytes):
      val count = Math.min(byteCount, bytes.readableBytes).toInt
      if count == 0 && byteCount > 0 then -1
      else
        ByteBufCopies.append(bytes, sink, count)
        bytes.skipBytes(count)
        count

  def close(): Unit = lock.synchronized:
    if open then
      open = false
      bytes.release(): Unit
end ByteBufSource
