package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, Interruption, SystemMessage}
import internal.mailbox.Ring
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicBoolean
import scala.util.control.NonFatal

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
  * If the executor rejects a task, the actor stops, and its last turns run on virtual threads.
  */
private[actor] final class ExecutorDispatcher(val run: Run, executor: Executor) extends Dispatcher:
  import ExecutorDispatcher.{Stack, Turns, stacks}

  /** The thread of the actor's latest task: there is a dispatcher for each actor. */
  @volatile private var latest: Stack | Null = null

  override def runsOnSender: Boolean = true

  def started(cell: ActorCell[?]): Unit = ()

  override def interruptHandler(request: Interruption): Unit =
    val stack = latest
    if stack != null then stack.interrupt(request)

  override def endInterruption(request: Interruption): Unit = stacks.get.end(request)

  def wake(cell: ActorCell[?]): Unit =
    if ClockThread.isCurrent then ClockThread.wake(cell) else wakeHere(cell)

  private def wakeHere(cell: ActorCell[?]): Unit =
    val stack = stacks.get
    val before = stack.isExecuting
    stack.isExecuting = true
    var turns: Turns | Null = null
    try
      Dispatcher.retryOnOutOfMemory:
        if turns == null then turns = Turns(cell, this)
        execute(cell, turns.nn)
    finally stack.isExecuting = before

  private def execute(cell: ActorCell[?], turns: Turns): Unit =
    try executor.execute(turns)
    catch
      case NonFatal(cause) =>
        val failure =
          ExecutorFailedException(s"the executor of ${cell.name} rejected a task", cause)
        val _ = cell.pushSystemMessage(SystemMessage.StopBy(failure))
        // An executor may reject a task that it runs all the same.
        if !turns.isClaimed then Thread.startVirtualThread(turns): Unit
        else if cell.notifyVolatile() then Thread.startVirtualThread(Turns(cell, this)): Unit

  /** Called in the turn of an actor that asks an actor whose task was deferred on this thread. */
  override def serveUntil(isEnough: () => Boolean): Unit =
    val stack = stacks.get
    var next = if isEnough() then null else stack.deferred.poll()
    while next != null do
      next.serve(stack)
      next = if isEnough() then null else stack.deferred.poll()

  def ready(cell: ActorCell[?]): Unit = ()
  def takeOver(cell: ActorCell[?], thread: Thread): Boolean = false
  def stopped(cell: ActorCell[?]): Unit = ()
end ExecutorDispatcher

private[actor] object ExecutorDispatcher:
  private val SliceNanos = 500_000L
  private val stacks = ThreadLocal.withInitial(() => Stack())

  /** The state of a thread: the tasks of executors that are on its stack. */
  private final class Stack:
    val slice: TimeSlice = TimeSlice(SliceNanos)

    private val thread = Thread.currentThread

    /** The actor whose turns run, the innermost one if they are nested; and whether its handler was
      * interrupted. Guarded by this object's lock.
      */
    private var running: ActorCell[?] | Null = null
    private var isInterrupted = false

    /** Interrupts the handler if it is one of the request's actor. Thread-safe. */
    def interrupt(request: Interruption): Unit = synchronized:
      if (running eq request.cell) && !request.isOver then
        isInterrupted = true
        request.deliver(thread)

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
          if wasInterrupted then thread.interrupt()
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

  /** A task of the executor: the turns of one actor, until it has no work or the time slice is
    * spent. It runs once, also if the executor both rejects and runs it, or runs it twice.
    */
  private final class Turns(cell: ActorCell[?], dispatcher: ExecutorDispatcher)
      extends AtomicBoolean(false), Runnable:
    def isClaimed: Boolean = get

    def run(): Unit =
      if compareAndSet(false, true) then
        val stack = stacks.get
        if stack.isExecuting && stack.isServing then stack.deferred.add(this)
        else runAll(stack)

    /** Runs this task, then the tasks that were deferred meanwhile. */
    private def runAll(stack: Stack): Unit =
      val (executing, serving) = (stack.isExecuting, stack.isServing)
      stack.isExecuting = false
      stack.isServing = true
      try
        serve(stack)
        if !serving then
          var next = stack.deferred.poll()
          while next != null do
            next.serve(stack)
            next = stack.deferred.poll()
      finally
        stack.isExecuting = executing
        stack.isServing = serving

    /** Runs turns, then wakes the actor if it still has work: `notified` stays set meanwhile. */
    def serve(stack: Stack): Unit =
      dispatcher.latest = stack
      stack.run(cell)
      if cell.hasWork then cell.runner.wake(cell)
      else
        cell.clearNotifiedVolatile()
        if cell.hasWork && cell.notifyVolatile() then cell.runner.wake(cell)

    override def toString: String = s"turns of ${cell.name}"
  end Turns
end ExecutorDispatcher
