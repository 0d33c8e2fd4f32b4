package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, Interruption, SystemMessage}
import internal.mailbox.Ring
import internal.observe.{CellDiagnostics, TurnTiming}
import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.IteratorHasAsScala

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
  def adopt(cell: ActorCell[?]): Unit =
    val _ = cell

  /** The actor was added to its parent. Called by the spawning thread. */
  def started(cell: ActorCell[?]): Unit

  /** Wakes an actor that has work. Thread-safe; only for the thread that set its `notified` flag.
    */
  def wake(cell: ActorCell[?]): Unit

  /** An actor has work. Called by its owner thread, outside the actor's turn. */
  def ready(cell: ActorCell[?]): Unit

  /** Makes this thread the actor's owner, if allowed and cheaper than waking another thread. */
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean

  /** An actor has stopped. Called by its owner thread, in the actor's last turn. */
  def stopped(cell: ActorCell[?]): Unit

  /** Interrupts the thread that runs a handler of the request's actor, if one runs now and the
    * request is not over. Thread-safe.
    */
  def interruptHandler(request: Interruption): Unit =
    val _ = request

  /** Ends a request to interrupt; it waits for a delivery that has begun. Called by the actor's
    * thread, in a turn.
    */
  def endInterruption(request: Interruption): Unit = request.end()

  /** Whether its actors may run on the thread that sends to them, inside the sender's turn. */
  def runsOnSender: Boolean = false

  /** The number of nested calls for which there must be room on the stack before `wake`; measured,
    * as compiled frames are of any size. In a simulation 0: nothing would wake the actor later.
    */
  def callsToWake: Int = 0

  /** Runs turns that only this thread can run, before it waits for their effects. */
  def serveUntil(isEnough: () => Boolean): Unit =
    val _ = isEnough
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

  /** Runs a turn of an actor on this thread, possibly nested in the turn of another one. If the
    * stack overflows outside of a handler, it throws that error, and the actor still has work: to
    * stop.
    */
  def turn(cell: ActorCell[?], slice: TimeSlice): Unit = Thread.currentThread match
    case worker: Worker =>
      val before = worker.running
      worker.setRunning(cell)
      try timed(cell, slice)
      finally worker.setRunning(before)
    case _ =>
      val before = running.get
      running.set(cell)
      try timed(cell, slice)
      finally running.set(before)

  private def timed(cell: ActorCell[?], slice: TimeSlice): Unit =
    // A process measures its own time: its whole lifetime is one turn. A setup may return a process
    // in this turn.
    val from = if cell.isProcess then 0L else TurnTiming.begin()
    try cell.turn(slice)
    catch
      case cause: StackOverflowError =>
        // A turn that stops the actor needs the stack that this one did not have; and a logger that
        // is used for the first time here cannot initialize its classes and is lost to the JVM.
        val _ = cell.pushSystemMessage(SystemMessage.StopBy(cause))
        throw cause
      case cause: Throwable => failed(cell, cause)
    if !cell.isProcess then TurnTiming.end(cell, from)

  /** Stops an actor after a failure of the runtime or the JVM during its turn, such as
    * OutOfMemoryError. Other actors are not affected. Throws nothing.
    */
  def failed(cell: ActorCell[?], cause: Throwable): Unit =
    note(ActorFailed, cause)
    var tries = 0
    while tries < MemoryTries do
      try
        val _ = cell.pushSystemMessage(SystemMessage.Stop(null))
        tries = MemoryTries
      catch
        case _: OutOfMemoryError =>
          tries += 1
          awaitMemory()

  // The texts of errors. They are loaded when this object is: a string literal allocates memory when
  // it is used for the first time, and a catch block may have none.
  private val ActorFailed: String = "an actor failed outside of its handlers, and is to stop"
  private val NoMemory: String = "there was no memory for some seconds"
  val TurnsFailed: String = "a worker failed between two turns"
  val SignalFailed: String = "a worker failed at a signal"
  val ClockFailed: String = "a task of the clock failed"
  val StallDetectorFailed: String = "the stall detector failed"

  /** Logs an error, if possible. */
  def note(text: String, cause: Throwable): Unit =
    try ActorEvent.error(text, cause)
    catch case _: Throwable => ()

  /** The number of attempts of a step that must not be skipped, while memory is exhausted: several
    * seconds.
    */
  inline val MemoryTries = 500

  /** Waits 10 ms, in which other threads may release memory. */
  def awaitMemory(): Unit = java.util.concurrent.locks.LockSupport.parkNanos(10_000_000L)

  /** Executes a step that must not be skipped, and retries it on OutOfMemoryError. The step must be
    * idempotent.
    */
  inline def retryOnOutOfMemory(inline step: Unit): Unit =
    var tries = 0
    while tries < MemoryTries do
      try
        step
        tries = MemoryTries
      catch
        case full: OutOfMemoryError =>
          tries += 1
          if tries == MemoryTries then note(NoMemory, full)
          else awaitMemory()
end Dispatcher

/** A pinned dispatcher: runs each actor on its own thread, which parks while the actor has no work.
  * A virtual thread yields after each time slice, because others need its carrier.
  */
