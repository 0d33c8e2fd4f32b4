package undercroft.pekko

import internal.codec.MessageRegistry
import internal.wire.WireRefs
import org.apache.pekko.actor.ExtendedActorSystem
import org.apache.pekko.serialization.{SerializationSetup, SerializerDetails}

/** Registers message codecs with Pekko, when an actor system is created. All classes of the codecs
  * are bound to one [[StructSerializer]]; no configuration is needed.
  *
  * {{{
  * import org.apache.pekko.actor.BootstrapSetup
  * import org.apache.pekko.actor.setup.ActorSystemSetup
  * import org.apache.pekko.actor.typed.ActorSystem
  * import org.apache.pekko.actor.typed.scaladsl.Behaviors
  *
  * enum Account:
  *   case Deposit(amount: Long)
  *   case Close
  * final case class Order(item: String, count: Int)
  *
  * def start(): ActorSystem[Account] =
  *   val serialization = UndercroftSerialization(MessageCodec[Account], MessageCodec[Order])
  *   val setup = ActorSystemSetup(BootstrapSetup(), serialization)
  *   ActorSystem(Behaviors.ignore[Account], "shop", setup)
  * }}}
  */
object UndercroftSerialization:

  /** The setup for an actor system.
    *
    * {{{
    * final case class Order(item: String, count: Int)
    * val setup = UndercroftSerialization(MessageCodec[Order])
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if two codecs have the same name and different classes, the same name or the same class and
    *   different fields, or if a manifest is too long
    */
  def apply(codecs: MessageCodec[?]*): SerializationSetup =
    val create = details(codecs*)
    SerializationSetup(system => Vector(create(system)))

  /** The serializer with its classes, for a `SerializationSetup` with other serializers. Throws as
    * `apply`.
    *
    * {{{
    * import org.apache.pekko.serialization.{SerializationSetup, SerializerDetails}
    * final case class Order(item: String, count: Int)
    * def setup(others: Vector[SerializerDetails]): SerializationSetup =
    *   val undercroft = UndercroftSerialization.details(MessageCodec[Order])
    *   SerializationSetup(system => others :+ undercroft(system))
    * }}}
    */
  def details(codecs: MessageCodec[?]*): ExtendedActorSystem => SerializerDetails =
    val registry = MessageRegistry(codecs)
    system =>
      SerializerDetails(
        "undercroft",
        StructSerializer(registry, WireRefs(system)),
        registry.classes
      )
end UndercroftSerialization
