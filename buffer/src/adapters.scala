package undercroft.buffer

import internal.codec.Search
import internal.io.{
  ChannelSink,
  ChannelSource,
  Connection,
  FollowingSource,
  SocketSink,
  SocketSource
}
import java.io.{InputStream, OutputStream}
import java.lang.foreign.MemorySegment
import java.net.Socket
import java.nio.ByteBuffer
import java.nio.channels.{FileChannel, ReadableByteChannel, SocketChannel, WritableByteChannel}
import java.util.concurrent.TimeUnit
import scala.concurrent.duration.FiniteDuration

extension (stream: InputStream)
  /** A source over a stream, read directly into segments. Closing it closes the stream. Its timeout
    * is checked before each read.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val input = ByteArrayInputStream("price 251".getBytes).source().buffered
    * println(input.readUtf8(5)) // price
    * }}}
    */
  def source(): Source = InputStreamSource(() => stream.close()): (bytes, from, count) =>
    stream.read(bytes, from, count)

extension (stream: OutputStream)
  /** A sink over a stream. Closing it closes the stream. Its timeout is checked before each write.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * stream.sink().write(Buffer().writeUtf8("price"), 5)
    * println(stream) // price
    * }}}
    */
  def sink(): Sink = OutputStreamSink(() => stream.flush(), () => stream.close()):
    (bytes, from, count) =>
      stream.write(bytes, from, count)

extension (channel: ReadableByteChannel)
  /** A source over a blocking channel, read into segments. The system writes directly into off-heap
    * segments; for heap segments the JDK copies. Closing it closes the channel; of a SocketChannel,
    * the input, as the source of a Socket.
    *
    * A read that times out closes the channel, and so does an interrupt, unless the deadline passes
    * before the read. This needs an InterruptibleChannel, as channels of the JDK are, whose close
    * ends a read of another thread; `Channels.newChannel(stream)` is one if the stream's close
    * does. For other channels, and for a FileChannel on a virtual thread, which may wait for a
    * named pipe, only the deadline is checked, before each read. A channel in non-blocking mode is
    * an IllegalBlockingModeException.
    *
    * {{{
    * import java.nio.channels.FileChannel
    * import java.nio.file.Files
    * val path = Files.writeString(Files.createTempFile("orders", ".txt"), "price 251")
    * val input = FileChannel.open(path).source().buffered
    * try println(input.readUtf8()) // price 251
    * finally input.close()
    * }}}
    */
  def source(): Source = channel match
    case socket: SocketChannel => socketSource(Connection(socket), ChannelSource(socket))
    case _                     => ChannelSource(channel)
end extension

extension (file: FileChannel)
  /** A source that follows a file to which others append, from the channel's position on. At the
    * end of the file a read waits for more bytes, which it looks for every `interval`, within the
    * source's timeout: the input has no end. Closing it, by any thread, closes the channel and ends
    * a read that waits with a [[ClosedException]]. Waiting virtual threads release their carrier.
    *
    * A file that was truncated below the position is an IOException. A file that was replaced under
    * its name is not noticed.
    *
    * {{{
    * import java.nio.channels.FileChannel
    * import java.nio.file.{Files, StandardOpenOption}
    * import scala.concurrent.duration.DurationInt
    * val path = Files.writeString(Files.createTempFile("app", ".log"), "one\nt")
    * val input = FileChannel.open(path).followingSource(interval = 10.millis).buffered
    * println(input.readUtf8Line()) // one
    * Files.writeString(path, "wo\n", StandardOpenOption.APPEND)
    * println(input.readUtf8Line()) // two
    * input.close()
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `interval` is not positive
    */
  def followingSource(interval: FiniteDuration = FollowInterval): Source =
    if interval.toNanos <= 0 then
      throw IllegalArgumentException(s"the interval must be positive, but is $interval")
    FollowingSource(file, interval.toNanos)
end extension

/** The default interval at which a followed file is looked at. */
private val FollowInterval: FiniteDuration = FiniteDuration(100, TimeUnit.MILLISECONDS)

