package outside.pekko

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

enum Parcel derives CanEqual:
  case Item(number: Long)
  case Large(content: IArray[Byte])
  case Unknown(number: Long)
  case Count(to: Reply[Delivered])
  case Stop
final case class Delivered(count: Long, inOrder: Boolean) derives CanEqual

/** Only the sender has a codec for it. */
final case class Stranger(number: Long)

/** A message that its serializer reads as null. */
final case class Unread(number: Long)

final class NullSerializer extends org.apache.pekko.serialization.Serializer:
  def identifier: Int = 76_543
  def includeManifest: Boolean = false
  def toBinary(message: AnyRef): Array[Byte] = Array.empty[Byte]
  def fromBinary(bytes: Array[Byte], manifest: Option[Class[?]]): AnyRef = null

/** Reliable delivery between two nodes. */
class ReliableDeliveryTest extends ClusterSuite:

  private def codecs = Seq(MessageCodec[Parcel], MessageCodec[Delivered])
  private def setup = ActorSystemSetup(UndercroftSerialization(codecs*))

  /** Counts items; `gate` holds it up at the first one. */
  private def counting(notes: Notes, gate: CountDownLatch = CountDownLatch(0)): Behavior[Parcel] =
    Behavior.setup:
      var count = 0L
      var last = 0L
      var inOrder = true
      Behavior.receive:
        case Parcel.Item(number) =>
          gate.await()
          count += 1
          inOrder &= number == last + 1
          last = number
          Behavior.same
        case Parcel.Count(to) =>
          to ! Delivered(count, inOrder)
          Behavior.same
        case Parcel.Stop => Behavior.stopped
        case other =>
          notes.add(s"$other")
          Behavior.same

  /** An actor of `there`, as `here` sees it. */
  private def remote[T](
      here: typed.ActorSystem[Nothing],
      there: typed.ActorSystem[Nothing],
      behavior: typed.Behavior[T]
  ): ActorRef[T] =
    val ref = there.systemActorOf(behavior, "target", Props.empty)
    val text = ActorRefResolver(there).toSerializationFormat(ref)
    ActorRefResolver(here).resolveActorRef[T](text).toUndercroft(using here)

  /** Runs `body` with an actor on another node, and with a system whose dead letters are noted.
    * Returns the notes.
    */
  private def withTarget(behavior: Notes => typed.Behavior[Parcel], more: String = "")(
      body: (typed.ActorSystem[?], ActorSystem) ?=> (ActorRef[Parcel], Notes) => Unit
  ): Notes =
    val notes = Notes()
    cluster(2, setup, more): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val target = remote(nodes(0), nodes(1), behavior(notes))
      noting(notes)(body(target, notes))
    notes

  test("100 000 messages at once arrive once and in order; an ask through the delivery"):
    val notes = withTarget(notes => counting(notes).toPekko()): (target, _) =>
      val mailbox = Mailbox(1000, Overflow.Backpressure)
      val delivery = ReliableDelivery.spawn(target, mailbox = mailbox)
      for n <- 1 to 100_000 do delivery ! Parcel.Item(n)
      val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
      assertEquals(delivered, Delivered(100_000, true))
      val audit = summon[ActorSystem].observe.audit
      assert(audit.isExact)
      assertEquals(audit.handled, 100_001L)
    assertEquals(notes.all, Nil)

  test("a slow target slows the senders; a full mailbox loses nothing"):
    val gate = CountDownLatch(1)
    val notes = withTarget(notes =>
      counting(notes, gate).toPekko(mailbox = Mailbox(10))
    ): (target, _) =>
      val mailbox = Mailbox(100, Overflow.Backpressure)
      val delivery = ReliableDelivery.spawn(target, mailbox = mailbox, window = 50)
      val sent = AtomicLong()
      val sender = Thread.ofVirtual.start: () =>
        for n <- 1 to 10_000 do
          delivery ! Parcel.Item(n)
          sent.set(n)
      until(sent.get >= 100)
      assert(sent.get < 9000, s"${sent.get} messages were sent to a target that waits")
      gate.countDown()
      sender.join()
      val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
      assertEquals(delivered, Delivered(10_000, true))
    assertEquals(notes.all, Nil)

  test("a target that stashes: the sender waits for a full stash, and nothing is lost"):
    cluster(2, setup): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val stashed = AtomicLong()
      val notes = Notes()
      val closed = Behavior.setup[Parcel]:
        Behavior.receive:
          case Parcel.Large(_) =>
            context.unstashAll()
            counting(notes)
          case _ =>
            context.stash()
            stashed.incrementAndGet()
            Behavior.same
      val target = remote(nodes(0), nodes(1), closed.toPekko())
      noting(notes):
        val delivery = ReliableDelivery.spawn(target, mailbox = Mailbox(200_000))
        for n <- 1 to 100_000 do delivery ! Parcel.Item(n)
        until(stashed.get > ActorContext.StashLimit - 1000)
        target ! Parcel.Large(IArray.empty[Byte]) // by itself: it overtakes those that wait
        assertEquals(
          delivery.ask[Delivered](1.minute)(Parcel.Count(_)),
          Delivered(100_000, inOrder = true)
        )
        assert(stashed.get <= ActorContext.StashLimit, s"$stashed messages were stashed")
      assertEquals(notes.all, Nil)

  test("a slow target is not given up, although a batch takes longer than `giveUpAfter`"):
    val slow = Behavior.setup[Parcel]:
      var count = 0L
      var inOrder = true
      Behavior.receive:
        case Parcel.Item(number) =>
          LockSupport.parkNanos(25_000_000)
          inOrder &= number == count + 1
          count += 1
          Behavior.same
        case Parcel.Count(to) =>
          to ! Delivered(count, inOrder)
          Behavior.same
        case _ => Behavior.unhandled
    def isDelivered: Boolean =
      var delivered = Option.empty[Delivered]
      val notes = withTarget(_ => slow.toPekko()): (target, _) =>
        val delivery = ReliableDelivery.spawn(target, giveUpAfter = 1.second)
        for n <- 1 to 100 do delivery ! Parcel.Item(n)
        try delivered = Some(delivery.ask[Delivered](1.minute)(Parcel.Count(_)))
        catch case _: AskTargetStoppedException => ()
      for result <- delivered do assertEquals((result, notes.all), (Delivered(100, true), Nil))
      delivered.isDefined
    // A loaded machine may stop the target's threads for as long.
    assert((1 to 10).exists(_ => isDelivered), "the target was given up")

  test("a target that stops: what it did not get is a dead letter, and the delivery stops"):
    withTarget(_ => counting(Notes()).toPekko()): (target, notes) =>
      val delivery = ReliableDelivery.spawn(target)
      delivery ! Parcel.Item(1)
      delivery ! Parcel.Stop
      for n <- 2 to 5 do delivery ! Parcel.Item(n)
      until(delivery.isStopped)
      delivery ! Parcel.Item(6)
      assertEquals(
        notes.take(5).sorted,
        List.tabulate(4)(n => s"Item(${n + 2}) Undelivered") :+ "Item(6) Stopped"
      )

  test("messages that cannot be written or are too long are dead letters; the others arrive"):
    withTarget(_ => counting(Notes()).toPekko()): (target, notes) =>
      val delivery = ReliableDelivery.spawn(target)
      delivery ! Parcel.Item(1)
      delivery.asInstanceOf[ActorRef[Any]] ! Stranger(1)
      delivery ! Parcel.Large(IArray.fill(1_000_000)(1.toByte))
      delivery ! Parcel.Large(IArray.fill(100_000)(1.toByte))
      delivery ! Parcel.Item(2)
      val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
      assertEquals(delivered, Delivered(2, true))
      assertEquals(notes.all.size, 2)
      assert(notes.all.head.startsWith("Stranger(1) Undelivered"), notes.all.head)
      assert(notes.all(1).startsWith("Large("), notes.all(1).take(100))

  test("batches fit into the smallest frame that Artery allows"):
    val smallest = "pekko.remote.artery.advanced.maximum-frame-size = 32 KiB"
    val received = Notes()
    val notes = withTarget(_ => counting(received).toPekko(), smallest): (target, _) =>
      val delivery = ReliableDelivery.spawn(target)
      for _ <- 1 to 2000 do delivery ! Parcel.Large(IArray.fill(1000)(1.toByte))
      delivery.ask[Delivered](1.minute)(Parcel.Count(_)): Unit
    assertEquals(received.all.size, 2000)
    assertEquals(notes.all, Nil)

  test("a message that the receiver cannot read is a dead letter of the sender"):
    val more = Seq(MessageCodec[Stranger])
    val sending = node(ActorSystemSetup(UndercroftSerialization(codecs ++ more*)))
    val receiving = node(setup)
    try
      given typed.ActorSystem[?] = sending
      val notes = Notes()
      val target = remote(sending, receiving, counting(Notes()).toPekko())
      noting(notes):
        val delivery = ReliableDelivery.spawn(target)
        delivery ! Parcel.Item(1)
        delivery.asInstanceOf[ActorRef[Any]] ! Stranger(7)
        for n <- 2 to 100 do delivery ! Parcel.Item(n)
        val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
        assertEquals(delivered, Delivered(100, true))
        assertEquals(notes.all, List("Stranger(7) Undelivered"))
    finally
      sending.terminate()
      receiving.terminate()

  test("a message that its serializer reads as null is a dead letter; the others arrive"):
    val serializers = """
      pekko.actor.serializers.nulls = "outside.pekko.NullSerializer"
      pekko.actor.serialization-bindings { "outside.pekko.Unread" = nulls }
    """
    withTarget(_ => counting(Notes()).toPekko(), serializers): (target, notes) =>
      val delivery = ReliableDelivery.spawn(target)
      delivery ! Parcel.Item(1)
      delivery.asInstanceOf[ActorRef[Any]] ! Unread(7)
      delivery ! Parcel.Item(2)
      val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
      assertEquals(delivered, Delivered(2, true))
      assertEquals(notes.all, List("Unread(7) Undelivered"))

  for overflow <- List(Overflow.DropNewest, Overflow.DropOldest) do
    test(s"a full mailbox with $overflow drops no message of a delivery: it waits at the sender"):
      pekko:
        val gate = CountDownLatch(1)
        val (received, dropped) = (Notes(), Notes())
        noting(dropped):
          val slow = Behavior.receive[Int]: n =>
            gate.await()
            received.add(n)
            Behavior.same
          val target = spawn(slow, run = Run.Thread, mailbox = Mailbox(10, overflow))
          try
            noting(Notes()):
              val delivery = ReliableDelivery.spawn(target)
              for n <- 1 to 1000 do delivery ! n
              // The window takes all of them, and the first batch fills the mailbox.
              untilFull(summon[ActorSystem])
              gate.countDown()
              until(received.all.size == 1000 || dropped.all.nonEmpty)
              assertEquals(dropped.all, Nil)
              assertEquals(received.all, List.range(1, 1001).map(n => s"$n"))
          finally gate.countDown()
          end try
  end for

  test("a node that does not reply: the delivery fails, and nothing is lost in silence"):
    val nodes = Vector.fill(2)(node(setup))
    try
      given typed.ActorSystem[?] = nodes(0)
      val notes = Notes()
      // It has stopped, and this node does not hear of it.
      val target = remote(nodes(0), nodes(1), counting(Notes()).toPekko())
      nodes(1).terminate()
      scala.concurrent.Await.ready(nodes(1).whenTerminated, patience)
      noting(notes):
        val delivery = ReliableDelivery.spawn(target, giveUpAfter = 1.second)
        for n <- 1 to 3 do delivery ! Parcel.Item(n)
        until(delivery.isStopped)
        // A loaded machine may send the last ones after the end of the delivery.
        def letters = notes.all.filter(_.startsWith("Item("))
        until(letters.size == 3)
        assert(letters.exists(_.contains("Undelivered")), s"$letters")
    finally nodes.foreach(_.terminate())

  test("entities on two nodes: each gets its messages once and in order"):
    cluster(2, setup): nodes =>
      val key = EntityTypeKey[Parcel]("Shelf")
      for node <- nodes do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(Entity(key)(_ => counting(Notes()).toPekko()))
      untilSharded(nodes(0), key, 2)
      given typed.ActorSystem[?] = nodes(0)
      val notes = Notes()
      noting(notes):
        val deliveries = Vector.tabulate(20): n =>
          val entity = ClusterSharding(nodes(0)).entityRefFor(key, s"shelf $n").toUndercroft
          ReliableDelivery.spawn(entity)
        for n <- 1 to 2000; delivery <- deliveries do delivery ! Parcel.Item(n)
        for delivery <- deliveries do
          val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
          assertEquals(delivered, Delivered(2000, true))
      assertEquals(notes.all, Nil)

  test(
    "an overload of slow entities: 100 000 messages to 20 full mailboxes arrive once, in order".tag(
      LongTest
    )
  ):
    cluster(2, setup): nodes =>
      val key = EntityTypeKey[Parcel]("Slow")
      val work = Array.fill[Byte](8192)(7)
      // a process takes its messages at its own pace, so its mailbox fills
      val slow = Behavior.process[Parcel]: inbox =>
        val digest = java.security.MessageDigest.getInstance("SHA-256")
        var (count, inOrder) = (0L, true)
        while true do
          inbox.receive() match
            case Parcel.Item(number) =>
              digest.update(work)
              inOrder &= number == count + 1
              count += 1
            case Parcel.Count(to) => to ! Delivered(count, inOrder)
            case _                => ()
      for node <- nodes do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(Entity(key)(_ => slow.toPekko(mailbox = Mailbox(10))))
      untilSharded(nodes(0), key, 2)
      given typed.ActorSystem[?] = nodes(0)
      val notes = Notes()
      noting(notes):
        val mailbox = Mailbox(100, Overflow.Backpressure)
        val deliveries = Vector.tabulate(20): n =>
          val entity = ClusterSharding(nodes(0)).entityRefFor(key, s"slow $n").toUndercroft
          ReliableDelivery.spawn(entity, mailbox = mailbox, window = 200)
        for n <- 1 to 5000; delivery <- deliveries do delivery ! Parcel.Item(n)
        for delivery <- deliveries do
          val delivered = delivery.ask[Delivered](2.minutes)(Parcel.Count(_))
          assertEquals(delivered, Delivered(5000, true))
        assert(summon[ActorSystem].observe.audit.isExact)
      assertEquals(notes.all, Nil)

  test("a delivery that its parent stops still delivers what it has taken"):
    withTarget(_ => counting(Notes()).toPekko()): (target, _) =>
      val parent = spawn(Behavior.setup[Int]:
        val delivery = ReliableDelivery.spawn(target)
        Behavior.receive: n =>
          for i <- 1 to n do delivery ! Parcel.Item(i)
          Behavior.stopped)
      parent ! 500
      until(parent.isStopped)
      until(summon[ActorSystem].observe.audit.actors == 0)
      val lost = summon[ActorSystem].observe.audit.deadLetters.values.sum
      until(target.ask[Delivered](1.minute)(Parcel.Count(_)) == Delivered(500 - lost, true))

  /** Waits until a delivery takes no more messages. */
  private def untilFull(system: ActorSystem): Unit =
    var handled = 0L
    var unchanged = 0
    until:
      val now = system.observe.audit.handled
      unchanged = if now == handled && now >= 20 then unchanged + 1 else 0
      handled = now
      unchanged >= 100

  for cause <-
      List("its parent stops", "its parent stops it", "an actor that it is linked to fails")
  do
    test(s"a delivery with a full window stops when $cause, and delivers what it has taken"):
      pekko:
        val gate = CountDownLatch(1)
        val received = Notes()
        ActorSystem.scoped("targets"):
          val blocked = Behavior.receive[Int]: n =>
            gate.await()
            received.add(n)
            Behavior.same
          val target = spawn(blocked, run = Run.Thread, mailbox = Mailbox(10))
          try
            noting(Notes()):
              val parent = spawn(Behavior.setup[Int]:
                val delivery =
                  ReliableDelivery.spawn(target, mailbox = Mailbox(20_000), window = 20)
                context.watchWith(delivery, 0)
                for n <- 1 to 10_000 do delivery ! n
                val linked = spawn(Behavior.setup[Int]:
                  context.link(delivery)
                  Behavior.receive(_ => throw IllegalStateException("the linked actor fails")))
                Behavior.receive: n =>
                  cause match
                    case "its parent stops it" if n > 0 =>
                      context.stop(delivery)
                      Behavior.same
                    case "an actor that it is linked to fails" if n > 0 =>
                      linked ! n
                      Behavior.same
                    case _ => Behavior.stopped)
              val system = summon[ActorSystem]
              untilFull(system)
              parent ! 1
              until(parent.isStopped)
              until(system.observe.audit.actors == 0)
              val lost = system.observe.audit.deadLetters.getOrElse(DeadLetterReason.Stopped, 0L)
              assert(lost > 0, "no message waited in the mailbox")
              gate.countDown()
              val taken = List.range(1, 10_001 - lost.toInt)
              assertEquals(received.take(taken.size), taken.map(n => s"$n"))
          finally gate.countDown()
          end try
  end for

  test("a window of 0 and a time of 0 are refused with their values"):
    pekko:
      val target = ActorSystem.scoped("mine"):
        val target = spawn(Behavior.ignore[Int])
        val window = intercept[IllegalArgumentException](
          ReliableDelivery.spawn(target, window = 0)
        )
        assertEquals(window.getMessage, "window must be at least 1, but is 0")
        val time = intercept[IllegalArgumentException](
          ReliableDelivery.spawn(target, giveUpAfter = 0.seconds)
        )
        assertEquals(time.getMessage, "giveUpAfter must be positive, but is 0 seconds")
end ReliableDeliveryTest
