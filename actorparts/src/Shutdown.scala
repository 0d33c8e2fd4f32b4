package undercroft.actorparts

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.ActorSystem

/** Ends a program in named phases, one after another; what belongs to one phase is done at once, on
  * virtual threads. In the end the system of actors is shut down, which is a phase of its own. Any
  * thread.
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  * import undercroft.actorparts.*
  *
  * def ending(system: ActorSystem): Shutdown =
  *   val shutdown = Shutdown(system, "stop taking orders" -> 2.seconds, "write books" -> 10.seconds)
  *   shutdown.add("write books", "ledger")(println("written"))
  *   shutdown
  * }}}
  */
final class Shutdown private (system: ActorSystem, phases: Vector[Shutdown.Phase]):
  import Shutdown.*

  private val hasBegun = AtomicBoolean()
  private val isDone = CountDownLatch(1)
  @volatile private var steps = Vector[Step]()

  /** Adds something to do in a phase.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such phase
    * @throws java.lang.IllegalStateException
    *   if the shutdown has begun
    */
  def add(phase: String, task: String)(body: => Unit): Unit =
    val found = phases.find(_.name == phase).getOrElse:
      throw IllegalArgumentException(
        s"there is no phase '$phase' to do '$task' in: ${phases.map(_.name).mkString(", ")}"
      )
    found.synchronized:
      if found.isClosed then
        throw IllegalStateException(s"'$task' comes too late: '$phase' has begun")
      found.tasks = found.tasks :+ Task(task, () => body)

  /** Does all of it, once: who comes later waits for the same. A task that fails holds up nothing,
    * and one that takes longer than its phase may is interrupted and left behind.
    *
    * @return
    *   what became of each task
    */
  def run(): Vector[Step] =
    if hasBegun.compareAndSet(false, true) then
      try for phase <- phases do steps = steps ++ phase.run()
      finally isDone.countDown()
    else isDone.await()
    steps

  /** Has [[run]] called when the JVM ends, by a signal for example. */
  def runAtExit(): Unit =
    Runtime.getRuntime.addShutdownHook(Thread.ofPlatform.name(s"$system-shutdown").unstarted(() =>
      val _ = run()
    ))
end Shutdown

object Shutdown:
  /** The last phase's name: it shuts the system down. */
  val Actors = "actors"

  /** Phases in their order, each with the time that it may take; then [[Actors]], for which
    * messages are handled for at most `drain`.
    *
    * @throws java.lang.IllegalArgumentException
    *   if two phases have one name
    */
  def apply(
      system: ActorSystem,
      drain: FiniteDuration,
      phases: (String, FiniteDuration)*
  ): Shutdown =
    val last = Phase(Actors, drain + 11.seconds)
    last.tasks = Vector(
      Task(
        system.name,
        () =>
          if !system.shutdown(drain, 10.seconds) then
            throw IllegalStateException(s"${system.name} did not end in time")
      )
    )
    val all = phases.map((name, within) => Phase(name, within)).toVector :+ last
    val twice = all.groupBy(_.name).filter(_._2.size > 1).keys
    if twice.nonEmpty then
      throw IllegalArgumentException(s"phases of one name: ${twice.mkString(", ")}")
    new Shutdown(system, all)

  /** With ten seconds for the messages that wait. */
  def apply(system: ActorSystem, phases: (String, FiniteDuration)*): Shutdown =
    apply(system, 10.seconds, phases*)

  /** What became of one task. */
  final case class Step(phase: String, task: String, outcome: Outcome) derives CanEqual

  enum Outcome derives CanEqual:
    case Done
    case Failed(cause: Throwable)

    /** It was not done when its phase's time was over, and was interrupted. */
    case Late

  private final class Task(val name: String, val body: () => Unit):
    private val outcome = AtomicReference[Outcome | Null](null)

    def run(): Unit =
      val ended =
        try
          body()
          Outcome.Done
        catch case cause: Throwable => Outcome.Failed(cause)
      val _ = outcome.compareAndSet(null, ended)

    /** Whatever it does from now on is too late. */
    def isLate(): Unit =
      val _ = outcome.compareAndSet(null, Outcome.Late)

    /** What became of it: late, if nothing did. */
    def ended(): Outcome =
      isLate()
      outcome.get.nn

  private final class Phase(val name: String, within: FiniteDuration):
    // Both under the lock of this object.
    var tasks = Vector[Task]()
    var isClosed = false

    def run(): Vector[Step] =
      val all = synchronized:
        isClosed = true
        tasks
      val threads = all.map(task => Thread.ofVirtual.name(task.name).start(() => task.run()))
      val until = System.nanoTime + within.toNanos
      for (thread, task) <- threads.zip(all) do
        val left = math.max(1L, until - System.nanoTime)
        if !thread.join(java.time.Duration.ofNanos(left)) then
          // First, because a task that is interrupted may end at once.
          task.isLate()
          thread.interrupt()
      all.map(task => Step(name, task.name, task.ended()))
end Shutdown
