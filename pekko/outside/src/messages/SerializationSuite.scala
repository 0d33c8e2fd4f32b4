package outside.pekko.messages

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.{ActorSystem, ExtendedActorSystem}
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.pekko.*

/** One Pekko system for all serializers of a suite. */
abstract class SerializationSuite extends undercroft.tools.PropertySuite:
  private val quiet =
    ConfigFactory.parseString("pekko.stdout-loglevel = off, pekko.log-dead-letters = off")
  private lazy val pekko = ActorSystem("messages", quiet.withFallback(ConfigFactory.load()))
    .asInstanceOf[ExtendedActorSystem]

  override def afterAll(): Unit =
    pekko.terminate(): Unit
    Await.ready(pekko.whenTerminated, 1.minute): Unit

  def serializer(codecs: MessageCodec[?]*): StructSerializer =
    UndercroftSerialization.details(codecs*)(pekko).serializer match
      case serializer: StructSerializer => serializer
      case other                        => fail(s"$other")

  /** Sends a message from a node with one codec to a node with another one. */
  def send(message: AnyRef, from: MessageCodec[?], to: MessageCodec[?]): AnyRef =
    val (sender, receiver) = (serializer(from), serializer(to))
    receiver.fromBinary(sender.toBinary(message), sender.manifest(message))

  def fault(expected: MessageFault)(body: => Any)(using munit.Location): MessageFormatException =
    val error = intercept[MessageFormatException](body)
    assertEquals(error.fault, expected, error.getMessage)
    error

  def says(error: Throwable, parts: String*)(using munit.Location): Unit =
    for part <- parts do assert(error.getMessage.contains(part), error.getMessage)
end SerializationSuite
