package undercroft.lab.cluster

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed.{ActorRef, ActorRefResolver, ActorSystem, Behavior, Props}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.Await
import scala.concurrent.duration.DurationInt
import undercroft.pekko.{MessageCodec, UndercroftSerialization, toUndercroft}

/** One of two Pekko systems of this process, which talk by TCP on loopback. */
private[cluster] final class Node(serializer: Node.Serializer, ownPort: Int = 0):
  val system: ActorSystem[Nothing] =
    val config = ConfigFactory.parseString(Node.common(ownPort) + serializer.config)
    val bootstrap = BootstrapSetup(config.withFallback(ConfigFactory.load()))
    val setup = serializer match
      case Node.Serializer.Struct =>
        val codecs =
          UndercroftSerialization(MessageCodec[Transfer], MessageCodec[Letter], MessageCodec[Token])
        ActorSystemSetup(bootstrap, codecs)
      case _ => ActorSystemSetup(bootstrap)
    ActorSystem[Nothing](Behaviors.empty[Nothing], "lab", setup, Props.empty)

  def spawn[T](behavior: Behavior[T], name: String): ActorRef[T] =
    system.systemActorOf(behavior, name, Props.empty)

  /** This node's reference to an actor of another node. */
  def resolve[T](ref: ActorRef[T], of: Node): ActorRef[T] =
    ActorRefResolver(system)
      .resolveActorRef[T](ActorRefResolver(of.system).toSerializationFormat(ref))

  /** The actor `name` of the node with this port. */
  def remote[T](port: Int, name: String): undercroft.actor.ActorRef[T] =
    val address = s"pekko://lab@127.0.0.1:$port/system/$name"
    ActorRefResolver(system).resolveActorRef[T](address).toUndercroft(using system)

  def stop(): Unit =
    system.terminate()
    Await.ready(system.whenTerminated, 1.minute): Unit
end Node

private[cluster] object Node:
  enum Serializer(binding: Option[String]) derives CanEqual:
    case Struct extends Serializer(None)
    case Cbor extends Serializer(Some("jackson-cbor"))
    case Java extends Serializer(Some("java"))

    def config: String = binding.fold(""): name =>
      Seq("Transfer", "Letter")
        .map(message => s"""
          pekko.actor.serialization-bindings."undercroft.lab.cluster.$message" = $name""")
        .mkString

  private def common(port: Int) = s"""
    pekko.actor.provider = remote
    pekko.actor.allow-java-serialization = on
    pekko.actor.warn-about-java-serializer-usage = off
    pekko.remote.artery.transport = tcp
    pekko.remote.artery.canonical.hostname = 127.0.0.1
    pekko.remote.artery.canonical.port = $port
    pekko.remote.use-unsafe-remote-features-outside-cluster = on
    pekko.loglevel = off
    pekko.stdout-loglevel = off
    pekko.log-dead-letters = off
  """
end Node
