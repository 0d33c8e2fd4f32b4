package undercroft.actor

import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** Actors, and the threads that run them. Any thread.
  *
  * Its threads are daemons; at rest they look twice a second whether they still are. What is
  * spawned with the system given is a child of its guardian, and stops with it.
  */
final class ActorSystem private[actor] (
    val name: String,
    private[actor] val engine: Engine,
    listener: Event => Unit
) extends Scope,
      AutoCloseable:
  private[actor] val clock: Clock = engine.clock
  private[actor] val totals: Totals = Totals()
  private val numbers = AtomicLong()

  private val guardian: Cell[Nothing] =
    val runner = engine.runner(Run.Workers, isProcess = false)
    Cell[Nothing](this, null, runner, Behavior.empty, Mailbox.default, numbers.getAndIncrement)

  private[actor] def start(): Unit =
    guardian.prepare(name)
    val _ = guardian.ownFamily()
    engine.start(guardian, report)

  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] = make(guardian, behavior, name, run, mailbox)

  private[actor] def make[T](
      parent: Cell[?],
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T] =
    val runner = engine.runner(run, Behavior.isProcess(behavior))
    val cell = Cell[T](this, parent, runner, behavior, mailbox, numbers.getAndIncrement)
    cell.prepare(name)
    if !parent.ownFamily().add(cell) then
      throw SpawnRefusedException(s"${parent.name} is stopping and spawns nothing")
    runner.started(cell)
    if cell.needsStart then cell.wake()
    cell
  end make

  private[actor] def report(event: Event): Unit =
    try listener(event)
    catch
      case cause: Throwable =>
        System.getLogger("undercroft.actor")
          .log(System.Logger.Level.ERROR, s"the listener of $name failed at $event", cause)

  private[actor] def stopped(cell: Cell[?]): Unit =
    if cell ne guardian then totals.stopped(cell.counts)
    else engine.end()

  /** What became of every message so far. */
  def audit: Audit = totals.audit(cells.map(_.counts))

  /** What became of every message to one actor that has not stopped.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no actor of this system
    */
  def auditOf(ref: ActorRef[Nothing]): Audit = ref match
    case cell: Cell[?] if cell.system eq this =>
      val counts = cell.counts
      Audit(
        1,
        counts.sent,
        counts.handled,
        counts.failed,
        counts.stashed,
        counts.waiting,
        counts.dead,
        counts.restarts
      )
    case _ => throw IllegalArgumentException(s"${ref.name} is no actor of $name")

  /** All living actors but the guardian, parents before their children. */
  private def cells: Vector[Cell[?]] =
    val found = Vector.newBuilder[Cell[?]]
    val left = java.util.ArrayDeque[Cell[?]]()
    left.add(guardian)
    while !left.isEmpty do
      val cell = left.poll
      val family = cell.familyOrNull
      if family != null then
        for child <- family.all do
          found += child
          left.add(child)
    found.result()

  /** Waits until no message waits and no actor is at work, for the moment: whether that came within
    * the time. Timers that are not due yet, and other threads that send, are not waited for.
    */
  def awaitQuiet(within: FiniteDuration): Boolean = engine.await(within.toNanos)(() => isQuiet)

  /** F. Mattern's four-counter method ("Algorithms for distributed termination detection", 1987):
    * what was dealt with, counted first, is all that was sent, counted afterwards.
    */
  private def isQuiet: Boolean =
    val first = cells
    val done = first.map(_.doneAcquire).sum
    val idle = first.forall(_.seemsIdle)
    val second = cells
    idle && second.size == first.size && second.forall(_.seemsIdle) &&
    second.map(_.sentCount).sum == done

  /** Whether all actors have stopped, and with them the system. */
  def isStopped: Boolean = guardian.isStopped

  /** Ends the system: waits at most `drain` for all messages to be handled, then stops all actors,
    * children before their parents, and waits at most `within` for that.
    *
    * @return
    *   whether everything was handled and stopped in time. What was not handled is in the audit as
    *   dead. If not, the system goes on to stop, and ends when its last actor has: another call
    *   waits for that again
    */
  def shutdown(drain: FiniteDuration = 10.seconds, within: FiniteDuration = 10.seconds): Boolean =
    if Runner.current(Thread.currentThread) != null then
      throw IllegalStateException(
        s"$name cannot be shut down by one of its actors, which would wait for itself"
      )
    val drained = awaitQuiet(drain)
    val from = clock.nanos
    if guardian.pushCommand(Command.Stop()) then guardian.wake()
    val isOver = engine.await(within.toNanos)(() => guardian.isStopped)
    drained && isOver && engine.join(math.max(1L, within.toNanos - (clock.nanos - from)))

  /** [[shutdown]] with its usual limits. */
  def close(): Unit =
    val _ = shutdown()

  override def toString: String = name
end ActorSystem

object ActorSystem:
  /** A system, to be ended by `shutdown` or `close`.
    *
    * @param workers
    *   threads that run actors
    * @param listener
    *   told of failures and dead letters; it must be quick, and safe to call from any thread
    */
  def apply(
      name: String,
      workers: Int = Runtime.getRuntime.availableProcessors,
      listener: Event => Unit = Event.log
  ): ActorSystem =
    if workers < 1 then throw IllegalArgumentException(s"a system of $workers workers")
    val system = new ActorSystem(name, Machine(name, workers), listener)
    system.start()
    system

  /** Runs `body` with a system that is shut down at its end, when all messages are handled.
    *
    * @param drain
    *   how long the end waits for that
    */
  def scoped[A](
      name: String,
      workers: Int = Runtime.getRuntime.availableProcessors,
      listener: Event => Unit = Event.log,
      drain: FiniteDuration = 1.minute
  )(body: ActorSystem ?=> A): A =
    val system = apply(name, workers, listener)
    try body(using system)
    finally
      val _ = system.shutdown(drain)
end ActorSystem
