package undercroft.buffer.netty
package internal.bytes

import io.netty.buffer.ByteBuf
import io.netty.util.IllegalReferenceCountException
import undercroft.buffer.Buffer

/** Copies between segments of a buffer and a ByteBuf of any kind. */
private[netty] object ByteBufCopies:

  /** Runs `body` with a reference of its own, so that a release by another thread does not free the
    * bytes meanwhile.
    */
  inline def holding[A](bytes: ByteBuf)(inline body: A): A =
    retain(bytes)
    try body
    finally bytes.release(): Unit

  def retain(bytes: ByteBuf): Unit =
    val count = bytes.refCnt
    if count < 1 then
      throw IllegalReferenceCountException(
        s"the ByteBuf was released: its reference count must be at least 1, but is $count"
      )
    bytes.retain(): Unit

  /** Appends the next `count` readable bytes, or none; `readerIndex` stays. */
  def append(bytes: ByteBuf, target: Buffer, count: Int): Unit = target.whole:
    var done = 0
    while done < count do
      val index = bytes.readerIndex + done
      val step = target.filledInPlace(count - done): room =>
        val step = room.remaining
        bytes.getBytes(index, room)
        step
      done += step.toInt

  /** Moves `count` bytes, which the buffer and the ByteBuf's capacity must have, to `writerIndex`.
    */
  def move(source: Buffer, target: ByteBuf, count: Int): Unit =
    val before = target.writerIndex
    val from = source.position
    try
      source.holding(source.tail):
        for piece <- source.byteBuffers(count, Int.MaxValue) do target.writeBytes(piece)
      if source.position != from then throw source.changed("bytes were read")
    catch
      case e: Throwable =>
        target.writerIndex(before)
        throw e
    source.drop(count)
end ByteBufCopies
