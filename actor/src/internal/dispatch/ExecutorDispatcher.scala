package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, Lifecycle}
import internal.mailbox.Ring
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
  import ExecutorDispatcher.{serveAll, stacks, Stack, Turns}

  override def runsOnSender: Boolean = true

  def wake(cell: ActorCell[?]): Unit =
    if ClockThread.isCurrent && !executor.isInstanceOf[QueueingExecutor] then ClockThread.wake(cell)
    else execute(Turns(cell), stacks.get)

  private def execute(turns: Turns, stack: Stack): Unit =
    val before = stack.isExecuting
    stack.isExecuting = true
    try executor.execute(turns)
    catch
      case cause: StackOverflowError => throw cause // of the sender
      case cause: Throwable          => reject(turns, cause)
    finally stack.isExecuting = before

  /** Stops an actor whose task the executor rejected: its last turns run on other threads. */
  private def reject(turns: Turns, cause: Throwable): Unit =
    if cause.isInstanceOf[InterruptedException] then Thread.currentThread.interrupt()
    val cell = turns.cell
    val failure = ExecutorFailedException(s"the executor of ${cell.name} rejected a task", cause)
    val _ = cell.pushSystemMessage(Lifecycle.StopBy(failure))
    // An executor may reject a task that it runs all the same.
    if !turns.isClaimed then HelperThreads.execute(turns)
    else if cell.notifyVolatile() then HelperThreads.execute(Turns(cell))

  /** Called in the turn of an actor that asks an actor whose task was deferred on this thread. */
  override def serveUntil(isEnough: () => Boolean): Unit =
    val stack = stacks.get
    if !isEnough() then serveAll(stack.deferred.poll(), stack, isEnough)
end ExecutorDispatcher

private[actor] object ExecutorDispatcher:
  private val stacks = PerThread(() => Stack())

  /** The state of a thread: the tasks of executors that are on its stack. */
  private final class Stack:
    val slice: TimeSlice = TimeSlice(TimeSlice.LengthNanos)

    def run(cell: ActorCell[?]): Unit =
      slice.begin()
      Dispatcher.turn(cell, slice)

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

  /** Serves `first`, then the tasks that were deferred on this thread. */
  private def serveAll(first: Turns | Null, stack: Stack, isEnough: () => Boolean): Unit =
    var turns = first
    while turns != null do
      stack.run(turns.cell)
      turns.end()
      turns = if isEnough() then null else stack.deferred.poll()

  /** A task of the executor: the turns of one actor, until it has no work or the time slice is
    * spent. It runs once, also if the executor both rejects and runs it, or runs it twice.
    */
  private final class Turns(val cell: ActorCell[?]) extends AtomicBoolean(false), Runnable:
    def isClaimed: Boolean = get

    def run(): Unit =
      if compareAndSet(false, true) then
        SystemFailure.guard(cell):
          val stack = stacks.get
          if stack.isExecuting && stack.isServing then stack.deferred.add(this)
          else runAll(stack, stack.isServing)

    /** Runs this task, then, unless it runs inside another one, those that were deferred meanwhile.
      */
    private def runAll(stack: Stack, isNested: Boolean): Unit =
      val isExecuting = stack.isExecuting
      stack.isExecuting = false
      stack.isServing = true
      try serveAll(this, stack, if isNested then always else never)
      finally
        stack.isExecuting = isExecuting
        stack.isServing = isNested

    /** Wakes the actor if it still has work: `notified` was set meanwhile. */
    def end(): Unit =
      if cell.hasWork then cell.runner.wake(cell)
      else
        cell.clearNotifiedVolatile()
        if cell.hasWork && cell.notifyVolatile() then cell.runner.wake(cell)

    override def toString: String = s"turns of ${cell.name}"
  end Turns
end ExecutorDispatcher
