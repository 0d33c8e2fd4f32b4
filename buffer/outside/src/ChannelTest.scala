package outside.buffer

import java.io.{IOException, InterruptedIOException}
import java.nio.ByteBuffer
import java.nio.channels.{
  FileChannel,
  IllegalBlockingModeException,
  ReadableByteChannel,
  SelectableChannel,
  ServerSocketChannel,
  SocketChannel,
  WritableByteChannel
}
import java.nio.channels.spi.AbstractInterruptibleChannel
import java.nio.file.StandardOpenOption.{READ, WRITE}
import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

/** Limits, interrupts and modes of channels and sockets whose calls wait. */
class ChannelTest extends undercroft.tools.Suite:
  private val threads = Seq("platform" -> Thread.ofPlatform, "virtual" -> Thread.ofVirtual)
  private val limits = Seq[(String, Timeout => Timeout)](
    "timeout" -> (_.timeout(50.millis)),
    "deadline" -> (_.deadline(50.millis))
  )

  /** More bytes than systems buffer. */
  private def manyBytes(): Buffer = Buffer().write(new Array[Byte](64 << 20))

  private def started[A](builder: Thread.Builder)(body: => A): (Thread, CompletableFuture[A]) =
    val result = CompletableFuture[A]()
    val thread = builder.start: () =>
      try result.complete(body): Unit
      catch case e: Throwable => result.completeExceptionally(e): Unit
    (thread, result)

  /** A result that a defect may delay without bound. */
  private def outcome[A](result: CompletableFuture[A]): A =
    try result.get(60, TimeUnit.SECONDS)
    catch case e: ExecutionException => throw e.getCause

  private def within[A](builder: Thread.Builder)(body: => A): A = outcome(started(builder)(body)(1))

  private type Ends = (source: ReadableByteChannel, sink: WritableByteChannel)

  private def socketChannels(use: Ends => Unit): Unit =
    val server = ServerSocketChannel.open()
    server.bind(java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress, 0)): Unit
    val client = SocketChannel.open(server.getLocalAddress)
    val accepted = server.accept()
    try use((client, accepted))
    finally for channel <- Seq(client, accepted, server) do channel.close()

  private def pipes(use: Ends => Unit): Unit =
    val pipe = java.nio.channels.Pipe.open()
    try use((pipe.source, pipe.sink))
    finally
      pipe.source.close()
      pipe.sink.close()

  /** Both ends of a named pipe: the open of one alone waits for the other. */
  private def namedPipes(use: Ends => Unit): Unit =
    val path = Files.createTempDirectory("channels").resolve("pipe")
    assertEquals(ProcessBuilder("mkfifo", path.toString).start().waitFor(), 0)
    val (source, sink) = (FileChannel.open(path, READ, WRITE), FileChannel.open(path, READ, WRITE))
    try use((source, sink))
    finally
      source.close()
      sink.close()
      Files.delete(path)
      Files.delete(path.getParent)

  private val kinds = Seq[(String, (Ends => Unit) => Unit)](
    "SocketChannel" -> socketChannels,
    "channel of a Pipe" -> pipes
  ) ++ Option.when(Files.exists(Path.of("/usr/bin/mkfifo")))("FileChannel of a FIFO" -> namedPipes)

  for
    (name, channels) <- kinds
    (kind, builder) <- if name.startsWith("FileChannel") then threads.take(1) else threads
    (limit, set) <- limits
  do
    test(s"a read of a $name ends with its $limit ($kind threads)"):
      channels: ends =>
        val source = ends.source.source()
        within(builder):
          set(source.timeout): Unit
          intercept[TimedOutException](source.read(Buffer(), 10)): Unit
        // A deadline that passes before the call leaves the channel open.
        if limit == "timeout" then assert(!ends.source.isOpen)

    test(s"a write to a $name ends with its $limit ($kind threads)"):
      channels: ends =>
        val (sink, bytes) = (ends.sink.sink(), manyBytes())
        within(builder):
          set(sink.timeout): Unit
          intercept[TimedOutException](sink.write(bytes, bytes.size)): Unit
        // A deadline that passes between two parts of the write leaves the channel open.
        if limit == "timeout" then assert(!ends.sink.isOpen)
        assert(bytes.size > 0)
  end for

  for (name, channels) <- kinds do
    test(s"a read and a write of a $name in time pass all bytes"):
      channels: ends =>
        val bytes = ByteString(Array.tabulate(300_000)(_.toByte))
        val (source, sink) = (ends.source.source().buffered, ends.sink.sink())
        for timeout <- Seq(source.timeout, sink.timeout) do timeout.timeout(1.hour): Unit
        val buffer = Buffer().write(bytes)
        val (_, write) = started(Thread.ofPlatform)(sink.write(buffer, buffer.size))
        assertEquals(within(Thread.ofPlatform)(source.readByteString(bytes.size)), bytes)
        outcome(write)

  test("a channel that no close can interrupt is read and written without a limit on each call"):
    final class Bytes extends ReadableByteChannel, WritableByteChannel:
      def read(target: ByteBuffer): Int =
        target.put(1.toByte): Unit
        1
      def write(bytes: ByteBuffer): Int =
        bytes.position(bytes.limit): Unit
        1
      def isOpen: Boolean = true
      def close(): Unit = fail("closed")
    val source = (Bytes(): ReadableByteChannel).source()
    source.timeout.timeout(1.nano): Unit
    assertEquals(source.read(Buffer(), 10), 1L)
    source.timeout.deadlineNanoTime(System.nanoTime - 1): Unit
    intercept[TimedOutException](source.read(Buffer(), 10)): Unit

  /** Sinks whose writes have several parts, and call a function in each. */
  private val parts = Seq[(String, (() => Unit) => Sink)](
    "a stream" -> { call =>
      val stream = new java.io.OutputStream:
        def write(value: Int): Unit = fail("one byte")
        override def write(bytes: Array[Byte], from: Int, count: Int): Unit = call()
      stream.sink()
    },
    "a channel that a close interrupts" -> { call =>
      final class Calling extends AbstractInterruptibleChannel, WritableByteChannel:
        def write(bytes: ByteBuffer): Int = consume(bytes, call)
        def implCloseChannel(): Unit = ()
      (Calling(): WritableByteChannel).sink()
    },
    "a channel that no close interrupts" -> { call =>
      final class Calling extends WritableByteChannel:
        def write(bytes: ByteBuffer): Int = consume(bytes, call)
        def isOpen: Boolean = true
        def close(): Unit = ()
      (Calling(): WritableByteChannel).sink()
    }
  )

  private def consume(bytes: ByteBuffer, call: () => Unit): Int =
    call()
    val count = bytes.remaining
    bytes.position(bytes.limit): Unit
    count

  for (name, sinkOf) <- parts do
    test(s"a cancel during a write to $name applies to its later parts"):
      var calls = 0
      var timeout = Timeout.none
      val sink = sinkOf: () =>
        calls += 1
        if calls == 1 then
          timeout.cancel()
          timeout.deadlineNanoTime(System.nanoTime - 1): Unit
      timeout = sink.timeout
      timeout.deadline(1.hour): Unit
      val bytes = Buffer().write(new Array[Byte](200_000))
      sink.write(bytes, bytes.size)
      assert(calls > 1, s"$calls calls")
      intercept[TimedOutException](sink.write(Buffer().writeByte(7), 1)): Unit

  for (kind, builder) <- threads do
    test(s"a file whose deadline has passed remains open ($kind threads)"):
      val file = Files.writeString(Files.createTempFile("channels", ".txt"), "price").nn
      val channel = FileChannel.open(file)
      try
        val source = channel.source()
        source.timeout.deadlineNanoTime(System.nanoTime - 1): Unit
        intercept[TimedOutException](within(builder)(source.read(Buffer(), 10))): Unit
        source.timeout.clearDeadline().timeout(1.hour): Unit
        assertEquals(within(builder)(source.buffered.readUtf8()), "price")
      finally
        channel.close()
        Files.delete(file)

  for (name, channels) <- kinds.take(2) do
    test(s"a $name in non-blocking mode is an error at each call"):
      channels: ends =>
        def setBlocking(isBlocking: Boolean): Unit =
          for end <- Seq(ends.source, ends.sink) do
            end.asInstanceOf[SelectableChannel].configureBlocking(isBlocking): Unit
        val (source, sink) = (ends.source.source().buffered, ends.sink.sink())
        sink.write(Buffer().writeInt(7), 4)
        assertEquals(source.readInt(), 7)
        setBlocking(false)
        val out = ByteOutput().writeUtf8("price")
        val calls = Seq(
          () => source.readByte(): Any,
          () => source.read(Buffer(), 1): Any,
          () => sink.write(Buffer().writeInt(7), 4),
          () => out.writeTo(ends.sink): Any
        )
        for call <- calls do
          val error = intercept[IllegalBlockingModeException](call(): Unit)
          val message = "the channel must be in blocking mode, but is non-blocking"
          assertEquals(error.getMessage, message)
        out.close()
        setBlocking(true)
        sink.write(Buffer().writeInt(8), 4)
        assertEquals(source.readInt(), 8)
  end for

  /** Interrupts a call that waits, or is about to: a platform thread does not show that it waits.
    */
  private def interrupted(builder: Thread.Builder)(call: => Unit): Unit =
    @volatile var isInterrupted = false
    val (thread, result) = started(builder):
      try call
      finally isInterrupted = Thread.currentThread.isInterrupted
    val end = System.nanoTime + 100_000_000
    while thread.getState != Thread.State.WAITING && System.nanoTime < end do Thread.`yield`()
    thread.interrupt()
    val error = intercept[InterruptedIOException](outcome(result))
    assert(!error.isInstanceOf[TimedOutException], error)
    assert(isInterrupted)

  private def interruptAll(builder: Thread.Builder)(pairs: SocketPairs): Unit =
    pairs.use((peer, _) => interrupted(builder)(peer.source.read(Buffer(), 1): Unit))
    pairs.use: (peer, _) =>
      val bytes = manyBytes()
      interrupted(builder)(peer.sink.write(bytes, bytes.size))
    pairs.use: (peer, _) =>
      peer.source.timeout.timeout(1.hour): Unit
      interrupted(builder)(peer.source.read(Buffer(), 1): Unit)
      assert(peer.isClosed)

  for (kind, builder) <- threads do
    test(s"an interrupt ends a read and a write of a SocketChannel ($kind threads)"):
      interruptAll(builder)(SocketPairs.channel)

  test("an interrupt ends a read and a write of a Socket on a virtual thread"):
    interruptAll(Thread.ofVirtual)(SocketPairs.plain)

  test("a read of a closed SocketChannel is an IOException that is no interrupt"):
    socketChannels: ends =>
      val source = ends.source.source()
      ends.source.close()
      val error = intercept[IOException](source.read(Buffer(), 1))
      assert(!error.isInstanceOf[InterruptedIOException], error)
end ChannelTest
