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
    ActorFlight.begun(this)

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
    if behavior == null then
      throw NullPointerException(s"the behaviour of an actor of ${this.name} is null")
    if name == null then
      throw NullPointerException(s"the name of an actor of ${this.name} is null")
    val runner = engine.runner(run, Behavior.isProcess(behavior))
    val cell = Cell[T](this, parent, runner, behavior, mailbox, numbers.getAndIncrement)
    cell.prepare(name)
    runner.adopt(cell) // first: once it is a child it may be told to stop
    if !parent.ownFamily().add(cell) then
      throw SpawnRefusedException(s"${parent.name} is stopping and spawns nothing")
    runner.started(cell)
    if cell.needsStart then cell.wake()
    cell
  end make

  private val parked = ParkedBox()

  /** Takes the messages that were parked, the oldest first: see [[Failing.Park]]. They are counted
    * as failed, and what is done with them is the caller's.
    */
  def takeParked(): Vector[Parked] = parked.takeAll()

  private[actor] def park(one: Parked): Unit =
    val gone = parked.add(one)
    report(Event.MessageParked(one, isKept = true))
    if gone != null then report(Event.MessageParked(gone, isKept = false))

  private[actor] def report(event: Event): Unit =
    try ActorFlight.told(event)
    catch case cause: Throwable => Event.notTold(event, s"the recording of $name", cause)
    try listener(event)
    catch case cause: Throwable => Event.notTold(event, s"the listener of $name", cause)

  private[actor] def stopped(cell: Cell[?]): Unit =
    if cell ne guardian then totals.stopped(cell.counts)
    else
      engine.end()
      ActorFlight.ended(this)

  /** What became of every message so far. It looks at every actor.
    *
    * @throws java.lang.IllegalStateException
    *   if the counts are switched off, by `-Dundercroft.actor.audit=off`
    */
  def audit: Audit =
    requireAudits()
    totals.audit(cells.map(_.counts))

  /** A living actor whose counts do not add up, if there is one: for tests, when all is quiet. */
  private[actor] def miscounted: Option[String] =
    cells.find(!_.counts.isExact).map(cell => s"${cell.name}: ${cell.counts}")

  private def requireAudits(): Unit =
    if !Switches.audits then
      throw IllegalStateException(s"$name counts nothing: undercroft.actor.audit is off")

  /** What became of every message to one actor, but of those that were never in its mailbox: they
    * were refused because it was full or closed, and are in the system's audit.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no actor of this system
    * @throws java.lang.IllegalStateException
    *   if the counts are switched off
    */
  def auditOf(ref: ActorRef[Nothing]): Audit = ref match
    case cell: Cell[?] if cell.system eq this =>
      requireAudits()
      cell.counts
    case _ => throw IllegalArgumentException(s"${ref.name} is no actor of $name")

  /** Its actors as they are now. It looks at every one: about a microsecond each. */
  def tree: Tree = Tree.of(this, guardian)

  /** What an actor handled of late, the newest first, each with what caused it. The last 32
    * messages of each actor are remembered, and kept from the collector for so long.
    *
    * @throws java.lang.IllegalStateException
    *   if causes are not recorded: the JVM is to be started with `-Dundercroft.actor.causes=on`
    * @throws java.lang.IllegalArgumentException
    *   if it is no actor of this system
    */
  def explain(ref: ActorRef[Nothing], last: Int = 8): Vector[Cause] = ref match
    case _ if !Switches.causes =>
      throw IllegalStateException(
        s"$name records no causes: start the JVM with -Dundercroft.actor.causes=on"
      )
    case cell: Cell[?] if cell.system eq this => Cause.of(cell, last)
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
    // What goes from hand to hand uncounted is seen by who has it in hand.
    val idle = first.forall(_.seemsIdle) && (Switches.audits || engine.isAtRest)
    val second = cells
    idle && first.corresponds(second)(_ eq _) && second.forall(_.seemsIdle) &&
    (guardian.isStopped || guardian.seemsIdle) && second.map(_.sentCount).sum == done

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
  /** Messages that one system keeps parked, each with an exception; then the oldest one goes. */
  val ParkedLimit = 1024

  /** Takes the time of all turns in this process from now on, for [[Tree.Row.busyNanos]], or no
    * longer: as often off as on. On, it costs two readings of the clock a turn; off, nothing.
    */
  def timeHandlers(on: Boolean): Unit = Timing.want(on)

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
