package undercroft.buffer.netty

import internal.bytes.{ByteBufCopies, ByteBufSink, ByteBufSource}
import internal.channel.{ChannelSink, ChannelSource, HalfClosure}
import io.netty.buffer.{ByteBuf, ByteBufAllocator, Unpooled}
import io.netty.channel.Channel
import undercroft.buffer.{
  BufferedSink,
  BufferedSource,
  ByteString,
  SegmentPool,
  Sink,
  Source,
  TooLargeException
}

/** Most bytes that a channel's source reads ahead: eight segments. */
final val DefaultReadAheadBytes = 65536

extension (source: BufferedSource)
  /** Moves the next `byteCount` bytes to a new ByteBuf, which the caller must release. The bytes
    * are copied once, to memory that a channel writes without another copy (`ioBuffer`), and the
    * segments return to their pool at once: no ByteBuf shares a segment.
    *
    * {{{
    * import undercroft.buffer.Buffer
    * import java.nio.charset.StandardCharsets.UTF_8
    * val bytes = Buffer().writeUtf8("price 251").readByteBuf(5)
    * try println(bytes.toString(UTF_8)) // price
    * finally bytes.release()
    * }}}
    *
    * @throws undercroft.buffer.EndOfInputException
    *   if there are fewer bytes; none is consumed
    * @throws undercroft.buffer.TooLargeException
    *   if `byteCount` is 2 GiB or more, the limit of a ByteBuf
    */
  def readByteBuf(
      byteCount: Long,
      allocator: ByteBufAllocator = ByteBufAllocator.DEFAULT
  ): ByteBuf =
    if byteCount > Int.MaxValue then throw TooLargeException("a ByteBuf", byteCount, Int.MaxValue)
    source.require(byteCount)
    val target = allocator.ioBuffer(byteCount.toInt)
    try
      ByteBufCopies.move(source.buffer, target, byteCount.toInt)
      target
    catch
      case e: Throwable =>
        target.release(): Unit
        throw e
end extension

extension (sink: BufferedSink)
  /** Copies the readable bytes of a ByteBuf, and advances its `readerIndex`. The ByteBuf is not
    * released. If the copy fails, `readerIndex` is unchanged, and a buffer is unchanged, too.
    *
    * {{{
    * import io.netty.buffer.Unpooled
    * import undercroft.buffer.Buffer
    * val bytes = Unpooled.copyInt(251)
    * val buffer = Buffer()
    * try buffer.writeByteBuf(bytes)
    * finally bytes.release()
    * println(buffer.readInt()) // 251
    * }}}
    *
    * @throws io.netty.util.IllegalReferenceCountException
    *   if the ByteBuf was released
    */
  def writeByteBuf(bytes: ByteBuf): sink.type =
    ByteBufCopies.holding(bytes):
      val count = bytes.readableBytes
      ByteBufCopies.append(bytes, sink.buffer, count)
      bytes.skipBytes(count): Unit
    sink.emitCompleteSegments(): Unit
    sink
end extension

extension (bytes: ByteBuf)
  /** A source of the readable bytes, which advances `readerIndex`. It takes over the caller's
    * reference: its `close` releases the ByteBuf, once. Each read copies to pooled segments.
    *
    * Call `retain()` first to use the ByteBuf after the close. A read after the close throws a
    * ClosedException. A read of a ByteBuf that was released elsewhere throws Netty's
    * IllegalReferenceCountException, and a release during a read does not free the bytes it copies.
    *
    * {{{
    * import io.netty.buffer.Unpooled
    * import undercroft.buffer.buffered
    * val bytes = Unpooled.copyLong(7, 8)
    * val input = bytes.source().buffered
    * try println(input.readLong() + input.readLong()) // 15
    * finally input.close()
    * println(bytes.refCnt) // 0
    * }}}
    */
  def source(): Source = ByteBufSource(bytes)

  /** A sink that appends to the ByteBuf, whose `writerIndex` advances, and which grows up to its
    * `maxCapacity`. A write that exceeds this throws a TooLargeException and takes no bytes.
    * Closing the sink does not release the ByteBuf.
    *
    * {{{
    * import io.netty.buffer.ByteBufAllocator
    * import undercroft.buffer.buffered
    * val bytes = ByteBufAllocator.DEFAULT.ioBuffer()
    * try
    *   bytes.sink().buffered.writeUtf8("price ").writeDecimalLong(251).close()
    *   println(bytes.readableBytes) // 9
    * finally bytes.release()
    * }}}
    */
  def sink(): Sink = ByteBufSink(bytes)

  /** The readable bytes, copied. The ByteBuf is neither changed nor released.
    *
    * {{{
    * import io.netty.buffer.Unpooled
    * println(Unpooled.copyShort(258).toByteString.hex) // 0102
    * }}}
    */
  def toByteString: ByteString =
    ByteBufCopies.holding(bytes):
      val copy = new Array[Byte](bytes.readableBytes)
      bytes.getBytes(bytes.readerIndex, copy)
      ByteString.wrap(copy)
