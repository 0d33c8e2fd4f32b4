package outside.actor

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import java.util.concurrent.locks.LockSupport
import scala.concurrent.{Await, blocking}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** Handlers on workers that declare that they block, by `blocking` or `Await`. */
class BlockingTest extends undercroft.tools.Suite:

  test("virtual threads that send to actors with blocking handlers finish"):
    val jvm = ForkedJvm.run("outside.actor.SendFromVirtualThreads", Seq("-Xmx256m"))
    assertEquals((jvm.exit, jvm.last), (0, "all ended"), jvm.output)

  test("virtual threads that ask actors which await another reply finish"):
    val jvm = ForkedJvm.run("outside.actor.AskFromVirtualThreads", Seq("-Xmx256m"))
    assertEquals((jvm.exit, jvm.last), (0, "all ended"), jvm.output)

  test("idle compensating workers end after a while"):
    val system = ActorSystem("burst", 2, _ => ())
    given ActorSystem = system
    def workers: Int =
      Thread.getAllStackTraces.keySet.toArray(new Array[Thread](0))
        .count(_.getName.startsWith("burst-worker"))
    try
      for round <- 1 to 2 do
        val (entered, gate) = (CountDownLatch(50), CountDownLatch(1))
        val handled = AtomicInteger()
        val blockers = Vector.fill(50)(spawn(Behavior.receive[Int] { _ =>
          blocking:
            entered.countDown()
            gate.await()
          handled.incrementAndGet(): Unit
          Behavior.same
        }))
        blockers.foreach(_ ! 1)
        assert(entered.await(2, TimeUnit.MINUTES), s"${entered.getCount} of 50 do not block")
        assert(workers >= 50, s"$workers workers while 50 handlers block")
        gate.countDown()
        assert(system.awaitQuiescence(1.minute))
        val until = System.nanoTime + 120_000_000_000L
        while workers > 2 && System.nanoTime < until do LockSupport.parkNanos(50_000_000)
        assertEquals(workers, 2, s"in round $round")
        assertEquals(handled.get, 50)
        // The actors of those workers still exist.
        blockers.foreach(_ ! 2)
        assert(system.awaitQuiescence(1.minute))
        assertEquals(handled.get, 100)
      end for
      assert(system.shutdown(1.minute, 1.minute))
    finally system.close()
    end try

  test("busy compensating workers end if the system has more workers than configured"):
    val system = ActorSystem("surplus", 2, _ => ())
    given ActorSystem = system
    def workers: Int =
      Thread.getAllStackTraces.keySet.toArray(new Array[Thread](0))
        .count(_.getName.startsWith("surplus-worker"))
    val counts = Vector.fill(16)(AtomicLong())
    val (entered, gate) = (CountDownLatch(16), CountDownLatch(1))
    val busy = counts.map(count =>
      spawn(Behavior.setup[Int]:
        Behavior.receive: n =>
          if n == 0 then
            blocking:
              entered.countDown()
              gate.await()
          count.incrementAndGet(): Unit
          self[Int] ! 1 // runs indefinitely
          Behavior.same)
    )
    try
      busy.foreach(_ ! 0)
      assert(entered.await(2, TimeUnit.MINUTES), s"${entered.getCount} of 16 do not block")
      gate.countDown()
      val until = System.nanoTime + 180_000_000_000L
      while workers > 3 && System.nanoTime < until do LockSupport.parkNanos(50_000_000)
      assert(workers <= 3, s"$workers workers, 2 of them the system's own")
      // All actors make progress.
      val before = counts.map(_.get)
      def stand = counts.zip(before).count((now, then0) => now.get == then0)
      while stand > 0 && System.nanoTime < until do LockSupport.parkNanos(5_000_000)
      assertEquals(stand, 0, "actors that stand still")
    finally
      val _ = system.shutdown(1.second, 1.minute)
      assert(system.isStopped)
    end try

  test("every message is handled once while handlers on few workers block briefly"):
    val seed = System.nanoTime
    val system = ActorSystem("moments", 2, _ => ())
    given ActorSystem = system
    val (senders, count) = (4, 5_000)
    val handled = AtomicInteger()
    val actors = Vector.fill(16)(spawn(Behavior.receive[Int] { n =>
      if n % 3 == 0 then blocking(LockSupport.parkNanos(n % 7 * 1_000L))
      handled.incrementAndGet(): Unit
      Behavior.same
    }))
    val threads = Vector.tabulate(senders): at =>
      Thread.ofVirtual.start: () =>
        val random = java.util.SplittableRandom(seed + at)
        for n <- 1 to count do
          actors(random.nextInt(actors.size)) ! n
          if n % 16 == 0 then Thread.`yield`()
    for thread <- threads do
      assert(thread.join(java.time.Duration.ofMinutes(2)), s"a sender does not end, seed $seed")
    assert(system.shutdown(3.minutes, 1.minute), s"seed $seed: ${system.observe.tree.show}")
    assertEquals(handled.get, senders * count, s"seed $seed")
    assert(system.observe.audit.isExact, s"seed $seed: ${system.observe.audit}")

  test("a system whose compensating worker cannot start continues once a thread can start"):
    // Stacks of 64 MiB in an address space of 3 GB: about 30 threads.
    val jvm = ForkedJvm.run(
      "outside.actor.BlockWithoutThreads",
      NoThreads.flags,
      shell = NoThreads.limit
    )
    val last = jvm.output.linesIterator.toList.last
    assertEquals((jvm.exit, last), (0, "the other answered, quiet"), jvm.output)
