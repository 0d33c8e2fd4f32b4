package undercroft.pekko
package internal.bridge

import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, EntityTypeKey}
import scala.reflect.ClassTag
import undercroft.actor.{ActorRef, Reply}

/** References as text, for messages between nodes. An entity is `entity:`, the length of its type's
  * name, a colon, this name and the identifier; any other reference has the form of Pekko's
  * ActorRefResolver.
  */
private[pekko] object PekkoAddress:
  private val Entity = "entity:"

  def write(ref: ActorRef[?])(using system: typed.ActorSystem[?]): String = ref match
    case entity: PekkoEntity[?] =>
      val typeName = entity.entity.typeKey.name
      s"$Entity${typeName.length}:$typeName${entity.entity.entityId}"
    case _ =>
      val address = PekkoBridge(system).toPekko(ref.asInstanceOf[ActorRef[Any]])
      ActorRefResolver(system).toSerializationFormat(address)

  /** Reads the text that [[write]] returned.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the text is not a reference
    */
  def read(text: String)(using system: typed.ActorSystem[?]): ActorRef[Any] =
    if text.startsWith(Entity) then readEntity(text) else resolve(text).toUndercroft

  /** Reads a reply that [[write]] wrote: the same one on its own node.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the text is not a reference
    */
  def readReply(text: String)(using system: typed.ActorSystem[?]): Reply[Any] =
    resolve(text).toUndercroft match
      case reply: Reply[Any] => reply
      case ref               => Reply.passing(ref, PekkoBridge(system).system)

  private def resolve(text: String)(using system: typed.ActorSystem[?]): typed.ActorRef[Any] =
    ActorRefResolver(system).resolveActorRef[Any](text)

  private def readEntity(text: String)(using system: typed.ActorSystem[?]): ActorRef[Any] =
    val colon = text.indexOf(':', Entity.length)
    val length =
      if colon < 0 then None else text.substring(Entity.length, colon).toIntOption.filter(_ >= 0)
    length match
      case Some(length) if length <= text.length - colon - 1 =>
        val (typeName, id) = text.substring(colon + 1).splitAt(length)
        val key = EntityTypeKey[Any](typeName)(using ClassTag.Any)
        ClusterSharding(system).entityRefFor(key, id).toUndercroft
      case _ =>
        throw IllegalArgumentException(
          s"'$text' is not a reference to an entity: expected entity:LENGTH:TYPE and the id"
        )
end PekkoAddress
