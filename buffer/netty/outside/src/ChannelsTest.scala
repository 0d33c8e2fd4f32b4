package outside.buffer.netty

import io.netty.buffer.Unpooled
import io.netty.channel.{
  Channel,
  ChannelHandlerContext,
  ChannelInboundHandlerAdapter,
  WriteBufferWaterMark
}
import java.io.IOException
import java.net.{InetSocketAddress, Socket}
import java.util.concurrent.{CompletableFuture, TimeUnit, TimeoutException}
import scala.concurrent.duration.*
import undercroft.buffer.*
import undercroft.buffer.netty.*
import undercroft.memory.Budget

/** Sources and sinks of channels: slow peers, failures, closes and wrong threads. */
class ChannelsTest extends Loopback:

  /** A channel of the server, its source, and the peer's socket. */
  private def connected[A](maxBytes: Int = DefaultReadAheadBytes)(
      use: (Channel, Source, Socket) => A
  )(using SegmentPool): A =
    val accepted = CompletableFuture[(Channel, Source)]()
    serving(channel => accepted.complete((channel, channel.source(maxBytes))): Unit): address =>
      val socket = Socket()
      socket.setReceiveBufferSize(16_384)
      socket.connect(address)
      try
        val (channel, source) = accepted.outcome
        channel.config.setWriteBufferWaterMark(WriteBufferWaterMark(32_768, 65_536))
        use(channel, source, socket)
      finally
        socket.close()
        accepted.outcome(1).close()

  test("a sink waits for a slow peer, and the bytes that wait in the channel are bounded"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    connected(): (channel, _, socket) =>
      val total = 50_000_000L
      val sink = channel.sink()
      @volatile var sent = 0L
      val blocked = CompletableFuture[Long]()
      val writer = start:
        sink.timeout.timeout(500.millis)
        val buffer = Buffer()
        while sent < total do
          if buffer.isEmpty then buffer.write(new Array[Byte](10_000))
          try
            sink.write(buffer, buffer.size)
            sent += 10_000
          catch
            case _: TimedOutException if !blocked.isDone =>
              // the peer has read nothing: only the system's buffers took bytes
              blocked.complete(channel.unsafe.outboundBuffer.totalPendingWriteBytes): Unit
              sink.timeout.clearTimeout()
              if buffer.size < 10_000 then sent += 10_000 - buffer.size
        sink.close()
      val waiting = blocked.outcome
      assert(waiting > 0 && waiting <= 65_536 * 2 + 1000, s"$waiting bytes wait")
      assert(sent < total, "the writer did not wait")
      val received = within(socket.getInputStream.transferTo(java.io.OutputStream.nullOutputStream))
      writer.outcome
      assertEquals(received, sent)
      pool.assertNoLeaks()

  test("a source that is not read stops its channel, and gets all bytes later"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    connected(maxBytes = 10_000): (channel, source, socket) =>
      val total = 20_000_000
      assertEquals(channel.config.isAutoRead, false)
      val writer = start:
        val bytes = new Array[Byte](total)
        for i <- bytes.indices do bytes(i) = (i % 251).toByte
        socket.getOutputStream.write(bytes)
        socket.shutdownOutput()
      val input = source.buffered
      assertEquals(within(input.readByte()), 0.toByte)
      // a read of the channel yields up to 16 ByteBufs of at most 64 KiB
      assert(pool.metrics.live * 8192 < 3_000_000, pool.metrics)
      assert(!writer.isDone, "the peer could send everything")
      within:
        for i <- 1 until total do
          if input.readByte() != (i % 251).toByte then fail(s"byte $i differs")
        assert(input.exhausted)
      writer.outcome
      input.close()
      pool.assertNoLeaks()

  test("a source ends with the bytes that arrived before the peer closed"):
    connected(): (_, source, socket) =>
      socket.getOutputStream.write("last words".getBytes)
      socket.close()
      val input = source.buffered
      assertEquals(within(input.readUtf8()), "last words")
      val error = intercept[EndOfInputException](within(input.readByte()))
      assertEquals(error.available, 0L)

  /** Passes on its last bytes when the channel is closed, after time for a read to end early. */
  private final class LastBytes(reader: CompletableFuture[String])
      extends ChannelInboundHandlerAdapter:
    override def channelInactive(context: ChannelHandlerContext): Unit =
      try reader.get(200, TimeUnit.MILLISECONDS)
      catch case _: Exception => ()
      context.fireChannelRead(Unpooled.copiedBuffer("words".getBytes))
      context.fireChannelInactive()

  test("a source ends with the bytes that a handler passes on after the close"):
    connected(): (channel, source, socket) =>
      val reader = start(source.buffered.readUtf8())
      channel.pipeline.addFirst(LastBytes(reader))
      socket.getOutputStream.write("last ".getBytes)
      socket.close()
      assertEquals(reader.outcome, "last words")

  test("a frame that the peer cut off is an error, and its bytes remain readable"):
    connected(): (_, source, socket) =>
      socket.getOutputStream.write(Buffer().writeInt(100).writeUtf8("part").readByteArray())
      socket.close()
      val input = source.buffered
      assertEquals(within(input.readInt()), 100)
      val error = intercept[EndOfInputException](within(input.readUtf8(100)))
      assertEquals(error.available, 4L)
      assertEquals(input.readUtf8(4), "part")

  test("a channel that is closed in the middle of a write ends the writer with an error"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    connected(): (channel, _, socket) =>
      val output = channel.sink().buffered
      val writer = start:
        // far more than fits on the way, so that the writer waits; the loop is bounded
        for _ <- 1 to 10_000 do output.write(new Array[Byte](10_000))
      within(socket.getInputStream.readNBytes(100_000))
      socket.close()
      val error = intercept[IOException](writer.outcome)
      assert(error.getMessage.startsWith("the sink of [id: "), error.getMessage)
      assert(error.getMessage.contains(" failed: "), error.getMessage)
      assert(error.getCause ne null)
      val again = intercept[IOException](within(output.flush()))
      assertEquals(again.getMessage, error.getMessage)
      intercept[IOException](within(output.close())): Unit
      output.close()
      pool.assertNoLeaks()

  test("a write to a channel that was closed before throws, and so does a flush"):
    connected(): (channel, _, _) =>
      val sink = channel.sink()
      within(channel.close().sync())
      intercept[IOException]:
        within:
          sink.write(Buffer().writeUtf8("abc"), 3)
          sink.flush()
      val error = intercept[IOException](within(sink.write(Buffer().writeUtf8("abc"), 3)))
      assert(error.getMessage.contains("ClosedChannelException"), error.getMessage)

  test("closing a source in another thread ends a read that waits"):
    connected(): (channel, source, _) =>
      val reading = CompletableFuture[Thread]()
      val reader = start:
        reading.complete(Thread.currentThread)
        source.read(Buffer(), 1)
      val thread = reading.outcome
      val end = System.nanoTime + 30_000_000_000L
      while thread.getState != Thread.State.WAITING && System.nanoTime < end do Thread.`yield`()
      source.close()
      source.close()
      val error = intercept[ClosedException](reader.outcome)
      assertEquals(error.getMessage, "the channel's source is closed")
      within(channel.closeFuture.sync())

  test("a read of a silent peer and a write to a full channel end by their timeouts"):
    connected(): (channel, source, _) =>
      source.timeout.timeout(20.millis)
      intercept[TimedOutException](within(source.read(Buffer(), 1))): Unit
      val sink = channel.sink()
      sink.timeout.timeout(20.millis)
      val bytes = Buffer().write(new Array[Byte](20_000_000))
      intercept[TimedOutException](within(sink.write(bytes, bytes.size))): Unit
      assert(bytes.size > 10_000_000, s"${bytes.size} bytes are left")

  test("a read interrupted by another thread ends"):
    connected(): (_, source, _) =>
      val started = CompletableFuture[Thread]()
      val reader = start:
        started.complete(Thread.currentThread)
        source.read(Buffer(), 1)
      started.outcome.interrupt()
      intercept[java.io.InterruptedIOException](reader.outcome): Unit

  test("the event loop refuses to wait for itself, and takes no bytes"):
    connected(): (channel, source, _) =>
      val sink = channel.sink()
      val buffer = Buffer().writeUtf8("abc")
      val uses = Seq[(String, () => Any)](
        "sink" -> (() => sink.write(buffer, 3)),
        "sink" -> (() => sink.flush()),
        "sink" -> (() => sink.close()),
        "source" -> (() => source.read(buffer, 3))
      )
      for (name, use) <- uses do
        val error = CompletableFuture[Throwable]()
        channel.eventLoop.execute: () =>
          try
            use()
            error.complete(AssertionError("no error")): Unit
          catch case e: Throwable => error.complete(e): Unit
        assert(error.outcome.isInstanceOf[IllegalStateException], error.outcome)
        assertEquals(
          error.outcome.getMessage,
          s"the $name of $channel cannot wait on a thread of the channel's event loop: " +
            "use another thread"
        )
      assertEquals(buffer.readUtf8(), "abc")

  test("an error in the pipeline reaches the reader after the bytes before it"):
    connected(): (channel, source, socket) =>
      socket.getOutputStream.write("abc".getBytes)
      val input = source.buffered
      assertEquals(within(input.readUtf8(2)), "ab")
      channel.pipeline.fireExceptionCaught(IllegalArgumentException("a bad frame"))
      assertEquals(within(input.readUtf8(1)), "c")
      val error = intercept[IOException](within(input.readByte()))
      assert(error.getMessage.contains("the source of [id: "), error.getMessage)
      assert(error.getMessage.endsWith("IllegalArgumentException: a bad frame"), error.getMessage)

  test("a pool's budget that a peer exceeds fails the reader and closes the channel"):
    val budget = Budget("peer", 30_000)
    given SegmentPool = SegmentPool.lockFree(budget = Some(budget))
    connected(maxBytes = 1_000_000): (channel, source, socket) =>
      val writer = start:
        try for _ <- 1 to 1000 do socket.getOutputStream.write(new Array[Byte](10_000))
        catch case _: IOException => ()
      val error = intercept[IOException]:
        within:
          val all = Buffer(using SegmentPool.default)
          while source.read(all, 1) != -1 do
            if all.size > 10_000_000 then fail("the budget does not hold")
      assert(error.getMessage.contains("peer"), error.getMessage)
      within(channel.closeFuture.sync())
      writer.outcome

  test("a cancel removes the limit of a read that waits, also after its deadline"):
    connected(): (_, source, socket) =>
      val reading = start:
        source.timeout.deadline(600.millis)
        source.read(Buffer(), 1)
      for _ <- 1 to 80 do
        source.timeout.cancel()
        intercept[TimeoutException](reading.get(10, TimeUnit.MILLISECONDS)): Unit
      socket.getOutputStream.write(7)
      assertEquals(reading.outcome, 1L)

  test("a source refuses a limit without room"):
    connected(): (channel, _, _) =>
      val error = intercept[IllegalArgumentException](channel.source(maxBytes = 0))
      assertEquals(error.getMessage, "maxBytes must be at least 1, but is 0")
end ChannelsTest
