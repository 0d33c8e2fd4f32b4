package undercroft.actor

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.{Duration, DurationInt, FiniteDuration}
import internal.dispatch.Dispatcher

/** Shuts a program down in named phases, one after another; the tasks of a phase run concurrently,
  * on platform threads. The last phase shuts down the actor system. Thread-safe.
  *
  * {{{
  * import scala.concurrent.duration.*
  * import undercroft.actor.*
  *
  * def ending(system: ActorSystem): CoordinatedShutdown =
  *   val shutdown = CoordinatedShutdown(system, "stop taking orders" -> 2.seconds, "write books" -> 10.seconds)
  *   shutdown.add("write books", "ledger")(println("written"))
  *   shutdown
  * }}}
  */
final class CoordinatedShutdown private (
    system: ActorSystem,
    phases: Vector[CoordinatedShutdown.Phase]
):
  import CoordinatedShutdown.*

  private val isDone = CountDownLatch(1)

  /** Guarded by the monitor of `isDone`. */
  private var hasBegun = false
  @volatile private var steps = Vector[Step]()

  /** Adds a task to a phase.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * val shutdown = CoordinatedShutdown(ActorSystem("shop"), "close doors" -> 2.seconds)
    * shutdown.add("close doors", "front door")(println("closed"))
    * println(shutdown.run().map(_.task)) // Vector(front door, shop)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such phase
    * @throws java.lang.IllegalStateException
    *   if the phase has begun
    */
  def add(phase: String, task: String)(body: => Unit): Unit =
    if task == null then throw NullPointerException(s"the name of a task of phase '$phase' is null")
    val target = phases.find(_.name == phase).getOrElse:
      throw IllegalArgumentException(
        s"phase '$phase' of task '$task' must be one of ${phases.map(_.name).mkString(", ")}"
      )
    target.synchronized:
      if target.isClosed then
        throw IllegalStateException(
          s"task '$task' cannot be added: phase '$phase' has started"
        )
      target.tasks = target.tasks :+ Task(task, () => body)

  private var hook = Option.empty[Thread] // guarded by the lock of isDone

  /** Runs all phases, once, on a thread of its own; every caller waits for the same run. A task
    * that fails, or whose thread cannot be started, does not stop the others. A task that exceeds
    * the time limit of its phase is interrupted and abandoned. An interrupt of a caller ends its
    * wait, not the run. If the thread of the run cannot be started, the error is thrown, and the
    * next call tries again.
    *
    * {{{
    * import undercroft.actor.*
    * val shutdown = CoordinatedShutdown(ActorSystem("shop"))
    * println(shutdown.run().map(_.outcome)) // Vector(Done)
    * }}}
    *
    * @return
    *   the outcome of each task
    * @throws java.lang.IllegalStateException
    *   in a handler of one of the system's actors, for which it would wait, or on a worker of any
    *   system, which must not block
    * @throws java.lang.InterruptedException
    *   if the calling thread is interrupted
    */
  def run(): Vector[Step] =
    Dispatcher.requireMayShutDown(system)
    begin()
    isDone.await()
    steps

  /** Starts the run, unless it has begun. */
  private def begin(): Unit = isDone.synchronized:
    if !hasBegun then
      val _ = Thread.ofPlatform.name(s"$system-shutdown").start: () =>
        try for phase <- phases do steps = steps ++ phase.run()
        finally
          isDone.countDown()
          removeHook()
      hasBegun = true // last: if no thread can be started, a later call tries again

  /** Registers [[run]] as a shutdown hook of the JVM, which also runs on a termination signal. The
    * end of a run removes the hook. Idempotent.
    *
    * {{{
    * import undercroft.actor.*
    * def start(): ActorSystem =
    *   val system = ActorSystem("shop")
    *   CoordinatedShutdown(system).runAtExit()
    *   system
    * }}}
    */
  def runAtExit(): Unit = isDone.synchronized:
    if hook.isEmpty && isDone.getCount > 0 then
      val thread = Thread.ofPlatform.name(s"$system-exit").unstarted(() => run(): Unit)
      Runtime.getRuntime.addShutdownHook(thread)
      hook = Some(thread)

  /** A hook would keep this shutdown, and its class loader, as long as the JVM. */
  private def removeHook(): Unit = isDone.synchronized:
    try hook.foreach(Runtime.getRuntime.removeShutdownHook(_): Unit)
    catch case _: IllegalStateException => () // the JVM is exiting
end CoordinatedShutdown

