package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, Interruption, SystemMessage}
import internal.mailbox.Ring
import java.lang.ref.WeakReference
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicBoolean

/** An executor whose `execute` only queues the task: a clock calls it. While the wake-up of an
  * actor waits for another thread, no turn of the actor runs.
  */
private[undercroft] trait QueueingExecutor extends Executor

/** Runs the turns of actors as tasks of a user's executor.
  *
  * The `notified` flag of an actor is set while one of its tasks waits or runs, so no two threads
  * run the actor:
  *
  * {{{
  *             wake                  run                 no work left
  *   clear ----------> task waits ----------> task runs --------------> clear
  *                          ^                     |
  *                          +---------------------+ the time slice is spent
  * }}}
  *
  * If the executor rejects a task, or throws, the actor stops, and its last turns run on
  * [[HelperThreads]].
  */
private[actor] final class ExecutorDispatcher(val run: Run, executor: Executor) extends Dispatcher:
  import ExecutorDispatcher.{serveAll, stacks, MemoryTries, Stack, Turns}

  /** The thread of the actor's latest task: there is a dispatcher for each actor. */
  @volatile private var latest: Stack | Null = null

  override def runsOnSender: Boolean = true
  override def callsToWake: Int = 48

  def started(cell: ActorCell[?]): Unit = ()

  override def interruptHandler(request: Interruption): Unit =
    val stack = latest
    if stack != null then stack.interrupt(request)

  override def endInterruption(request: Interruption): Unit = stacks.get.end(request)

  def wake(cell: ActorCell[?]): Unit =
    if ClockThread.isCurrent && !executor.isInstanceOf[QueueingExecutor] then ClockThread.wake(cell)
    else wakeHere(cell)

  private def wakeHere(cell: ActorCell[?]): Unit =
    var turns: Turns | Null = null
    try
      Dispatcher.retryOnOutOfMemory:
        if turns == null then turns = Turns(cell, this)
      turns match
        case null        => StrandedTurns.add(cell, isNotified = true) // no memory for seconds
        case task: Turns => execute(task, stacks.get)
    catch
      case cause: Throwable =>
        StrandedTurns.add(if turns == null then cell else turns.nn, isNotified = true)
        throw cause

  private def execute(turns: Turns, stack: Stack): Unit =
    val before = stack.isExecuting
    stack.isExecuting = true
    try tryToExecute(turns)
    catch
      case cause: StackOverflowError => throw cause // of the sender
      case cause: Throwable          => reject(turns, cause)
    finally stack.isExecuting = before

  private def tryToExecute(turns: Turns): Unit =
    var tries = 0
    while tries < MemoryTries do
      try
        executor.execute(turns)
        tries = MemoryTries
      catch
        case cause: OutOfMemoryError =>
          tries += 1
          if tries == MemoryTries then throw cause else Dispatcher.awaitMemory()

  /** Stops an actor whose task the executor rejected: its last turns run on other threads. */
  private def reject(turns: Turns, cause: Throwable): Unit =
    if cause.isInstanceOf[InterruptedException] then Thread.currentThread.interrupt()
    val cell = turns.cell
    Dispatcher.retryOnOutOfMemory:
      val failure = ExecutorFailedException(s"the executor of ${cell.name} rejected a task", cause)
      val _ = cell.pushSystemMessage(SystemMessage.StopBy(failure))
    // An executor may reject a task that it runs all the same.
    if !turns.isClaimed then startOrStrand(turns)
    else if cell.notifyVolatile() then
      try startOrStrand(Turns(cell, this))
      catch case _: OutOfMemoryError => StrandedTurns.add(cell, isNotified = true)

  private def startOrStrand(turns: Turns): Unit =
    try HelperThreads.execute(turns)
    catch case _: Throwable => StrandedTurns.add(turns, isNotified = true)

  /** Called in the turn of an actor that asks an actor whose task was deferred on this thread. */
  override def serveUntil(isEnough: () => Boolean): Unit =
    val stack = stacks.get
    if !isEnough() then serveAll(stack.deferred.poll(), stack, isEnough)

  def ready(cell: ActorCell[?]): Unit = ()
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean = false
  def stopped(cell: ActorCell[?]): Unit = ()
end ExecutorDispatcher

