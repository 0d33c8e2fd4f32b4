package undercroft.buffer

import java.io.{IOException, InterruptedIOException}
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CompletableFuture, CountDownLatch, RejectedExecutionException}
import java.util.concurrent.locks.ReentrantLock
import scala.concurrent.duration.{Duration, DurationInt}

/** Waits ended by a timeout, a deadline, an interrupt or another thread. */
class TimeoutTest extends undercroft.tools.Suite:
  private def failure(done: CompletableFuture[Unit]): Throwable =
    intercept[java.util.concurrent.ExecutionException](done.get(): Unit).getCause.nn

  test("awaitSignal throws TimedOutException if the condition is not signaled in time"):
    val lock = ReentrantLock()
    val condition = lock.newCondition()
    lock.lock()
    try
      val error = intercept[TimedOutException](Timeout().timeout(2.millis).awaitSignal(condition))
      assertEquals(error.getMessage, "the timeout of 2 milliseconds has passed")
      val timeout = Timeout().deadline(1.millis)
      val late = intercept[TimedOutException]:
        for _ <- 1 to 1_000_000 do timeout.awaitSignal(condition)
      assertEquals(late.getMessage, "the deadline has passed")
      intercept[TimedOutException](timeout.throwIfReached()): Unit
      timeout.clearDeadline().throwIfReached()
      assert(!timeout.hasDeadline)
      intercept[IllegalStateException](timeout.deadlineNanoTime): Unit
    finally lock.unlock()
    val monitor = new Object
    monitor.synchronized:
      intercept[TimedOutException](Timeout().timeout(1.millis).waitUntilNotified(monitor)): Unit

  test("awaitSignal on an interrupted thread throws, and the thread stays interrupted"):
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

  test("intersectWith applies the shorter timeout and the earlier deadline within its body"):
    val first = Timeout().timeout(3.seconds).deadlineNanoTime(1000)
    val second = Timeout().timeout(2.seconds).deadlineNanoTime(2000)
    first.intersectWith(second):
      assertEquals(first.timeoutNanos, 2_000_000_000L)
      assertEquals(first.deadlineNanoTime, 1000L)
    assertEquals(first.timeoutNanos, 3_000_000_000L)
    second.clearDeadline().clearTimeout()
    second.intersectWith(first)(assertEquals(second.deadlineNanoTime, 1000L))
    assert(!second.hasDeadline)
    intercept[IllegalArgumentException](Timeout().deadline(Duration.Zero)): Unit

  test("setting a timeout or a deadline on Timeout.none has no effect"):
    val timeout = Buffer().timeout
    timeout.timeout(1.nano).deadlineNanoTime(System.nanoTime - 1).throwIfReached()
    assertEquals((timeout.timeoutNanos, timeout.hasDeadline), (0L, false))

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
      val (client, peer) = (Socket(server.getInetAddress, server.getLocalPort), server.accept())
      try use(client, peer)
      finally
        client.close()
        peer.close()
        server.close()

    test(s"waiting for a pipe throws TimedOutException after its timeout ($kind threads)"):
      val pipe = Pipe(10)
      pipe.source.timeout.timeout(1.millis): Unit
      assert(failure(started(pipe.source.read(Buffer(), 1): Unit)).isInstanceOf[TimedOutException])
      pipe.sink.timeout.timeout(1.millis): Unit
      val written = Buffer().write(new Array[Byte](11))
      val late = failure(started(pipe.sink.write(written, 11)))
      assertEquals(late.getMessage, "the timeout of 1 millisecond has passed")
      assertEquals(written.size, 1L)
      assertEquals(pipe.source.read(Buffer(), 100), 10L)

    test(s"a socket read that exceeds its timeout throws and closes the socket ($kind threads)"):
      connected: (client, peer) =>
        val sink = client.sink().buffered
        val source = peer.source().buffered
        sink.writeInt(7).flush()
        assertEquals(source.readInt(), 7)
        source.timeout.timeout(20.millis): Unit
        val late = failure(started(source.readInt(): Unit))
        assertEquals(late.getMessage, "the timeout of 20 milliseconds has passed")
        assert(peer.isClosed)

    test(s"AsyncTimeout.abort ends a waiting call and all later calls ($kind threads)"):
      connected: (client, _) =>
        val timeout = AsyncTimeout(() => client.close())
        val reading = CountDownLatch(1)
        val input = client.getInputStream
        val source = timeout.source: // counts down while the call is in progress
          new Source:
            def read(sink: Buffer, byteCount: Long): Long =
              reading.countDown()
              input.source().read(sink, byteCount)
            def close(): Unit = client.close()
        val done = started(source.read(Buffer(), 1): Unit)
        reading.await()
        timeout.abort()
        assertEquals(failure(done).getMessage, "aborted")
        val error = intercept[InterruptedIOException](source.read(Buffer(), 1): Unit)
        assertEquals(error.getMessage, "aborted")
  end for

  test("withTimeout returns the result of a call in time or throws the call's own exception"):
    val timeout = AsyncTimeout(() => throw AssertionError("late"))
    assertEquals(timeout.withTimeout(1), 1)
    timeout.timeout(1.hour): Unit
    assertEquals(timeout.withTimeout(2), 2)
    val error = intercept[IOException](timeout.withTimeout(throw IOException("its own")))
    assertEquals(error.getMessage, "its own")
    val nested = intercept[IllegalStateException](timeout.withTimeout(timeout.withTimeout(3)))
    assertEquals(nested.getMessage, "a call is already in progress")
    assertEquals(timeout.withTimeout(4), 4)
    timeout.deadlineNanoTime(System.nanoTime - 1): Unit
    assertEquals(
      intercept[TimedOutException](timeout.withTimeout(5)).getMessage,
      "the deadline has passed"
    )

  test("a timeout task that runs after its call ended does not end a later call"):
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
    val e = intercept[TimedOutException]:
      timeout.withTimeout:
        tasks(2).run()
        late.await()
    assertEquals(e.getMessage, "the timeout of 1 hour has passed")
    assertEquals(timeout.withTimeout(3), 3)

  test("a read that has appended bytes when its limit ends it returns them, and the next throws"):
    val tasks = scala.collection.mutable.ArrayBuffer[Runnable]()
    val late = CountDownLatch(1)
    val timeout = new AsyncTimeout(
      () => late.countDown(),
      (_, task) =>
        tasks += task
        CompletableFuture[Unit]()
    )
    timeout.timeout(1.hour): Unit
    val source = timeout.source:
      new Source:
        def read(sink: Buffer, byteCount: Long): Long =
          sink.writeByte(7)
          tasks.last.run()
          late.await()
          1
        def close(): Unit = ()
    val sink = Buffer()
    assertEquals(source.read(sink, 10), 1L)
    assertEquals(sink.readByte(), 7.toByte)
    intercept[TimedOutException](source.read(sink, 10): Unit): Unit
    assert(sink.isEmpty)

  test("onTimeout runs if, and only if, its call throws TimedOutException"):
    val begun = java.util.concurrent.atomic.AtomicInteger()
    for round <- 1 to 100 do
      val isLate = round % 2 == 0
      val started = CountDownLatch(1)
      val timeout = new AsyncTimeout(
        () =>
          begun.incrementAndGet()
          started.countDown()
        ,
        (_, task) =>
          task.run() // is due, as soon as the call has begun
          CompletableFuture[Unit]()
      )
      timeout.timeout(1.hour): Unit
      try
        assertEquals(timeout.withTimeout { if isLate then started.await(); round }, round)
        assert(!isLate)
      catch
        case _: TimedOutException =>
          if !isLate then
            started.await() // the call was ended, although it did not wait
            begun.decrementAndGet(): Unit
    end for
    assertEquals(begun.get, 50)

  test("a call whose time limit cannot be watched throws, and later calls run"):
    var failures = 1
    val timeout = new AsyncTimeout(
      () => throw AssertionError("late"),
      (_, _) =>
        if failures > 0 then
          failures -= 1
          throw RejectedExecutionException("no thread")
        CompletableFuture[Unit]()
    )
    timeout.timeout(1.hour): Unit
    intercept[RejectedExecutionException](timeout.withTimeout(1)): Unit
    assertEquals(timeout.withTimeout(2), 2)

  test("a Throttler grants bytes at its rate and waits for further bytes"):
    val clock = TimeoutTest.Clock()
    val throttler = new Throttler(1000, 10, 100, clock) // bytes per second, minimum grant, maximum
    assertEquals(throttler.take(60), 60L)
    assertEquals(throttler.take(60), 40L)
    assertEquals(clock.nanos, 0L)
    assertEquals(throttler.take(60), 10L) // waits 10 ms for ten bytes
    assertEquals(clock.nanos, 10_000_000L)
    assertEquals(throttler.take(1), 1L)
    assertEquals(clock.nanos, 11_000_000L)
    clock.nanos += 1_000_000_000L
    assertEquals(throttler.take(1000), 100L) // a pause grants no more than the maximum
    val before = clock.nanos
    val sink = throttler.sink(Sink.blackhole()).buffered
    val source = throttler.source(Buffer().write(new Array[Byte](500)))
    assertEquals(sink.writeAll(source), 500L)
    sink.close()
    val millis = (clock.nanos - before) / 1_000_000 // written and read: 1 ms per byte
    assert(millis >= 1000 && millis <= 1020, millis)
    throttler.setBytesPerSecond(0)
    assertEquals(throttler.take(1L << 40), 1L << 40)
    intercept[IllegalArgumentException](throttler.take(0)): Unit
    intercept[IllegalArgumentException](Throttler(-1)): Unit

  test("bytes that a Throttler granted before its rate changed pass at the new rate"):
    val clock = TimeoutTest.Clock()
    val throttler = new Throttler(10, 8192, 262_144, clock)
    assertEquals(throttler.take(262_144), 262_144L)
    throttler.setBytesPerSecond(100_000_000)
    assertEquals(throttler.take(1), 1L)
    assert(clock.nanos < 1_000_000, s"waited ${clock.nanos} ns")
    val slower = new Throttler(1000, 10, 100, clock)
    assertEquals(slower.take(100), 100L)
    slower.setBytesPerSecond(10, 10, 100)
    val before = clock.nanos
    assertEquals(slower.take(10), 10L)
    assertEquals(clock.nanos - before, 1_000_000_000L)
    slower.setBytesPerSecond(0)
    slower.setBytesPerSecond(10, 10, 100)
    assertEquals(slower.take(100), 100L)
    assertEquals(clock.nanos - before, 1_000_000_000L)

  test("Throttler.take on an interrupted thread throws InterruptedIOException"):
    val day = 86_400L // in seconds, longer than the test runs
    val throttler = Throttler(1, day, day)
    assertEquals(throttler.take(day), day)
    Thread.currentThread.interrupt()
    try intercept[InterruptedIOException](throttler.take(day)): Unit
    finally assert(Thread.interrupted())
end TimeoutTest

object TimeoutTest:
  /** A clock that advances only when a thread waits for it. */
  final class Clock extends Throttler.Clock:
    var nanos = 0L
    def await(changed: java.util.concurrent.locks.Condition, nanos: Long): Unit =
      this.nanos += nanos
