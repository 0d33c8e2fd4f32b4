package undercroft.actor
package internal.dispatch

import java.util.concurrent.atomic.AtomicInteger

/** A task of a [[Clock.Real]]; the integer is its state.
  *
  * {{{
  *              the clock takes it             it is due
  *      Sent ------------------------> Waiting ---------> Ended
  *        |                               |                 ^
  *        | cancel                        | cancel          | the clock removes it from its tasks
  *        +-----------> Ended             +---> Cancelled --+
  * }}}
  */
private[actor] final class ClockTask(val dueNanos: Long, clock: Clock.Real, task: Runnable)
    extends AtomicInteger(ClockTask.Sent),
      Clock.Scheduled,
      Comparable[ClockTask]:

  /** Cleared at the end, so that a cancelled task is garbage at once. */
  private var body: Runnable | Null = task

  /** The task that was sent before it and the number of unseen tasks up to this one: written by the
    * sender.
    */
  var sentBefore: ClockTask | Null = null
  var sentCount: Int = 0

  /** Orders tasks of the same time. Clock thread only. */
  var sequence: Long = 0L

  def compareTo(other: ClockTask): Int =
    val byTime = java.lang.Long.compare(dueNanos, other.dueNanos)
    if byTime != 0 then byTime else java.lang.Long.compare(sequence, other.sequence)

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
