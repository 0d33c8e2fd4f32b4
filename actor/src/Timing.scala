package undercroft.actor

import java.lang.invoke.{MethodHandles, MutableCallSite}

/** Whether the time of turns is taken: a switch that can be thrown at any time, and costs nothing
  * while it is off. To the compiler it is a constant; when it is thrown, what was compiled with it
  * is compiled anew.
  */
private[actor] object Timing:
  private val site = MutableCallSite(constant(false))
  private val invoker = site.dynamicInvoker
  private var wants = 0

  private def constant(value: Boolean) = MethodHandles.constant(classOf[Boolean], value)

  def isOn: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  /** Somebody wants it on, or no longer. */
  def want(more: Boolean): Unit = synchronized:
    val was = wants > 0
    wants = math.max(0, wants + (if more then 1 else -1))
    if was != wants > 0 then
      site.setTarget(constant(wants > 0))
      MutableCallSite.syncAll(Array(site))

  /** When a turn begins: 0 while nobody wants to know. */
  def begin(): Long = if isOn then System.nanoTime | 1 else 0L

  /** A turn of an actor is over that began then. The owner's thread. */
  def end(cell: Cell[?], from: Long): Unit = if from != 0 then noted(cell, System.nanoTime - from)

  private def noted(cell: Cell[?], nanos: Long): Unit =
    cell.ownSide().busyNanos += nanos
    if nanos >= SlowNanos then ActorFlight.slow(cell, nanos)

  /** Turns are slices of half a millisecond and a message: one that takes so long has a handler
    * that does.
    */
  private inline val SlowNanos = 10_000_000L
end Timing
