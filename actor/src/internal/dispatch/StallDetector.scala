package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import java.util.ArrayList
import scala.concurrent.duration.DurationLong

/** A thread that runs actors, as a [[StallDetector]] monitors it. */
private[actor] abstract class MonitoredThread:
  /** A number that identifies the current task and is not reused; negative if there is none. */
  def task: Long

  /** The actor of the current task. */
  def actor: ActorCell[?] | Null
  def thread: Thread | Null

  // The last observed task, the last reported task, and how often a report was deferred.
  var seenTask: Long = -1L
  var reportedTask: Long = -1L
  var spared: Int = 0
end MonitoredThread

/** Stall detector: checks periodically whether a thread is still at the task of the previous check,
  * and reports the actor, once per task. Runs on the clock's thread; when all threads are idle it
  * checks at most twice a second.
  *
  * It defers a report if the cause may not be the actor: during the first tasks of a thread, while
  * the process links and initializes classes, which is slow at startup, and if the check itself is
  * late because the machine or the garbage collector delayed all threads. It reports once this has
  * lasted for [[StallDetector.GraceNanos]].
  */
private[actor] final class StallDetector(
    threads: () => ArrayList[MonitoredThread],
    everyNanos: Long,
    clock: Clock,
    tell: ActorEvent => Unit,
    tidy: () => Unit
) extends Runnable:
  private var dueNanos = 0L

  def start(): Unit = again(everyNanos)

  private def again(pauseNanos: Long): Unit =
    dueNanos = clock.nanos + pauseNanos
    clock.schedule(pauseNanos, this): Unit

  def run(): Unit =
    var isIdle = true
    tidy()
    val isLate = clock.nanos - dueNanos > everyNanos / 4
    val watched = threads()
    var i = 0
    while i < watched.size do
      val entry = watched.get(i)
      if entry.task >= 0 then isIdle = false
      look(entry, isLate)
      i += 1
    again(if isIdle then math.max(StallDetector.IdlePeriodNanos, everyNanos) else everyNanos)

  private def look(entry: MonitoredThread, isLate: Boolean): Unit =
    val task = entry.task
    val actor = entry.actor
    val thread = entry.thread
    if task != entry.seenTask then entry.spared = 0
    val isNewStall = task >= 0 && task == entry.seenTask && task != entry.reportedTask
    if isNewStall && actor != null && thread != null then
      val state = thread.getState
      val stack = thread.getStackTrace.toSeq
      // The stack belongs to that task only if the task is not over.
      if entry.task == task then
        val isSpared =
          isLate || task < StallDetector.FirstTasks || stack.exists(StallDetector.isLinking) ||
            stack.headOption.exists(StallDetector.isWorker)
        if isSpared && (entry.spared + 1) * everyNanos <= StallDetector.GraceNanos then
          entry.spared += 1
        else
          entry.reportedTask = task
          tell(ActorEvent.Stalled(
            actor,
            (everyNanos * (1L + entry.spared)).nanos.toCoarsest,
            state,
            stack
          ))
    entry.seenTask = task
  end look
end StallDetector

private[actor] object StallDetector:
  private inline val IdlePeriodNanos = 500_000_000L

  /** The longest time for which a report is deferred. */
  private inline val GraceNanos = 2_000_000_000L

  /** The number of tasks of a new thread during which much code runs for the first time. */
  private inline val FirstTasks = 64

  /** Whether the JVM is loading, linking or initializing a class: once per process, and not caused
    * by the actor.
    */
  private def isLinking(frame: StackTraceElement): Boolean =
    val name = frame.getClassName.nn
    frame.getMethodName == "<clinit>" || name.startsWith("jdk.internal.loader.") ||
    name == "java.lang.ClassLoader" || name.startsWith("java.lang.invoke.")

  /** Whether the worker is between its own instructions, with no handler on its stack. */
  private def isWorker(frame: StackTraceElement): Boolean =
    WorkerClasses(String.valueOf(frame.getClassName))

  private val WorkerClasses =
    Set(
      "undercroft.actor.internal.dispatch.Worker",
      "undercroft.actor.internal.dispatch.WorkerArrivals"
    )
end StallDetector
