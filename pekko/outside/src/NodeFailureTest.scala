package outside.pekko

import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.ActorRefResolver
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.sharding.typed.scaladsl.ClusterSharding
import org.apache.pekko.cluster.typed.Cluster
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*
import undercroft.tools.FreePort

/** Two nodes in this process, and a third one in a process that is killed or stopped. */
class NodeFailureTest extends NodeSuite:

  private final class Nodes(val here: Vector[typed.ActorSystem[Nothing]]):
    val farPort: Int = FreePort.take()
    private var process: Option[FarProcess] = None

    private def port(node: typed.ActorSystem[?]) = Cluster(node).selfMember.address.port.get
    def members: Int =
      here.map(node => Cluster(node).state.members.count(_.status == MemberStatus.Up)).min

    def startFar(): Unit =
      process = Some(FarNode.spawn(farPort, port(here(0))))
      until(members == 3)

    def farPid: Long = process.get.pid

    def kill(): Unit = process.foreach(_.kill())

    def signal(name: String): Unit =
      undercroft.tools.Requirement.KILL.require()
      val kill = ProcessBuilder("kill", s"-$name", farPid.toString).start()
      assertEquals(kill.waitFor(), 0)

    /** The book of the far node, as node 0 sees it. */
    def farBook: ActorRef[Entry] =
      val own = Cluster(here(0)).selfMember.address
      val text = s"pekko://${own.system}@127.0.0.1:$farPort/system/book"
      ActorRefResolver(here(0)).resolveActorRef[Entry](text).toUndercroft(using here(0))
  end Nodes

  private def withNodes(body: Nodes => Unit): Unit =
    val first = FarNode.start(FreePort.take(), None)
    var here = Vector(first)
    try
      here = here :+ FarNode.start(FreePort.take(), Cluster(first).selfMember.address.port)
      val nodes = Nodes(here)
      try
        nodes.startFar()
        body(nodes)
      finally nodes.kill()
    finally
      here.foreach(_.terminate())
      here.foreach(node => scala.concurrent.Await.ready(node.whenTerminated, patience))

  test("kill -9: a watcher hears of it, a delivery gives its messages up, an ask times out".tag(
    LongTest
  )):
    withNodes: nodes =>
      given typed.ActorSystem[?] = nodes.here(0)
      val notes = Notes()
      noting(notes):
        val book = nodes.farBook
        assertEquals(report(book).process, nodes.farPid)
        val delivery = ReliableDelivery.spawn(book)
        for n <- 1 to 100 do delivery ! Entry.Put(n)
        assertEquals(report(delivery).count, 100L)
        val watched = Notes()
        spawn(Behavior.setup[Int]:
          context.watch(book)
          Behavior.ignore[Int].onSignal { case Signal.Terminated(ref, _) =>
            watched.add(ref.name)
            Behavior.same
          }): Unit
        nodes.kill()
        for n <- 1 to 10 do delivery ! Entry.Put(n)
        intercept[AskTimeoutException](book.ask[Booked](1.second)(Entry.Report(_))): Unit
        assertEquals(watched.take(1), List(book.name))
        until(delivery.isStopped)
        assertEquals(notes.all.count(_.endsWith("Undelivered")), 10)
        until(book.isStopped)

  test(
    "kill -9: entities continue on other nodes, and each message arrives, in order".tag(LongTest)
  ):
    withNodes: nodes =>
      given typed.ActorSystem[?] = nodes.here(0)
      val notes = Notes()
      untilSharded(nodes.here(0), FarNode.key, 3)
      noting(notes):
        val books = Vector.tabulate(40)(n =>
          ClusterSharding(nodes.here(0)).entityRefFor(FarNode.key, s"book $n").toUndercroft
        )
        val mailbox = Mailbox(100_000)
        val deliveries = books.map(ReliableDelivery.spawn(_, mailbox = mailbox))
        for n <- 1 to 100; delivery <- deliveries do delivery ! Entry.Put(n)
        val before = deliveries.map(report)
        assert(before.exists(_.process == nodes.farPid), "no entity is on the third node")
        for n <- 101 to 500; delivery <- deliveries do delivery ! Entry.Put(n)
        nodes.kill()
        for n <- 501 to 1000; delivery <- deliveries do delivery ! Entry.Put(n)
        val after = deliveries.map(report)
        for (old, book) <- before.zip(after) do
          assertEquals(book.last, 1000L)
          assert(book.isConsecutive, s"$book")
          assertNotEquals(book.process, nodes.farPid)
          if old.process != nodes.farPid then assertEquals(book.first, 1L)
          else assert(book.first >= 101 && book.first <= 501, s"$book")
        assertEquals(notes.all, Nil)

  test("a process that stands still for two seconds: nothing is lost or doubled".tag(LongTest)):
    withNodes: nodes =>
      given typed.ActorSystem[?] = nodes.here(0)
      val notes = Notes()
      noting(notes):
        val delivery =
          ReliableDelivery.spawn(nodes.farBook, mailbox = Mailbox(1000, Overflow.Backpressure))
        for n <- 1 to 1000 do delivery ! Entry.Put(n)
        nodes.signal("STOP")
        val sender = Thread.ofVirtual.start: () =>
          for n <- 1001 to 50_000 do delivery ! Entry.Put(n)
        assert(!sender.join(java.time.Duration.ofSeconds(2)), "the sender was not slowed")
        nodes.signal("CONT")
        sender.join()
        assertEquals(report(delivery), Booked(1, 50_000, 50_000, nodes.farPid))
        assertEquals(notes.all, Nil)

  test("a process that restarts with its old address: old references are dead, new ones work".tag(
    LongTest
  )):
    withNodes: nodes =>
      given typed.ActorSystem[?] = nodes.here(0)
      val notes = Notes()
      noting(notes):
        val old = ReliableDelivery.spawn(nodes.farBook)
        for n <- 1 to 100 do old ! Entry.Put(n)
        assertEquals(report(old).count, 100L)
        val first = nodes.farPid
        nodes.kill()
        until(nodes.members == 2)
        nodes.startFar()
        until(old.isStopped)
        val delivery = ReliableDelivery.spawn(nodes.farBook)
        delivery ! Entry.Put(7)
        assertEquals(report(delivery), Booked(7, 7, 1, nodes.farPid))
        assertNotEquals(nodes.farPid, first)
end NodeFailureTest