end BlockingTest

/** Many virtual threads send to actors whose handlers block briefly. */
object SendFromVirtualThreads:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 2, _ => ())
    given ActorSystem = system
    val actors = Vector.fill(100)(spawn(
      Behavior.receive[Int] { _ =>
        blocking(LockSupport.parkNanos(20_000))
        Behavior.same
      },
      mailbox = Mailbox(100, Overflow.DropNewest)
    ))
    val senders = Vector.tabulate(100): from =>
      Thread.ofVirtual.start: () =>
        for i <- 1 to 2_000 do
          actors((from + i) % actors.size) ! i
          if i % 16 == 0 then Thread.sleep(0, 100_000)
    VirtualThreads.end(senders, system)

/** Virtual threads ask actors on workers, which await the replies of other actors. */
object AskFromVirtualThreads:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 2, _ => ())
    given ActorSystem = system
    val back = Vector.fill(4)(spawn(Behavior.receive[(Int, ActorRef[Int])] { case (n, to) =>
      to ! n * 2
      Behavior.same
    }))
    val fronts = Vector.fill(20)(spawn(Behavior.receive[(Int, ActorRef[Int])] { case (n, to) =>
      val answer = back(n % 4).askAsync[Int](1.minute)((n, _))
      to ! Await.result(answer, 1.minute) + 1
      Behavior.same
    }))
    val clients = Vector.tabulate(20): from =>
      Thread.ofVirtual.start: () =>
        for i <- 1 to 300 do
          val answer = fronts((from + i) % fronts.size).ask[Int](1.minute)((i, _))
          if answer != i * 2 + 1 then println(s"asked with $i, answered with $answer")
    VirtualThreads.end(clients, system)
end AskFromVirtualThreads

object VirtualThreads:
  /** Waits up to three minutes for the threads to end, runs a new virtual thread, shuts the system
    * down, prints the result and halts the JVM.
    */
  def end(threads: Seq[Thread], system: ActorSystem): Unit =
    val until = System.nanoTime + 180_000_000_000L
    for thread <- threads do
      val left = math.max(1L, until - System.nanoTime)
      val _ = thread.join(java.time.Duration.ofNanos(left))
    val living = threads.count(_.isAlive)
    val fresh = Thread.ofVirtual.start(() => ())
    val isFresh = fresh.join(java.time.Duration.ofSeconds(60))
    val isOver = system.shutdown(1.minute, 1.minute)
    if living == 0 && isFresh && isOver && system.observe.audit.isExact then println("all ended")
    else println(s"$living live, a new one ended: $isFresh, over: $isOver, ${system.observe.audit}")
    Runtime.getRuntime.halt(0)
end VirtualThreads

/** Limits under which a JVM can start about 30 threads. */
object NoThreads:
  val flags: Seq[String] = Seq(
    "-Xmx64m",
    "-Xss64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=32m",
    "-XX:CompressedClassSpaceSize=64m"
  )
  val limit = "ulimit -v 3000000;"

/** No thread can be started for a while, exactly when a handler declares that it blocks. */
object BlockWithoutThreads:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 1, _ => ())
    given ActorSystem = system
    val (entered, door) = (CountDownLatch(1), CountDownLatch(1))
    val blocked = AtomicInteger()
    val blocker = spawn(Behavior.receive[Int] { n =>
      blocking:
        if n == 2 then
          entered.countDown()
          door.await()
      blocked.incrementAndGet(): Unit
      Behavior.same
    })
    val bystander = spawn(Behavior.receive[CountDownLatch] { latch =>
      latch.countDown()
      Behavior.same
    })
    val hogs = Hogs()
    println(s"${hogs.start()} threads")
    for _ <- 1 to 3 do
      bystander ! CountDownLatch(1)
      blocker ! 1
    println(
      s"quiet without threads: ${system.awaitQuiescence(1.minute)}, blocked ${blocked.get} times"
    )
    hogs.end()
    blocker ! 2
    entered.await()
    val latch = CountDownLatch(1)
    bystander ! latch
    val isAnswered = latch.await(1, TimeUnit.MINUTES)
    door.countDown()
    val isQuiet = system.awaitQuiescence(1.minute)
    println(s"the other ${if isAnswered then "answered" else "waits"}, ${
        if isQuiet then "quiet" else "not quiet"
      }")
    Runtime.getRuntime.halt(0)
  end main
end BlockWithoutThreads

/** Waiting threads, as many as can be started. */
final class Hogs:
  private val gate = CountDownLatch(1)
  private var threads = List.empty[Thread]

  /** Starts the threads and returns their number. */
  def start(): Int =
    var may = true
    while may && threads.size < 10_000 do
      val thread = Thread.ofPlatform.daemon.unstarted(() => gate.await())
      try
        thread.start()
        threads = thread :: threads
      catch case _: OutOfMemoryError => may = false
    threads.size

  def end(): Unit =
    gate.countDown()
    threads.foreach(_.join())
end Hogs
