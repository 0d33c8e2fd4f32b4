package undercroft.actor
package internal.observe

import internal.cell.ActorCell

/** Whether turns are measured: a switch that can be changed at any time and costs nothing while
  * off. To the JIT compiler it is a constant; changing it deoptimizes and recompiles the code that
  * reads it.
  */
private[actor] object TurnTiming:
  private val switch = CountedSwitch()
  private val invoker = switch.invoker

  def isOn: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  /** Adds or removes a request to measure. */
  def want(isWanted: Boolean): Unit = switch.want(isWanted)

  /** The start time of a turn; 0 if turns are not measured. */
  def begin(): Long = if isOn then System.nanoTime | 1 else 0L

  /** Ends a turn that began at `from`. Owner thread only. */
  def end(cell: ActorCell[?], from: Long): Unit =
    if from != 0 then noted(cell, System.nanoTime - from)

  private def noted(cell: ActorCell[?], nanos: Long): Unit =
    if cell.isStopped then cell.system.observation.endedTurn(cell, nanos)
    else cell.coldState().busyNanos += nanos
    if nanos >= SlowNanos then ActorJfr.slow(cell, nanos)

  /** Turns are limited to half a millisecond plus one message: a turn of this length contains a
    * slow handler.
    */
  private inline val SlowNanos = 10_000_000L
end TurnTiming
