package outside.buffer.netty

import io.netty.bootstrap.Bootstrap
import io.netty.channel.*
import io.netty.channel.nio.NioIoHandler
import io.netty.channel.socket.nio.NioSocketChannel
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** Reads that wait before the channel can take their request. */
class EarlyReadTest extends Loopback:

  /** A client's channel that is not connected, its source, and a listener to connect to. */
  private def unconnected[A](use: (Channel, Source, ServerSocket) => A): A =
    val created = CompletableFuture[Source]()
    val initializer = new ChannelInitializer[Channel]:
      override def initChannel(channel: Channel): Unit = created.complete(channel.source()): Unit
    val listener = ServerSocket(0, 10, InetAddress.getLoopbackAddress)
    val bootstrap = Bootstrap().group(group).channel(classOf[NioSocketChannel])
    val channel = bootstrap.handler(initializer).register().sync().channel
    try use(channel, created.outcome, listener)
    finally
      channel.close().sync()
      listener.close()

  /** Starts a read of one byte, and waits until it has requested bytes of the channel. */
  private def startRead(channel: Channel, source: Source): CompletableFuture[Byte] =
    val started = CompletableFuture[Thread]()
    val reader = start:
      started.complete(Thread.currentThread)
      source.buffered.readByte()
    val thread = started.outcome
    val end = System.nanoTime + 30_000_000_000L
    while thread.getState != Thread.State.WAITING && System.nanoTime < end do Thread.`yield`()
    channel.eventLoop.submit((() => ()): Runnable).sync() // after the request
    reader

  private def withPeer[A](listener: ServerSocket)(use: Socket => A): A =
    val peer = listener.accept()
    try use(peer)
    finally peer.close()

  test("a read that begins before the channel is connected gets the first bytes"):
    unconnected: (channel, source, listener) =>
      val reader = startRead(channel, source)
      channel.connect(listener.getLocalSocketAddress).sync()
      withPeer(listener): peer =>
        peer.getOutputStream.write(7)
        assertEquals(reader.outcome, 7.toByte)

  test("a read that waits while the channel moves to another event loop gets the next bytes"):
    val other = MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())
    try
      unconnected: (channel, source, listener) =>
        channel.connect(listener.getLocalSocketAddress).sync()
        val reader = startRead(channel, source)
        channel.deregister().sync()
        other.register(channel).sync()
        withPeer(listener): peer =>
          peer.getOutputStream.write(7)
          assertEquals(reader.outcome, 7.toByte)
    finally other.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS): Unit
end EarlyReadTest
