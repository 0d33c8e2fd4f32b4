package outside.buffer

import java.util.concurrent.locks.ReentrantLock
import java.util.concurrent.{CompletableFuture, CyclicBarrier, TimeUnit}
import scala.concurrent.duration.*
import undercroft.buffer.*

/** A Timeout whose delegate is exchanged while streams use it. */
class ForwardingTimeoutTest extends undercroft.tools.Suite:
  /** A source that never has a byte, and waits within its timeout. */
  private final class Silent(override val timeout: Timeout) extends Source:
    private val lock = ReentrantLock()
    private val ready = lock.newCondition()
    def read(sink: Buffer, byteCount: Long): Long =
      lock.lock()
      try
        while true do timeout.awaitSignal(ready)
        0
      finally lock.unlock()
    def close(): Unit = ()

  test("every setting of a forwarding timeout is its delegate's setting"):
    val target = Timeout()
    val timeout = ForwardingTimeout(target)
    assert(timeout.timeout(3.seconds) eq timeout)
    assertEquals((target.timeoutNanos, timeout.timeoutNanos), (3_000_000_000L, 3_000_000_000L))
    timeout.deadlineNanoTime(77)
    assertEquals((target.deadlineNanoTime, timeout.deadlineNanoTime), (77L, 77L))
    timeout.clearTimeout().clearDeadline()
    assertEquals((target.timeoutNanos, target.hasDeadline, timeout.hasDeadline), (0L, false, false))
    timeout.deadline(1.hour)
    assert(target.hasDeadline)
    timeout.deadlineNanoTime(System.nanoTime - 1)
    intercept[TimedOutException](timeout.throwIfReached()): Unit
    val error = intercept[IllegalArgumentException](timeout.timeout(-1.second))
    assertEquals(error.getMessage, "the timeout must be at least 0, but is -1 seconds")

  test("a source in use takes the limits of the delegate that its timeout has at each read"):
    val timeout = ForwardingTimeout(Timeout().timeout(2.millis))
    val source = Silent(timeout).buffered
    def late(): String = intercept[TimedOutException](source.readByte(): Unit).getMessage
    assertEquals(late(), "the timeout of 2 milliseconds has passed")
    timeout.delegate = Timeout().timeout(3.millis)
    assertEquals(late(), "the timeout of 3 milliseconds has passed")
    timeout.delegate = Timeout().deadline(1.milli)
    assertEquals(late(), "the deadline has passed")
    timeout.delegate = ForwardingTimeout(Timeout().timeout(4.millis))
    assertEquals(late(), "the timeout of 4 milliseconds has passed")
    val monitor = Object()
    val error = intercept[TimedOutException]:
      monitor.synchronized(while true do timeout.waitUntilNotified(monitor))
    assertEquals(error.getMessage, "the timeout of 4 milliseconds has passed")

  test("an exchange by another thread limits the next read"):
    val timeout = ForwardingTimeout(Timeout())
    val barrier = CyclicBarrier(2)
    val reader = CompletableFuture.supplyAsync: () =>
      barrier.await(60, TimeUnit.SECONDS): Unit // after the exchange
      intercept[TimedOutException](Silent(timeout).read(Buffer(), 1)).getMessage
    timeout.delegate = Timeout().timeout(2.millis)
    barrier.await(60, TimeUnit.SECONDS): Unit
    assertEquals(reader.get(60, TimeUnit.SECONDS), "the timeout of 2 milliseconds has passed")

  test("settings after the end of a connection do not reach its timeout"):
    val connection = Timeout().timeout(5.seconds)
    val timeout = ForwardingTimeout(connection)
    timeout.delegate = Timeout.none
    timeout.timeout(1.nano).deadlineNanoTime(0).throwIfReached()
    timeout.cancel()
    assertEquals((connection.timeoutNanos, connection.hasDeadline), (5_000_000_000L, false))
    assertEquals(timeout.timeoutNanos, 0L)

  test("intersectWith uses the limits of the delegate, on either side"):
    val target = Timeout().timeout(3.seconds)
    val timeout = ForwardingTimeout(ForwardingTimeout(target))
    val other = Timeout().timeout(5.seconds)
    other.intersectWith(timeout)(assertEquals(other.timeoutNanos, 3_000_000_000L))
    timeout.intersectWith(Timeout().timeout(1.second)):
      assertEquals((target.timeoutNanos, timeout.timeoutNanos), (1_000_000_000L, 1_000_000_000L))
      timeout.delegate = other // the limits return to the Timeout that had them
    assertEquals((target.timeoutNanos, other.timeoutNanos), (3_000_000_000L, 5_000_000_000L))

  test("a pipe that is folded into a sink uses the delegate of the sink's timeout"):
    final class Waiting(override val timeout: Timeout) extends Sink:
      def write(source: Buffer, byteCount: Long): Unit =
        synchronized(while true do timeout.waitUntilNotified(this))
      def flush(): Unit = ()
      def close(): Unit = ()
    val timeout = ForwardingTimeout(Timeout())
    val pipe = Pipe(10)
    pipe.fold(Waiting(timeout))
    timeout.delegate = Timeout().timeout(2.millis)
    val late = intercept[TimedOutException](pipe.sink.write(Buffer().writeInt(1), 4))
    assertEquals(late.getMessage, "the timeout of 2 milliseconds has passed")

  test("a socket's timeout can be a delegate"):
    SocketPairs.plain.use: (client, _) =>
      val timeout = ForwardingTimeout(client.source.timeout)
      timeout.timeout(5.millis)
      val late = intercept[TimedOutException](client.source.read(Buffer(), 1))
      assertEquals(late.getMessage, "the timeout of 5 milliseconds has passed")

  test("a delegate that forwards to the same timeout is an error, and changes nothing"):
    val target = Timeout()
    val first = ForwardingTimeout(target)
    val second = ForwardingTimeout(first)
    for other <- Seq(first, second, ForwardingTimeout(second)) do
      val error = intercept[IllegalArgumentException](first.delegate = other)
      assertEquals(
        error.getMessage,
        "the delegate must not forward to this timeout, but does"
      )
      assert(first.delegate eq target)
    second.delegate = target
    first.delegate = second
    assertEquals(first.timeout(1.second).timeoutNanos, target.timeoutNanos)

  test("two threads that exchange delegates make no cycle"):
    for round <- 1 to 200 do
      val (first, second) = (ForwardingTimeout(Timeout()), ForwardingTimeout(Timeout()))
      val barrier = CyclicBarrier(2)
      def exchanging(timeout: ForwardingTimeout, other: Timeout) =
        val result = CompletableFuture[Int]()
        Thread.ofPlatform.start: () =>
          try
            barrier.await(60, TimeUnit.SECONDS)
            timeout.delegate = other
            result.complete(1): Unit
          catch
            case _: IllegalArgumentException => result.complete(0): Unit
            case e: Throwable                => result.completeExceptionally(e): Unit
        result
      val exchanges = Seq(exchanging(first, second), exchanging(second, first))
      assertEquals(exchanges.map(_.get(60, TimeUnit.SECONDS)).sum, 1, s"round $round")
      assertEquals(first.timeoutNanos + second.timeoutNanos, 0L)
end ForwardingTimeoutTest
