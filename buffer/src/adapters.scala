package undercroft.buffer

import java.io.{InputStream, OutputStream}
import java.lang.foreign.MemorySegment
import java.net.Socket
import java.nio.ByteBuffer
import java.nio.channels.{ReadableByteChannel, WritableByteChannel}

extension (stream: InputStream)
  /** What a stream gives, read into segments without a copy between. Closing it closes the stream.
    * Its timeout is looked at before each read.
    */
  def source(): Source = Filled(() => stream.close()): (bytes, from, count) =>
    stream.read(bytes, from, count)

extension (stream: OutputStream)
  /** What a stream takes. Closing it closes the stream. Its timeout is looked at before each write.
    */
  def sink(): Sink = Emptied(() => stream.flush(), () => stream.close()): (bytes, from, count) =>
    stream.write(bytes, from, count)

extension (channel: ReadableByteChannel)
  /** What a blocking channel gives, read into segments; those outside the heap are what the system
    * writes to, for others the JDK copies. Closing it closes the channel.
    */
  def source(): Source = ChannelSource(channel)

extension (channel: WritableByteChannel)
  /** What a blocking channel takes; one that gathers is given up to 64 segments at a time. Those
    * outside the heap are what the system reads, others the JDK copies. Closing it closes the
    * channel.
    */
  def sink(): Sink = ChannelSink(channel)

extension (socket: Socket)
  /** What a socket receives. A read that is late closes the socket, and so does `abort`. */
  def source(): Source = AsyncTimeout(() => socket.close()).source(socket.getInputStream.source())

  /** What a socket sends. A write that is late closes the socket. */
  def sink(): Sink = AsyncTimeout(() => socket.close()).sink(socket.getOutputStream.sink())

extension (bytes: MemorySegment)
  /** The bytes of a segment, copied as they are read. */
  def source(): Source = new Source:
    private var at = 0L
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if at == bytes.byteSize then -1
      else
        val some = Math.min(byteCount, bytes.byteSize - at)
        sink.append(bytes.asSlice(at, some))
        at += some
        some
    def close(): Unit = ()

  /** Fills a segment from its beginning on. What it has no room for is a [[TooLargeException]], and
    * nothing of it is taken.
    */
  def sink(): Sink = new Sink:
    private var at = 0L
    def write(source: Buffer, byteCount: Long): Unit =
      source.checkRange(0, byteCount)
      if byteCount > bytes.byteSize - at then
        throw TooLargeException("the segment's rest", byteCount, bytes.byteSize - at)
      source.take(bytes.asSlice(at, byteCount))
      at += byteCount
    def flush(): Unit = ()
    def close(): Unit = ()
end extension

extension (bytes: ByteBuffer)
  /** What a ByteBuffer has between its position, which moves, and its limit. */
  def source(): Source = new Source:
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if !bytes.hasRemaining then -1
      else
        val some = Math.min(byteCount, bytes.remaining).toInt
        sink.append(MemorySegment.ofBuffer(bytes).asSlice(0, some))
        bytes.position(bytes.position + some): Unit
        some
    def close(): Unit = ()

  /** Fills a ByteBuffer from its position, which moves, to its limit. What it has no room for is a
    * [[TooLargeException]], and nothing of it is taken.
    */
  def sink(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit =
      source.checkRange(0, byteCount)
      if byteCount > bytes.remaining then
        throw TooLargeException("the ByteBuffer's rest", byteCount, bytes.remaining)
      source.take(MemorySegment.ofBuffer(bytes).asSlice(0, byteCount))
      bytes.position(bytes.position + byteCount.toInt): Unit
    def flush(): Unit = ()
    def close(): Unit = ()
end extension

extension (lines: Iterator[String])
  /** Lines as UTF-8, each with a line feed behind it, taken from the iterator as they are read. */
  def source()(using SegmentPool): Source = new Source:
    private val ready = Buffer()
    def read(sink: Buffer, byteCount: Long): Long =
      while ready.isEmpty && lines.hasNext do ready.writeUtf8(lines.next()).writeByte('\n'): Unit
      ready.read(sink, byteCount)
    def close(): Unit = ready.clear()

/** A source over what fills arrays: it answers how many bytes it gave, or -1. */
private final class Filled(end: () => Unit)(fill: (Array[Byte], Int, Int) => Int) extends Source:
  override val timeout: Timeout = Timeout()
  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    timeout.throwIfReached()
    if byteCount == 0 then 0
    else sink.filled(byteCount)(fill)
  def close(): Unit = end()

/** A sink over what takes bytes from arrays, all of them. */
private final class Emptied(
    push: () => Unit,
    end: () => Unit
)(empty: (Array[Byte], Int, Int) => Unit)
    extends Sink:
  override val timeout: Timeout = Timeout()
  def write(source: Buffer, byteCount: Long): Unit =
    source.emptied(byteCount): (bytes, from, count) =>
      timeout.throwIfReached()
      empty(bytes, from, count)
  def flush(): Unit = push()
  def close(): Unit = end()
