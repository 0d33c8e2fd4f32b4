package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.locks.LockSupport
import scala.concurrent.blocking
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** The health of workers, as the guide "Observing actors" states it: stalls, rates and dead
  * letters.
  */
class WorkerHealthTest extends undercroft.tools.Suite:

  private final class Watched(val system: ActorSystem):
    private val stalls = ConcurrentLinkedQueue[ActorEvent.Stalled]()
    system.subscribe:
      case stall: ActorEvent.Stalled => stalls.add(stall): Unit
      case _                         => ()
    : Unit
    def all: List[ActorEvent.Stalled] = stalls.asScala.toList

  private def system(using system: ActorSystem): ActorSystem = system

  private def quiet()(using ActorSystem): Unit =
    val isQuiet = system.awaitQuiescence(1.minute)
    assert(isQuiet, system.observe.tree.show)

  private def withSystem(workers: Int)(body: ActorSystem ?=> Watched => Unit): Unit =
    val shop = ActorSystem("shop", workers, _ => ())
    try body(using shop)(Watched(shop))
    finally
      val isOver = shop.shutdown()
      assert(isOver)

  private def until(expectation: String)(condition: => Boolean): Unit =
    val end = System.nanoTime + 1.minute.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(1_000_000)
    assert(condition, s"never: $expectation")

  private def waiting(gate: CountDownLatch): Behavior[Int] = Behavior.receive: _ =>
    gate.await(1, TimeUnit.MINUTES)
    Behavior.same

  test("a handler that waits on a worker is reported once, with its actor, state and stack"):
    withSystem(2): watched =>
      val gate = CountDownLatch(1)
      val till = spawn(waiting(gate), "till")
      till ! 1
      until("the stall is reported")(watched.all.nonEmpty)
      val stall = watched.all.head
      assertEquals(stall.actor.name, "till")
      assert(stall.atLeast >= 100.millis, s"${stall.atLeast}")
      assertEquals(stall.state, Thread.State.TIMED_WAITING)
      assert(stall.stack.exists(_.getMethodName == "await"), s"${stall.stack}")
      assertEquals(
        system.observe.tree.rows.map(row => row.name -> row.waiting).toMap.get("till"),
        Some(1L)
      )
      gate.countDown()
      quiet()
      assertEquals(watched.all.map(_.actor.name), List("till"), "once for one message")

  test("a handler that declares that it blocks is not reported, and nor is an idle system"):
    withSystem(1): watched =>
      val (begun, gate) = (CountDownLatch(1), CountDownLatch(1))
      val till = spawn(
        Behavior.receive[Int]: _ =>
          begun.countDown()
          blocking(gate.await(1, TimeUnit.MINUTES))
          Behavior.same
        ,
        "till"
      )
      val other = spawn(Behavior.ignore[Int], "other")
      till ! 1
      val hasBegun = begun.await(1, TimeUnit.MINUTES)
      assert(hasBegun)
      // A later stall of another actor is reported, so the detector has looked at both.
      val second = CountDownLatch(1)
      val stalling = spawn(waiting(second), "stalling")
      for n <- 1 to 10 do other ! n
      until("a compensating worker handles the other actor"):
        system.observe.tree.rows.exists(row => row.name == "other" && row.handled == 10)
      stalling ! 1
      until("the other stall is reported")(watched.all.nonEmpty)
      second.countDown()
      gate.countDown()
      quiet()
      // A loaded machine may stop a running handler for as long.
      val waits = watched.all.filter(_.state != Thread.State.RUNNABLE)
      assertEquals(waits.map(_.actor.name).toSet, Set("stalling"))

  test("the rates and the share of time are those between two trees"):
    withSystem(2): _ =>
      ActorObservation.recordDurations(true)
      try
        val busy = spawn(
          Behavior.receive[Int]: _ =>
            val from = System.nanoTime
            while System.nanoTime - from < 1_000_000 do Thread.onSpinWait()
            Behavior.same
          ,
          "busy"
        )
        spawn(Behavior.ignore[Int], "idle"): Unit
        busy ! 0
        quiet()
        val before = system.observe.tree
        for n <- 1 to 50 do busy ! n
        quiet()
        val rates = system.observe.tree.since(before)
        val (at, idle) =
          (rates.rows.find(_.name == "busy").get, rates.rows.find(_.name == "idle").get)
        assert(math.abs(at.perSecond - 50e9 / rates.overNanos) < 0.01, rates.show)
        assert(at.busy >= 50e6 / rates.overNanos && at.busy <= 1.0, s"${rates.show}")
        assertEquals((idle.perSecond, idle.busy), (0.0, 0.0))
      finally ActorObservation.recordDurations(false)
      end try

  test("a worker that was busy for a moment is healthy again: its actors run, and nothing is left"):
    withSystem(1): watched =>
      val gate = CountDownLatch(1)
      val till = spawn(waiting(gate), "till")
      for n <- 1 to 20 do till ! n
      until("the stall is reported")(watched.all.nonEmpty)
      assertEquals(system.observe.tree.rows.map(_.waiting), Vector(20L))
      gate.countDown()
      quiet()
      assertEquals(
        system.observe.tree.rows.map(row => (row.waiting, row.handled)),
        Vector((0L, 20L))
      )
      assertEquals(system.observe.audit.deadLetterCount, 0L)

  test("the limits of stalls are settings, also that of actors with a thread of their own"):
    val result = ForkedJvm.run(
      "outside.actor.stallOnThread",
      ForkedJvm.Granted :+ "-Dundercroft.actor.threadStallMillis=200"
    )
    assertEquals((result.exit, result.last), (0, "slow stalled"), result.output)
end WorkerHealthTest

/** A program with an actor on a virtual thread that waits in its handler. */
@main def stallOnThread(): Unit =
  val stalled = CountDownLatch(1)
  val gate = CountDownLatch(1)
  val system = ActorSystem(
    "shop",
    listener = {
      case ActorEvent.Stalled(actor, atLeast, _, _) if atLeast >= 200.millis =>
        println(s"${actor.name} stalled")
        stalled.countDown()
      case _ => ()
    }
  )
  val slow = spawn(
    Behavior.receive[Int]: _ =>
      gate.await()
      Behavior.same
    ,
    "slow",
    Run.Virtual
  )(using system)
  slow ! 1
  val isReported = stalled.await(1, TimeUnit.MINUTES)
  gate.countDown()
  system.close()
  if !isReported then println("not reported")
end stallOnThread
