package undercroft.pekko
package internal.bridge

import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, EntityTypeKey}
import scala.reflect.ClassTag
import undercroft.actor.{ActorRef, Reply}

/** References as text, for messages between nodes. An entity is `entity:`, the length of its type's
  * name, a colon, this name and the identifier; if the reference names a data center,
  * `entity:LENGTH,LENGTH:` with the lengths of both names, both names and the identifier, which
  * nodes of earlier versions reject. Any other reference has the form of Pekko's ActorRefResolver.
  */
private[pekko] object PekkoAddress:
  private val Entity = "entity:"

  def write(ref: ActorRef[?])(using system: typed.ActorSystem[?]): String = ref match
    case entity: PekkoEntity[?] =>
      val typeName = entity.entity.typeKey.name
      val id = entity.entity.entityId
      entity.entity.dataCenter match
        case None => s"$Entity${typeName.length}:$typeName$id"
        case Some(center) =>
          s"$Entity${typeName.length},${center.length}:$typeName$center$id"
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
    def malformed: Nothing = throw IllegalArgumentException(
      s"'$text' is not a reference to an entity: expected entity:LENGTH:TYPE and the id, or " +
        "entity:LENGTH,LENGTH:TYPE, the data center and the id"
    )
    val colon = text.indexOf(':', Entity.length)
    if colon < 0 then malformed
    val names = text.substring(colon + 1)
    def length(digits: String, limit: Int): Int =
      digits.toIntOption.filter(length => length >= 0 && length <= limit).getOrElse(malformed)
    val lengths = text.substring(Entity.length, colon)
    val comma = lengths.indexOf(',')
    val typeDigits = if comma < 0 then lengths else lengths.substring(0, comma)
    val (typeName, rest) = names.splitAt(length(typeDigits, names.length))
    val key = EntityTypeKey[Any](typeName)(using ClassTag.Any)
    if comma < 0 then ClusterSharding(system).entityRefFor(key, rest).toUndercroft
    else
      val (center, id) = rest.splitAt(length(lengths.substring(comma + 1), rest.length))
      ClusterSharding(system).entityRefFor(key, id, center).toUndercroft
  end readEntity
end PekkoAddress
