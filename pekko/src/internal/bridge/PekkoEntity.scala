package undercroft.pekko
package internal.bridge

import org.apache.pekko.cluster.sharding.typed.scaladsl.EntityRef
import undercroft.actor.{ActorRef, ExternalRef}

/** An entity of Cluster Sharding as a reference of Undercroft. */
private[pekko] final class PekkoEntity[T](val entity: EntityRef[T], bridge: PekkoBridge)
    extends ExternalRef[T](bridge.system):
  def name: String = s"${entity.typeKey.name}/${entity.entityId}"

  def tell(message: T): Unit =
    if message.asInstanceOf[AnyRef] eq null then
      throw NullPointerException(s"a message to $name is null")
    bridge.contexts.sending(message)
    entity ! message

  /** An entity that has stopped starts again with its next message. */
  def isStopped: Boolean = false

  private[undercroft] def lifetime: ActorRef[Nothing] =
    throw IllegalArgumentException(
      s"the entity $name cannot be watched: it may move to another node"
    )

  /** By name: the type key of a reference from a message has no class of messages. */
  override def equals(other: Any): Boolean = other match
    case ref: PekkoEntity[?] =>
      ref.entity.entityId == entity.entityId &&
      ref.entity.typeKey.name == entity.typeKey.name &&
      ref.entity.dataCenter == entity.dataCenter
    case _ => false
  override def hashCode: Int =
    (entity.entityId.hashCode * 31 + entity.typeKey.name.hashCode) * 31 + entity.dataCenter.hashCode
end PekkoEntity
