package outside.buffer

import java.io.IOException
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.channels.SocketChannel
import java.util.concurrent.{CompletableFuture, CountDownLatch, ExecutionException, TimeUnit}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

/** Sockets whose input and output are closed one by one. */
class HalfCloseTest extends undercroft.tools.Suite:
  private val seed = 20260711
  private val request =
    val bytes = new Array[Byte](300_000)
    scala.util.Random(seed).nextBytes(bytes)
    ByteString(bytes)
  private val threads = Seq("platform" -> Thread.ofPlatform, "virtual" -> Thread.ofVirtual)

  private def started[A](builder: Thread.Builder)(body: => A): CompletableFuture[A] =
    val result = CompletableFuture[A]()
    builder.start: () =>
      try result.complete(body): Unit
      catch case e: Throwable => result.completeExceptionally(e): Unit
    result

  /** A result that a defect may delay without bound. */
  private def outcome[A](result: CompletableFuture[A]): A =
    try result.get(60, TimeUnit.SECONDS)
    catch case e: ExecutionException => throw e.getCause

  private def within[A](body: => A): A = outcome(started(Thread.ofVirtual)(body))

  private val halfCloseable =
    Seq(SocketPairs.plain, SocketPairs.channel, SocketPairs.unix, SocketPairs.tls("TLSv1.3"))

  for pairs <- halfCloseable; (kind, builder) <- threads do
    test(s"${pairs.name}: a client closes its sink and reads the reply to its end ($kind threads)"):
      pairs.use: (client, server) =>
        val serving = started(builder):
          val bytes = server.source.buffered.readByteString() // ends by the client's close
          val sink = server.sink.buffered
          sink.write(bytes.sha256).write(bytes)
          sink.close()
          bytes.size
        val reply = started(builder):
          val sink = client.sink.buffered
          sink.write(request)
          sink.close()
          client.source.buffered.readByteString()
        assertEquals(outcome(reply), request.sha256 ++ request, s"seed $seed")
        assertEquals(outcome(serving), request.size)
        assertEquals((client.isClosed, server.isClosed), (false, false))
        within(client.source.close())
        within(server.source.close())
        assertEquals((client.isClosed, server.isClosed), (true, true))
  end for

  for pairs <- halfCloseable do
    test(s"${pairs.name}: after the close of its source, a socket still writes"):
      pairs.use: (client, server) =>
        within:
          client.sink.buffered.writeUtf8("a").flush()
          assertEquals(server.source.buffered.readUtf8(1), "a")
          client.source.close()
          client.source.close()
          val error = intercept[ClosedException](client.source.read(Buffer(), 1))
          assertEquals(error.getMessage, "the socket's source is closed")
          assert(!client.isClosed)
          client.sink.buffered.writeUtf8("after").close()
          assert(client.isClosed)
          assertEquals(server.source.buffered.readUtf8(), "after")
          val late = intercept[ClosedException](client.sink.write(Buffer().writeInt(1), 4))
          assertEquals(late.getMessage, "the socket's sink is closed")
          intercept[ClosedException](client.sink.flush()): Unit
          client.sink.close()

    for (kind, builder) <- threads do
      test(s"${pairs.name}: closing the source ends a read that waits ($kind threads)"):
        for _ <- 1 to 5 do
          pairs.use: (client, server) =>
            val reading = CountDownLatch(1)
            val read = started(builder):
              reading.countDown()
              client.source.read(Buffer(), 1)
            reading.await()
            within(client.source.close())
            intercept[ClosedException](outcome(read)): Unit
            within(client.sink.close())
            assert(client.isClosed)
            assertEquals(within(server.source.read(Buffer(), 1)), -1L)

      test(s"${pairs.name}: closing the sink ends a write that waits ($kind threads)"):
        pairs.use: (client, server) =>
          val bytes = Buffer().write(new Array[Byte](64 << 20)) // more than sockets buffer
          val write = started(builder)(client.sink.write(bytes, bytes.size))
          assertEquals(within(server.source.read(Buffer(), 1)), 1L)
          within(client.sink.close())
          intercept[ClosedException](outcome(write)): Unit
          assert(bytes.size > 0)
          within(client.source.close())
          assert(client.isClosed)
    end for

    test(s"${pairs.name}: two threads that close a side each close the socket"):
      for _ <- 1 to 20 do
        pairs.use: (client, _) =>
          val start = CountDownLatch(1)
          val closes =
            for close <- Seq(() => client.source.close(), () => client.sink.close())
            yield started(Thread.ofPlatform):
              start.await()
              close()
          start.countDown()
          closes.foreach(outcome)
          assert(client.isClosed)
  end for

  // A Unix socket whose output is shut down is not ready to write, as a TCP socket is.
  test("closing the sink ends a write that is about to wait"):
    val bytes = new Array[Byte](1 << 20) // more than a Unix socket buffers
    for _ <- 1 to 500 do
      SocketPairs.unix.use: (client, server) =>
        val write = started(Thread.ofVirtual)(client.sink.write(Buffer().write(bytes), 1 << 20))
        assertEquals(within(server.source.read(Buffer(), 1)), 1L)
        within(client.sink.close())
        intercept[ClosedException](outcome(write)): Unit

  test("the source and the sink of a socket that was reset are closed without an error"):
    val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val client = Socket(server.getInetAddress, server.getLocalPort)
    try
      val accepted = server.accept()
      accepted.setSoLinger(true, 0) // makes the close a reset
      accepted.close()
      val (source, sink) = (client.source(), client.sink())
      within(intercept[IOException](source.read(Buffer(), 1))): Unit
      sink.close()
      source.close()
      assert(client.isClosed)
    finally
      client.close()
      server.close()

  test("closing the source or the sink of a SocketChannel without a connection closes the channel"):
    for close <- Seq[SocketChannel => Unit](_.source().close(), _.sink().close()) do
      val channel = SocketChannel.open()
      close(channel)
      assert(!channel.isOpen)

  test("before TLS 1.3, closing the sink closes the socket, and the peer reads all bytes"):
    SocketPairs.tls("TLSv1.2").use: (client, server) =>
      val read = started(Thread.ofPlatform)(server.source.buffered.readByteString())
      within:
        val sink = client.sink.buffered
        sink.write(request)
        sink.close()
      assert(client.isClosed)
      assertEquals(outcome(read), request)
      val error = intercept[ClosedException](within(client.source.read(Buffer(), 1)))
      assertEquals(error.getMessage, "the socket is closed")

  test("before TLS 1.3, a socket still writes after the close of its source"):
    SocketPairs.tls("TLSv1.2").use: (client, server) =>
      within(client.source.close())
      val read = started(Thread.ofPlatform)(server.source.buffered.readUtf8())
      within(client.sink.buffered.writeUtf8("after").close())
      assertEquals(outcome(read), "after")
      assert(client.isClosed)

  for protocol <- Seq("TLSv1.2", "TLSv1.3") do
    test(s"closing the sink of an SSLSocket before its handshake does not wait ($protocol)"):
      SocketPairs.tls(protocol, isHandshaken = false).use: (client, _) =>
        within(client.sink.close())
        assert(client.isClosed)

    test(s"closing the sink of an SSLSocket does not wait after a flush without bytes ($protocol)"):
      SocketPairs.tls(protocol, isHandshaken = false).use: (client, _) =>
        within:
          client.sink.flush()
          client.sink.write(Buffer(), 0)
          client.sink.close()
        assert(client.isClosed)

    test(s"a late read or write of an SSLSocket ends and closes the socket ($protocol)"):
      SocketPairs.tls(protocol).use: (client, _) =>
        client.source.timeout.timeout(50.millis)
        intercept[TimedOutException](within(client.source.read(Buffer(), 1))): Unit
      SocketPairs.tls(protocol).use: (client, _) =>
        val bytes = Buffer().write(new Array[Byte](64 << 20))
        client.sink.timeout.timeout(200.millis)
        intercept[TimedOutException](within(client.sink.write(bytes, bytes.size))): Unit
        assert(bytes.size > 0)
  end for
end HalfCloseTest
