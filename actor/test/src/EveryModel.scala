package undercroft.actor

import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Try
import testkit.{Simulation, simulate}

/** Runs each test on every run model, and on each of them under simulation, where those with a
  * thread of their own keep one that the simulation steps; the outcome has to be the same.
  */
abstract class EveryModel extends undercroft.house.Suite:
  /** A limit for what should take milliseconds, on a machine that is busy with other things. */
  val patience: FiniteDuration = 60.seconds

  /** @param seeds
    *   simulations that it is tried in: few for what is long
    */
  def onEveryModel(name: String, seeds: Int = 20)(body: Stage ?=> Unit): Unit =
    onModels(Run.values*)(name, seeds)(body)

  /** As `onEveryModel`, for what some of the models have no part in. */
  def onModels(runs: Run*)(name: String, seeds: Int = 20)(body: Stage ?=> Unit): Unit =
    onThreads(runs*)(name)(body)
    for run <- runs do
      test(s"$name (simulated, $run)"):
        simulate(seeds, steps = 10_000_000)(body(using Stage.simulated(run)))

  /** As `onEveryModel`, for what is about threads at once, or about the machine's time, of which a
    * simulation has none.
    */
  def onEveryThread(name: String)(body: Stage ?=> Unit): Unit = onThreads(Run.values*)(name)(body)

  private def onThreads(runs: Run*)(name: String)(body: Stage ?=> Unit): Unit =
    for run <- runs do
      test(s"$name ($run)"):
        Stage.play(run, patience)(body)
end EveryModel

/** A system for one test, and what its actors note. */
final class Stage(
    val run: Run,
    val system: ActorSystem,
    patience: FiniteDuration,
    events: () => List[Event],
    simulation: Option[Simulation] = None
):
  private val notes = ConcurrentLinkedQueue[String]()

  def isSimulated: Boolean = simulation.isDefined

  /** What is random in the test. */
  val seed: Long = simulation.fold(System.nanoTime)(_.seed)

  def note(text: String): Unit = notes.add(text): Unit

  /** What was noted, once nothing is under way. */
  def noted: List[String] =
    quiet()
    notes.asScala.toList

  def quiet(): Unit =
    munit.Assertions.assert(system.awaitQuiet(patience), s"not quiet: ${system.audit}")

  /** Waits until `condition` holds; for what the clock brings about. */
  def until(what: String)(condition: => Boolean): Unit =
    simulation match
      case Some(simulation) => simulation.until(patience)(condition): Unit
      case None =>
        val end = System.nanoTime + patience.toNanos
        while !condition && System.nanoTime < end do Thread.onSpinWait()
    munit.Assertions.assert(condition, s"never: $what")

  /** What becomes of a future. */
  def result[A](future: Future[A]): Try[A] = simulation match
    case Some(simulation) => simulation.result(future, patience)
    case None             => Await.ready(future, patience).value.get

  /** What the system told its listener. */
  def told: List[Event] = events()

  def lost: List[(Any, Reason)] = told.collect:
    case Event.DeadLetter(_, message, reason) => (message, reason)

  def decided: List[(String, Supervision)] = told.collect:
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
    val stage = Stage(run, system, patience, () => events.asScala.toList)
    try
      body(using stage)
      stage.quiet()
      val audit = system.audit
      munit.Assertions.assert(audit.isExact, audit)
      munit.Assertions.assertEquals(audit.waiting, 0L)
      munit.Assertions.assertEquals(system.miscounted, None)
    finally
      val ended = system.shutdown(10.seconds, patience)
      munit.Assertions.assert(ended, "the system ended in time")
    val audit = system.audit
    munit.Assertions.assert(audit.isExact, audit)
    munit.Assertions.assertEquals((audit.actors, audit.waiting, audit.stashed), (0L, 0L, 0L))
  end play

  /** One whose actors are simulated. */
  def simulated(run: Run)(using simulation: Simulation): Stage =
    Stage(run, simulation.system, 60.seconds, () => simulation.events.toList, Some(simulation))
end Stage

def stage(using stage: Stage): Stage = stage
def note(text: String)(using stage: Stage): Unit = stage.note(text)
