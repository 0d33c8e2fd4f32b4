package undercroft.actor

import internal.dispatch.{Clock, SystemFailure}
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import scala.concurrent.duration.*
import scala.util.Random

class ClockTest extends undercroft.tools.Suite:

  private def using[A](body: Clock.Real => A): A =
    val clock = Clock.Real("test", SystemFailure("test"))
    try body(clock)
    finally clock.stop()

  test("a cancelled task does not run, whether the clock has seen it or not"):
    using: clock =>
      val ran = LinkedBlockingQueue[Integer]()
      val seen = clock.schedule(1.second.toNanos, () => ran.add(1): Unit)
      clock.execute(() => ran.add(2): Unit)
      assertEquals(ran.poll(1, TimeUnit.MINUTES), Integer.valueOf(2))
      seen.cancel()
      clock.schedule(0, () => ran.add(3): Unit)
      clock.schedule(1.second.toNanos, () => ran.add(4): Unit).cancel()
      clock.schedule(1200.millis.toNanos, () => ran.add(5): Unit): Unit
      assertEquals(ran.poll(1, TimeUnit.MINUTES), Integer.valueOf(3))
      assertEquals(ran.poll(1, TimeUnit.MINUTES), Integer.valueOf(5))

  test("tasks run in the order of their times, and cancelled ones are not among them"):
    using: clock =>
      val random = Random(1)
      for _ <- 1 to 20 do
        val (entered, gate) = (CountDownLatch(1), CountDownLatch(1))
        clock.execute: () =>
          entered.countDown()
          gate.await()
        entered.await()
        val ran = LinkedBlockingQueue[Integer]()
        val due = Vector.tabulate(300): i =>
          val delay = random.nextInt(1_000_000).toLong
          val earliest = System.nanoTime + delay
          val task = clock.schedule(delay, () => ran.add(i): Unit)
          if i % 3 == 0 then task.cancel()
          (earliest, System.nanoTime + delay)
        gate.countDown()
        val order = List.fill(200)(ran.poll(1, TimeUnit.MINUTES).intValue)
        assertEquals(order.sorted, (0 until 300).filter(_ % 3 != 0).toList)
        for (earlier, later) <- order.zip(order.tail) do
          assert(due(earlier)._1 <= due(later)._2, s"$earlier before $later")

  test("tasks of one time run in the order in which they were scheduled"):
    using: clock =>
      val gate = CountDownLatch(1)
      clock.execute(() => gate.await())
      val ran = LinkedBlockingQueue[Integer]()
      for i <- 0 until 3000 do clock.execute(() => ran.add(i): Unit)
      gate.countDown()
      for i <- 0 until 3000 do assertEquals(ran.poll(1, TimeUnit.MINUTES), Integer.valueOf(i))

  test("no task runs after the end of the clock"):
    val clock = Clock.Real("test", SystemFailure("test"))
    val (entered, gate) = (CountDownLatch(1), CountDownLatch(1))
    val hasRun = AtomicBoolean()
    clock.execute: () =>
      entered.countDown()
      gate.await()
    clock.execute(() => hasRun.set(true))
    entered.await()
    clock.stop()
    gate.countDown()
    clock.execute(() => hasRun.set(true))
    assertEquals(hasRun.get, false)

  test("threads of both kinds schedule and cancel tasks at the same time: each runs once or never"):
    using: clock =>
      val ran = AtomicInteger()
      val cancelled = AtomicInteger()
      val count = 20_000
      val threads = Vector.tabulate(4): index =>
        val factory = if index % 2 == 0 then Thread.ofVirtual else Thread.ofPlatform
        factory.start: () =>
          val random = Random(index)
          for _ <- 1 to count do
            val isDone = AtomicBoolean()
            val task = clock.schedule(
              random.nextInt(2_000_000),
              () => if isDone.compareAndSet(false, true) then ran.incrementAndGet(): Unit
            )
            if random.nextBoolean() then
              task.cancel()
              if isDone.compareAndSet(false, true) then cancelled.incrementAndGet(): Unit
      threads.foreach(_.join())
      val end = System.nanoTime + 1.minute.toNanos
      while ran.get + cancelled.get < 4 * count && System.nanoTime < end do Thread.onSpinWait()
      assertEquals(ran.get + cancelled.get, 4 * count)
      assert(ran.get > count && cancelled.get > 0, s"$ran ran, $cancelled were cancelled")
end ClockTest