object CoordinatedShutdown:
  /** The name of the last phase, which shuts the actor system down. */
  val TerminateActors = "actors"

  private val DrainTime = 10.seconds
  private val StopTime = 10.seconds
  private val LongestTime = 36_500.days

  /** Creates a shutdown with these phases in order, each with its time limit, and then
    * [[TerminateActors]], which handles messages for at most `drain`, and then waits at most `stop`
    * until all actors have stopped.
    *
    * {{{
    * import scala.concurrent.duration.*
    * import undercroft.actor.*
    * val shutdown = CoordinatedShutdown(ActorSystem("shop"), 1.second, 1.second, "books" -> 2.seconds)
    * shutdown.add("books", "ledger")(throw IllegalStateException("no disk"))
    * println(shutdown.run().size) // 2
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if two phases have the same name, a time limit is less than 1 ns, or `drain` or `stop` is
    *   negative or more than a hundred years
    */
  def apply(
      system: ActorSystem,
      drain: FiniteDuration,
      stop: FiniteDuration,
      phases: (String, FiniteDuration)*
  ): CoordinatedShutdown =
    checkTime("drain", drain)
    checkTime("stop", stop)
    for (name, within) <- phases if within <= Duration.Zero do
      throw IllegalArgumentException(
        s"the time limit of phase '$name' must be at least 1 ns, but is $within"
      )
    val last = Phase(TerminateActors, drain + stop + 1.second)
    last.tasks = Vector(
      Task(
        system.name,
        () =>
          if !system.shutdown(drain, stop) then
            throw IllegalStateException(
              s"${system.name} did not handle its messages in ${shown(drain)} and stop in ${shown(stop)}"
            )
      )
    )
    val allPhases = phases.map((name, within) => Phase(name, within)).toVector :+ last
    val twice = allPhases.groupBy(_.name).filter(_._2.size > 1).keys
    if twice.nonEmpty then
      throw IllegalArgumentException(
        s"phase names must be unique, but repeat ${twice.mkString(", ")}"
      )
    new CoordinatedShutdown(system, allPhases)
  end apply

  /** Creates a shutdown that handles messages for at most `drain`, and then waits at most ten
    * seconds until all actors have stopped.
    */
  def apply(
      system: ActorSystem,
      drain: FiniteDuration,
      phases: (String, FiniteDuration)*
  ): CoordinatedShutdown = apply(system, drain, StopTime, phases*)

  /** Creates a shutdown that handles messages for at most ten seconds, and then waits at most ten
    * seconds until all actors have stopped.
    */
  def apply(system: ActorSystem, phases: (String, FiniteDuration)*): CoordinatedShutdown =
    apply(system, DrainTime, StopTime, phases*)

  /** A time as text: Scala's is "0 days" for `Duration.Zero`. */
  private def shown(time: FiniteDuration): String =
    if time.toNanos == 0 then "0 seconds" else time.toString

  private def checkTime(name: String, time: FiniteDuration): Unit =
    if time < Duration.Zero || time > LongestTime then
      throw IllegalArgumentException(s"$name must be from 0 s to $LongestTime, but is $time")

  /** The outcome of one task. */
  final case class Step(phase: String, task: String, outcome: Outcome) derives CanEqual

  /** How a task ended.
    *
    * {{{
    * import undercroft.actor.*
    * def failures(shutdown: CoordinatedShutdown): Vector[String] =
    *   shutdown.run().collect:
    *     case CoordinatedShutdown.Step(phase, task, CoordinatedShutdown.Outcome.Failed(cause)) =>
    *       s"$task of $phase: ${cause.getMessage}"
    * }}}
    */
  enum Outcome derives CanEqual:
    case Done
    case Failed(cause: Throwable)

    /** The task exceeded the time limit of its phase and was interrupted. */
    case TimedOut

  private final class Task(val name: String, val body: () => Unit):
    private val outcome = AtomicReference[Outcome | Null](null)

    def run(): Unit =
      val result =
        try
          body()
          Outcome.Done
        catch case cause: Throwable => Outcome.Failed(cause)
      val _ = outcome.compareAndSet(null, result)

    /** Starts it on a platform thread, because busy actors may occupy all carriers of virtual ones.
      * Returns null if that fails: then the task has failed.
      */
    def start(): Thread | Null =
      try Thread.ofPlatform.daemon.name(name).start(() => run())
      catch
        case cause: Throwable =>
          val _ = outcome.compareAndSet(null, Outcome.Failed(cause))
          null

    /** Sets the outcome to [[Outcome.TimedOut]], unless the task has ended. */
    def isLate(): Unit =
      val _ = outcome.compareAndSet(null, Outcome.TimedOut)

    /** Returns the outcome: [[Outcome.TimedOut]] if the task has not ended. */
    def ended(): Outcome =
      isLate()
      outcome.get.nn
  end Task

  private final class Phase(val name: String, within: FiniteDuration):
    // Both are guarded by this object's monitor.
    var tasks = Vector[Task]()
    var isClosed = false

    def run(): Vector[Step] =
      val batch = synchronized:
        isClosed = true
        tasks
      val threads = batch.map(_.start())
      val until = System.nanoTime + within.toNanos
      for (thread, task) <- threads.zip(batch) do
        val left = math.max(1L, until - System.nanoTime)
        if (thread ne null) && !thread.join(java.time.Duration.ofNanos(left)) then
          // Before the interrupt, because an interrupted task may end at once.
          task.isLate()
          thread.interrupt()
      batch.map(task => Step(name, task.name, task.ended()))
end CoordinatedShutdown
