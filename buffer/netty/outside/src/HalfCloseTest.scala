package outside.buffer.netty

import io.netty.channel.Channel
import java.net.Socket
import java.util.concurrent.CompletableFuture
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** Clients that shut down their output after their requests. */
class HalfCloseTest extends Loopback:

  private def answering(channel: Channel): CompletableFuture[Unit] =
    val (source, sink) = (channel.source(), channel.sink())
    source.timeout.timeout(30.seconds)
    sink.timeout.timeout(30.seconds)
    val (input, output) = (source.buffered, sink.buffered)
    start:
      try
        for line <- input.lines do
          output.writeDecimalLong(line.length).writeByte('\n')
          if input.buffer.isEmpty then output.flush()
      finally
        try output.close()
        finally input.close()

  test("a client that half-closes after its requests gets all replies"):
    for requests <- Seq(0, 1, 2000) do
      val done = CompletableFuture[CompletableFuture[Unit]]()
      serving(channel => done.complete(answering(channel)): Unit): address =>
        val socket = Socket(address.getAddress, address.getPort)
        socket.setSoTimeout(30_000)
        val request = socket.sink().buffered
        for i <- 1 to requests do request.writeUtf8("x" * (i % 90)).writeByte('\n')
        request.close()
        val replies = socket.source().buffered.lines.map(_.toInt).toVector
        assertEquals(replies, (1 to requests).map(_ % 90).toVector)
        socket.close()
        done.outcome.outcome

  test("a request that ends with the input is answered after its end"):
    def answer(channel: Channel): Unit =
      val (input, output) = (channel.source().buffered, channel.sink().buffered)
      start:
        try output.writeUtf8(input.readUtf8().reverse).writeUtf8("!" * 1_000_000).flush()
        finally output.close()
      : Unit
    serving(answer): address =>
      val socket = Socket(address.getAddress, address.getPort)
      socket.setSoTimeout(30_000)
      socket.sink().buffered.writeUtf8("abc").close()
      assertEquals(socket.source().buffered.readUtf8(), "cba" + "!" * 1_000_000)
      socket.close()
end HalfCloseTest