extension (channel: WritableByteChannel)
  /** A sink over a blocking channel; a gathering channel gets up to 64 segments per call. The
    * system reads directly from off-heap segments; heap segments are copied by the JDK. Closing it
    * closes the channel; of a SocketChannel, the output, as the sink of a Socket.
    *
    * A write that times out closes the channel, and so does an interrupt, unless the deadline
    * passes before the write, or between two parts of a long one. This needs an
    * InterruptibleChannel, as channels of the JDK are, whose close ends a write of another thread;
    * `Channels.newChannel(stream)` is one if the stream's close does. For other channels, and for a
    * FileChannel on a virtual thread, which may wait for a named pipe, only the deadline is
    * checked, before each write. A channel in non-blocking mode is an IllegalBlockingModeException.
    *
    * {{{
    * import java.nio.channels.FileChannel
    * import java.nio.file.{Files, StandardOpenOption}
    * val path = Files.createTempFile("orders", ".txt")
    * val output = FileChannel.open(path, StandardOpenOption.WRITE).sink().buffered
    * output.writeUtf8("price 251").close()
    * println(Files.readString(path)) // price 251
    * }}}
    */
  def sink(): Sink = channel match
    case socket: SocketChannel => socketSink(Connection(socket), ChannelSink(socket))
    case _                     => ChannelSink(channel)
end extension

extension (socket: Socket)
  /** A source over a socket's input. A read that times out closes the socket, and so does `abort`.
    *
    * Closing the source shuts down the socket's input, and ends a read of another thread with a
    * [[ClosedException]]; the sink remains open. The socket is closed when its source and its sink
    * are: a program that uses only one of them closes the socket itself. A peer that continues to
    * write is not told, and waits when the buffers of both sides are full. The input of an
    * SSLSocket cannot be shut down: it is not read any more, and if another thread waits for it,
    * the socket is closed.
    *
    * {{{
    * import java.net.{ServerSocket, Socket}
    * val server = ServerSocket(0)
    * val (client, peer) = (Socket("localhost", server.getLocalPort), server.accept())
    * client.sink().buffered.writeUtf8("ping\n").flush()
    * println(peer.source().buffered.readUtf8Line()) // ping
    * for closeable <- List(client, peer, server) do closeable.close()
    * }}}
    */
  def source(): Source = socketSource(Connection(socket), socket.getInputStream.source())

  /** A sink over a socket's output. A write that times out closes the socket.
    *
    * Closing the sink shuts down the socket's output: the peer reads all written bytes, then the
    * end, and can still reply. A write of another thread ends with a [[ClosedException]]. The
    * socket is closed when its source and its sink are. An SSLSocket needs TLS 1.3 for this; with
    * an earlier protocol, before its first byte, or during a write, closing the sink closes the
    * socket.
    *
    * {{{
    * import java.net.{ServerSocket, Socket}
    * val server = ServerSocket(0)
    * val (client, peer) = (Socket("localhost", server.getLocalPort), server.accept())
    * client.sink().buffered.writeUtf8("price").close()
    * val size = peer.source().buffered.readUtf8().length // to the end
    * peer.sink().buffered.writeDecimalLong(size).close()
    * println(client.source().buffered.readUtf8()) // 5
    * for closeable <- List(client, peer, server) do closeable.close()
    * }}}
    */
  def sink(): Sink = socketSink(Connection(socket), socket.getOutputStream.sink())
end extension

private[buffer] def socketSource(connection: Connection, input: Source): Source =
  AsyncTimeout(() => connection.abortRead()).source(SocketSource(connection, input))

private[buffer] def socketSink(connection: Connection, output: Sink): Sink =
  AsyncTimeout(() => connection.abortWrite()).sink(SocketSink(connection, output))

