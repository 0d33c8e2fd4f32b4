package undercroft.buffer

import java.io.{IOException, InterruptedIOException}
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CompletableFuture, CountDownLatch}
import java.util.concurrent.locks.ReentrantLock
import scala.concurrent.duration.{Duration, DurationInt}

/** Waiting that ends: by a timeout, a deadline, an interrupt or another thread. */
class TimeoutTest extends undercroft.house.Suite:
  private def failure(done: CompletableFuture[Unit]): Throwable =
    intercept[java.util.concurrent.ExecutionException](done.get(): Unit).getCause.nn

  test("a condition that nobody signals is waited for no longer than the timeout"):
    val lock = ReentrantLock()
    val condition = lock.newCondition()
    lock.lock()
    try
      val each = intercept[TimedOutException](Timeout().timeout(2.millis).awaitSignal(condition))
      assertEquals(each.getMessage, "the timeout of 2000 us has passed")
      val all = Timeout().deadline(1.millis)
      val late = intercept[TimedOutException]:
        for _ <- 1 to 1_000_000 do all.awaitSignal(condition)
      assertEquals(late.getMessage, "the deadline has passed")
      intercept[TimedOutException](all.throwIfReached()): Unit
      all.clearDeadline().throwIfReached()
      assert(!all.hasDeadline)
      intercept[IllegalStateException](all.deadlineNanoTime): Unit
    finally lock.unlock()
    val monitor = new Object
    monitor.synchronized:
      intercept[TimedOutException](Timeout().timeout(1.millis).waitUntilNotified(monitor)): Unit

  test("a thread that is interrupted does not wait, and stays interrupted"):
    val lock = ReentrantLock()
    val condition = lock.newCondition()
    lock.lock()
    try
      Thread.currentThread.interrupt()
      intercept[InterruptedIOException](Timeout().awaitSignal(condition)): Unit
      intercept[InterruptedIOException](Timeout().throwIfReached()): Unit
    finally
      lock.unlock()
      assert(Thread.interrupted())

  test("of two timeouts the shorter and the earlier hold while both do"):
    val one = Timeout().timeout(3.seconds).deadlineNanoTime(1000)
    val other = Timeout().timeout(2.seconds).deadlineNanoTime(2000)
    one.intersectWith(other):
      assertEquals(one.timeoutNanos, 2_000_000_000L)
      assertEquals(one.deadlineNanoTime, 1000L)
    assertEquals(one.timeoutNanos, 3_000_000_000L)
    other.clearDeadline().clearTimeout()
    other.intersectWith(one)(assertEquals(other.deadlineNanoTime, 1000L))
    assert(!other.hasDeadline)
    intercept[IllegalArgumentException](Timeout().deadline(Duration.Zero)): Unit

  test("what never waits has no timeout, whatever is asked of it"):
    val none = Buffer().timeout
    none.timeout(1.nano).deadlineNanoTime(System.nanoTime - 1).throwIfReached()
    assertEquals((none.timeoutNanos, none.hasDeadline), (0L, false))

  for (kind, threads) <- Seq("platform" -> Thread.ofPlatform, "virtual" -> Thread.ofVirtual) do
    def started(body: => Unit): CompletableFuture[Unit] =
      val done = CompletableFuture[Unit]()
      threads.start: () =>
        try
          body
          done.complete(()): Unit
        catch case e: Throwable => done.completeExceptionally(e): Unit
      done

    def connected(use: (Socket, Socket) => Unit): Unit =
      val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
      val (one, other) = (Socket(server.getInetAddress, server.getLocalPort), server.accept())
      try use(one, other)
      finally
        one.close()
        other.close()
        server.close()

    test(s"a pipe is waited for no longer than its sides allow ($kind threads)"):
      val pipe = Pipe(10)
      pipe.source.timeout.timeout(1.millis): Unit
      assert(failure(started(pipe.source.read(Buffer(), 1): Unit)).isInstanceOf[TimedOutException])
      pipe.sink.timeout.timeout(1.millis): Unit
      val written = Buffer().write(new Array[Byte](11))
      val late = failure(started(pipe.sink.write(written, 11)))
      assertEquals(late.getMessage, "the timeout of 1000 us has passed")
      assertEquals(written.size, 1L)
      assertEquals(pipe.source.read(Buffer(), 100), 10L)

    test(s"sockets give and take, until one of them is late ($kind threads)"):
      connected: (one, other) =>
        val sink = one.sink().buffered
        val source = other.source().buffered
        sink.writeInt(7).flush()
        assertEquals(source.readInt(), 7)
        source.timeout.timeout(20.millis): Unit
        val late = failure(started(source.readInt(): Unit))
        assertEquals(late.getMessage, "the timeout of 20000 us has passed")
        assert(other.isClosed)

    test(s"another thread ends a call that waits, and all later ones ($kind threads)"):
      connected: (one, _) =>
        val timeout = AsyncTimeout(() => one.close())
        val reading = CountDownLatch(1)
        val input = one.getInputStream
        val source = timeout.source: // counts down when the call is under way
          new Source:
            def read(sink: Buffer, byteCount: Long): Long =
              reading.countDown()
              input.source().read(sink, byteCount)
            def close(): Unit = one.close()
        val done = started(source.read(Buffer(), 1): Unit)
        reading.await()
        timeout.abort()
        assertEquals(failure(done).getMessage, "aborted")
        val again = intercept[InterruptedIOException](source.read(Buffer(), 1): Unit)
        assertEquals(again.getMessage, "aborted")
  end for

  test("a call that ends in time has its result, and its own error"):
    val timeout = AsyncTimeout(() => throw AssertionError("late"))
    assertEquals(timeout.withTimeout(1), 1)
    timeout.timeout(1.hour): Unit
    assertEquals(timeout.withTimeout(2), 2)
    val error = intercept[IOException](timeout.withTimeout(throw IOException("its own")))
    assertEquals(error.getMessage, "its own")
    val nested = intercept[IllegalStateException](timeout.withTimeout(timeout.withTimeout(3)))
    assertEquals(nested.getMessage, "a call is under way already")
    assertEquals(timeout.withTimeout(4), 4)
    timeout.deadlineNanoTime(System.nanoTime - 1): Unit
    assertEquals(
      intercept[TimedOutException](timeout.withTimeout(5)).getMessage,
      "the deadline has passed"
    )

  test("a task that comes when its call has ended ends no later one"):
    val tasks = scala.collection.mutable.ArrayBuffer[Runnable]()
    val late = CountDownLatch(1)
    val timeout = new AsyncTimeout(
      () => late.countDown(),
      (_, task) =>
        tasks += task
        CompletableFuture[Unit]()
    )
    timeout.timeout(1.hour): Unit
    assertEquals(timeout.withTimeout(1), 1)
    val second = timeout.withTimeout:
      tasks(0).run()
      2
    assertEquals(second, 2)
    val e = intercept[TimedOutException](timeout.withTimeout(tasks(2).run()))
    assertEquals(e.getMessage, "the timeout of 3600000000 us has passed")
    late.await()
    assertEquals(timeout.withTimeout(3), 3)

  test("a throttler lets through what its rate allows, and waits for the rest"):
    val clock = TimeoutTest.Clock()
    val throttler = new Throttler(1000, 10, 100, clock) // bytes a second, to wait for, at once
    assertEquals(throttler.take(60), 60L)
    assertEquals(throttler.take(60), 40L)
    assertEquals(clock.nanos, 0L)
    assertEquals(throttler.take(60), 10L) // waits for ten bytes: ten milliseconds
    assertEquals(clock.nanos, 10_000_000L)
    assertEquals(throttler.take(1), 1L)
    assertEquals(clock.nanos, 11_000_000L)
    clock.nanos += 1_000_000_000L
    assertEquals(throttler.take(1000), 100L) // a pause is not saved up beyond that
    val before = clock.nanos
    val sink = throttler.sink(Sink.blackhole()).buffered
    val source = throttler.source(Buffer().write(new Array[Byte](500)))
    assertEquals(sink.writeAll(source), 500L)
    sink.close()
    val millis = (clock.nanos - before) / 1_000_000 // written and read, a millisecond a byte
    assert(millis >= 1000 && millis <= 1020, millis)
    throttler.setBytesPerSecond(0)
    assertEquals(throttler.take(1L << 40), 1L << 40)
    intercept[IllegalArgumentException](throttler.take(0)): Unit
    intercept[IllegalArgumentException](Throttler(-1)): Unit

  test("a thread that is interrupted does not wait for a throttler"):
    val day = 86_400L // so long the test does not last
    val throttler = Throttler(1, day, day)
    assertEquals(throttler.take(day), day)
    Thread.currentThread.interrupt()
    try intercept[InterruptedIOException](throttler.take(day)): Unit
    finally assert(Thread.interrupted())
end TimeoutTest

object TimeoutTest:
  /** A clock that goes on only where somebody waits for it. */
  final class Clock extends Throttler.Clock:
    var nanos = 0L
    def await(changed: java.util.concurrent.locks.Condition, nanos: Long): Unit =
      this.nanos += nanos
