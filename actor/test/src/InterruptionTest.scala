package undercroft.actor

import internal.cell.{ActorCell, Interruption}
import internal.dispatch.Worker
import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.DurationInt

/** Interrupts of a worker by requests of one of its actors. */
class InterruptionTest extends undercroft.tools.RoundsSuite:
  private val MaxTime = 8.seconds

  testRounds("interrupts of one actor of a worker never reach the others")(
    100_000,
    1_000_000
  ): maxRounds =>
    val system = ActorSystem("race", 1, _ => ())
    val (hits, wrong, turns) = (AtomicLong(), AtomicLong(), AtomicLong())
    @volatile var isOver = false

    def isInterruptedWithin(nanos: Long): Boolean =
      val end = System.nanoTime + nanos
      var isInterrupted = Thread.currentThread.isInterrupted
      while !isInterrupted && System.nanoTime < end do
        isInterrupted = Thread.currentThread.isInterrupted
      isInterrupted

    lazy val target: ActorRef[Int] = spawn(Behavior.receive[Int] { n =>
      if isInterruptedWithin(n % 100_000) then hits.incrementAndGet(): Unit
      if !isOver then other ! n + 3701
      Behavior.same
    })(using system)
    lazy val other: ActorRef[Int] = spawn(Behavior.receive[Int] { n =>
      turns.incrementAndGet(): Unit
      if isInterruptedWithin(n % 20_000) then wrong.incrementAndGet(): Unit
      if !isOver then target ! n + 4103
      Behavior.same
    })(using system)
    for n <- 1 to 3 do target ! n
    other ! 1

    val cell = target.asInstanceOf[ActorCell[?]]
    val worker = cell.ownerVolatile match
      case worker: Worker => worker
      case owner          => fail(s"$owner is not a worker")
    val request = Interruption(cell, 0)
    val end = System.nanoTime + MaxTime.toNanos
    var rounds = 0
    while rounds < maxRounds && System.nanoTime < end do
      java.lang.invoke.VarHandle.acquireFence() // else the compiler reads the running actor once
      if worker.running eq target then
        worker.interruptHandler(request)
        rounds += 1
    isOver = true
    assert(system.shutdown(1.minute, 1.minute))
    assertEquals(wrong.get, 0L, s"in $rounds rounds and ${turns.get} turns")
    assert(hits.get > 0, s"$hits handlers in $rounds rounds were interrupted")

  test("the race detects interrupts that are sent without the worker's lock"):
    val system = ActorSystem("race", 1, _ => ())
    val wrong = AtomicLong()
    @volatile var isOver = false
    lazy val target: ActorRef[Int] = spawn(Behavior.receive[Int] { n =>
      if !isOver then other ! n
      Behavior.same
    })(using system)
    lazy val other: ActorRef[Int] = spawn(Behavior.receive[Int] { n =>
      if Thread.currentThread.isInterrupted then wrong.incrementAndGet(): Unit
      if !isOver then target ! n
      Behavior.same
    })(using system)
    target ! 1
    val worker = target.asInstanceOf[ActorCell[?]].ownerVolatile match
      case worker: Worker => worker
      case owner          => fail(s"$owner is not a worker")
    val end = System.nanoTime + 1.minute.toNanos
    while wrong.get == 0 && System.nanoTime < end do
      java.lang.invoke.VarHandle.acquireFence()
      if worker.running eq target then worker.interrupt()
    isOver = true
    assert(system.shutdown(1.minute, 1.minute))
    assert(wrong.get > 0, "no interrupt reached another actor")
end InterruptionTest
