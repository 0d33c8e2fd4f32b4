package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}

/** Reads the time and schedules tasks. A simulation has its own implementation. */
private[actor] trait Clock:
  /** The nanoseconds since an arbitrary origin. */
  def nanos: Long

  /** Runs a task after a delay in nanoseconds. The task must not block. */
  def schedule(delayNanos: Long, task: Runnable): Clock.Scheduled

  /** Runs a task soon, on a thread that runs no actors. After `stop` the task does not run. */
  def execute(task: Runnable): Unit

  /** Stops the clock: no further task runs. */
  def stop(): Unit

private[actor] object Clock:
  /** A scheduled task. */
  trait Scheduled:
    def cancel(): Unit

  /** The system clock, with one thread, which starts with the first task. */
  final class Real(name: String) extends Clock:
    private val executor = ScheduledThreadPoolExecutor(
      1,
      task =>
        val thread = ClockThread(task, s"$name-clock")
        thread.setDaemon(true)
        thread
    )
    executor.setRemoveOnCancelPolicy(true)
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false)
    executor.setRejectedExecutionHandler((_, _) => ())

    def nanos: Long = System.nanoTime

    def schedule(delayNanos: Long, task: Runnable): Scheduled =
      val future = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS)
      () =>
        val _ = future.cancel(false)

    def execute(task: Runnable): Unit = executor.execute(task)

    def stop(): Unit = executor.shutdown()
  end Real
end Clock

/** The thread of a clock: it wakes actors, and runs none. */
private[actor] final class ClockThread(task: Runnable, name: String) extends Thread(task, name)

private[actor] object ClockThread:
  def isCurrent: Boolean = Thread.currentThread.isInstanceOf[ClockThread]

  /** Wakes an actor on a virtual thread: its handlers, or its executor, may block. */
  def wake(cell: ActorCell[?]): Unit =
    var isStarted = false
    Dispatcher.retryOnOutOfMemory:
      Thread.startVirtualThread(() => cell.runner.wake(cell)): Unit
      isStarted = true
    if !isStarted then StrandedTurns.add(cell, isNotified = true) // no memory for seconds
