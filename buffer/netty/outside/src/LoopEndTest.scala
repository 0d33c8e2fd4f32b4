package outside.buffer.netty

import io.netty.channel.*
import io.netty.channel.nio.NioIoHandler
import io.netty.channel.socket.nio.NioSocketChannel
import io.netty.bootstrap.Bootstrap
import java.io.{IOException, OutputStream}
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import scala.util.Try
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** Sources and sinks of channels whose event loop ends. */
class LoopEndTest extends Loopback:

  /** Client channels of one event loop, which a test ends, and the socket of each peer. */
  private final class Client(init: Channel => Unit = _ => ()):
    private val listener = ServerSocket(0, 10, InetAddress.getLoopbackAddress)
    private val loop = MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())
    private val initializer = new ChannelInitializer[Channel]:
      override def initChannel(channel: Channel): Unit = init(channel)
    val channel: Channel = Bootstrap()
      .group(loop)
      .channel(classOf[NioSocketChannel])
      .handler(initializer)
      .connect(listener.getLocalSocketAddress)
      .sync()
      .channel
    val peer: Socket = listener.accept()

    def endLoop(): Unit =
      assert(loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS))

    def close(): Unit =
      endLoop()
      peer.close()
      listener.close()
  end Client

  private def using[A](client: Client)(use: Client => A): A =
    try use(client)
    finally client.close()

  test("a sink throws after the event loop of its channel has ended"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    using(Client()): client =>
      val output = client.channel.sink().buffered
      within(output.writeUtf8("hello").flush())
      client.endLoop()
      val error = intercept[IOException](within(output.writeUtf8("more").flush()))
      assert(error.getMessage.startsWith("the sink of [id: "), error.getMessage)
      assert(error.getCause ne null)
      val again = intercept[IOException](within(output.flush()))
      assertEquals(again.getMessage, error.getMessage)
      intercept[IOException](within(output.close())): Unit
      output.close()
    pool.assertNoLeaks()

  test("a sink that has no bytes to write is closed after the end of its event loop"):
    using(Client()): client =>
      val output = client.channel.sink().buffered
      within(output.writeUtf8("hello").flush())
      client.endLoop()
      within(output.flush())
      within(output.close())
      assertEquals(String(within(client.peer.getInputStream.readNBytes(5))), "hello")

  test("the close of a sink whose last bytes come after the end of its event loop throws"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    using(Client()): client =>
      val output = client.channel.sink().buffered
      output.writeUtf8("last words")
      client.endLoop()
      intercept[IOException](within(output.close())): Unit
    pool.assertNoLeaks()

  test("writers whose event loop ends at any moment end with an error"):
    for round <- 1 to 20 do
      using(Client()): client =>
        start(client.peer.getInputStream.transferTo(OutputStream.nullOutputStream)): Unit
        val output = client.channel.sink().buffered
        val isWriting = CompletableFuture[Unit]()
        val writer = start:
          for i <- 1 to 10_000_000 do
            output.write(new Array[Byte](500)).flush()
            if i == round * 20 then isWriting.complete(()): Unit
        isWriting.outcome
        client.endLoop()
        intercept[IOException](writer.outcome): Unit

  /** Takes writes, and neither passes them on nor completes them. */
  private final class Forgetful(taken: CompletableFuture[Unit])
      extends ChannelOutboundHandlerAdapter:
    override def write(context: ChannelHandlerContext, message: Object, promise: ChannelPromise) =
      io.netty.util.ReferenceCountUtil.release(message)
      taken.complete(()): Unit

  /** Runs `end` while a flush waits for bytes that a handler never writes; returns its error. */
  private def errorOfFlush(end: Client => Unit): IOException =
    val taken = CompletableFuture[Unit]()
    using(Client(channel => channel.pipeline.addLast(Forgetful(taken)): Unit)): client =>
      val output = client.channel.sink().buffered
      val writer = start(output.writeUtf8("lost").flush())
      taken.outcome
      end(client)
      val error = intercept[IOException](writer.outcome)
      intercept[IOException](within(output.close())): Unit
      error

  test("a flush of bytes that a handler never writes ends when the channel is closed"):
    val error = errorOfFlush(_.channel.close().sync(): Unit)
    assert(error.getMessage.contains("ClosedChannelException"), error.getMessage)

  test("a flush of bytes that a handler never writes ends with the event loop"):
    val error = errorOfFlush: client =>
      client.channel.deregister().sync() // the event loop does not close the channel then
      client.endLoop()
      client.channel.unsafe.closeForcibly()
    assert(error.getMessage.endsWith("its event loop has terminated"), error.getMessage)

  test("reads that wait end when the event loop ends at any moment"):
    val outcomes =
      for _ <- 1 to 20 yield
        val accepted = CompletableFuture[Source]()
        using(Client(channel => accepted.complete(channel.source()): Unit)): client =>
          val source = accepted.outcome
          val reader = start(source.read(Buffer(), 1))
          client.endLoop()
          // Netty closes the channel, or leaves it open
          val outcome = Try(reader.outcome)
          assert(outcome.fold(_.isInstanceOf[IOException], _ == -1L), outcome)
          assertEquals(Try(within(source.read(Buffer(), 1))).isSuccess, outcome.isSuccess)
          source.close()
          outcome
    assertEquals(outcomes.size, 20)

  test("a source of a channel that is closed has no bytes"):
    using(Client()): client =>
      client.channel.close().sync()
      val source = client.channel.source()
      assertEquals(within(source.read(Buffer(), 1)), -1L)
      source.close()

  test("a source of a closed channel whose event loop has ended has no bytes"):
    using(Client()): client =>
      client.channel.close().sync()
      client.endLoop()
      val source = client.channel.source()
      assertEquals(within(source.read(Buffer(), 1)), -1L)
      assertEquals(within(source.read(Buffer(), 0)), 0L)
      source.close()
      assertEquals(
        intercept[ClosedException](source.read(Buffer(), 1)).getMessage,
        "the channel's source is closed"
      )

  test("an open channel whose event loop has ended fails its source"):
    val accepted = CompletableFuture[Source]()
    using(Client(channel => accepted.complete(channel.source()): Unit)): client =>
      val waiting = accepted.outcome
      // a read that the event loop has begun, so that the next read requests nothing
      within(client.peer.getOutputStream.write(7))
      assertEquals(within(waiting.read(Buffer(), 1)), 1L)
      // a channel that has left the event loop is not closed with it
      client.channel.deregister().sync()
      val reader = start(waiting.read(Buffer(), 1))
      client.endLoop()
      assert(client.channel.isOpen)
      val error = intercept[IOException](reader.outcome)
      assert(error.getMessage.startsWith("the source of [id: "), error.getMessage)
      for source <- Seq(waiting, client.channel.source()) do
        val again = intercept[IOException](within(source.read(Buffer(), 1)))
        assert(again.getMessage.startsWith("the source of [id: "), again.getMessage)
      client.channel.unsafe.closeForcibly()
end LoopEndTest
