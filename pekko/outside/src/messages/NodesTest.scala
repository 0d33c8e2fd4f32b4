package outside.pekko.messages

import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import org.apache.pekko.cluster.typed.Cluster
import org.apache.pekko.serialization.{SerializationExtension, Serializers}
import outside.pekko.ClusterSuite
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Till derives CanEqual:
  case Deposit(amount: Long)
  case Read(to: Reply[Total])
  case Tell(to: ActorRef[Total])
  case Never(to: Reply[Total])
case class Total(amount: Long) derives CanEqual

/** Messages with references between two nodes, and between an actor and an entity. */
class NodesTest extends ClusterSuite:

  private def till: Behavior[Till] = Behavior.setup:
    var total = 0L
    Behavior.receive: message =>
      message match
        case Till.Deposit(amount) => total += amount
        case Till.Read(to)        => to ! Total(total)
        case Till.Tell(to)        => to ! Total(total)
        case Till.Never(_)        => ()
      Behavior.same

  private def setup =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Till], MessageCodec[Total]))

  /** The actor of node 1, as node 0 sees it. */
  private def remoteTill(
      nodes: Vector[typed.ActorSystem[Nothing]],
      behavior: Behavior[Till] = till
  ): ActorRef[Till] =
    val there = nodes(1).systemActorOf(behavior.toPekko(), "till", Props.empty)
    val text = ActorRefResolver(nodes(1)).toSerializationFormat(there)
    ActorRefResolver(nodes(0)).resolveActorRef[Till](text).toUndercroft(using nodes(0))

  test("an ask of an actor on another node; a reference of this node in a message"):
    cluster(2, setup): nodes =>
      val till = remoteTill(nodes)
      for amount <- 1 to 100 do till ! Till.Deposit(amount)
      assertEquals(till.ask[Total](1.minute)(Till.Read(_)), Total(5050))
      val notes = Notes()
      val askers = Vector.fill(4)(Thread.ofVirtual.start { () =>
        for _ <- 1 to 500 do
          val total = till.ask[Total](1.minute)(Till.Read(_))
          if total != Total(5050) then notes.add(s"$total")
      })
      askers.foreach(_.join())
      assertEquals(notes.all, Nil)
      ActorSystem.scoped("here"):
        val here = spawn(Behavior.receive[Total]: total =>
          notes.add(s"${total.amount}")
          Behavior.same)
        till ! Till.Tell(here)
        assertEquals(notes.take(1), List("5050"))

  test("an ask without a reply ends by its time-out, and a late reply is harmless"):
    cluster(2, setup): nodes =>
      val till = remoteTill(nodes)
      intercept[AskTimeoutException](till.ask[Total](200.millis)(Till.Never(_))): Unit
      assertEquals(till.ask[Total](1.minute)(Till.Read(_)), Total(0))

  test("a reply from another node is sent on by the asker's reference, not by a forwarder's"):
    cluster(2, setup): nodes =>
      given typed.ActorSystem[?] = nodes(1)
      val ports = Notes()
      val asked = remoteTill(
        nodes,
        Behavior.receive[Till] { message =>
          message match
            case Till.Read(to) =>
              val asker = to.toPekko
              ports.add(asker.path.address.port)
              asker ! Total(3)
            case _ => ()
          Behavior.same
        }
      )
      assertEquals(asked.ask[Total](1.minute)(Till.Read(_)), Total(3))
      assertEquals(ports.all, List(s"${Cluster(nodes(0)).selfMember.address.port}"))

  test("a reference to an entity in a message is equal to the one that a node creates"):
    cluster(1, setup): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val key = EntityTypeKey[Total]("Counter")
      val sharding = ClusterSharding(nodes(0))
      sharding.init(Entity(key)(_ => Behavior.ignore[Total].toPekko())): Unit
      val serialization = SerializationExtension(nodes(0))
      def sent(message: Till): Till =
        val serializer = serialization.findSerializerFor(message)
        val bytes = serialization.serialize(message).get
        val manifest = Serializers.manifestFor(serializer, message)
        serialization.deserialize(bytes, serializer.identifier, manifest).get match
          case till: Till => till
          case other      => fail(s"$other")
      val center = Cluster(nodes(0)).selfMember.dataCenter
      val entities =
        List(sharding.entityRefFor(key, "a:7,1"), sharding.entityRefFor(key, "a:7,1", center))
      for entity <- entities do
        val message = Till.Tell(entity.toUndercroft)
        assertEquals(sent(message), message)
        assertEquals(sent(message).hashCode, message.hashCode)
      // a reference with a data center keeps it
      val messages = entities.map(entity => sent(Till.Tell(entity.toUndercroft)))
      assert(!messages(0).equals(messages(1)), s"$messages")

  test("an entity of Cluster Sharding in a message, told by the other node"):
    cluster(2, setup): nodes =>
      val key = EntityTypeKey[Total]("Counter")
      val notes = Notes()
      for node <- nodes do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(Entity(key)(entity =>
          Behavior
            .receive[Total] { total =>
              notes.add(s"${entity.entityId} ${total.amount}")
              Behavior.same
            }
            .toPekko()
        ))
      untilSharded(nodes(0), key, 2)
      val till = remoteTill(nodes)
      till ! Till.Deposit(7)
      for n <- 0 to 9 do
        val entity = ClusterSharding(nodes(0)).entityRefFor(key, s"a:$n")
        till ! Till.Tell(entity.toUndercroft(using nodes(0)))
      assertEquals(notes.take(10).sorted, List.tabulate(10)(n => s"a:$n 7"))
end NodesTest
