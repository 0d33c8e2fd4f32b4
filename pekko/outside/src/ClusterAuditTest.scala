package outside.pekko

import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Coin derives CanEqual:
  case Piece(number: Long)
  case Count(to: Reply[Long])
  case Stop

/** The sums of the audits of all nodes: each message was handled, failed, or is a dead letter. */
class ClusterAuditTest extends ClusterSuite:

  private val key = EntityTypeKey[Coin]("Purse")

  /** Counts the pieces. A piece with a negative number makes it fail; it starts again. */
  private val counting: Behavior[Coin] = Behavior
    .setup[Coin]:
      var count = 0L
      Behavior.receive:
        case Coin.Piece(number) =>
          if number < 0 then throw IllegalStateException(s"piece $number")
          count += 1
          Behavior.same
        case Coin.Count(to) =>
          to ! count
          Behavior.same
        case Coin.Stop => Behavior.stopped
    .supervised { case _: IllegalStateException => Supervision.Restart(100, 1.minute) }

  /** Waits for a reply, so that all earlier messages are handled. */
  private def settle(delivery: ActorRef[Coin]): Unit =
    delivery.ask[Long](1.minute)(Coin.Count(_)): Unit

  test(
    "the audits of two nodes add up: each message is handled, failed, or a sender's dead letter"
  ):
    def setup = ActorSystemSetup(UndercroftSerialization(MessageCodec[Coin]))
    cluster(2, setup): nodes =>
      for node <- nodes do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(Entity(key)(_ => counting.toPekko())): Unit
      untilSharded(nodes(0), key, 2)
      val targets = nodes.map(_.systemActorOf(counting.toPekko(), "target", Props.empty))
      val notes = Notes()

      // each node sends to the other node's target, and to entities on both nodes
      val sent = nodes.zip(targets.reverse).map: (here, far) =>
        given typed.ActorSystem[?] = here
        val there = nodes.find(_ ne here).get
        val text = ActorRefResolver(there).toSerializationFormat(far)
        val target = ActorRefResolver(here).resolveActorRef[Coin](text).toUndercroft
        noting(notes):
          val entities = Vector.tabulate(10)(n =>
            ClusterSharding(here).entityRefFor(key, s"purse $n").toUndercroft
          )
          val toEntities = entities.map(ReliableDelivery.spawn(_))
          val toTarget = ReliableDelivery.spawn(target)
          for n <- 1 to 2000; delivery <- toTarget +: toEntities do
            delivery ! Coin.Piece(if n % 500 == 0 then -n else n)
          (toTarget +: toEntities).foreach(settle)
          toTarget ! Coin.Stop
          until(toTarget.isStopped)
          for n <- 1 to 100 do toTarget ! Coin.Piece(n)
          val system = summon[ActorSystem]
          assert(system.awaitQuiescence(patience))
          system.observe.audit

      val senders = sent.reduce(_ + _)
      // the end of each target is a signal to its delivery, and a message to its node's watcher
      val (delivered, ends, undelivered) = (2L * (11 * 2001 + 1), 2L, 200L)
      def current = nodes.map(_.undercroftSystem.observe.audit).reduce(_ + _)
      // a message is counted after its handler, which replied
      until(current.handled + current.failed >= delivered + ends)
      val hosts = current
      val clues = s"senders $senders, hosts $hosts"
      assert(sent.forall(_.isExact), clues)
      assert(nodes.forall(_.undercroftSystem.observe.audit.isExact), clues)
      assertEquals(senders.sent, delivered + ends + undelivered, clues)
      assertEquals(senders.deadLetterCount, undelivered, clues)
      assertEquals(hosts.handled + hosts.failed, delivered + ends, clues)
      assertEquals(hosts.failed, 2L * 11 * 4, clues)
      assertEquals(notes.all.size, undelivered.toInt)
      assertEquals(hosts.deadLetterCount + hosts.waiting + hosts.stashed, 0L, clues)
end ClusterAuditTest
