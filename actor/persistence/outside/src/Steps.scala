package outside.actor.persistence

import java.nio.file.Path
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, Executor}
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.struct.*

/** A number whose encoding or decoding a test can hold back: see [[Gate]]. */
final case class Step(n: Int) derives CanEqual

object Step:
  given Struct.StoredAs[Step, Int] =
    Struct.storedAs[Step, Int](step => Gate.pass(step.n))(n => Step(Gate.pass(n)))

/** Holds a thread of the journal back that encodes or decodes the step `n`. */
final class Gate(val n: Int, isRejected: Boolean):
  private val entered = CountDownLatch(1)
  private val opened = CountDownLatch(1)

  /** Waits until a thread is held back. */
  def awaitEntered(): Unit =
    if !entered.await(1, TimeUnit.MINUTES) then throw AssertionError(s"step $n: no thread came")

  def open(): Unit =
    Gate.gates.remove(n): Unit
    opened.countDown()

  private def pass(): Unit =
    entered.countDown()
    if !opened.await(1, TimeUnit.MINUTES) then throw AssertionError(s"step $n: not opened")
    if isRejected then throw ArithmeticException(s"step $n is rejected")
end Gate

object Gate:
  private val gates = ConcurrentHashMap[Int, Gate]()

  def close(n: Int, isRejected: Boolean = false): Gate =
    val gate = Gate(n, isRejected)
    gates.put(n, gate): Unit
    gate

  def pass(n: Int): Int =
    val gate = gates.get(n)
    if gate != null then gate.pass()
    n

final case class Stepped(number: Long, step: Step) derives Struct, CanEqual
final case class Steps(count: Long, last: Step) derives Struct, CanEqual

enum StepCommand:
  /** `end` is called when the events are stored or refused. */
  case Store(events: Vector[Stepped], end: () => Unit)
  case Count(to: ActorRef[Long])
  case Fail
  case Stop

/** Actors that count events. */
object Steps:
  import StepCommand.*

  def open(
      folder: Path,
      durability: Durability = Durability.VOLATILE,
      retention: Retention = Retention.KeepAll
  ): Journal[Stepped, Steps] =
    Journal.open[Stepped, Steps](folder, durability, retention, Journal.MinSegmentBytes)

  def counter(
      journal: Journal[Stepped, Steps],
      id: Long,
      snapshotEvery: Int = 0,
      recovered: Steps => Unit = _ => ()
  ): Behavior[StepCommand] =
    Persistent(journal, id, Steps(0, Step(0)), snapshotEvery)(
      command = (_, command) =>
        command match
          case Store(events, end) =>
            Effect.persistAll(events).thenRun(_ => end()).onFailure(_ => end())
          case Count(to) => Effect.none.thenReply(to)(_.count)
          case Fail      => throw IllegalStateException("the command handler failed")
          case Stop =>
            Effect.none.thenStop
      ,
      event = (steps, event) => Steps(steps.count + 1, event.step),
      recovered = recovered
    )
end Steps

/** An executor whose tasks the thread of a test runs, until it is told to run them at once. */
final class ManualExecutor extends Executor:
  private val tasks = LinkedBlockingQueue[Runnable]()
  @volatile private var isDirect = false

  def execute(task: Runnable): Unit = if isDirect then task.run() else tasks.add(task): Unit

  /** Runs the tasks that wait. */
  def runAll(): Unit =
    var task = tasks.poll()
    while task != null do
      task.run()
      task = tasks.poll()

  /** Runs tasks until a condition holds that follows from them. */
  def runUntil(state: String)(condition: => Boolean): Unit =
    while !condition do
      val task = tasks.poll(1, TimeUnit.MINUTES)
      if task == null then throw AssertionError(s"no task for a minute, and it is not so: $state")
      task.run()
    runAll()

  def runDirectly(): Unit =
    isDirect = true
    runAll()
end ManualExecutor
