package outside.buffer.netty

import io.netty.buffer.ByteBuf
import io.netty.channel.{Channel, ChannelHandlerContext, ChannelInboundHandlerAdapter}
import java.net.Socket
import java.util.concurrent.CompletableFuture
import undercroft.buffer.*
import undercroft.buffer.netty.*

/** An echo of frames, each with its length in four bytes before it: on the event loop with a
  * decoder that uses a buffer, and with a virtual thread for each connection.
  */
class FramedEchoTest extends Loopback:
  private val MaxFrameBytes = 1_000_000

  /** Collects bytes in a buffer, and answers each complete frame. */
  private final class EchoFrames(pool: SegmentPool, ended: CompletableFuture[Long])
      extends ChannelInboundHandlerAdapter:
    private val received = Buffer(using pool)
    private var length = -1

    override def channelRead(context: ChannelHandlerContext, message: Object): Unit =
      val bytes = message.asInstanceOf[ByteBuf]
      try received.writeByteBuf(bytes)
      finally bytes.release()
      while readLength() && received.size >= length do
        val frame = Buffer(using pool).writeInt(length)
        frame.write(received, length)
        context.write(frame.readByteBuf(frame.size, context.alloc))
        length = -1

    /** Reads the next frame's length, unless it is known already; false if it has not arrived. */
    private def readLength(): Boolean =
      if length < 0 && received.size >= 4 then
        length = received.readInt()
        if length < 0 || length > MaxFrameBytes then
          throw java.io.IOException(s"a frame of $length bytes exceeds $MaxFrameBytes")
      length >= 0

    override def channelReadComplete(context: ChannelHandlerContext): Unit = context.flush()

    override def exceptionCaught(context: ChannelHandlerContext, cause: Throwable): Unit =
      context.close()

    override def channelInactive(context: ChannelHandlerContext): Unit =
      val rest = received.size
      received.clear()
      ended.complete(rest)
  end EchoFrames

  private def frame(size: Int, seed: Int): Array[Byte] =
    val array = new Array[Byte](size)
    scala.util.Random(seed).nextBytes(array)
    array

  private val sizes = Seq(0, 1, 3, 4, 100, 8191, 8192, 8193, 70_000, 1_000_000)

  /** Sends the frames in pieces of 1 to 10 000 bytes, and compares the answers. */
  private def exchange(socket: Socket): Unit =
    val random = scala.util.Random(7)
    val sender = start:
      val bytes = Buffer()
      for (size, i) <- sizes.zipWithIndex do bytes.writeInt(size).write(frame(size, i))
      val output = socket.getOutputStream
      while !bytes.isEmpty do
        output.write(bytes.readByteArray(Math.min(bytes.size, 1 + random.nextInt(10_000))))
    val input = socket.source().buffered
    for (size, i) <- sizes.zipWithIndex do
      assertEquals(input.readInt(), size)
      assert(java.util.Arrays.equals(input.readByteArray(size), frame(size, i)))
    sender.outcome

  for memory <- SegmentMemory.values.toSeq do
    test(s"a decoder on the event loop answers each frame, with segments in $memory memory"):
      val pool = SegmentPool.synchronizedPool(debug = true, memory = memory)
      val ended = CompletableFuture[Long]()
      serving(channel => channel.pipeline.addLast(EchoFrames(pool, ended)): Unit): address =>
        val socket = Socket(address.getAddress, address.getPort)
        within(exchange(socket))
        socket.close()
        assertEquals(ended.outcome, 0L)
        pool.assertNoLeaks()

  test("a decoder closes a connection whose frame is too long, and keeps no segment"):
    val pool = SegmentPool.synchronizedPool(debug = true)
    val ended = CompletableFuture[Long]()
    serving(channel => channel.pipeline.addLast(EchoFrames(pool, ended)): Unit): address =>
      val socket = Socket(address.getAddress, address.getPort)
      socket.getOutputStream.write(Buffer().writeInt(MaxFrameBytes + 1).readByteArray())
      assertEquals(within(socket.getInputStream.read()), -1)
      assertEquals(ended.outcome, 0L)
      pool.assertNoLeaks()

  /** Echoes frames in a virtual thread, in the style of a blocking server. */
  private def echo(channel: Channel)(using SegmentPool): CompletableFuture[Unit] =
    val (input, output) = (channel.source().buffered, channel.sink().buffered)
    start:
      try
        while !input.exhausted do
          val length = input.readInt()
          output.writeInt(length)
          output.write(input, length)
          output.flush()
      finally
        input.close()
        output.close()

  test("a virtual thread answers each frame of its connection"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    val server = CompletableFuture[CompletableFuture[Unit]]()
    serving(channel => server.complete(echo(channel)): Unit): address =>
      val socket = Socket(address.getAddress, address.getPort)
      within(exchange(socket))
      socket.shutdownOutput()
      assertEquals(within(socket.getInputStream.read()), -1)
      server.outcome.outcome
      pool.assertNoLeaks()

  test("Netty at both ends, each in a thread of its own, exchanges frames"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    serving(channel => echo(channel): Unit): address =>
      val ready = CompletableFuture[(BufferedSource, BufferedSink)]()
      connect(address): channel =>
        ready.complete((channel.source().buffered, channel.sink().buffered)): Unit
      val (input, output) = ready.outcome
      within:
        for i <- 1 to 200 do
          output.writeInt(i).write(frame(i, i)).flush()
          assertEquals(input.readInt(), i)
          assertEquals(input.readByteArray(i).toSeq, frame(i, i).toSeq)
        output.close()
        input.close()
    within(pool.assertNoLeaks())
end FramedEchoTest
