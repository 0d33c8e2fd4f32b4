import org.apache.pekko.actor.{ActorSystem, BootstrapSetup}
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.serialization.{SerializationExtension, Serializers}
import undercroft.pekko.*

object Yesterday:
  final case class Order(item: String, count: Int, price: Float) derives MessageCodec

object Today:
  final case class Order(
      price: Double, // was a Float
      item: String, // was the first field
      count: Int,
      currency: String = "EUR", // new, with a default value
      note: Option[String] // new, and an Option
  ) derives MessageCodec

/** A node with one version of the message, which has the same name on all nodes. */
def nodeWith(codec: MessageCodec[?]): ActorSystem =
  ActorSystem(
    "shop",
    ActorSystemSetup(BootstrapSetup(), UndercroftSerialization(codec.named("Order")))
  )

/** The message as the other node reads it. */
def sent(message: AnyRef, from: ActorSystem, to: ActorSystem): AnyRef =
  val sender = SerializationExtension(from)
  val serializer = sender.findSerializerFor(message)
  val bytes = sender.serialize(message).get
  val manifest = Serializers.manifestFor(serializer, message)
  SerializationExtension(to).deserialize(bytes, serializer.identifier, manifest).get

@main def messageVersions(): Unit =
  val (before, after) =
    (nodeWith(MessageCodec[Yesterday.Order]), nodeWith(MessageCodec[Today.Order]))
  try
    println(sent(Yesterday.Order("nut", 3, 1.5f), before, after))
    try println(sent(Today.Order(1.5, "nut", 3, note = None), after, before))
    catch case error: MessageFormatException => println(error.getMessage)
  finally
    before.terminate()
    after.terminate()

// prints:
// Order(1.5,nut,3,EUR,None)
// Order: field price is Double; expected Float (WrongSchema in [0, 77))
