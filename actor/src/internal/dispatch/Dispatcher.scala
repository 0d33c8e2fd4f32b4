package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, State}
import internal.mailbox.Ring
import internal.observe.CellDiagnostics
import java.util.Collection
import java.util.concurrent.ConcurrentHashMap

/** A dispatcher: gives actors their turns. There is one for each [[Run]]; others can be added. */
private[actor] trait Dispatcher:
  /** The run model that it implements. */
  def run: Run

  /** Whether each of its actors has its own thread, which may block. */
  final def keepsThread: Boolean = run == Run.Virtual || run == Run.Thread

  /** Whether each of its threads runs many actors, so that a handler must not block it. */
  final def sharesThreads: Boolean = run match
    case Run.Workers | Run.Pool(_) => true
    case _                         => false

  /** Assigns a new actor to this dispatcher, before it is published. Called by the spawning thread.
    */
  def adopt(cell: ActorCell[?]): Unit = ()

  /** The actor was added to its parent. Called by the spawning thread. */
  def started(cell: ActorCell[?]): Unit = ()

  /** Wakes an actor that has work. Thread-safe; only for the thread that set its `notified` flag.
    */
  def wake(cell: ActorCell[?]): Unit

  /** As [[wake]], called by a virtual thread that then waits for the reply to its ask. */
  def wakeForReply(cell: ActorCell[?]): Unit = wake(cell)

  /** An actor has work. Called by its owner thread, outside the actor's turn. */
  def ready(cell: ActorCell[?]): Unit = ()

  /** Makes this thread the actor's owner, if allowed and cheaper than waking another thread. */
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean = false

  /** Whether its actors may run on the thread that sends to them, inside the sender's turn. */
  def runsOnSender: Boolean = false

  /** Runs turns that only this thread can run, before it waits for their effects. */
  def serveUntil(isEnough: () => Boolean): Unit = ()
end Dispatcher

private[actor] object Dispatcher:
  private val running = ThreadLocal[ActorCell[?] | Null]()

  /** The actor whose turn this thread is running, or null. */
  def current(thread: Thread): ActorCell[?] | Null = thread match
    case worker: Worker => worker.running
    case _              => running.get

  /** Whether blocking this thread would block a worker and its other actors. */
  def isShared(thread: Thread): Boolean = thread.isInstanceOf[Worker] || (current(thread) match
    case null => false
    case cell => cell.runner.sharesThreads)

  /** Throws if this thread must not wait until `system` has stopped. */
  def requireMayShutDown(system: ActorSystem): Unit =
    val thread = Thread.currentThread
    val cell = current(thread)
    if cell != null && (cell.system eq system) then
      throw IllegalStateException(
        s"${system.name} cannot be shut down by one of its actors, which would wait for itself"
      )
    if isShared(thread) then
      throw IllegalStateException(s"the shutdown of ${system.name} would block a worker")

  /** Runs a turn of an actor on this thread, possibly nested in the turn of another one. */
  def turn(cell: ActorCell[?], slice: TimeSlice): Unit = Thread.currentThread match
    case worker: Worker =>
      val before = worker.running
      worker.setRunning(cell)
      try guarded(cell, slice)
      finally worker.setRunning(before)
    case _ =>
      val before = running.get
      running.set(cell)
      try guarded(cell, slice)
      finally running.set(before)

  private def guarded(cell: ActorCell[?], slice: TimeSlice): Unit =
    try SystemFailure.guard(cell)(cell.turn(slice))
    catch case cause: Throwable => failed(cell, cause)

  /** Ends the system after an error of the runtime in a turn of an actor. */
  def failed(cell: ActorCell[?], cause: Throwable): Unit =
    cell.state = State.Stopped
    cell.system.failure.begin(cause, cell, SystemFailure.Place.Runtime)
end Dispatcher

/** A pinned dispatcher: runs each actor on its own thread, which parks while the actor has no work.
  * A virtual thread yields after each time slice, because others need its carrier.
  */
