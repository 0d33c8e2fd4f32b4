package undercroft.actor
package internal.dispatch

import java.lang.invoke.{MethodHandle, MethodHandles, MutableCallSite}

/** A switch that is on while a request for it is open, and costs nothing while it is off: to the
  * JIT compiler its value is a constant, if the [[invoker]] is in a field of an object. A change
  * deoptimizes and recompiles the code that reads it. Thread-safe.
  */
private[actor] final class CountedSwitch:
  private val site = MutableCallSite(constant(false))
  private var requests = 0

  /** Returns the value, a Boolean. */
  val invoker: MethodHandle = site.dynamicInvoker.nn

  private def constant(value: Boolean) = MethodHandles.constant(classOf[Boolean], value)

  /** Opens or closes a request. */
  def want(isWanted: Boolean): Unit = synchronized:
    val was = requests > 0
    requests = math.max(0, requests + (if isWanted then 1 else -1))
    if was != requests > 0 then
      site.setTarget(constant(requests > 0))
      MutableCallSite.syncAll(Array(site))
end CountedSwitch
