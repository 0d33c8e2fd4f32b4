package undercroft.actor

import scala.concurrent.duration.DurationLong

/** A thread that runs actors, or one, as a [[Watch]] sees it. */
private[actor] abstract class Watched:
  /** What it is at, by a number that does not come again; negative where nothing keeps it. */
  def task: Long

  /** The actor whose task that is. */
  def actor: Cell[?] | Null
  def thread: Thread | Null

  // What the watch saw and told last.
  var seen: Long = -1L
  var told: Long = -1L
end Watched

/** Looks from time to time whether a thread is still at the task at which it was the last time, and
  * tells of the actor that keeps it there, once. On the clock's thread; where no thread is at
  * anything it looks twice a second at most.
  */
private[actor] final class Watch(
    threads: () => Iterator[Watched],
    everyNanos: Long,
    clock: Clock,
    tell: Event => Unit
) extends Runnable:

  def start(): Unit = clock.schedule(everyNanos, this): Unit

  def run(): Unit =
    var isIdle = true
    for one <- threads() do
      if one.task >= 0 then isIdle = false
      look(one)
    val pause = if isIdle then math.max(Watch.IdlePeriodNanos, everyNanos) else everyNanos
    clock.schedule(pause, this): Unit

  private def look(one: Watched): Unit =
    val task = one.task
    val actor = one.actor
    val thread = one.thread
    if task >= 0 && task == one.seen && task != one.told && actor != null && thread != null then
      val state = thread.getState
      val stack = thread.getStackTrace.toSeq
      // What was seen is of that task only if it is not over.
      if one.task == task && !stack.exists(Watch.opensCage) then
        one.told = task
        tell(Event.Stuck(actor, everyNanos.nanos, state, stack))
    one.seen = task
end Watch

private[actor] object Watch:
  private inline val IdlePeriodNanos = 500_000_000L

  /** The first use of the cage in a process may take that long, and is no fault of the actor's. */
  private def opensCage(frame: StackTraceElement): Boolean =
    frame.getClassName == "undercroft.memory.Cage$" && frame.getMethodName == "<clinit>"
