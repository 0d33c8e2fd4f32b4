import io.netty.bootstrap.ServerBootstrap
import io.netty.buffer.ByteBuf
import io.netty.channel.*
import io.netty.channel.nio.NioIoHandler
import io.netty.channel.socket.nio.NioServerSocketChannel
import java.net.{InetAddress, InetSocketAddress, Socket}
import scala.concurrent.duration.*
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** On the event loop: collects bytes in a buffer, and answers each complete line. */
final class LineCounter extends ChannelInboundHandlerAdapter:
  private val received = Buffer()

  override def channelRead(context: ChannelHandlerContext, message: Object): Unit =
    message match
      case bytes: ByteBuf =>
        try received.writeByteBuf(bytes) // copies the bytes; the ByteBuf remains ours to release
        finally bytes.release()
        while received.indexOf('\n'.toByte) != -1 do
          val reply =
            Buffer().writeDecimalLong(received.readUtf8LineStrict().length).writeByte('\n')
          context.write(reply.readByteBuf(reply.size, context.alloc)) // Netty releases it
      case other => context.fireChannelRead(other)

  override def channelReadComplete(context: ChannelHandlerContext): Unit = context.flush()
  override def channelInactive(context: ChannelHandlerContext): Unit = received.clear()
end LineCounter

/** The same in a virtual thread for each connection, as if the channel were a blocking socket. */
def countLines(channel: Channel): Unit =
  val (source, sink) = (channel.source(), channel.sink())
  source.timeout.timeout(10.seconds) // for each read
  sink.timeout.timeout(10.seconds) // for each write to a slow client
  val (input, output) = (source.buffered, sink.buffered)
  Thread.startVirtualThread: () =>
    try
      for line <- input.lines do
        output.writeDecimalLong(line.length).writeByte('\n')
        if input.buffer.isEmpty then output.flush()
    finally
      try output.close()
      finally input.close()

/** Sends lines to a server and prints its answers. */
def ask(group: EventLoopGroup, start: Channel => Unit): Unit =
  val server = ServerBootstrap()
    .group(group)
    .channel(classOf[NioServerSocketChannel])
    .childHandler(
      new ChannelInitializer[Channel]:
        override def initChannel(channel: Channel): Unit = start(channel)
    )
    .bind(InetAddress.getLoopbackAddress, 0)
    .sync()
    .channel
  val address = server.localAddress.asInstanceOf[InetSocketAddress]
  val socket = Socket(address.getAddress, address.getPort)
  socket.sink().buffered.writeUtf8("price\nprice 251\n").flush()
  val input = socket.source().buffered
  println(s"${input.readUtf8LineStrict()} ${input.readUtf8LineStrict()}")
  socket.close()
  server.close().sync()

@main def onNetty(): Unit =
  val group = MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())
  try
    ask(group, channel => channel.pipeline.addLast(LineCounter()))
    ask(group, countLines)
  finally group.shutdownGracefully(0, 1, SECONDS).sync()

// prints:
// 5 9
// 5 9
