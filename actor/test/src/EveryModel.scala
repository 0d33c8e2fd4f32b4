package undercroft.actor

import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*

/** Runs each test on every run model; the outcome has to be the same. */
abstract class EveryModel extends munit.FunSuite:
  /** A limit for what should take milliseconds, on a machine that is busy with other things. */
  val patience: FiniteDuration = 60.seconds
  override val munitTimeout: Duration = 5.minutes

  def onEveryModel(name: String)(body: Stage ?=> Unit): Unit =
    for run <- Run.values do
      test(s"$name ($run)"):
        Stage.play(run, patience)(body)

/** A system for one test, and what its actors note. */
final class Stage(
    val run: Run,
    val system: ActorSystem,
    patience: FiniteDuration,
    events: ConcurrentLinkedQueue[Event]
):
  private val notes = ConcurrentLinkedQueue[String]()

  def note(text: String): Unit = notes.add(text): Unit

  /** What was noted, once nothing is under way. */
  def noted: List[String] =
    quiet()
    notes.asScala.toList

  def quiet(): Unit =
    munit.Assertions.assert(system.awaitQuiet(patience), s"not quiet: ${system.audit}")

  /** Waits until `condition` holds; for what the clock brings about. */
  def until(what: String)(condition: => Boolean): Unit =
    val end = System.nanoTime + patience.toNanos
    while !condition && System.nanoTime < end do Thread.onSpinWait()
    munit.Assertions.assert(condition, s"never: $what")

  def lost: List[(Any, Reason)] = events.asScala.toList.collect:
    case Event.DeadLetter(_, message, reason) => (message, reason)

  def decided: List[(String, Supervision)] = events.asScala.toList.collect:
    case Event.Failed(_, cause, decision) => (String.valueOf(cause.getMessage), decision)

  def start[T](behavior: Behavior[T], name: String = "", mailbox: Mailbox = Mailbox.default) =
    spawn(behavior, name, run, mailbox)(using system)
end Stage

object Stage:
  def play(run: Run, patience: FiniteDuration = 60.seconds, workers: Int = 2)(
      body: Stage ?=> Unit
  ): Unit =
    val events = ConcurrentLinkedQueue[Event]()
    val system = ActorSystem("test", workers, event => events.add(event): Unit)
    val stage = Stage(run, system, patience, events)
    try
      body(using stage)
      stage.quiet()
      val audit = system.audit
      munit.Assertions.assert(audit.isExact, audit)
      munit.Assertions.assertEquals(audit.waiting, 0L)
    finally
      val ended = system.shutdown(10.seconds, patience)
      munit.Assertions.assert(ended, "the system ended in time")
    val audit = system.audit
    munit.Assertions.assert(audit.isExact, audit)
    munit.Assertions.assertEquals((audit.actors, audit.waiting, audit.stashed), (0L, 0L, 0L))
  end play
end Stage

def stage(using stage: Stage): Stage = stage
def note(text: String)(using stage: Stage): Unit = stage.note(text)