private[actor] final class PinnedDispatcher(name: String, val run: Run) extends Dispatcher:
  private val actorThreads = ConcurrentHashMap[ActorCell[?], MonitoredThread]()

  /** Its threads, for a [[StallDetector]]. */
  def watched: Collection[MonitoredThread] = actorThreads.values

  /** Its task is the current message of the actor. */
  private final class ActorThread(val actor: ActorCell[?]) extends MonitoredThread:
    def task: Long = CellDiagnostics.task(actor)
    def thread: Thread | Null = actor.ownerVolatile

  override def started(cell: ActorCell[?]): Unit =
    actorThreads.put(cell, ActorThread(cell)): Unit
    val builder = if run == Run.Virtual then Thread.ofVirtual else Thread.ofPlatform.daemon
    val thread = builder.name(s"$name-${cell.name}").unstarted(() => runTurns(cell))
    cell.setOwnerVolatile(thread)
    cell.setScheduled()
    try thread.start()
    catch
      case cause: OutOfMemoryError =>
        actorThreads.remove(cell): Unit
        throw SpawnRejectedException(s"no thread could be started for ${cell.name}: $cause", cause)

  private def runTurns(cell: ActorCell[?]): Unit =
    val slice = TimeSlice.ofThread()
    try SystemFailure.guard(cell)(serve(cell, slice))
    catch case cause: Throwable => Dispatcher.failed(cell, cause)
    finally actorThreads.remove(cell): Unit

  private def serve(cell: ActorCell[?], slice: TimeSlice): Unit =
    while !cell.isStopped do
      cell.clearNotifiedVolatile()
      Dispatcher.turn(cell, slice)
      if !cell.isStopped && !cell.hasWork && !cell.isNotifiedVolatile then
        val _ = Thread.interrupted() // it was meant for a handler that has returned
        java.util.concurrent.locks.LockSupport.park(cell)
        slice.resume(System.nanoTime)
      else slice.yieldIfSpent()
    // An interrupt that was meant for a handler ends here with the thread.

  def wake(cell: ActorCell[?]): Unit =
    java.util.concurrent.locks.LockSupport.unpark(cell.ownerVolatile)
end PinnedDispatcher

/** The calling-thread dispatcher: runs each actor on the thread that sends to it. A thread that is
  * already in a turn queues the actors that it wakes and runs them afterwards, so a long chain of
  * actors does not need a deep stack.
  */
private[actor] final class CallingThreadDispatcher extends Dispatcher:
  def run: Run = Run.Caller
  override def runsOnSender: Boolean = true
  private val queue = PerThread(() => CallingThreadDispatcher.PendingTurns())

  def wake(cell: ActorCell[?]): Unit =
    if ClockThread.isCurrent then ClockThread.wake(cell)
    else
      val turns = queue.get
      turns.waiting.add(cell)
      if !turns.isAtWork then
        try
          turns.isAtWork = true
          serveWaiting(turns, CallingThreadDispatcher.never)
        finally turns.isAtWork = false

  /** Called in the turn of an actor that asks an actor queued on this thread. */
  override def serveUntil(isEnough: () => Boolean): Unit = serveWaiting(queue.get, isEnough)

  /** Runs each actor that waits until it has no work. Its `notified` flag stays set meanwhile, so
    * that no other thread runs it.
    */
  private def serveWaiting(
      turns: CallingThreadDispatcher.PendingTurns,
      isEnough: () => Boolean
  ): Unit =
    var cell = if isEnough() then null else turns.waiting.poll()
    while cell != null do
      var isOurs = true
      while isOurs do
        Dispatcher.turn(cell, turns.slice)
        turns.slice.yieldIfSpent()
        if !cell.hasWork then
          cell.clearNotifiedVolatile() // another thread may run it from now on
          isOurs = cell.hasWork && cell.notifyVolatile()
      cell = if isEnough() then null else turns.waiting.poll()
end CallingThreadDispatcher

private[actor] object CallingThreadDispatcher:
  private val never: () => Boolean = () => false

  /** The actors that a thread still has to run. */
  final class PendingTurns:
    val waiting: Ring[ActorCell[?]] = Ring(8)
    val slice: TimeSlice = TimeSlice.ofThread()
    var isAtWork = false
