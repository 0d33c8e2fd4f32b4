package outside.pekko.messages

import com.typesafe.config.ConfigFactory
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.actor.typed.scaladsl.adapter.*
import org.apache.pekko.serialization.{SerializationExtension, SerializationSetup, Serializers}
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.pekko.*

/** The serializer inside Pekko's actor systems. */
class ActorSystemTest extends undercroft.tools.Suite:
  private val remote = """
    pekko.actor.provider = remote
    pekko.remote.artery.transport = tcp
    pekko.remote.artery.canonical.hostname = 127.0.0.1
    pekko.remote.artery.canonical.port = 0
  """

  private def running[T, A](
      behavior: typed.Behavior[T],
      config: String,
      setup: SerializationSetup
  )(body: typed.ActorSystem[T] => A): A =
    val quiet = "pekko.stdout-loglevel = off, pekko.loglevel = off, pekko.log-dead-letters = off\n"
    val settings = ConfigFactory.parseString(quiet + config).withFallback(ConfigFactory.load())
    val system =
      typed.ActorSystem(behavior, "shop", ActorSystemSetup(BootstrapSetup(settings), setup))
    try body(system)
    finally
      system.terminate()
      Await.ready(system.whenTerminated, 1.minute): Unit

  private val setup = UndercroftSerialization(MessageCodec[Account], MessageCodec[Command])

  test("each class and each case of a registered codec resolves to the serializer"):
    running(Behaviors.ignore[Account], "", setup): system =>
      val serialization = SerializationExtension(system)
      val messages = List[AnyRef](
        Account.Deposit(1),
        Account.Withdraw(2),
        Account.Close,
        Account.Freeze,
        Command.Pay(3),
        Command.Refund(4, "why"),
        Command.Stop
      )
      for message <- messages do
        val serializer = serialization.findSerializerFor(message)
        assert(serializer.isInstanceOf[StructSerializer], s"$message: $serializer")
        assertEquals(serializer.identifier, StructSerializer.Identifier)
        val bytes = serialization.serialize(message).get
        val manifest = Serializers.manifestFor(serializer, message)
        val read = serialization.deserialize(bytes, serializer.identifier, manifest).get
        assertEquals(read, message)

  test("a setup with other serializers has the details"):
    val details =
      UndercroftSerialization.details(MessageCodec[Command])
    val setup = SerializationSetup(system => Vector(details(system)))
    running(Behaviors.ignore[Account], "", setup): system =>
      val serializer = SerializationExtension(system).findSerializerFor(Command.Stop)
      assert(serializer.isInstanceOf[StructSerializer])

  test("a typed reference of Pekko is read as a reference to the same actor"):
    running(Behaviors.ignore[String], "", setup): system =>
      val serialization = SerializationExtension(system)
      val message = Account.Tell(system)
      val serializer = serialization.findSerializerFor(message)
      val bytes = serialization.serialize(message).get
      val manifest = Serializers.manifestFor(serializer, message)
      val read = serialization.deserialize(bytes, serializer.identifier, manifest).get
      assertEquals(read, message)

  /** Passes messages on to a queue. */
  private def recorder[T](received: LinkedBlockingQueue[T]): typed.Behavior[T] =
    Behaviors.receiveMessage: message =>
      received.put(message)
      Behaviors.same

  private def take[T](received: LinkedBlockingQueue[T]): T =
    val next = received.poll(1, TimeUnit.MINUTES)
    assert(next != null, "no message within a minute")
    next

  test("with serialize-messages = on, each local message is a copy"):
    val received = LinkedBlockingQueue[Account]()
    running(recorder(received), "pekko.actor.serialize-messages = on", setup): system =>
      val deposit = Account.Deposit(5, "copied")
      system ! deposit
      system ! Account.Close
      val first = take(received)
      assertEquals(first, deposit)
      assert(first ne deposit)
      assertEquals(take(received), Account.Close)

  test("messages between two nodes are converted to the receiver's version"):
    val received = LinkedBlockingQueue[After.Order]()
    val receiving = UndercroftSerialization(MessageCodec[After.Order].named("Order"))
    val sending = UndercroftSerialization(MessageCodec[Before.Order].named("Order"))
    running(recorder(received), remote, receiving): receiver =>
      running(Behaviors.ignore[Account], remote, sending): sender =>
        val text = ActorRefResolver(receiver).toSerializationFormat(receiver)
        val target = ActorRefResolver(sender).resolveActorRef[Before.Order](text)
        for i <- 0 until 2000 do target ! Before.Order("nut", i, 1.5f)
        for i <- 0 until 2000 do
          assertEquals(take(received), After.Order(1.5, None, i, "EUR", "nut"))

  test("a message that the receiver rejects is dropped, and the connection stays"):
    val received = LinkedBlockingQueue[After.Order]()
    val receiving = UndercroftSerialization(MessageCodec[After.Order].named("Order"))
    val sending = UndercroftSerialization(
      MessageCodec[Before.Order].named("Order"),
      MessageCodec[Command].named("Command")
    )
    running(recorder(received), remote, receiving): receiver =>
      running(Behaviors.ignore[Account], remote, sending): sender =>
        val text = ActorRefResolver(receiver).toSerializationFormat(receiver)
        val target = ActorRefResolver(sender).resolveActorRef[Any](text)
        target ! Command.Pay(1) // unknown there
        target ! Before.Order("x" * 1_000_000, 1, 1.5f) // larger than a frame
        target ! Before.Order("nut", 2, 1.5f)
        assertEquals(take(received), After.Order(1.5, None, 2, "EUR", "nut"))

  test("a reply goes from node to node by a typed reference in the message"):
    val received = LinkedBlockingQueue[Command]()
    val bank = Behaviors.receiveMessage[Asked]: asked =>
      asked.from ! Command.Refund(asked.amount, "asked")
      Behaviors.same
    val both = UndercroftSerialization(MessageCodec[Asked], MessageCodec[Command])
    running(bank, remote, both): receiver =>
      running(recorder(received), remote, both): sender =>
        val text = ActorRefResolver(receiver).toSerializationFormat(receiver)
        val target = ActorRefResolver(sender).resolveActorRef[Asked](text)
        target ! Asked(7, sender)
        assertEquals(take(received), Command.Refund(7, "asked"))
end ActorSystemTest

final case class Asked(amount: Int, from: typed.ActorRef[Command])