extension (bytes: MemorySegment)
  /** A source over the bytes of a memory segment, copied as they are read.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * val segment = MemorySegment.ofArray(new Array[Byte](8))
    * segment.sink().write(Buffer().writeInt(258), 4)
    * println(segment.source().buffered.readInt()) // 258
    * }}}
    */
  def source(): Source = new Source:
    private var at = 0L
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if at == bytes.byteSize then -1
      else
        val count = Math.min(byteCount, bytes.byteSize - at)
        sink.append(bytes.asSlice(at, count))
        at += count
        count
    def close(): Unit = ()

  /** A sink that fills a memory segment from its beginning. A write that exceeds the remaining
    * space throws a [[TooLargeException]] and takes no bytes.
    */
  def sink(): Sink = new Sink:
    private var at = 0L
    def write(source: Buffer, byteCount: Long): Unit =
      source.require(byteCount)
      if byteCount > bytes.byteSize - at then
        throw TooLargeException("the segment's rest", byteCount, bytes.byteSize - at)
      source.take(bytes.asSlice(at, byteCount))
      at += byteCount
    def flush(): Unit = ()
    def close(): Unit = ()
end extension

extension (bytes: ByteBuffer)
  /** A source over a ByteBuffer's bytes between its position, which advances, and its limit.
    *
    * {{{
    * import java.nio.ByteBuffer
    * val bytes = ByteBuffer.allocate(8)
    * bytes.sink().write(Buffer().writeInt(258), 4)
    * println(bytes.flip().source().buffered.readInt()) // 258
    * }}}
    */
  def source(): Source = new Source:
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if !bytes.hasRemaining then -1
      else
        val count = Math.min(byteCount, bytes.remaining).toInt
        sink.append(MemorySegment.ofBuffer(bytes).asSlice(0, count))
        bytes.position(bytes.position + count): Unit
        count
    def close(): Unit = ()

  /** A sink that fills a ByteBuffer from its position, which advances, to its limit. A write that
    * exceeds the remaining space throws a [[TooLargeException]] and takes no bytes.
    */
  def sink(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit =
      source.require(byteCount)
      if byteCount > bytes.remaining then
        throw TooLargeException("the ByteBuffer's rest", byteCount, bytes.remaining)
      source.take(MemorySegment.ofBuffer(bytes).asSlice(0, byteCount))
      bytes.position(bytes.position + byteCount.toInt): Unit
    def flush(): Unit = ()
    def close(): Unit = ()
end extension

extension (lines: Iterator[String])
  /** A source over lines as UTF-8, each followed by a line feed. Lines are taken from the iterator
    * on demand.
    *
    * {{{
    * println(Iterator("one", "two").source().buffered.readUtf8Line()) // one
    * }}}
    */
  def source()(using SegmentPool): Source = new Source:
    private val ready = Buffer()
    private val input = lines.buffered
    def read(sink: Buffer, byteCount: Long): Long =
      while ready.isEmpty && input.hasNext do
        ready.appendLine(input.head) // if it exceeds a budget, the next read appends it
        input.next(): Unit
      ready.read(sink, byteCount)
    def close(): Unit = ready.clear()

/** A source over a function that fills arrays and returns the number of bytes, or -1 at the end. */
private[buffer] final class InputStreamSource(end: () => Unit)(fill: (Array[Byte], Int, Int) => Int)
    extends Source:
  override val timeout: Timeout = Timeout()
  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    timeout.throwIfReached()
    if byteCount == 0 then 0
    else sink.filled(byteCount)(fill)
  def close(): Unit = end()

/** A sink over a function that consumes all given bytes of an array. */
private[buffer] final class OutputStreamSink(
    push: () => Unit,
    end: () => Unit
)(empty: (Array[Byte], Int, Int) => Unit)
    extends Sink:
  override val timeout: Timeout = Timeout()
  def write(source: Buffer, byteCount: Long): Unit =
    val callCancels = timeout.cancelCount
    source.emptied(byteCount): (bytes, from, count) =>
      timeout.throwIfReachedInCall(callCancels)
      empty(bytes, from, count)
  def flush(): Unit = push()
  def close(): Unit = end()
