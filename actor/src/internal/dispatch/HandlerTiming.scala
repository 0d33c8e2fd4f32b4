package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell

import java.lang.invoke.{MethodHandles, MutableCallSite}

/** Whether the duration of each handler is recorded: a constant to the JIT compiler, as
  * [[TurnTiming]] is.
  */
private[actor] object HandlerTiming:
  private val site = MutableCallSite(constant(false))
  private val invoker = site.dynamicInvoker
  private var wants = 0

  private def constant(value: Boolean) = MethodHandles.constant(classOf[Boolean], value)

  def isOn: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  /** Adds or removes a request to record. */
  def want(isWanted: Boolean): Unit = synchronized:
    val was = wants > 0
    wants = math.max(0, wants + (if isWanted then 1 else -1))
    if was != wants > 0 then
      site.setTarget(constant(wants > 0))
      MutableCallSite.syncAll(Array(site))

  /** The start time of a handler; 0 if durations are not recorded. */
  def begin(): Long = if isOn then System.nanoTime | 1 else 0L

  /** A handler that began at `from` has ended. Owner thread only. */
  def end(cell: ActorCell[?], from: Long): Unit =
    if from != 0 then record(cell, System.nanoTime - from)

  /** Records a duration; not if there is no memory for the thread's first one. */
  def record(cell: ActorCell[?], nanos: Long): Unit =
    try
      Thread.currentThread match
        case worker: Worker if worker.pool eq cell.runner =>
          worker.durations(cell.system.durations).add(nanos)
        case _ => cell.system.durations.addShared(nanos)
    catch case _: OutOfMemoryError => ()
end HandlerTiming
