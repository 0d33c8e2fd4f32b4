package outside.buffer

import java.net.{InetAddress, ServerSocket, Socket, SocketTimeoutException}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import scala.concurrent.duration.*
import undercroft.buffer.*

/** Time limits of sockets: of one call, and of both directions. */
class IdleSocketTest extends undercroft.tools.Suite:
  private def connected[A](use: (Socket, Socket) => A): A =
    val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val (client, peer) = (Socket(server.getInetAddress, server.getLocalPort), server.accept().nn)
    try use(client, peer)
    finally
      client.close()
      peer.close()
      server.close()

  test("a read of a socket that times out throws a SocketTimeoutException"):
    connected: (client, _) =>
      val source = client.source()
      source.timeout.timeout(20.millis)
      val error = intercept[SocketTimeoutException](source.read(Buffer(), 1): Unit)
      assertEquals(error.getMessage, "the timeout of 20 milliseconds has passed")

  for (limit, shown) <- Seq(
      1500.micros -> "1500 microseconds",
      1.milli -> "1 millisecond",
      7.nanos -> "7 nanoseconds"
    )
  do
    test(s"the error of a time limit of $shown has the unit in which it was set"):
      val pipe = Pipe(10)
      pipe.source.timeout.timeout(limit)
      val error = intercept[TimedOutException](pipe.source.read(Buffer(), 1): Unit)
      assertEquals(error.limit, s"the timeout of $shown")
      val other = Pipe(10)
      other.source.timeout.timeout(1.hour)
      val within = intercept[TimedOutException]:
        other.source.timeout.intersectWith(Timeout().timeout(limit))(other.source.read(Buffer(), 1))
      assertEquals(within.limit, s"the timeout of $shown")

  test("an idle socket ends a read, stays open and loses no byte"):
    connected: (client, peer) =>
      val idle = IdleSocket(client, limit = 20.millis)
      val (input, output) = (idle.source.buffered, idle.sink.buffered)
      for i <- 1 to 3 do
        val error = intercept[SocketTimeoutException](input.readInt(): Unit)
        assertEquals(error.getMessage, "the idle limit of 20 milliseconds has passed")
        output.writeInt(i).flush()
        assertEquals(peer.source().buffered.readInt(), i)
      assert(!client.isClosed)
      peer.getOutputStream.write(Array[Byte](0, 0))
      intercept[TimedOutException](input.readInt(): Unit): Unit
      peer.getOutputStream.write(Array[Byte](1, 2))
      assertEquals(input.readInt(), 258)
      output.close()
      assert(peer.source().buffered.exhausted)

  test("a read does not end while bytes are written"):
    // The limit also passes if the machine stops this thread or the peer's for as long.
    assert((1 to 10).exists(_ => isReadingWhileBytesAreWritten()), "it ended although bytes passed")

  private def isReadingWhileBytesAreWritten(): Boolean =
    connected: (client, peer) =>
      val idle = IdleSocket(client, limit = 400.millis)
      val output = idle.sink.buffered
      val input = peer.source().buffered
      val _ = Thread.ofPlatform.daemon.start: () =>
        try input.readAll(Sink.blackhole()): Unit
        catch case _: java.io.IOException => () // the end of the test
      val read = CompletableFuture.supplyAsync: () =>
        val begin = System.nanoTime
        try idle.source.buffered.readByte().toLong
        catch case _: TimedOutException => System.nanoTime - begin
      val end = System.nanoTime + 1.second.toNanos
      while System.nanoTime < end do output.writeInt(1).flush()
      read.get(60, TimeUnit.SECONDS) > 1.second.toNanos

  test("an idle limit out of range is an error with the range"):
    connected: (client, _) =>
      for limit <- Seq(Duration.Zero, 10.micros, -1.second, 100.days) do
        val error = intercept[IllegalArgumentException](IdleSocket(client, limit): Unit)
        assertEquals(
          error.getMessage,
          s"the idle limit must be from 1 millisecond to 2147483647 milliseconds, but is $limit"
        )
end IdleSocketTest
