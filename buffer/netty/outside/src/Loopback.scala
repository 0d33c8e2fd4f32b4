package outside.buffer.netty

import io.netty.bootstrap.{Bootstrap, ServerBootstrap}
import io.netty.channel.*
import io.netty.channel.nio.NioIoHandler
import io.netty.channel.socket.nio.{NioServerSocketChannel, NioSocketChannel}
import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit}

/** A Netty server and clients on loopback, in event loops that end with the suite. */
abstract class Loopback extends undercroft.tools.Suite:
  protected val group: EventLoopGroup = MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory())

  override def afterAll(): Unit =
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS): Unit
    super.afterAll()

  private final class Initializer(init: Channel => Unit) extends ChannelInitializer[Channel]:
    override def initChannel(channel: Channel): Unit = init(channel)

  /** Serves until the end of `use`, which gets the address. */
  def serving[A](init: Channel => Unit)(use: InetSocketAddress => A): A =
    val server = ServerBootstrap()
      .group(group)
      .channel(classOf[NioServerSocketChannel])
      .childHandler(Initializer(init))
      .bind(InetAddress.getLoopbackAddress, 0)
      .sync()
      .channel
    try use(server.localAddress.asInstanceOf[InetSocketAddress])
    finally server.close().sync(): Unit

  def connect(address: InetSocketAddress)(init: Channel => Unit): Channel =
    Bootstrap()
      .group(group)
      .channel(classOf[NioSocketChannel])
      .handler(Initializer(init))
      .connect(address)
      .sync()
      .channel

  /** Starts a body in a virtual thread. */
  def start[A](body: => A): CompletableFuture[A] =
    val result = CompletableFuture[A]()
    Thread.startVirtualThread: () =>
      try result.complete(body): Unit
      catch case e: Throwable => result.completeExceptionally(e): Unit
    result

  extension [A](future: CompletableFuture[A])
    def outcome: A =
      try future.get(30, TimeUnit.SECONDS)
      catch case e: ExecutionException => throw e.getCause

  /** Runs a body, which a defect may block, within a limit. */
  def within[A](body: => A): A = start(body).outcome
end Loopback