end extension

extension (bytes: ByteString)
  /** A read-only ByteBuf that shares the string's array. Thread-safe, as the string is. The
    * collector frees the array, so a missing release leaks nothing, and a view of the ByteBuf is
    * valid after the release. A snapshot of a buffer of 64 KiB or more is copied once, because its
    * segments return to their pool.
    *
    * {{{
    * import java.nio.charset.StandardCharsets.UTF_8
    * import undercroft.buffer.ByteString
    * println(ByteString.utf8("price").toByteBuf.toString(UTF_8)) // price
    * }}}
    */
  def toByteBuf: ByteBuf = Unpooled.wrappedBuffer(bytes.asByteBuffer)

extension (channel: Channel)
  /** A source of the bytes that the channel receives, for a thread that may wait, for example a
    * virtual thread. Closing it closes the channel.
    *
    * Adds a handler at the end of the pipeline and turns automatic reading off: the channel reads
    * while fewer than `maxBytes` bytes wait, so a slow reader slows the peer down. One read of the
    * channel may exceed `maxBytes`, by at most one read of Netty (16 ByteBufs of up to 64 KiB).
    * Call it in a `ChannelInitializer`: bytes that the channel received before are not seen.
    * Messages of other types pass on to later handlers.
    *
    * A read waits within the source's timeout; it returns -1 after the channel was closed and the
    * handlers before it have passed on their last bytes, except handlers with an executor of their
    * own, and channels with `SO_LINGER`, which Netty closes on another thread. If the channel has a
    * sink, too, it also returns -1 after the peer has shut down its output: the channel stays open
    * for replies (`ALLOW_HALF_CLOSURE`) until its source or its sink is closed. It throws an
    * IOException with the cause after an error of the pipeline, or if the event loop has terminated
    * and left the channel open, both after the bytes before. On a thread of the channel's event
    * loop, which must not wait, it throws an IllegalStateException. For one thread at a time;
    * `close` may be called by every thread and ends a read that waits.
    *
    * {{{
    * import io.netty.channel.{Channel, ChannelInitializer}
    * import undercroft.buffer.buffered
    * final class EachLine(use: String => Unit) extends ChannelInitializer[Channel]:
    *   override def initChannel(channel: Channel): Unit =
    *     val input = channel.source().buffered
    *     Thread.startVirtualThread: () =>
    *       try input.lines.foreach(use)
    *       finally input.close()
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `maxBytes` is less than 1
    */
  def source(maxBytes: Int = DefaultReadAheadBytes)(using SegmentPool): Source =
    if maxBytes < 1 then
      throw IllegalArgumentException(s"maxBytes must be at least 1, but is $maxBytes")
    ChannelSource.add(channel, maxBytes)

  /** A sink that writes to the channel, for a thread that may wait, for example a virtual thread.
    * Closing it flushes, then closes the channel.
    *
    * A write waits within the sink's timeout while the channel is not writable and bytes of this
    * sink wait in it, so a slow peer slows the writer down. `flush` waits until the transport has
    * written all bytes. Each write copies once to ByteBufs of the channel's allocator, and the
    * segments return to their pool at once.
    *
    * After a write of the channel has failed, each operation throws an IOException with the cause;
    * the bytes that waited are lost. The end of the event loop fails them, too. On a thread of the
    * channel's event loop, which must not wait, each operation throws an IllegalStateException and
    * takes no bytes. For one thread at a time.
    *
    * {{{
    * import io.netty.channel.Channel
    * import scala.concurrent.duration.DurationInt
    * import undercroft.buffer.buffered
    * def greet(channel: Channel): Unit =
    *   val output = channel.sink().buffered
    *   output.timeout.timeout(10.seconds)
    *   output.writeUtf8("hello\n").flush()
    * }}}
    */
  def sink(): Sink =
    HalfClosure.add(channel, HalfClosure.sink)
    ChannelSink(channel)
end extension
