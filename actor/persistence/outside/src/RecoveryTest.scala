package outside.actor.persistence

import java.nio.file.Files
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.actor.*
import undercroft.actor.persistence.*

/** Recoveries that meet other work of the journal. */
class RecoveryTest extends BankSuite:
  import StepCommand.*

  private def store(actor: ActorRef[StepCommand], events: Vector[Stepped]): CountDownLatch =
    val end = CountDownLatch(1)
    actor ! Store(events, () => end.countDown())
    end

  private def stored(actor: ActorRef[StepCommand], events: Stepped*): Unit =
    val isDone = store(actor, events.toVector).await(1, TimeUnit.MINUTES)
    assert(isDone)

  test("a recovery is whole if snapshots of its actor wait, and their commit deletes segments"):
    inFolder: folder =>
      val (firstHeld, secondHeld) = (71, 72)
      Using.resource(Steps.open(folder)): journal =>
        withSystem:
          for id <- List(firstHeld, secondHeld) do
            stored(spawn(Steps.counter(journal, id, snapshotEvery = 1)), Stepped(1, Step(id)))
      Using.resource(Steps.open(folder, retention = Retention.SinceSnapshot)): journal =>
        withSystem:
          val executor = ManualExecutor()
          try
            val isRecovered = AtomicBoolean()
            def start(id: Long) =
              isRecovered.set(false)
              val behavior =
                Steps.counter(journal, id, snapshotEvery = 1000, _ => isRecovered.set(true))
              spawn(behavior, run = Run.On(executor))
            def recovered(id: Long) =
              val actor = start(id)
              executor.runUntil("recovered")(isRecovered.get)
              actor

            val actor = recovered(1)
            val holders = Vector(recovered(2), recovered(3))
            // The threads that read recoveries wait until the commit has deleted a segment.
            val readers = List(firstHeld, secondHeld).map(Gate.close(_))
            for gate <- readers do spawn(Steps.counter(journal, gate.n)): Unit
            for gate <- readers do gate.awaitEntered()

            /** Sends an event that holds the writer back, and is not stored. */
            var number = 1000
            def hold(holder: ActorRef[StepCommand]): (Gate, CountDownLatch) =
              number += 1
              val gate = Gate.close(number, isRejected = true)
              val end = store(holder, Vector(Stepped(0, Step(number))))
              executor.runAll()
              (gate, end)
            def isOver(end: CountDownLatch) = end.getCount == 0

            // The queue of the writer is never empty, so the snapshots wait.
            var (gate, gateEnd) = hold(holders(0))
            gate.awaitEntered()
            for _ <- 1 to 3 do
              val end = store(actor, Vector.tabulate(1000)(n => Stepped(n, Step(0))))
              executor.runAll()
              val (second, secondEnd) = hold(holders(1))
              gate.open()
              second.awaitEntered()
              executor.runUntil("the first event was refused")(isOver(gateEnd))
              val (third, thirdEnd) = hold(holders(0))
              second.open()
              third.awaitEntered()
              executor.runUntil("stored")(isOver(end) && isOver(secondEnd))
              gate = third
              gateEnd = thirdEnd
            actor ! Stop
            executor.runUntil("stopped")(actor.isStopped)
            val again = start(1)
            executor.runAll()
            val segment = folder.resolve("events-0000000002.struct")
            assert(Files.exists(segment))
            gate.open()
            until("the segment is deleted")(Files.notExists(segment))
            for reader <- readers do reader.open()
            executor.runUntil("recovered or failed")(isRecovered.get || failures.nonEmpty)
            assertEquals(failures, Nil)
            executor.runDirectly()
            assertEquals(again.ask[Long](1.minute)(Count(_)), 3000L)
          finally executor.runDirectly()
          end try

  test("commands keep their order over a restart if an interceptor keeps its signal back"):
    inFolder: folder =>
      Using.resource(Steps.open(folder)): journal =>
        withSystem:
          val ends = ConcurrentLinkedQueue[Int]()
          val behavior = Behavior
            .intercept(Keeping())(Steps.counter(journal, 1))
            .supervised(_ => Supervision.Restart(limit = 10))
          val actor = spawn(behavior)
          assertEquals(actor.ask[Long](1.minute)(Count(_)), 0L)
          val gate = Gate.close(500)
          def send(n: Int) = actor ! Store(Vector(Stepped(n, Step(n))), () => ends.add(n): Unit)
          send(500)
          gate.awaitEntered()
          for n <- 1 to 5 do send(n)
          actor ! Fail
          until("it restarts")(failures.nonEmpty)
          gate.open()
          assertEquals(actor.ask[Long](1.minute)(Count(_)), 6L)
          assertEquals(ends.asScala.toList, List(1, 2, 3, 4, 5))

  test("with an executor that runs tasks at once, no handler runs on a thread of the journal"):
    inFolder: folder =>
      Using.resource(Steps.open(folder)): journal =>
        withSystem:
          val threads = ConcurrentLinkedQueue[String]()
          def note(): Unit = threads.add(Thread.currentThread.getName): Unit
          val executor: java.util.concurrent.Executor = task => task.run()
          val behavior = Steps.counter(journal, 1, recovered = _ => note())
          val actor = spawn(behavior, run = Run.On(executor))
          for n <- 1 to 20 do
            val end = CountDownLatch(1)
            actor ! Store(
              Vector(Stepped(n, Step(0))),
              () =>
                note()
                end.countDown()
            )
            val isDone = end.await(1, TimeUnit.MINUTES)
            assert(isDone)
          assertEquals(threads.size, 21)
          assertEquals(threads.asScala.filter(_.startsWith("journal-")).toList, Nil)

  test("a listener that hears of a failed snapshot does not run on a thread of the journal"):
    inFolder: folder =>
      Using.resource(Steps.open(folder)): journal =>
        val threads = ConcurrentLinkedQueue[String]()
        val listener: ActorEvent => Unit =
          case _: ActorEvent.Failed => threads.add(Thread.currentThread.getName): Unit
          case _                    => ()
        val system = ActorSystem("listened", 2, listener)
        try
          given ActorSystem = system
          // Its event is stored, and its state is not.
          val actor = spawn(
            Persistent(journal, 1, Steps(0, Step(0)), snapshotEvery = 1)(
              command = (_: Steps, end: () => Unit) =>
                Effect.persist(Stepped(1, Step(0))).thenRun(_ => end()),
              event = (steps, _) => Steps(steps.count + 1, Step(600))
            )
          )
          val gate = Gate.close(600, isRejected = true)
          actor ! (() => ())
          gate.awaitEntered()
          gate.open()
          until("the listener was called")(threads.size == 1)
          assertEquals(threads.asScala.filter(_.startsWith("journal-")).toList, Nil)
        finally system.shutdown(1.minute, 1.minute): Unit
end RecoveryTest

/** Handles the signal of a restart itself, and fails for the command `Fail`. */
final class Keeping extends BehaviorInterceptor[StepCommand, StepCommand]:
  def aroundReceive(
      command: StepCommand,
      target: BehaviorInterceptor.Target[StepCommand]
  ): Behavior[StepCommand] = command match
    case StepCommand.Fail => throw IllegalStateException("the interceptor failed")
    case other            => target.receive(other)

  override def aroundSignal(
      signal: Signal,
      target: BehaviorInterceptor.Target[StepCommand]
  ): Behavior[StepCommand] = signal match
    case Signal.PreRestart => Behavior.same
    case other             => target.signal(other)
end Keeping
