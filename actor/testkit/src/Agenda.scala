package undercroft.actor
package testkit

import java.util.PriorityQueue

/** A clock whose time passes when it is told to. Its own simulation's threads. */
private[testkit] final class Agenda extends Clock:
  private var time = 0L
  private var count = 0L
  private val entries = PriorityQueue[Entry]()

  /** Something to be done at a time; of several at once the first that was entered. */
  private final class Entry(val due: Long, val number: Long, val task: Runnable)
      extends Comparable[Entry],
        Clock.Scheduled:
    def compareTo(other: Entry): Int =
      val byTime = java.lang.Long.compare(due, other.due)
      if byTime != 0 then byTime else java.lang.Long.compare(number, other.number)
    def cancel(): Unit = entries.remove(this): Unit

  def nanos: Long = time

  def schedule(delayNanos: Long, task: Runnable): Clock.Scheduled =
    val entry = Entry(after(delayNanos), count, task)
    count += 1
    entries.add(entry): Unit
    entry

  def stop(): Unit = entries.clear()

  /** The time when so much has passed, or the end of all times. */
  def after(nanos: Long): Long =
    if nanos > Long.MaxValue - time then Long.MaxValue else time + nanos

  def pass(nanos: Long): Unit = time += nanos

  /** Lets time pass until `nanos`, if that is not over. */
  def passTo(nanos: Long): Unit = time = math.max(time, nanos)

  /** When the first entry is due, or null if there is none. */
  def isDue: Boolean = isDueBy(time)

  def isDueBy(nanos: Long): Boolean =
    val first = entries.peek
    first != null && first.due <= nanos

  /** Lets time pass until the first entry is due, if that is at `until` or before. */
  def passToNext(until: Long): Boolean =
    val may = isDueBy(until)
    if may then passTo(entries.peek.due)
    may

  /** Does what the first entry says. */
  def perform(): Unit =
    val entry = entries.poll
    if entry != null then entry.task.run()
end Agenda
