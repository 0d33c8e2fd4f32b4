package outside.pekko

import io.opentelemetry.api.baggage.Baggage
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Shipment derives CanEqual:
  case Weigh(number: Int)
  case Ask(number: Int, to: Reply[Weight])
  case Close
case class Weight(grams: Int) derives CanEqual

/** Trace contexts of messages between two nodes. */
class TracesTest extends TraceSuite:

  private def setup =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Shipment], MessageCodec[Weight]))

  private def scale(notes: Notes): Behavior[Shipment] = Behavior.receive: message =>
    message match
      case Shipment.Ask(number, to) => to ! Weight(number)
      case _                        => ()
    notes.add(s"$message ${Baggage.current.getEntryValue("tenant")}")
    Behavior.same

  /** The actor of node 1, as node 0 sees it. */
  private def remote[T](
      nodes: Vector[typed.ActorSystem[Nothing]],
      name: String,
      behavior: typed.Behavior[T]
  ): ActorRef[T] =
    val there = nodes(1).systemActorOf(behavior, name, Props.empty)
    val text = ActorRefResolver(nodes(1)).toSerializationFormat(there)
    ActorRefResolver(nodes(0)).resolveActorRef[T](text).toUndercroft(using nodes(0))

  private def withNodes(more: String = "")(
      body: (Vector[typed.ActorSystem[Nothing]], NodeSpans, NodeSpans) => Unit
  ): Unit =
    val (here, there) = (NodeSpans(), NodeSpans())
    try
      cluster(2, setup, more): nodes =>
        trace(nodes(0), here)
        trace(nodes(1), there)
        body(nodes, here, there)
    finally
      here.close()
      there.close()

  test("a message to another node is a span below its send, with its baggage; so is an ask"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      val target = remote(nodes, "scale", scale(notes).toPekko())
      val scope = Baggage.builder.put("tenant", "blue").build().makeCurrent()
      try
        here.within("request"):
          target ! Shipment.Weigh(1)
          assertEquals(target.ask[Weight](1.minute)(Shipment.Ask(2, _)), Weight(2))
      finally scope.close()
      val notesBefore = notes.take(2)
      target ! Shipment.Weigh(3) // in no trace
      assertEquals(notes.take(3).last, "Weigh(3) null")
      assert(notesBefore.forall(_.endsWith(" blue")), s"$notesBefore")
      val request = awaitSpans(1, "request", here).head
      val spans = awaitSpans(1, "Weigh", there) ++ awaitSpans(1, "Ask", there)
      assertEquals(spans.size, 2, s"${there.names}")
      for span <- spans do
        assertEquals(span.getTraceId, request.getTraceId)
        assertEquals(span.getParentSpanId, request.getSpanId)
        assert(span.getParentSpanContext.isRemote, s"$span")

  test("a hosted actor that handles a message of another node passes the trace on"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      val last = nodes(0).systemActorOf(scale(notes).toPekko(), "last", Props.empty)
      val lastText = ActorRefResolver(nodes(0)).toSerializationFormat(last)
      val back =
        ActorRefResolver(nodes(1)).resolveActorRef[Shipment](lastText).toUndercroft(using nodes(1))
      val first = remote(
        nodes,
        "first",
        Behavior.receive[Shipment] { message =>
          back ! message // the same object, on to the next node
          Behavior.same
        }.toPekko()
      )
      here.within("request")(first ! Shipment.Weigh(1))
      notes.take(1): Unit
      val request = awaitSpans(1, "request", here).head
      val middle = awaitSpans(1, "Weigh", there).head
      val end = awaitSpans(1, "Weigh", here).head
      assertEquals(middle.getParentSpanId, request.getSpanId)
      assertEquals(end.getParentSpanId, middle.getSpanId)
      assertEquals(end.getTraceId, request.getTraceId)

  test("messages to entities on both nodes are below their sends"):
    withNodes(): (nodes, here, there) =>
      val key = EntityTypeKey[Shipment]("Scale")
      val notes = Notes()
      for node <- nodes do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(Entity(key)(_ => scale(notes).toPekko()))
      untilSharded(nodes(0), key, 2)
      for n <- 1 to 20 do
        val entity =
          ClusterSharding(nodes(0)).entityRefFor(key, s"e$n").toUndercroft(using nodes(0))
        here.within(s"request-$n")(entity ! Shipment.Weigh(n))
      notes.take(20): Unit
      val spans = awaitSpans(20, "Weigh", here, there)
      val requests = here.all.filter(_.getName.startsWith("request-"))
      assertEquals(spans.map(_.getParentSpanId).toSet, requests.map(_.getSpanId).toSet)
      assert(here.names.exists(_.endsWith("Weigh")) && there.names.exists(_.endsWith("Weigh")))

  test("each message of reliable delivery is below its send, to an actor and to an entity"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      given typed.ActorSystem[?] = nodes(0)
      val key = EntityTypeKey[Shipment]("Scale")
      for node <- nodes do ClusterSharding(node).init(Entity(key)(_ => scale(notes).toPekko()))
      untilSharded(nodes(0), key, 2)
      val target = remote(nodes, "scale", scale(notes).toPekko())
      val entity = ClusterSharding(nodes(0)).entityRefFor(key, "e1").toUndercroft
      val system = nodes(0).undercroftSystem
      for (to, round) <- List(target, entity).zipWithIndex do
        val delivery = ReliableDelivery.spawn(to, s"delivery-$round")(using system)
        for n <- 1 to 300 do
          if n % 3 == 0 then delivery ! Shipment.Weigh(n)
          else here.within(s"request-$round-$n")(delivery ! Shipment.Weigh(n))
        notes.take(300 * (round + 1)): Unit
        val requests = here.all.filter(_.getName.startsWith(s"request-$round-"))
        assertEquals(requests.size, 200)
        val sends = awaitSpans(200, s"delivery-$round Weigh", here)
        val handled = awaitSpans(200 * (round + 1), "Weigh", here, there)
          .filter(span => sends.exists(_.getSpanId == span.getParentSpanId))
        assertEquals(sends.map(_.getParentSpanId).toSet, requests.map(_.getSpanId).toSet)
        until(awaitSpans(0, "Weigh", here, there)
          .count(span => sends.exists(_.getSpanId == span.getParentSpanId)) == 200)
        assert(handled.size <= 200)

  test("reliable delivery carries the context of a value without fields"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      val target = remote(nodes, "scale", scale(notes).toPekko())
      val delivery = ReliableDelivery.spawn(target, "delivery")(using
        nodes(0).undercroftSystem,
        nodes(0)
      )
      here.within("request")(delivery ! Shipment.Close)
      notes.take(1): Unit
      val sent = awaitSpans(1, "delivery Close", here).head
      assertEquals(awaitSpans(1, "Close", there).head.getParentSpanId, sent.getSpanId)

  test("a Pekko actor that is no host gets the message itself; a value without fields no context"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      val plain = remote(
        nodes,
        "plain",
        Behaviors.receiveMessage[Shipment] { message =>
          notes.add(message)
          Behaviors.same
        }
      )
      val hosted = remote(nodes, "scale", scale(notes).toPekko())
      here.within("request"):
        plain ! Shipment.Weigh(1)
        hosted ! Shipment.Close
      assertEquals(notes.take(2).sorted, List("Close null", "Weigh(1)"))
      hosted ! Shipment.Weigh(2)
      assertEquals(notes.take(3).last, "Weigh(2) null")
      assertEquals(there.names, Nil)

  test("a node that has no instrument reads traced messages, and is read"):
    val (here, there) = (NodeSpans(), NodeSpans())
    val without = "pekko.remote.artery.advanced.instruments = []"
    try
      for (first, second) <- List(("", without), (without, "")) do
        val nodes = Vector(first, second).map(node(setup, _))
        try
          import org.apache.pekko.cluster.MemberStatus
          import org.apache.pekko.cluster.typed.{Cluster, Join}
          for node <- nodes do
            Cluster(node).manager ! Join(Cluster(nodes(0)).selfMember.address)
            until(Cluster(node).selfMember.status == MemberStatus.Up)
          for node <- nodes do
            until(Cluster(node).state.members.count(_.status == MemberStatus.Up) == 2)
          trace(nodes(0), here)
          trace(nodes(1), there)
          val notes = Notes()
          val target = remote(nodes, "scale", scale(notes).toPekko())
          val delivery =
            ReliableDelivery.spawn(target)(using nodes(0).undercroftSystem, nodes(0))
          here.within("request"):
            for n <- 1 to 50 do
              target ! Shipment.Weigh(n)
              delivery ! Shipment.Weigh(-n)
            assertEquals(target.ask[Weight](1.minute)(Shipment.Ask(7, _)), Weight(7))
          assertEquals(notes.take(101).size, 101)
          assertEquals(there.names, Nil)
        finally
          nodes.foreach(_.terminate())
          nodes.foreach(node => scala.concurrent.Await.ready(node.whenTerminated, patience))
        end try
    finally
      here.close()
      there.close()
    end try

  test("one object, sent in two traces at once, is in none of them or in its own"):
    withNodes(): (nodes, here, there) =>
      val notes = Notes()
      val target = remote(nodes, "scale", scale(notes).toPekko())
      val shared = Shipment.Weigh(0)
      for n <- 1 to 200 do
        here.within(s"request-$n")(target ! shared)
        val own = Shipment.Weigh(n)
        here.within(s"request-own-$n")(target ! own)
      notes.take(400): Unit
      val requests = here.all.map(span => span.getSpanId -> span.getName).toMap
      def parents = there.all.filter(_.getName.endsWith("Weigh"))
        .map(span => requests(span.getParentSpanId))
      // a span ends after its handler, which notes the message
      until(parents.count(_.startsWith("request-own-")) == 200)
      val all = parents
      assertEquals(all.toSet.size, all.size, "no trace has two of them")
end TracesTest