private[actor] final class PinnedDispatcher(name: String, val run: Run) extends Dispatcher:
  private val actorThreads = ConcurrentHashMap[ActorCell[?], MonitoredThread]()

  /** Unparking a virtual thread makes many calls. */
  override def callsToWake: Int = 48

  /** Its threads, for a [[StallDetector]]. */
  def watched: Iterator[MonitoredThread] = actorThreads.values.iterator.asScala

  /** Its task is the current message of the actor. */
  private final class ActorThread(val actor: ActorCell[?]) extends MonitoredThread:
    def task: Long = CellDiagnostics.task(actor)
    def thread: Thread | Null = actor.ownerVolatile

  def started(cell: ActorCell[?]): Unit =
    actorThreads.put(cell, ActorThread(cell)): Unit
    val builder = if run == Run.Virtual then Thread.ofVirtual else Thread.ofPlatform.daemon
    val thread = builder.name(s"$name-${cell.name}").unstarted(() => runTurns(cell))
    cell.setOwnerVolatile(thread)
    cell.setScheduled()
    try thread.start()
    catch
      case cause: Throwable =>
        actorThreads.remove(cell): Unit
        throw cause

  private def runTurns(cell: ActorCell[?]): Unit =
    val slice = TimeSlice.ofThread()
    while !cell.isStopped do
      cell.clearNotifiedVolatile()
      try Dispatcher.turn(cell, slice)
      catch case cause: Throwable => Dispatcher.failed(cell, cause)
      if !cell.isStopped && !cell.hasWork && !cell.isNotifiedVolatile then
        val _ = Thread.interrupted() // it was meant for a handler that has returned
        java.util.concurrent.locks.LockSupport.park(cell)
        slice.resume(System.nanoTime)
      else slice.yieldIfSpent()
    actorThreads.remove(cell): Unit
    // An interrupt that was meant for a handler ends here with the thread.
  end runTurns

  def wake(cell: ActorCell[?]): Unit =
    java.util.concurrent.locks.LockSupport.unpark(cell.ownerVolatile)

  def ready(cell: ActorCell[?]): Unit = ()
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean = false
  def stopped(cell: ActorCell[?]): Unit = ()

  /** The thread runs no other actor, and clears its interrupt status when it waits for messages. */
  override def interruptHandler(request: Interruption): Unit = request.synchronized:
    val thread = request.cell.ownerVolatile
    if !request.isOver && thread != null then request.deliver(thread)

  override def endInterruption(request: Interruption): Unit = request.synchronized(request.end())
end PinnedDispatcher

/** The calling-thread dispatcher: runs each actor on the thread that sends to it. A thread that is
  * already in a turn queues the actors that it wakes and runs them afterwards, so a long chain of
  * actors does not need a deep stack.
  */
private[actor] final class CallingThreadDispatcher extends Dispatcher:
  def run: Run = Run.Caller
  override def runsOnSender: Boolean = true
  override def callsToWake: Int = 16
  private val queue = PerThread(() => CallingThreadDispatcher.PendingTurns())
  private val slice = PerThread(() => TimeSlice.ofThread())

  def started(cell: ActorCell[?]): Unit = ()

  def wake(cell: ActorCell[?]): Unit =
    if ClockThread.isCurrent then ClockThread.wake(cell) else wakeHere(cell)

  private def wakeHere(cell: ActorCell[?]): Unit =
    var turns: CallingThreadDispatcher.PendingTurns | Null = null
    try
      val own = queue.get
      own.waiting.add(cell)
      turns = own
      if !own.isAtWork then serveAll(own)
    catch
      case cause: Throwable =>
        if turns == null then StrandedTurns.add(cell, isNotified = true)
        else if !turns.isAtWork then strandAll(turns)
        if turns == null || !cause.isInstanceOf[StackOverflowError] then throw cause

  private def serveAll(turns: CallingThreadDispatcher.PendingTurns): Unit =
    try
      turns.isAtWork = true
      serveWaiting(turns, CallingThreadDispatcher.never)
    finally turns.isAtWork = false

  /** Lets other threads run the actors that wait on this thread, whose stack is at its end. */
  private def strandAll(turns: CallingThreadDispatcher.PendingTurns): Unit =
    var nextCell = turns.waiting.poll()
    while nextCell != null do
      StrandedTurns.add(nextCell, isNotified = true)
      nextCell = turns.waiting.poll()

  /** Called in the turn of an actor that asks an actor queued on this thread. */
  override def serveUntil(isEnough: () => Boolean): Unit = serveWaiting(queue.get, isEnough)

  /** Runs each actor that waits until it has no work. Its `notified` flag stays set meanwhile, so
    * that no other thread runs it. If the stack or the memory is exhausted outside of a handler,
    * another thread continues with the actor.
    */
  private def serveWaiting(
      turns: CallingThreadDispatcher.PendingTurns,
      isEnough: () => Boolean
  ): Unit =
    var isOurs = false
    var cell: ActorCell[?] | Null = null
    try
      cell = if isEnough() then null else turns.waiting.poll()
      while cell != null do
        isOurs = true
        while isOurs do
          val turnSlice = slice.get
          Dispatcher.turn(cell, turnSlice)
          turnSlice.yieldIfSpent()
          if !cell.hasWork then
            isOurs = false // first: another thread may run it from now on
            cell.clearNotifiedVolatile()
            isOurs = cell.hasWork && cell.notifyVolatile()
        cell = if isEnough() then null else turns.waiting.poll()
    catch
      case cause: Throwable =>
        if isOurs then StrandedTurns.add(cell.nn, isNotified = true)
        throw cause
  end serveWaiting

  def ready(cell: ActorCell[?]): Unit = ()
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean = false
  def stopped(cell: ActorCell[?]): Unit = ()
end CallingThreadDispatcher

private[actor] object CallingThreadDispatcher:
  private val never: () => Boolean = () => false

  /** The actors that a thread still has to run. */
  final class PendingTurns:
    val waiting: Ring[ActorCell[?]] = Ring(8)
    var isAtWork = false
