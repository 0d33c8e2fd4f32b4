package outside.buffer

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean
import scala.concurrent.duration.*
import undercroft.buffer.*

/** Time limits and aborts while virtual threads occupy all carriers. */
class OccupiedCarriersTest extends undercroft.tools.Suite:

  /** Runs `body` while virtual threads compute on all carriers; fails if they gave up before its
    * end, after two minutes.
    */
  private def whileOccupied(body: => Unit): Unit =
    val isOver = AtomicBoolean()
    val end = System.nanoTime + 2.minutes.toNanos
    val carriers = Runtime.getRuntime.availableProcessors
    val started = CountDownLatch(carriers)
    val threads = Vector.fill(2 * carriers):
      Thread.startVirtualThread: () =>
        started.countDown()
        while !isOver.get && System.nanoTime < end do Thread.onSpinWait()
    try
      started.await()
      body
      assert(System.nanoTime < end, "the call ended after the virtual threads only")
    finally
      isOver.set(true)
      threads.foreach(_.join())

  test("a read of a socket times out while virtual threads occupy all carriers"):
    SocketPairs.plain.use: (client, server) =>
      client.source.timeout.timeout(50.millis)
      whileOccupied(intercept[TimedOutException](client.source.read(Buffer(), 1)): Unit)
      assert(client.isClosed)

  test("a call is aborted while virtual threads occupy all carriers"):
    val closed = CountDownLatch(1)
    val entered = CountDownLatch(1)
    val call = new AsyncTimeout(onTimeout = () => closed.countDown())
    call.timeout(1.hour)
    whileOccupied:
      val aborting = Thread.ofPlatform.start: () =>
        entered.await()
        call.abort()
      val error = intercept[java.io.InterruptedIOException]:
        call.withTimeout:
          entered.countDown()
          closed.await()
      assertEquals(error.getMessage, "aborted")
      aborting.join()
end OccupiedCarriersTest
