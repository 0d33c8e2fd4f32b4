package undercroft.actor
package internal.dispatch

import java.util.concurrent.atomic.AtomicInteger

/** A task of a [[Clock.Real]]; the integer is its state.
  *
  * {{{
  *              the clock takes it             it is due
  *      Sent ------------------------> Waiting ---------> Ended
  *        |                               |                 ^
  *        | cancel                        | cancel          | the clock removes it from the heap
  *        +-----------> Ended             +---> Cancelled --+
  * }}}
  */
private[actor] final class ClockTask(val dueNanos: Long, clock: Clock.Real, task: Runnable)
    extends AtomicInteger(ClockTask.Sent),
      Clock.Scheduled:

  /** Cleared at the end, so that a cancelled task is garbage at once. */
  private var body: Runnable | Null = task

  /** The task that was sent before it and the number of unseen tasks up to this one: written by the
    * sender.
    */
  var sentBefore: ClockTask | Null = null
  var sentCount: Int = 0

  // The place in the heap. Clock thread only.
  var sequence: Long = 0L
  var isInHeap: Boolean = false
  var child: ClockTask | Null = null
  var next: ClockTask | Null = null

  /** The sibling before it, or the parent of a first child. */
  var previous: ClockTask | Null = null

  def isBefore(other: ClockTask): Boolean =
    dueNanos < other.dueNanos || (dueNanos == other.dueNanos && sequence < other.sequence)

  /** Thread-safe; lock-free. */
  def cancel(): Unit =
    if compareAndSet(ClockTask.Sent, ClockTask.Ended) then body = null
    else if compareAndSet(ClockTask.Waiting, ClockTask.Cancelled) then
      body = null
      clock.send(this)

  /** Runs it unless it was cancelled. Clock thread only. */
  def run(): Unit =
    if compareAndSet(ClockTask.Waiting, ClockTask.Ended) then
      val due = body
      body = null
      if due != null then due.run()

  /** Ends the ask whose timeout it is, if it is one. Clock thread only. */
  def endAsk(): Unit = body match
    case timeout: AskTimeout => timeout.run()
    case _                   => ()
end ClockTask

private[actor] object ClockTask:
  val Sent = 0
  val Waiting = 1
  val Cancelled = 2
  val Ended = 3

/** The waiting tasks of a clock, the earliest first; of equal times, the one that was added first.
  * A pairing heap, whose nodes are the tasks, so it never needs memory: M. Fredman, R. Sedgewick,
  * D. Sleator, R. Tarjan, "The pairing heap", 1986. `add` is O(1), `remove` is O(log n) amortized.
  * Not thread-safe.
  */
private[actor] final class ClockHeap:
  private var root: ClockTask | Null = null
  private var sequence = 0L

  def first: ClockTask | Null = root

  def add(task: ClockTask): Unit =
    sequence += 1
    task.sequence = sequence
    task.isInHeap = true
    root = meld(root, task)

  /** Removes a task, if it is in this heap. */
  def remove(task: ClockTask): Unit = if task.isInHeap then
    val below = meldAll(task.child)
    if task eq root then root = below
    else
      cut(task)
      root = meld(root, below)
    task.child = null
    task.isInHeap = false

  private def cut(task: ClockTask): Unit =
    val before = task.previous.nn
    val after = task.next
    if before.child eq task then before.child = after else before.next = after
    if after != null then after.previous = before
    task.previous = null
    task.next = null

  /** Joins two heaps by their roots, which have no siblings. */
  private def meld(one: ClockTask | Null, other: ClockTask | Null): ClockTask | Null =
    if one == null then other
    else if other == null then one
    else if one.isBefore(other) then adopt(one, other)
    else adopt(other, one)

  private def adopt(parent: ClockTask, task: ClockTask): ClockTask =
    val sibling = parent.child
    task.next = sibling
    if sibling != null then sibling.previous = task
    task.previous = parent
    parent.child = task
    parent

  /** Joins siblings: in pairs, then the pairs from the last one to the first. */
  private def meldAll(eldest: ClockTask | Null): ClockTask | Null =
    var pairs: ClockTask | Null = null // linked by `next`, the last pair first
    var task = eldest
    while task != null do
      val second = task.next
      val rest = if second == null then null else second.next
      alone(task)
      if second != null then alone(second)
      val pair = meld(task, second).nn
      pair.next = pairs
      pairs = pair
      task = rest
    var result: ClockTask | Null = null
    while pairs != null do
      val rest = pairs.next
      pairs.next = null
      result = meld(result, pairs)
      pairs = rest
    result

  private def alone(task: ClockTask): Unit =
    task.next = null
    task.previous = null
end ClockHeap
