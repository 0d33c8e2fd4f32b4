package undercroft.actor.slf4j
package internal

import org.slf4j.MDC
import undercroft.actor.{ActorContext, nullable}
import undercroft.actor.internal.observe.ActorCounts

/** The values of one actor in the MDC. Immutable. */
private[slf4j] final class ActorMdc private (system: String, path: String):

  /** Runs `body` with the values, and restores the earlier ones. */
  inline def around[A](inline body: A): A =
    val earlierSystem = MDC.get(ActorMdc.System)
    val earlierPath = MDC.get(ActorMdc.Path)
    MDC.put(ActorMdc.System, system)
    MDC.put(ActorMdc.Path, path)
    try body
    finally
      ActorMdc.restore(ActorMdc.System, earlierSystem)
      ActorMdc.restore(ActorMdc.Path, earlierPath)
end ActorMdc

private[slf4j] object ActorMdc:
  final val System = "actorSystem"
  final val Path = "actorPath"

  def of(context: ActorContext[?]): ActorMdc =
    new ActorMdc(context.system.name, ActorCounts.pathOf(context.self))

  private def restore(key: String, value: String | Null): Unit =
    if value == null then MDC.remove(key) else MDC.put(key, value)
end ActorMdc
