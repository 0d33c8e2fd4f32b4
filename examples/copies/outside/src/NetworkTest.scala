package outside.bufferfs2

import bufferfs2.*
import cats.effect.IO
import cats.effect.unsafe.implicits.global
import com.comcast.ip4s.*
import fs2.Stream
import fs2.io.net.{Network, Socket}
import java.net.{InetAddress, Socket as JavaSocket}
import scala.concurrent.duration.*
import undercroft.buffer.*

/** The TCP servers and clients of fs2-io, whose bytes go through sources and sinks. */
class NetworkTest extends undercroft.tools.Suite:
  private val patience = 60.seconds
  private val anyPort = SocketAddress(ip"127.0.0.1", port"0")

  private def content(size: Int): Array[Byte] =
    val array = new Array[Byte](size)
    scala.util.Random(size).nextBytes(array)
    array

  /** Replies with the received bytes, compressed by our gzip. */
  private def compressed(socket: Socket[IO]): Stream[IO, Nothing] =
    Stream
      .resource(ByteStreams.source(socket.reads))
      .flatMap: received =>
        val reply = IO.blocking[Source]:
          val packed = Buffer()
          val gzip = Compression.gzip(packed).buffered
          gzip.writeAll(received)
          gzip.close()
          packed
        ByteStreams.read(reply).through(socket.writes)

  test("a server of fs2-io reads and writes through the bridge, its client is our socket"):
    for size <- Seq(0, 1, 300_000) do
      val sent = content(size)
      val program = Network[IO]
        .bind(anyPort)
        .use: server =>
          val (address, clients) = (server.address.asIpUnsafe, server.accept)
          val client = IO.blocking:
            val socket = JavaSocket(InetAddress.getLoopbackAddress, address.port.value)
            try
              val sink = socket.sink().buffered
              sink.write(sent)
              sink.close() // half-closed: the server sees the end, and replies
              Compression.gunzip(socket.source()).buffered.readByteArray().toSeq
            finally socket.close()
          client.background.use: reply =>
            clients.take(1).flatMap(compressed).compile.drain >> reply.flatMap(_.embedError)
      assertEquals(program.timeout(patience).unsafeRunSync(), sent.toSeq)

  test("a client of fs2-io is written from a source and read into a sink"):
    val sent = content(200_000)
    val received = Buffer()
    val program = Network[IO]
      .bind(anyPort)
      .use: server =>
        val (address, clients) = (server.address.asIpUnsafe, server.accept)
        val echo = clients.take(1).flatMap(socket => socket.reads.through(socket.writes))
        val client = Network[IO]
          .connect(address)
          .use: socket =>
            val source = IO[Source](Buffer().write(sent))
            val write =
              ByteStreams.read(source).through(socket.writes).compile.drain >> socket.endOfOutput
            val read = socket.reads.through(ByteStreams.write(IO[Sink](received))).compile.drain
            IO.both(write, read).void
        echo.compile.drain.background.surround(client)
    program.timeout(patience).unsafeRunSync()
    assertEquals(received.readByteArray().toSeq, sent.toSeq)

  test("a peer that sends nothing does not hold the reader of a source beyond its timeout"):
    val program = Network[IO]
      .bind(anyPort)
      .use: server =>
        val (address, clients) = (server.address.asIpUnsafe, server.accept)
        clients.evalMap(_ => IO.never[Unit]).compile.drain.background.surround:
          Network[IO]
            .connect(address)
            .use: socket =>
              ByteStreams
                .source(socket.reads)
                .use: source =>
                  IO.blocking:
                    source.timeout.timeout(200.millis)
                    intercept[java.io.InterruptedIOException](source.read(Buffer(), 1)): Unit
    program.timeout(patience).unsafeRunSync()
end NetworkTest
