package outside.pekko.streams

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.nio.file.Files
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger
import org.apache.pekko.stream.{ActorAttributes, Materializer, OverflowStrategy, Supervision}
import org.apache.pekko.stream.scaladsl as pekko
import org.apache.pekko.util.ByteString
import scala.jdk.CollectionConverters.*
import undercroft.buffer.{Buffer, Pipe, SegmentPool, Sink, Source, buffered, sink, source}
import undercroft.pekko.*

/** Byte streams between files, sockets, buffers and pipes, and their ends. */
class ByteStreamsTest extends StreamSuite:

  /** Gives up to `limit` zeros, and counts its reads and closes. */
  private class Zeros(limit: Int = Int.MaxValue) extends Source:
    val reads = AtomicInteger()
    val closed = CompletableFuture[Int]()
    private val closes = AtomicInteger()
    def read(sink: Buffer, byteCount: Long): Long =
      if reads.incrementAndGet() > limit then -1
      else
        sink.writeByte(0)
        1
    def close(): Unit =
      val count = closes.incrementAndGet()
      closed.complete(count): Unit
      if count > 1 then throw IOException("closed twice")

  /** Keeps all bytes, and counts its closes. */
  private class MemorySink extends Sink:
    val buffer = Buffer()
    val closes = AtomicInteger()
    val closed = CompletableFuture[Int]()
    val flushes = AtomicInteger()
    def write(source: Buffer, byteCount: Long): Unit = buffer.write(source, byteCount)
    def flush(): Unit = flushes.incrementAndGet(): Unit
    def close(): Unit = closed.complete(closes.incrementAndGet()): Unit

  test("a file is copied byte for byte, by our source and Pekko's sink, and the reverse"):
    val folder = Files.createTempDirectory("streams")
    val (from, first, second) =
      (folder.resolve("from"), folder.resolve("first"), folder.resolve("second"))
    for (size, seed) <- Seq(0, 1, 8191, 8192, 8193, 1_000_003).zipWithIndex do
      val content = bytes(size, seed)
      Files.write(from, content)
      val written = ByteStreams
        .source(Files.newInputStream(from).source())
        .runWith(pekko.FileIO.toPath(first))
      assertEquals(written.outcome.count, size.toLong)
      val saved = pekko.FileIO
        .fromPath(first)
        .runWith(ByteStreams.sink(Files.newOutputStream(second).sink()))
      assertEquals(saved.outcome, size.toLong)
      assert(java.util.Arrays.equals(content, Files.readAllBytes(second)), s"$size bytes")

  test("a stream crosses a TCP connection of Pekko with a slow receiver"):
    val content = bytes(3_000_000, seed = 7)
    val echo = pekko.Tcp().bind("127.0.0.1", 0).toMat(
      pekko.Sink.foreach[pekko.Tcp.IncomingConnection](connection =>
        connection.handleWith(pekko.Flow[ByteString]): Unit
      )
    )(pekko.Keep.left).run().outcome
    val pipe = Pipe(maxBytes = 10_000)
    val received = CompletableFuture[Array[Byte]]()
    val reader = Thread.ofVirtual.start: () =>
      try
        received.complete(pipe.source.buffered.readByteArray()): Unit
      catch case error: Throwable => received.completeExceptionally(error): Unit
    val sent = ByteStreams
      .source(ByteArrayInputStream(content).source(), chunkBytes = 1000)
      .via(pekko.Tcp().outgoingConnection("127.0.0.1", echo.localAddress.getPort))
      .runWith(ByteStreams.sink(pipe.sink))
    assertEquals(sent.outcome, content.length.toLong)
    assert(java.util.Arrays.equals(received.outcome, content))
    reader.join()
    echo.unbind().outcome: Unit

  test("chunks that a stream emitted keep their bytes while the pool's segments are used again"):
    given SegmentPool = SegmentPool.synchronizedPool()
    val content = bytes(800_000, seed = 8)
    val used = AtomicInteger()
    val chunks = ByteStreams
      .source(Buffer().write(content))
      .map: chunk =>
        // a buffer of the same pool, which gets the segments that were just recycled
        val second = Buffer().write(new Array[Byte](100_000))
        used.addAndGet(second.readByteArray().length): Unit
        chunk
      .runWith(pekko.Sink.seq)
      .outcome
    assert(used.get > 0)
    assert(chunks.size > 1, s"${chunks.size} chunks")
    assert(java.util.Arrays.equals(chunks.reduce(_ ++ _).toArray, content))

  test("bytes that a stream wrote to a buffer are its own: the byte strings stay unchanged"):
    val parts = Vector.tabulate(50)(n => ByteString(bytes(10_000, seed = n)))
    val copies = parts.map(_.toArray)
    val target = MemorySink()
    val count =
      pekko.Source(parts).runWith(ByteStreams.sink(target)).outcome
    assertEquals(count, 500_000L)
    val cursor = target.buffer.cursor(writable = true)
    cursor.seek(0): Unit
    cursor.update(0, (~parts(0)(0)).toByte)
    for (part, copy) <- parts.zip(copies) do assert(java.util.Arrays.equals(part.toArray, copy))

  /** The elements that Pekko requests ahead between threads, on both sides, at most. */
  private val ahead = 50

  test("a source is not read further than its consumer asks, but for Pekko's input buffer"):
    val zeros = Zeros()
    val queue = ByteStreams.source(zeros).runWith(pekko.Sink.queue[ByteString](1))
    for _ <- 1 to 100 do assertEquals(queue.pull().outcome.map(_.length), Some(1))
    assert(zeros.reads.get >= 100 && zeros.reads.get <= 100 + ahead, s"${zeros.reads.get} reads")
    queue.cancel()
    assertEquals(zeros.closed.outcome, 1)

  test("a sink that waits stops the stream before it"):
    val passed = AtomicInteger()
    val (entered, gate) = (CountDownLatch(1), CountDownLatch(1))
    val slow = new MemorySink:
      override def write(source: Buffer, byteCount: Long): Unit =
        entered.countDown()
        gate.await()
        super.write(source, byteCount)
    val written = pekko.Source
      .repeat(ByteString("x"))
      .take(1000)
      .map: element =>
        passed.incrementAndGet(): Unit
        element
      .runWith(ByteStreams.sink(slow))
    entered.await()
    val passedMeanwhile = passed.get
    gate.countDown()
    assert(passedMeanwhile <= ahead, s"$passedMeanwhile elements")
    assertEquals(written.outcome, 1000L)
    assertEquals(passed.get, 1000)

  test("each materialization opens its own source and sink; a stream that never ran opens none"):
    val sources = ConcurrentLinkedQueue[Zeros]()
    val sinks = ConcurrentLinkedQueue[MemorySink]()
    val stream = ByteStreams
      .source { val zeros = Zeros(limit = 5); sources.add(zeros); zeros }
      .toMat(ByteStreams.sink { val memory = MemorySink(); sinks.add(memory); memory })(
        pekko.Keep.right
      )
    assert(sources.isEmpty && sinks.isEmpty)
    assertEquals(Seq(stream.run(), stream.run()).map(_.outcome), Seq(5L, 5L))
    assertEquals(sources.asScala.map(_.closed.outcome).toList, List(1, 1))
    assertEquals(sinks.asScala.map(_.closes.get).toList, List(1, 1))
    assertEquals(sinks.asScala.map(_.buffer.size).toList, List(5L, 5L))

  test("a failure of the next stage, and a cancellation, close the source once"):
    for next <- Seq(
        pekko.Flow[ByteString].map(_ => throw IllegalStateException("a test")),
        pekko.Flow[ByteString].take(3),
        pekko.Flow[ByteString].buffer(2, OverflowStrategy.backpressure).take(1)
      )
    do
      val zeros = Zeros()
      val _ = ByteStreams.source(zeros).via(next).runWith(pekko.Sink.ignore)
      assertEquals(zeros.closed.outcome, 1)

  test("an error of the open, a read or the close of a source fails the stream with that error"):
    val failing = new Zeros:
      override def read(sink: Buffer, byteCount: Long): Long =
        if reads.incrementAndGet() > 2 then throw IOException("the disk is gone")
        sink.writeByte(1)
        1
    def run(source: => Source) = ByteStreams.source(source).runWith(pekko.Sink.ignore).failure
    assertEquals(run(failing).getMessage, "the disk is gone")
    assertEquals(failing.closed.outcome, 1)
    assertEquals(run(throw IOException("no such file")).getMessage, "no such file")
    val late = new Zeros(limit = 1):
      override def close(): Unit = throw IOException("the close failed")
    assertEquals(run(late).getMessage, "the close failed")

  test("a read that fails fails the stream, also under a strategy that resumes or restarts"):
    for decider <- List[Supervision.Decider](
        Supervision.resumingDecider,
        Supervision.restartingDecider
      )
    do
      val opens = AtomicInteger()
      val failing = new Zeros:
        override def read(sink: Buffer, byteCount: Long): Long =
          val count = reads.incrementAndGet()
          if count > 1000 then -1 else throw IOException(s"read $count failed")
      val error = ByteStreams
        .source { opens.incrementAndGet(): Unit; failing }
        .toMat(pekko.Sink.ignore)(pekko.Keep.right)
        .withAttributes(ActorAttributes.supervisionStrategy(decider))
        .run()
        .failure
      assertEquals(error.getMessage, "read 1 failed")
      assertEquals((opens.get, failing.reads.get, failing.closed.outcome), (1, 1, 1))

  test("an error of the close of a source is suppressed by the error of a read, and closes once"):
    val closeCount = AtomicInteger()
    val failing = new Zeros:
      override def read(sink: Buffer, byteCount: Long): Long = throw IOException("the disk is gone")
      override def close(): Unit =
        closeCount.incrementAndGet(): Unit
        throw IOException("the close failed")
    val error = ByteStreams.source(failing).runWith(pekko.Sink.ignore).failure
    assertEquals(error.getMessage, "the disk is gone")
    assertEquals(error.getSuppressed.map(_.getMessage).toList, List("the close failed"))
    assertEquals(closeCount.get, 1)

  test("a source that breaks its contract fails the stream instead of hanging or losing bytes"):
    class Broken(result: Long, bytes: Int) extends Zeros:
      override def read(sink: Buffer, byteCount: Long): Long =
        sink.write(new Array[Byte](bytes)): Unit
        result
    def run(source: Zeros) =
      val error = ByteStreams.source(source, 10).runWith(pekko.Sink.ignore).failure
      assertEquals(source.closed.outcome, 1)
      error.getMessage
    assertEquals(
      run(Broken(0, 0)),
      "a source must read from 1 to 10 bytes; it returned 0 and moved 0"
    )
    assertEquals(
      run(Broken(11, 11)),
      "a source must read from 1 to 10 bytes; it returned 11 and moved 11"
    )
    assertEquals(
      run(Broken(2, 1)),
      "a source must read from 1 to 10 bytes; it returned 2 and moved 1"
    )

  test("an error of a sink fails the future, closes the sink once and cancels the stream"):
    val canceled = CompletableFuture[Boolean]()
    val memory = new MemorySink:
      override def write(source: Buffer, byteCount: Long): Unit = throw IOException("disk full")
    val written = pekko.Source
      .repeat(ByteString("abc"))
      .watchTermination(): (_, done) =>
        done.onComplete(_ => canceled.complete(true))(using system.dispatcher)
      .runWith(ByteStreams.sink(memory))
    assertEquals(written.failure.getMessage, "disk full")
    assertEquals(memory.closes.get, 1)
    assert(canceled.outcome)
    val unopened = pekko.Source
      .single(ByteString("abc"))
      .runWith(ByteStreams.sink(throw IOException("no such file")))
    assertEquals(unopened.failure.getMessage, "no such file")
    val late = new MemorySink:
      override def flush(): Unit = throw IOException("the flush failed")
      override def close(): Unit =
        super.close()
        throw IOException("the close failed")
    val error =
      pekko.Source.single(ByteString("abc")).runWith(ByteStreams.sink(late)).failure
    assertEquals(error.getMessage, "the flush failed")
    assertEquals(error.getSuppressed.map(_.getMessage).toList, List("the close failed"))
    assertEquals(late.closes.get, 1)

  test("a failure before the sink closes the sink and fails the future with its cause"):
    val memory = MemorySink()
    val written = pekko.Source
      .single(ByteString("abc"))
      .concat(pekko.Source.failed(IllegalStateException("a test")))
      .runWith(ByteStreams.sink(memory))
    assertEquals(written.failure.getMessage, "a test")
    assertEquals(memory.closes.get, 1)

  test("a sink is flushed at the end, or after each element"):
    for (autoFlush, flushes) <- Seq(false -> 1, true -> 4) do
      val memory = MemorySink()
      val elements = pekko.Source(Vector("a", "b", "c")).map(ByteString(_))
      assertEquals(elements.runWith(ByteStreams.sink(memory, autoFlush)).outcome, 3L)
      assertEquals(memory.flushes.get, flushes)
      assertEquals(memory.buffer.readUtf8(), "abc")

  test("a materializer that ends closes the source and the sink, and fails the future"):
    val materializer = Materializer(system)
    val (zeros, memory) = (Zeros(), MemorySink())
    val started = CountDownLatch(1)
    val written = ByteStreams
      .source(zeros)
      .map: element =>
        started.countDown()
        element
      .concat(pekko.Source.maybe)
      .runWith(ByteStreams.sink(memory))(using materializer)
    started.await()
    materializer.shutdown()
    val cause = written.failure
    assert(
      cause.getClass.getSimpleName.startsWith("Abrupt"),
      cause
    ) // of the stage, or of its actor
    assertEquals(zeros.closed.outcome, 1)
    assertEquals(memory.closed.outcome, 1)

  test("chunks of less than one byte are refused"):
    assertEquals(
      intercept[IllegalArgumentException](ByteStreams.source(Buffer(), 0)).getMessage,
      "chunkBytes must be at least 1, but is 0"
    )

  test("a Gzip file is written and read by streams"):
    import undercroft.buffer.Compression
    val text = "price 251\n" * 100_000
    val file = ByteArrayOutputStream()
    pekko.Source
      .single(ByteString(text))
      .runWith(ByteStreams.sink(Compression.gzip(file.sink())))
      .outcome: Unit
    assert(file.size < text.length / 50, s"${file.size} bytes")
    val read = ByteStreams
      .source(Compression.gunzip(ByteArrayInputStream(file.toByteArray).source()))
      .via(pekko.Framing.delimiter(ByteString("\n"), 100))
      .runFold(0)((count, line) => if line.utf8String == "price 251" then count + 1 else count)
    assertEquals(read.outcome, 100_000)
end ByteStreamsTest
