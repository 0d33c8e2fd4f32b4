package undercroft.actor

import scala.concurrent.blocking
import scala.concurrent.duration.*

class HandlerDurationsTest extends EveryModel:
  override def beforeAll(): Unit = ActorObservation.recordDurations(true)
  override def afterAll(): Unit = ActorObservation.recordDurations(false)

  private final case class Failure(text: String) extends RuntimeException(text)

  onEveryModel("each message is one duration, whatever its outcome"):
    val actor = stage.start(
      Behavior
        .setup[Int]:
          Behavior.receive: n =>
            if n == 3 then throw Failure("3")
            if n == 4 then Behavior.unhandled
            else
              if n == 5 then context.stash()
              Behavior.same
        .supervised { case _: Failure => Supervision.Resume }
    )
    for n <- 1 to 10 do actor ! n
    stage.quiet()
    val audit = stage.system.observe.audit
    assertEquals((audit.handled, audit.failed, audit.stashed), (7L, 1L, 1L))
    assertEquals(stage.system.observe.durations.count, 10L)

  onModels(Run.Virtual, Run.Thread)("a process has a duration for each message it received"):
    val actor = stage.start(Behavior.process[Int]: inbox =>
      for _ <- 1 to 5 do inbox.receive(): Unit)
    for n <- 1 to 5 do actor ! n
    stage.quiet()
    assertEquals(stage.system.observe.durations.count, 5L)

  onEveryThread("a duration is at least the time that the handler takes"):
    val nanos = 5_000_000L
    val actor = stage.start(Behavior.receive[Int]: _ =>
      val from = System.nanoTime
      while System.nanoTime - from < nanos do Thread.onSpinWait()
      Behavior.same)
    for n <- 1 to 4 do actor ! n
    stage.quiet()
    val durations = stage.system.observe.durations
    assertEquals(durations.count, 4L)
    assert(durations.maxNanos >= nanos && durations.sumNanos >= 4 * nanos, s"$durations")
    assert(durations.quantile(0) >= nanos * (1 - HandlerDurations.RelativeError), s"$durations")

  test("structs that are handed from actor to actor have a duration each"):
    Stage.play(Run.Workers, workers = 1):
      val last = stage.start(Behavior.receive[EventLog](_ => Behavior.same))
      val first = stage.start(Behavior.receive[EventLog]:
        case EventLog.Token(id, hop) =>
          last ! EventLog.Token(id, hop + 1)
          Behavior.same
        case _ => Behavior.unhandled)
      for i <- 1 to 100 do first ! EventLog.Token(i, 0)
      stage.quiet()
      assertEquals(stage.system.observe.durations.count, 200L)

  test("durations on compensating workers are counted"):
    Stage.play(Run.Workers, workers = 1):
      val gate = java.util.concurrent.CountDownLatch(1)
      val waiting = stage.start(Behavior.receive[Int]: _ =>
        blocking(gate.await())
        Behavior.same)
      val counting = stage.start(Behavior.receive[Int](_ => Behavior.same))
      waiting ! 1
      for n <- 1 to 50 do counting ! n
      stage.until("the other actor has handled its messages"):
        stage.system.observe.durations.count == 50
      gate.countDown()
      stage.quiet()
      assertEquals(stage.system.observe.durations.count, 51L)

  test("an actor on its caller's thread counts in its own system"):
    Stage.play(Run.Workers):
      val other = ActorSystem("other", 1, _ => ())
      val callee = spawn(Behavior.ignore[Int], run = Run.Caller)(using other)
      val caller = stage.start(Behavior.receive[Int]: n =>
        callee ! n
        Behavior.same)
      for n <- 1 to 20 do caller ! n
      stage.quiet()
      val isQuiet = other.awaitQuiescence(1.minute)
      assert(isQuiet)
      assertEquals(other.observe.durations.count, 20L)
      assertEquals(stage.system.observe.durations.count, 20L)
      assert(other.shutdown())
      assertEquals(other.observe.durations.count, 20L, "also after the end of the system")
end HandlerDurationsTest
