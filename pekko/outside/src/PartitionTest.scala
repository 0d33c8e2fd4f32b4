package outside.pekko

import java.util.concurrent.atomic.AtomicLong
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.sharding.typed.scaladsl.ClusterSharding
import org.apache.pekko.cluster.typed.Cluster
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

/** Three nodes, each a process, whose connections a proxy breaks: node 0 is this process. The rows
  * of the table of failures in docs/howto/pekko.md about partitions and nodes that leave.
  */
class PartitionTest extends NodeSuite:
  override val patience: FiniteDuration = 5.minutes

  /** Three nodes: this one, and two processes. */
  private final class Nodes(more: String):
    val links: Links = Links(3)
    private def config(node: Int) = more + links.config(node)
    val here: typed.ActorSystem[Nothing] = FarNode.start(links.port(0), None, config(0))
    val far: Map[Int, FarProcess] =
      Map.from(Seq(1, 2).map(n => n -> FarNode.spawn(links.port(n), links.port(0), config(n))))

    def members: Int = Cluster(here).state.members.count(_.status == MemberStatus.Up)
    def unreachable: Int = Cluster(here).state.unreachable.size

    /** The book of a node, as node 0 sees it. */
    def book(node: Int): ActorRef[Entry] =
      val own = Cluster(here).selfMember.address
      val text = s"pekko://${own.system}@127.0.0.1:${links.port(node)}/system/book"
      ActorRefResolver(here).resolveActorRef[Entry](text).toUndercroft(using here)

    def entities(count: Int): Vector[ActorRef[Entry]] = Vector.tabulate(count)(n =>
      ClusterSharding(here).entityRefFor(FarNode.key, s"book $n").toUndercroft(using here)
    )

    def close(): Unit =
      links.close()
      far.values.foreach(_.kill())
      here.terminate()
      scala.concurrent.Await.ready(here.whenTerminated, patience): Unit
  end Nodes

  private def withNodes(more: String = "")(
      body: Nodes => (typed.ActorSystem[?], ActorSystem) ?=> Notes => Unit
  ): Unit =
    val nodes = Nodes(more)
    try
      until(nodes.members == 3)
      untilSharded(nodes.here, FarNode.key, 3)
      given typed.ActorSystem[?] = nodes.here
      val notes = Notes()
      noting(notes)(body(nodes)(notes))
    finally nodes.close()

  /** Asserts that each message up to `last` reached an instance of its entity, in order. The
    * entities of `ended` have moved: their new instances may get messages of the old ones again.
    */
  private def moved(
      before: Vector[Booked],
      after: Vector[Booked],
      ended: FarProcess,
      last: Long
  ): Unit =
    for ((old, entity), n) <- before.zip(after).zipWithIndex do
      assertEquals(entity.last, last)
      if old.process != ended.pid then
        assertEquals(entity, Booked(1, last, last, old.process), s"book $n")
      else
        assertNotEquals(entity.process, ended.pid)
        val accepted = ended.stopped(s"book $n")
        assert(entity.first <= accepted + 1, s"book $n: $entity after $accepted")
        assert(entity.jumpedTo <= accepted + 1, s"book $n: $entity after $accepted")

  /** Notes the end of an actor. */
  private def watching(target: ActorRef[Entry])(using ActorSystem): Notes =
    val notes = Notes()
    spawn(Behavior.setup[Int]:
      context.watch(target)
      Behavior.ignore[Int].onSignal { case Signal.Terminated(ref, cause) =>
        notes.add(s"${ref.name} $cause")
        Behavior.same
      }): Unit
    notes

  test("a partition: the smaller part stops with PostStop, the other continues, nothing hangs".tag(
    LongTest
  )):
    withNodes(): nodes =>
      notes =>
        val book = nodes.book(2)
        assertEquals(report(book).process, nodes.far(2).pid)
        assert(!book.isStopped)
        val direct = ReliableDelivery.spawn(book)
        val mailbox = Mailbox(100_000)
        val deliveries = nodes.entities(40).map(ReliableDelivery.spawn(_, mailbox = mailbox))
        for n <- 1 to 100 do
          direct ! Entry.Put(n)
          deliveries.foreach(_ ! Entry.Put(n))
        assertEquals(report(direct).count, 100L)
        val before = deliveries.map(report)
        assert(before.exists(_.process == nodes.far(2).pid), "no entity is on the third node")
        val watched = watching(book)

        nodes.links.set(Set(2), Links.State.Broken)
        intercept[AskTimeoutException](book.ask[Booked](1.second)(Entry.Report(_))): Unit
        for n <- 101 to 110 do direct ! Entry.Put(n)
        for n <- 101 to 1000; delivery <- deliveries do delivery ! Entry.Put(n)

        // the smaller part stops itself: its actors get PostStop
        assertEquals(nodes.far(2).exitCode, Some(FarNode.Ended))
        val onThird = before.count(_.process == nodes.far(2).pid)
        assertEquals(nodes.far(2).stopped.size, 1 + onThird)
        // the larger part removes it and continues
        until(nodes.members == 2)
        assertEquals(watched.take(1), List(s"${book.name} None"))
        until(direct.isStopped)
        until(book.isStopped)
        assertEquals(
          notes.all.sorted,
          List.tabulate(10)(n => s"Put(${101 + n}) Undelivered").sorted
        )
        moved(before, deliveries.map(report), nodes.far(2), 1000)

  test("a partition that heals before `stable-after`: deliveries continue and lose nothing".tag(
    LongTest
  )):
    withNodes("pekko.cluster.split-brain-resolver.stable-after = 5 minutes\n"): nodes =>
      notes =>
        val book = nodes.book(2)
        val direct = ReliableDelivery.spawn(book, mailbox = Mailbox(1000, Overflow.Backpressure))
        val deliveries = nodes.entities(20).map(ReliableDelivery.spawn(_))
        for n <- 1 to 100 do
          direct ! Entry.Put(n)
          deliveries.foreach(_ ! Entry.Put(n))
        val before = deliveries.map(report)
        assert(before.exists(_.process == nodes.far(2).pid), "no entity is on the third node")
        assertEquals(report(direct).count, 100L)

        nodes.links.set(Set(2), Links.State.Broken)
        val sent = AtomicLong(100)
        val sender = Thread.ofVirtual.start: () =>
          for n <- 101 to 20_000 do
            direct ! Entry.Put(n)
            sent.set(n)
        for n <- 101 to 500; delivery <- deliveries do delivery ! Entry.Put(n)
        until(nodes.unreachable == 1)
        assert(sent.get < 20_000, "the sender was not slowed")
        assert(!book.isStopped)
        intercept[AskTimeoutException](book.ask[Booked](100.millis)(Entry.Report(_))): Unit

        nodes.links.set(Set(2), Links.State.Open)
        until(nodes.unreachable == 0)
        sender.join()
        assertEquals(report(direct), Booked(1, 20_000, 20_000, nodes.far(2).pid))
        for (old, entity) <- before.zip(deliveries.map(report)) do
          assertEquals(entity, Booked(1, 500, 500, old.process))
        assertEquals(nodes.members, 3)
        assert(!book.isStopped)
        assertEquals(notes.all, Nil)

  test("links that stall for two seconds: no message is lost, in any way of sending".tag(LongTest)):
    withNodes(): nodes =>
      notes =>
        val book = nodes.book(2)
        val direct = ReliableDelivery.spawn(nodes.book(1))
        assertEquals(report(direct).count, 0L)
        assertEquals(report(book).count, 0L)
        nodes.links.set(Set(0), Links.State.Stalled)
        for n <- 1 to 1000 do
          book ! Entry.Put(n) // less than the queue of the connection
          direct ! Entry.Put(n)
        intercept[AskTimeoutException](book.ask[Booked](2.seconds)(Entry.Report(_))): Unit
        nodes.links.set(Set(0), Links.State.Open)
        assertEquals(report(book), Booked(1, 1000, 1000, nodes.far(2).pid))
        assertEquals(report(direct), Booked(1, 1000, 1000, nodes.far(1).pid))
        assertEquals(nodes.members, 3)
        assertEquals(notes.all, Nil)

  test(
    "a node that leaves: its entities move without losing a delivered message, watchers hear".tag(
      LongTest
    )
  ):
    withNodes(): nodes =>
      notes =>
        val book = nodes.book(2)
        val direct = ReliableDelivery.spawn(book)
        val mailbox = Mailbox(100_000)
        val deliveries = nodes.entities(40).map(ReliableDelivery.spawn(_, mailbox = mailbox))
        for n <- 1 to 100 do
          direct ! Entry.Put(n)
          deliveries.foreach(_ ! Entry.Put(n))
        assertEquals(report(direct).count, 100L)
        val before = deliveries.map(report)
        assert(before.exists(_.process == nodes.far(2).pid), "no entity is on the third node")
        val watched = watching(book)

        nodes.far(2).leave()
        for n <- 101 to 2000; delivery <- deliveries do delivery ! Entry.Put(n)
        assertEquals(nodes.far(2).exitCode, Some(FarNode.Ended))
        assert(nodes.far(2).stopped.contains("alone"), s"${nodes.far(2).stopped}")
        until(nodes.members == 2)
        assertEquals(watched.take(1), List(s"${book.name} None"))
        until(direct.isStopped)
        until(book.isStopped)
        intercept[AskTimeoutException](book.ask[Booked](1.second)(Entry.Report(_))): Unit
        // an old instance may have got all messages so far, and its successor none of them
        for n <- 2001 to 2010; delivery <- deliveries do delivery ! Entry.Put(n)
        moved(before, deliveries.map(report), nodes.far(2), 2010)
        assertEquals(notes.all, Nil)
end PartitionTest
