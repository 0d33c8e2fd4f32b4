package undercroft.actor
package testkit

import internal.dispatch.Clock
import java.util.PriorityQueue
import scala.concurrent.duration.{DurationInt, DurationLong, FiniteDuration}

/** A simulated clock: time passes only when the simulation advances it. Confined to the
  * simulation's threads.
  */
private[testkit] final class VirtualClock extends Clock:
  private var time = 0L
  private var count = 0L
  private val entries = PriorityQueue[Entry]()

  /** A task and the time it is due; of entries due at the same time the first scheduled runs first.
    */
  private final class Entry(val dueNanos: Long, val number: Long, val task: Runnable)
      extends Comparable[Entry],
        Clock.Scheduled:
    def compareTo(other: Entry): Int =
      val byTime = java.lang.Long.compare(dueNanos, other.dueNanos)
      if byTime != 0 then byTime else java.lang.Long.compare(number, other.number)
    def cancel(): Unit = entries.remove(this): Unit

  def nanos: Long = time

  def schedule(delayNanos: Long, task: Runnable): Clock.Scheduled =
    val entry = Entry(after(delayNanos), count, task)
    count += 1
    entries.add(entry): Unit
    entry

  /** Runs it at once: a simulation has no other thread, and the task is not one of its steps. */
  def execute(task: Runnable): Unit = task.run()

  def stop(): Unit = entries.clear()

  /** Returns the time `nanos` from now, or `Long.MaxValue` on overflow. */
  def after(nanos: Long): Long =
    if nanos > Long.MaxValue - time then Long.MaxValue else time + nanos

  /** Advances the clock by `nanos`.
    *
    * @throws java.lang.IllegalStateException
    *   if the time does not fit into 63 bits then
    */
  def pass(nanos: Long): Unit =
    if nanos > Long.MaxValue - time then
      throw IllegalStateException(
        s"the simulated time must be at most ${Long.MaxValue} ns: $time ns + $nanos ns"
      )
    time += nanos

  /** Advances the clock to `nanos`, unless it is already past it. */
  def passTo(nanos: Long): Unit = time = math.max(time, nanos)

  /** Whether the first entry is due now. */
  def isDue: Boolean = isDueBy(time)

  def isDueBy(nanos: Long): Boolean =
    val first = entries.peek
    first != null && first.dueNanos <= nanos

  /** Advances the clock to the first entry if that is due by `until`; returns whether it is. */
  def passToNext(until: Long): Boolean =
    val may = isDueBy(until)
    if may then passTo(entries.peek.dueNanos)
    may

  /** Removes the first entry, if there is one, and runs its task. */
  def perform(): Unit =
    val entry = entries.poll
    if entry != null then entry.task.run()
end VirtualClock

private[testkit] object VirtualClock:
  /** The latest time that a test may advance to, 146 years: half of the clock's range, so that the
    * delays and timeouts that begin then do not overflow.
    */
  val Latest: FiniteDuration = (Long.MaxValue / 2).nanos

  /** The longest simulated time of a step. */
  val LongestStep: FiniteDuration = 1.day
