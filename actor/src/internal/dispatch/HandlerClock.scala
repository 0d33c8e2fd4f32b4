package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import internal.observe.ActorJfr

/** Measures the time of each handler, for the histogram, the busy time of the actor and the flight
  * recorder. A switch that can be changed at any time and costs nothing while off: to the JIT
  * compiler it is a constant; a change deoptimizes and recompiles the code that reads it.
  *
  * A [[StallDetector]] does not use it: it looks at handlers that have not ended.
  */
private[actor] object HandlerClock:
  private val switch = CountedSwitch()
  private val invoker = switch.invoker

  def isOn: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  /** Adds or removes a request to measure. */
  def want(isWanted: Boolean): Unit = switch.want(isWanted)

  /** The start time of a handler; 0 if handlers are not measured. */
  def begin(): Long = if isOn then System.nanoTime | 1 else 0L

  /** A handler that began at `from` has ended. Owner thread only. */
  def end(cell: ActorCell[?], from: Long): Unit =
    if from != 0 then record(cell, System.nanoTime - from)

  private def record(cell: ActorCell[?], nanos: Long): Unit =
    cell.coldState().busyNanos += nanos
    cell.system.observe.recorded.add(nanos)
    if nanos >= SlowNanos then ActorJfr.slow(cell, nanos)

  /** The shortest time of a handler that the flight recorder is told of. */
  private inline val SlowNanos = 10_000_000L
end HandlerClock
