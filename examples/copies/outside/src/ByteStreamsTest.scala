package outside.bufferfs2

import bufferfs2.*
import cats.data.{EitherT, OptionT}
import cats.effect.IO
import cats.effect.unsafe.implicits.global
import fs2.{Chunk, Stream}
import java.io.{ByteArrayOutputStream, IOException}
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.duration.*
import undercroft.buffer.*

/** Streams of FS2 from sources, to sinks and as sources. */
class ByteStreamsTest extends undercroft.tools.Suite:
  private val patience = 60.seconds

  extension [A](effect: IO[A]) private def outcome: A = effect.timeout(patience).unsafeRunSync()

  private def bytes(count: Int, seed: Int): Array[Byte] =
    val array = new Array[Byte](count)
    scala.util.Random(seed).nextBytes(array)
    array

  /** Counts its closes; fails after some bytes if asked to. */
  private final class Recorder(content: Buffer, failAt: Long = Long.MaxValue) extends Source, Sink:
    val closed = AtomicInteger()
    val flushed = AtomicInteger()
    override def timeout: Timeout = Timeout.none
    val written: Buffer = Buffer()
    private var count = 0L
    private def check(step: Long): Unit =
      count += step
      if count > failAt then throw IOException("the disk failed")
    def read(sink: Buffer, byteCount: Long): Long =
      val step = content.read(sink, byteCount)
      check(step)
      step
    def write(source: Buffer, byteCount: Long): Unit =
      check(byteCount)
      written.write(source, byteCount)
    def flush(): Unit = flushed.incrementAndGet(): Unit
    def close(): Unit = closed.incrementAndGet(): Unit
  end Recorder

  for memory <- SegmentMemory.values.toSeq do
    test(s"the bytes of a source arrive at a sink, with segments in $memory memory"):
      given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true, memory = memory)
      for size <- Seq(0, 1, 8192, 300_000) do
        val content = bytes(size, seed = size)
        val (source, sink) = (Recorder(Buffer().write(content)), Recorder(Buffer()))
        ByteStreams
          .read(IO(source: Source), chunkBytes = 5000)
          .through(ByteStreams.write(IO(sink: Sink)))
          .compile
          .drain
          .outcome
        assertEquals((source.closed.get, sink.closed.get, sink.flushed.get), (1, 1, 1))
        assertEquals(sink.written.readByteArray().toSeq, content.toSeq)
      pool.assertNoLeaks()

  test("a chunk has at most the bytes that were asked for, and keeps them"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    val content = bytes(100_000, seed = 1)
    val chunks = ByteStreams
      .read(IO(Buffer().write(content): Source), chunkBytes = 3000)
      .chunks
      .compile
      .toVector
      .outcome
    assert(chunks.forall(chunk => chunk.size >= 1 && chunk.size <= 3000))
    val other = Buffer().write(new Array[Byte](200_000))
    assertEquals(chunks.flatMap(_.toList), content.toVector)
    other.clear()
    pool.assertNoLeaks()
    val error = intercept[IllegalArgumentException](ByteStreams.read(IO(Buffer(): Source), 0))
    assertEquals(error.getMessage, "chunkBytes must be at least 1, but is 0")

  test("a stream that is not run opens nothing, and each run opens anew"):
    val opened = AtomicInteger()
    val stream = ByteStreams.read(IO {
      opened.incrementAndGet()
      Buffer().writeUtf8("abc"): Source
    })
    assertEquals(opened.get, 0)
    assertEquals(stream.compile.count.outcome, 3L)
    assertEquals(stream.take(1).compile.count.outcome, 1L)
    assertEquals(opened.get, 2)

  test("a source or a sink that fails ends the stream with its error, and both are closed"):
    val source = Recorder(Buffer().write(bytes(100_000, seed = 2)), failAt = 50_000)
    val sink = Recorder(Buffer())
    val error = intercept[IOException]:
      ByteStreams.read(
        IO(source: Source)
      ).through(ByteStreams.write(IO(sink: Sink))).compile.drain.outcome
    assertEquals(error.getMessage, "the disk failed")
    assertEquals((source.closed.get, sink.closed.get, sink.flushed.get), (1, 1, 0))
    val full = Recorder(Buffer(), failAt = 10)
    val rest = Recorder(Buffer().write(bytes(100_000, seed = 2)))
    val other = intercept[IOException]:
      ByteStreams.read(
        IO(rest: Source)
      ).through(ByteStreams.write(IO(full: Sink))).compile.drain.outcome
    assertEquals(other.getMessage, "the disk failed")
    assertEquals((rest.closed.get, full.closed.get), (1, 1))

  test("a read that waits ends by cancellation, and its source is closed"):
    val pipe = Pipe(maxBytes = 100)
    val started = CountDownLatch(1)
    val closed = AtomicInteger()
    val waiting = new ForwardingSource(pipe.source):
      override def read(sink: Buffer, byteCount: Long): Long =
        started.countDown()
        super.read(sink, byteCount)
      override def close(): Unit =
        closed.incrementAndGet(): Unit
        super.close()
    val run =
      for
        fiber <- ByteStreams.read(IO(waiting: Source)).compile.drain.start
        _ <- IO.blocking(started.await())
        _ <- fiber.cancel
        result <- fiber.join
      yield result
    assert(run.outcome.isCanceled)
    assertEquals(closed.get, 1)

  test("a source of a stream has its bytes, whatever the chunks"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    val content = bytes(300_000, seed = 3)
    for size <- Seq(1000, 70_000, 300_000) do
      val stream = Stream.chunk(Chunk.array(content)).covary[IO].chunkLimit(size).unchunks
      val read = ByteStreams
        .source(stream, maxBytes = 10_000)
        .use(source => IO.blocking(source.buffered.readByteArray()))
        .outcome
      assertEquals(read.toSeq, content.toSeq)
    pool.assertNoLeaks()
    val error = intercept[IllegalArgumentException](ByteStreams.source(Stream.empty[IO], 0))
    assertEquals(error.getMessage, "maxBytes must be at least 1, but is 0")

  test("an endless stream is stopped by its limit, and ends with the resource"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    val (supplied, ended) = (AtomicInteger(), CountDownLatch(1))
    val endless = Stream
      .repeatEval(IO(supplied.incrementAndGet()))
      .flatMap(_ => Stream.chunk(Chunk.array(new Array[Byte](1000))))
      .onFinalize(IO(ended.countDown()))
    val read = ByteStreams
      .source(endless, maxBytes = 10_000)
      .use: source =>
        IO.blocking:
          val input = source.buffered
          try input.readByteArray(5000).length
          finally input.close()
      .outcome
    assertEquals(read, 5000)
    assertEquals(ended.getCount, 0L)
    // 8192 bytes read ahead, 10 000 in the pipe, and one chunk on its way
    assert(supplied.get <= 21, supplied.get)
    pool.assertNoLeaks()

  test("closing the source of a stream ends the stream"):
    val ended = CountDownLatch(1)
    val endless = Stream.constant[IO, Byte](7).onFinalize(IO(ended.countDown()))
    ByteStreams
      .source(endless)
      .use: source =>
        IO.blocking:
          source.read(Buffer(), 10)
          source.close()
          ended.await()
      .outcome

  test("closing the source of a stream that waits for its input ends the stream"):
    given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true)
    val ended = CountDownLatch(1)
    val stream = (Stream.emits("abc".getBytes).covary[IO] ++ Stream.never[IO])
      .onFinalize(IO(ended.countDown()))
    ByteStreams
      .source(stream)
      .use: source =>
        IO.blocking:
          val input = source.buffered
          assertEquals(input.readUtf8(3), "abc")
          input.close()
          source.close()
          ended.await()
      .outcome
    pool.assertNoLeaks()

  /** The error of the source's reader after three bytes. */
  private def errorAfterText(source: Source): IOException =
    val input = source.buffered
    assertEquals(input.readUtf8(3), "abc")
    intercept[IOException](input.readByte())

  test("a stream that cancels itself is an error after its bytes"):
    val text = Stream.emits("abc".getBytes).covary[IO]
    for stream <- Seq(text ++ Stream.exec(IO.canceled), text ++ Stream.eval(IO.canceled).drain) do
      val error =
        ByteStreams.source(stream).use(source => IO.interruptible(errorAfterText(source))).outcome
      assertEquals(
        error.getMessage,
        "the stream failed: java.io.IOException: the stream was canceled"
      )

  test("a stream whose effect ends without a result is an error after its bytes"):
    type Option[A] = OptionT[IO, A]
    type Either[A] = EitherT[IO, String, A]
    def text[F[_]] = Stream.emits("abc".getBytes).covary[F]
    val none = text[Option] ++ Stream.exec(OptionT.none[IO, Unit])
    val left = text[Either] ++ Stream.exec(EitherT.leftT[IO, Unit]("no more"))
    val errors =
      for
        a <- ByteStreams
          .source(none)
          .use(source => OptionT.liftF(IO.interruptible(errorAfterText(source))))
          .value
        b <- ByteStreams
          .source(left)
          .use(source =>
            EitherT.liftF[IO, String, IOException](
              IO.interruptible(errorAfterText(source))
            )
          )
          .value
      yield a.toList ++ b.toOption
    for error <- errors.outcome do
      assertEquals(
        error.getMessage,
        "the stream failed: java.io.IOException: the stream's effect has no result"
      )
    assertEquals(errors.outcome.size, 2)

  test("a stream that fails is an error after its bytes, and ends no earlier"):
    val stream = Stream.emits("abc".getBytes).covary[IO] ++
      Stream.raiseError[IO](IllegalStateException("no more"))
    val (text, error) = ByteStreams
      .source(stream)
      .use: source =>
        IO.blocking:
          val input = source.buffered
          (input.readUtf8(3), intercept[IOException](input.readByte()))
      .outcome
    assertEquals(text, "abc")
    assertEquals(error.getMessage, "the stream failed: java.lang.IllegalStateException: no more")

  test("a read of a silent stream ends by its timeout, and after the resource by an error"):
    val (late, canceled) = ByteStreams
      .source(Stream.never[IO])
      .use: source =>
        IO.blocking:
          source.timeout.timeout(20.millis)
          (intercept[TimedOutException](source.read(Buffer(), 1)), source)
      .outcome
    assertEquals(late.getMessage, "the timeout of 20 milliseconds has passed")
    val error = intercept[IOException](canceled.read(Buffer(), 1))
    assertEquals(error.getMessage, "the pipe was canceled")

  test("chunks and byte strings have equal bytes, and neither changes the other"):
    val content = bytes(1000, seed = 4)
    val string = ByteString(content)
    assertEquals(string.toChunk.toList, content.toList)
    string.toChunk.toArraySlice.values(0) = (content(0) + 1).toByte
    assertEquals(string, ByteString(content))
    val array = content.clone()
    for chunk <- Seq(Chunk.array(array), Chunk.array(array).drop(0) ++ Chunk.empty[Byte]) do
      val copy = chunk.toByteString
      array(0) = (array(0) + 1).toByte
      assertEquals(copy(0), (array(0) - 1).toByte)
    assertEquals(Chunk.empty[Byte].toByteString, ByteString.empty)
    assertEquals(Chunk[Byte](1, 2, 3, 4).drop(1).take(2).toByteString.hex, "0203")
    val other = ByteArrayOutputStream()
    string.write(other)
    assertEquals(other.size, 1000)
end ByteStreamsTest
