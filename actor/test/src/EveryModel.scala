package undercroft.actor

import java.util.concurrent.{ConcurrentLinkedQueue, Executor, ForkJoinPool}
import scala.concurrent.{Await, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Try
import testkit.{Simulation, simulate}

/** Runs each test on every run model, on threads and under simulation; the outcome must be the
  * same. Under simulation an actor's own thread runs only in steps of the simulation.
  */
abstract class EveryModel extends undercroft.tools.RoundsSuite:
  /** A timeout for operations that should take milliseconds, on a machine with other load. */
  val patience: FiniteDuration = 60.seconds

  /** @param seeds
    *   the number of simulations to try: few for long tests
    */
  def onEveryModel(name: String, seeds: Int = 20)(body: Stage ?=> Unit): Unit =
    onModels(Stage.runs*)(name, seeds)(body)

  /** As `onEveryModel`, for tests that do not apply to some of the models. */
  def onModels(runs: Run*)(name: String, seeds: Int = 20)(body: Stage ?=> Unit): Unit =
    onThreads(runs*)(name)(body)
    for run <- runs do
      test(s"$name (simulated, $run)"):
        simulate(seeds, maxSteps = 10_000_000)(body(using Stage.simulated(run)))

  /** As `onEveryModel`, without simulation: for tests of concurrent threads or of real time. */
  def onEveryThread(name: String)(body: Stage ?=> Unit): Unit = onThreads(Stage.runs*)(name)(body)

  /** As `onEveryThread`, for a few rounds, and for many in a long test. */
  def roundsOnEveryThread(name: String)(rounds: Int, longRounds: Int)(
      body: Int => Stage ?=> Unit
  ): Unit =
    for run <- Stage.runs do
      testRounds(s"$name ($run)")(rounds, longRounds): rounds =>
        Stage.play(run, patience)(body(rounds))

  private def onThreads(runs: Run*)(name: String)(body: Stage ?=> Unit): Unit =
    for run <- runs do
      test(s"$name ($run)"):
        Stage.play(run, patience)(body)
end EveryModel

/** A system for one test, and the notes of its actors. */
final class Stage(
    val run: Run,
    val system: ActorSystem,
    patience: FiniteDuration,
    events: () => List[ActorEvent],
    simulation: Option[Simulation] = None
):
  private val notes = ConcurrentLinkedQueue[String]()

  def isSimulated: Boolean = simulation.isDefined

  /** The seed of random choices in the test. */
  val seed: Long = simulation.fold(System.nanoTime)(_.seed)

  def note(text: String): Unit = notes.add(text): Unit

  /** The notes, once the system is idle. */
  def noted: List[String] =
    quiet()
    notes.asScala.toList

  def quiet(): Unit =
    munit.Assertions.assert(system.awaitQuiescence(patience), s"not quiet: ${system.observe.audit}")

  /** Waits until `condition` holds; for conditions that depend on time. */
  def until(expectation: String)(condition: => Boolean): Unit =
    simulation match
      case Some(simulation) => simulation.runUntil(patience)(condition): Unit
      case None =>
        val end = System.nanoTime + patience.toNanos
        while !condition && System.nanoTime < end do Thread.onSpinWait()
    munit.Assertions.assert(condition, s"never: $expectation")

  /** Waits for a future and returns its result. */
  def result[A](future: Future[A]): Try[A] = simulation match
    case Some(simulation) => simulation.await(future, patience)
    case None             => Await.ready(future, patience).value.get

  /** The events that the system reported to its listener. */
  def told: List[ActorEvent] = events()

  def lost: List[(Any, DeadLetterReason)] = told.collect:
    case ActorEvent.DeadLetter(_, message, reason) => (message, reason)

  def decided: List[(String, Supervision)] = told.collect:
    case ActorEvent.Failed(_, cause, decision) => (String.valueOf(cause.getMessage), decision)

  def start[T](behavior: Behavior[T], name: String = "", mailbox: Mailbox = Mailbox.default) =
    spawn(behavior, name, run, mailbox)(using system)
end Stage

object Stage:
  /** All run models, and an executor that the tests of a module share. */
  val runs: Vector[Run] = Run.standard :+ Run.On(SharedExecutor)

  private object SharedExecutor extends Executor:
    private val threads = ForkJoinPool(2)
    def execute(task: Runnable): Unit = threads.execute(task)
    override def toString: String = "executor"

  def play(run: Run, patience: FiniteDuration = 60.seconds, workers: Int = 2)(
      body: Stage ?=> Unit
  ): Unit =
    val events = ConcurrentLinkedQueue[ActorEvent]()
    val system = ActorSystem("test", workers, event => events.add(event): Unit)
    val stage = Stage(run, system, patience, () => events.asScala.toList)
    try
      body(using stage)
      stage.quiet()
      val audit = system.observe.audit
      munit.Assertions.assert(audit.isExact, audit)
      munit.Assertions.assertEquals(audit.waiting, 0L)
      munit.Assertions.assertEquals(system.observe.miscounted, None)
    finally
      val isOver = system.shutdown(10.seconds, patience)
      munit.Assertions.assert(isOver, "the system ended in time")
    val audit = system.observe.audit
    munit.Assertions.assert(audit.isExact, audit)
    munit.Assertions.assertEquals((audit.actors, audit.waiting, audit.stashed), (0L, 0L, 0L))
  end play

  /** Creates a stage whose actors are simulated. */
  def simulated(run: Run)(using simulation: Simulation): Stage =
    Stage(run, simulation.system, 60.seconds, () => simulation.events.toList, Some(simulation))
end Stage

def stage(using stage: Stage): Stage = stage
def note(text: String)(using stage: Stage): Unit = stage.note(text)
