package outside.buffer

import java.io.IOException
import java.util.concurrent.{CompletableFuture, TimeUnit, TimeoutException}
import scala.concurrent.duration.*
import undercroft.buffer.*

class PipeTest extends undercroft.tools.Suite:
  /** Runs a body that a defect may block indefinitely, on a separate thread with a limit. */
  private def within[A](body: => A): A =
    val result = CompletableFuture[A]()
    Thread.ofVirtual.start: () =>
      try result.complete(body): Unit
      catch case e: Throwable => result.completeExceptionally(e): Unit
    try result.get(60, TimeUnit.SECONDS)
    catch case e: java.util.concurrent.ExecutionException => throw e.getCause

  private class Waiting extends Sink:
    var closed = 0
    override val timeout: Timeout = Timeout()
    private def await(): Unit = synchronized(timeout.waitUntilNotified(this))
    def write(source: Buffer, byteCount: Long): Unit = await()
    def flush(): Unit = await()
    def close(): Unit =
      closed += 1
      await()

  test("flushing a pipe does not wait for a reader"):
    val pipe = Pipe(1000)
    val text = within:
      pipe.sink.buffered.writeUtf8("hello").flush()
      pipe.source.buffered.readUtf8(5)
    assertEquals(text, "hello")

  test("closing a pipe's sink throws if the source was closed before it had read all bytes"):
    val pipe = Pipe(1000)
    pipe.sink.buffered.writeUtf8("hello").flush()
    assertEquals(pipe.source.read(Buffer(), 2), 2L)
    pipe.source.close()
    val error = intercept[IOException](pipe.sink.close())
    assert(error.getMessage.contains("before it had read the last 3 bytes"), error)
    pipe.sink.close()
    val finished = Pipe(1000)
    finished.sink.buffered.writeUtf8("hello").flush()
    finished.sink.close()
    finished.source.close()

  for use <- Seq("write", "flush", "close") do
    test(s"the timeout of a folded pipe's sink limits a $use of the target sink"):
      val pipe = Pipe(100)
      pipe.sink.timeout.timeout(50.millis)
      val target = Waiting()
      pipe.fold(target)
      intercept[TimedOutException](within:
        use match
          case "write" => pipe.sink.write(Buffer().writeUtf8("abc"), 3)
          case "flush" => pipe.sink.flush()
          case _       => pipe.sink.close()): Unit
      assertEquals(target.timeout.timeoutNanos, 0L)

  test("closing the sink of a canceled pipe closes the sink that the pipe was folded into"):
    var closed = 0
    val target = new Sink:
      def write(source: Buffer, byteCount: Long): Unit = source.skip(byteCount)
      def flush(): Unit = ()
      def close(): Unit = closed += 1
    val pipe = Pipe(10)
    pipe.cancel()
    intercept[IOException](pipe.fold(target)): Unit
    assertEquals(closed, 0)
    pipe.sink.close()
    assertEquals(closed, 1)
    val endedPipe = Pipe(10)
    endedPipe.sink.close()
    endedPipe.cancel()
    intercept[IOException](endedPipe.fold(target)): Unit
    assertEquals(closed, 2)

  test("rangeEquals requests no byte after the first difference"):
    val pipe = Pipe(1000)
    pipe.sink.write(Buffer().writeUtf8("GET"), 3)
    val source = pipe.source.buffered
    assert(!within(source.rangeEquals(0, ByteString.utf8("OPTIONS"))))
    assert(within(source.rangeEquals(1, ByteString.utf8("ET"))))
    assert(!within(source.rangeEquals(0, ByteString.utf8("GOT IT"))))
    assert(within(source.rangeEquals(7, ByteString.empty)))
    assertEquals(source.buffer.size, 3L)

  test("select requests no byte after the first difference"):
    val pipe = Pipe(1000)
    pipe.sink.write(Buffer().writeUtf8("GET"), 3)
    val options =
      Options(ByteString.utf8("OPTIONS"), ByteString.utf8("GO AWAY"), ByteString.utf8("GET"))
    assertEquals(within(pipe.source.buffered.select(options)), 2)

  test("a read of zero bytes does not wait"):
    assertEquals(within(Pipe(9).source.buffered.read(Buffer(), 0)), 0L)
    assertEquals(within(Pipe(9).source.read(Buffer(), 0)), 0L)

  test("Timeout.none is unchanged in overlapping intersections"):
    val timeout = Buffer().timeout
    timeout.intersectWith(Timeout().timeout(5.seconds)):
      assertEquals(timeout.timeoutNanos, 0L)
      timeout.intersectWith(Timeout().deadline(3.seconds))(assert(!timeout.hasDeadline))
    assertEquals(timeout.timeoutNanos, 0L)
    assert(!timeout.hasDeadline)

  test("a canceled AsyncTimeout does not run its callback"):
    var called = false
    val timeout = new AsyncTimeout(() => called = true)
    timeout.timeout(500.millis) // long enough for the call to be canceled before
    timeout.withTimeout:
      timeout.cancel()
      // Tasks of one watch thread run in order: the later task runs after the canceled one.
      val later = CompletableFuture[Unit]()
      val laterTimeout = new AsyncTimeout(() => later.complete(()): Unit)
      laterTimeout.timeout(600.millis)
      intercept[TimedOutException](laterTimeout.withTimeout(later.get(60, TimeUnit.SECONDS))): Unit
    assert(!called)

  test("closing a sink of an aborted AsyncTimeout closes the underlying sink"):
    var closed = false
    val timeout = new AsyncTimeout(() => ())
    timeout.timeout(1.second)
    val sink = timeout.sink(new Sink:
      def write(source: Buffer, byteCount: Long): Unit = ()
      def flush(): Unit = ()
      def close(): Unit = closed = true)
    timeout.abort()
    sink.close()
    assert(closed)

  test("a cancel during a write of a sink of an AsyncTimeout applies to its later parts"):
    val limit = new AsyncTimeout(() => ())
    var parts = 0
    val sink = limit.sink(new Sink:
      def write(source: Buffer, byteCount: Long): Unit =
        parts += 1
        source.skip(byteCount)
        if parts == 1 then
          limit.cancel()
          val late = System.nanoTime + 600_000_000L
          while System.nanoTime - late < 0 do Thread.onSpinWait()
      def flush(): Unit = ()
      def close(): Unit = ())
    limit.deadline(500.millis)
    sink.write(Buffer().write(new Array[Byte](200_000)), 200_000)
    assert(parts > 1, parts.toString)
    intercept[TimedOutException](sink.write(Buffer().writeByte(7), 1)): Unit

  test("a cancel removes the limit of a call that waits, also after its deadline"):
    val pipe = Pipe(1)
    def canceled(timeout: Timeout)(call: => Long): CompletableFuture[Long] =
      val result = CompletableFuture[Long]()
      Thread.ofVirtual.start: () =>
        timeout.deadline(600.millis)
        try result.complete(call): Unit
        catch case e: Throwable => result.completeExceptionally(e): Unit
      for _ <- 1 to 80 do
        timeout.cancel()
        intercept[TimeoutException](result.get(10, TimeUnit.MILLISECONDS)): Unit
      timeout.clearDeadline()
      result
    val reading = canceled(pipe.source.timeout)(pipe.source.read(Buffer(), 1))
    pipe.sink.write(Buffer().writeByte(7), 1)
    assertEquals(reading.get(60, TimeUnit.SECONDS), 1L)
    val input = Buffer().writeUtf8("abc")
    val writing = canceled(pipe.sink.timeout):
      pipe.sink.write(input, 3)
      input.size
    for _ <- 1 to 3 do assertEquals(within(pipe.source.read(Buffer(), 1)), 1L)
    assertEquals(writing.get(60, TimeUnit.SECONDS), 0L)
    pipe.source.timeout.timeout(1.milli)
    intercept[TimedOutException](pipe.source.read(Buffer(), 1)): Unit

  test("a negative count is an error of both sides, also while the pipe is empty"):
    val pipe = Pipe(maxBytes = 10)
    val counts = Seq(() => pipe.source.read(Buffer(), -1), () => pipe.sink.write(Buffer(), -1))
    for use <- counts do
      val error = intercept[IllegalArgumentException](use())
      assertEquals(error.getMessage, "byteCount must be at least 0, but is -1")
end PipeTest
