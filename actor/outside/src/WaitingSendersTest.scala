package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, ThreadLocalRandom}
import scala.concurrent.duration.*
import undercroft.actor.*

/** Thousands of threads that wait for room in one mailbox. */
class WaitingSendersTest extends undercroft.tools.Suite:
  private val Limit = 100

  /** An actor that waits for the gate at its first message, counts its messages, and notes the most
    * messages that waited.
    */
  private final class Counter(gate: CountDownLatch, run: Run)(using system: ActorSystem):
    @volatile var count = 0
    @volatile var mostWaiting = 0L
    val ref: ActorRef[Int] = spawn(
      Behavior.receive[Int]: _ =>
        if count == 0 then gate.await()
        count += 1
        if count % 16 == 0 then mostWaiting = math.max(mostWaiting, system.observe.audit.waiting)
        Behavior.same
      ,
      "counter",
      run,
      Mailbox(Limit, Overflow.Backpressure)
    )

  private def awaitAll(threads: Vector[Thread])(using munit.Location): Unit =
    val end = System.nanoTime + 2.minutes.toNanos
    for thread <- threads do
      val left = math.max(1L, end - System.nanoTime)
      assert(thread.join(java.time.Duration.ofNanos(left)), "a sender still waits")

  for run <- List(Run.Thread, Run.Virtual) do
    test(s"of 16 000 waiting virtual threads one is woken for each place in the mailbox ($run)"):
      val (senders, each) = (16_000, 4)
      ActorSystem.scoped("town", workers = 1, listener = _ => ()):
        val gate = CountDownLatch(1)
        val started = CountDownLatch(senders)
        val counter = Counter(gate, run)
        val threads = Vector.fill(senders):
          Thread.startVirtualThread: () =>
            started.countDown()
            for n <- 1 to each do counter.ref ! n
        started.await()
        gate.countDown()
        awaitAll(threads)
        assert(summon[ActorSystem].awaitQuiescence(1.minute))
        assertEquals(counter.count, senders * each)
        // Racing senders may exceed the limit, but not all that waited.
        assert(counter.mostWaiting < 20 * Limit, s"${counter.mostWaiting}")
        assert(counter.mostWaiting >= Limit / 2, s"${counter.mostWaiting}")

  test("senders that are interrupted while they wait for room keep no other sender waiting"):
    val senders = 2000
    for round <- 1 to 5 do
      ActorSystem.scoped("town", workers = 1, listener = _ => ()):
        val gate = CountDownLatch(1)
        val counter = Counter(gate, Run.Thread)
        val refused = ConcurrentLinkedQueue[Thread]()
        val threads = Vector.fill(senders):
          Thread.startVirtualThread: () =>
            for n <- 1 to 3 do
              try counter.ref ! n
              catch
                case _: MailboxFullException =>
                  Thread.interrupted(): Unit
                  refused.add(Thread.currentThread): Unit
        gate.countDown()
        for thread <- threads if ThreadLocalRandom.current.nextInt(3) == 0 do thread.interrupt()
        awaitAll(threads)
        assert(summon[ActorSystem].awaitQuiescence(1.minute), s"round $round")
        assertEquals(counter.count + refused.size, 3 * senders, s"round $round")
        assertEquals(summon[ActorSystem].observe.audit.deadLetterCount, refused.size.toLong)
end WaitingSendersTest
