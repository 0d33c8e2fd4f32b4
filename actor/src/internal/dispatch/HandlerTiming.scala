package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import internal.observe.CountedSwitch

/** Whether the duration of each handler is recorded: a constant to the JIT compiler, as
  * [[TurnTiming]] is.
  */
private[actor] object HandlerTiming:
  private val switch = CountedSwitch()
  private val invoker = switch.invoker

  def isOn: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  /** Adds or removes a request to record. */
  def want(isWanted: Boolean): Unit = switch.want(isWanted)

  /** The start time of a handler; 0 if durations are not recorded. */
  def begin(): Long = if isOn then System.nanoTime | 1 else 0L

  /** A handler that began at `from` has ended. Owner thread only. */
  def end(cell: ActorCell[?], from: Long): Unit =
    if from != 0 then record(cell, System.nanoTime - from)

  def record(cell: ActorCell[?], nanos: Long): Unit = Thread.currentThread match
    case worker: Worker if worker.pool eq cell.runner =>
      worker.durations(cell.system.durations).add(nanos)
    case _ => cell.system.durations.addShared(nanos)
end HandlerTiming