private[actor] object ExecutorDispatcher:
  /** The number of attempts while the executor has no memory, as for a thread: half a second. */
  private inline val MemoryTries = 50

  private val stacks = PerThread(() => Stack())

  /** The state of a thread: the tasks of executors that are on its stack. */
  private final class Stack:
    val slice: TimeSlice = TimeSlice(TimeSlice.LengthNanos)

    private val thread = WeakReference(Thread.currentThread)

    /** The actor whose turns run, the innermost one if they are nested; and whether its handler was
      * interrupted. Guarded by this object's lock.
      */
    private var running: ActorCell[?] | Null = null
    private var isInterrupted = false

    /** Interrupts the handler if it is one of the request's actor. Thread-safe. */
    def interrupt(request: Interruption): Unit = synchronized:
      if (running eq request.cell) && !request.isOver then
        isInterrupted = true
        request.deliver(thread.get.nn)

    def end(request: Interruption): Unit = synchronized:
      if request.isDelivered then isInterrupted = false
      request.end()

    /** Runs turns of an actor; an interrupt of it is cleared at their end, and an interrupt of the
      * actor outside of it is kept from it.
      */
    def run(cell: ActorCell[?]): Unit =
      val (outer, wasInterrupted) = synchronized:
        val before = (running, isInterrupted)
        if isInterrupted then
          val _ = Thread.interrupted()
        running = cell
        isInterrupted = false
        before
      slice.begin()
      try Dispatcher.turn(cell, slice)
      finally
        synchronized:
          if isInterrupted then
            val _ = Thread.interrupted()
          running = outer
          isInterrupted = wasInterrupted
          if wasInterrupted then Thread.currentThread.interrupt()
    end run

    /** Whether the executor is being called: if it runs the task at once, on this thread. */
    var isExecuting = false

    /** Whether a task of an actor is below. */
    var isServing = false

    /** The tasks that the executor ran at once, inside another one: they run after it, so that a
      * chain of actors does not need a deep stack.
      */
    val deferred: Ring[Turns] = Ring(8)
  end Stack

  private val never: () => Boolean = () => false
  private val always: () => Boolean = () => true

  /** Serves `first`, then the tasks that were deferred on this thread. If the stack or the memory
    * is exhausted outside of a handler, another thread continues with the task.
    */
  private def serveAll(first: Turns | Null, stack: Stack, isEnough: () => Boolean): Unit =
    var turns = first
    var isOurs = true
    try
      if first != null then first.isBegun = true
      while turns != null do
        isOurs = true
        turns.runTurns(stack)
        isOurs = false // first: another thread may run it from now on
        turns.end()
        turns = if isEnough() then null else stack.deferred.poll()
    catch
      case cause: Throwable =>
        if isOurs && turns != null then turns.strand()
        throw cause

  /** A task of the executor: the turns of one actor, until it has no work or the time slice is
    * spent. It runs once, also if the executor both rejects and runs it, or runs it twice.
    */
  private final class Turns(val cell: ActorCell[?], dispatcher: ExecutorDispatcher)
      extends AtomicBoolean(false), Runnable, StrandedTurns.Turn:
    /** Whether it was claimed, and the thread had no room on its stack to run it. */
    private var isStranded = false

    /** Whether the thread that claimed this task serves it, or has deferred it. */
    var isBegun = false

    def isClaimed: Boolean = get

    def run(): Unit =
      if compareAndSet(false, true) then
        try
          val stack = stacks.get
          if stack.isExecuting && stack.isServing then
            stack.deferred.add(this)
            isBegun = true
          else runAll(stack, stack.isServing)
        catch
          case cause: Throwable =>
            if !isBegun then strand()
            throw cause

    /** Runs this task, then, unless it runs inside another one, those that were deferred meanwhile.
      */
    private def runAll(stack: Stack, isNested: Boolean): Unit =
      val isExecuting = stack.isExecuting
      try
        stack.isExecuting = false
        stack.isServing = true
        serveAll(this, stack, if isNested then always else never)
      catch
        case cause: Throwable if !isNested =>
          strandDeferred(stack)
          if !isBegun || !cause.isInstanceOf[StackOverflowError] then throw cause
      finally
        stack.isExecuting = isExecuting
        stack.isServing = isNested

    /** Runs turns of the actor. */
    def runTurns(stack: Stack): Unit =
      dispatcher.latest = stack
      stack.run(cell)

    /** Wakes the actor if it still has work: `notified` was set meanwhile. */
    def end(): Unit =
      if cell.hasWork then cell.runner.wake(cell)
      else
        cell.clearNotifiedVolatile()
        if cell.hasWork && cell.notifyVolatile() then cell.runner.wake(cell)

    /** Lets another thread run this task. */
    def strand(): Unit = synchronized:
      isStranded = true
      StrandedTurns.add(this, isNotified = true)

    def resume(): Unit =
      if wasStranded() then runAll(stacks.get, isNested = false)
      else if !isClaimed then
        try dispatcher.execute(this, stacks.get)
        catch case cause: StackOverflowError => dispatcher.reject(this, cause) // on a fresh stack

    private def wasStranded(): Boolean = synchronized:
      val before = isStranded
      isStranded = false
      before

    override def toString: String = s"turns of ${cell.name}"
  end Turns

  private def strandDeferred(stack: Stack): Unit =
    var turns = stack.deferred.poll()
    while turns != null do
      turns.strand()
      turns = stack.deferred.poll()
end ExecutorDispatcher
