package outside.pekko

import com.typesafe.config.ConfigFactory
import java.net.ServerSocket
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.apache.pekko.actor.BootstrapSetup
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.{ActorRefResolver, Props}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityTypeKey}
import org.apache.pekko.cluster.typed.{Cluster, Join}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.pekko.*

enum Entry derives CanEqual:
  case Put(number: Long)
  case Report(to: Reply[Booked])

/** The numbers that a book got: the first, the last, their count, and the process that it is in. */
final case class Booked(first: Long, last: Long, count: Long, process: Long) derives CanEqual:
  def isConsecutive: Boolean = count == 0 || last - first + 1 == count

/** A node in a process of its own, with a book and entities that are books. */
object FarNode:
  val key: EntityTypeKey[Entry] = EntityTypeKey[Entry]("Book")

  def setup: ActorSystemSetup =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Entry], MessageCodec[Booked]))

  def book: Behavior[Entry] = Behavior.setup:
    var booked = Booked(0, 0, 0, ProcessHandle.current.pid)
    Behavior.receive:
      case Entry.Put(number) =>
        val first = if booked.count == 0 then number else booked.first
        booked = booked.copy(first = first, last = number, count = booked.count + 1)
        Behavior.same
      case Entry.Report(to) =>
        to ! booked
        Behavior.same

  def start(port: Int, seed: Option[Int]): typed.ActorSystem[Nothing] =
    val config = ConfigFactory
      .parseString(s"""
        pekko.remote.artery.canonical.hostname = 127.0.0.1
        pekko.remote.artery.canonical.port = $port
        pekko.loglevel = off
        pekko.stdout-loglevel = off
        pekko.coordinated-shutdown.exit-jvm = off
        pekko.cluster.sharding.number-of-shards = 20
        pekko.cluster.failure-detector.acceptable-heartbeat-pause = 5s
        pekko.cluster.split-brain-resolver.stable-after = 2s
        pekko.cluster.split-brain-resolver.down-all-when-unstable = off
      """)
      .withFallback(ConfigFactory.parseResources("undercroft-cluster.conf"))
      .withFallback(ConfigFactory.load())
    val system = typed.ActorSystem[Nothing](
      Behaviors.empty[Nothing],
      "cluster",
      setup.and(BootstrapSetup(config)),
      Props.empty
    )
    given typed.ActorSystem[?] = system
    ClusterSharding(system).init(Entity(key)(_ => book.toPekko()))
    system.systemActorOf(book.toPekko(), "book", Props.empty): Unit
    val own = Cluster(system).selfMember.address
    Cluster(system).manager ! Join(seed.fold(own)(seed => own.copy(port = Some(seed))))
    system
  end start

  /** Runs until its standard input ends. */
  def main(args: Array[String]): Unit =
    val _ = start(args(0).toInt, Some(args(1).toInt))
    while System.in.read() >= 0 do ()
    Runtime.getRuntime.halt(0)
end FarNode

/** Two nodes in this process, and a third one in a process that is killed or stopped. */
class NodeFailureTest extends PekkoSuite:

  private def freePort(): Int =
    val socket = ServerSocket(0)
    try socket.getLocalPort
    finally socket.close()

  private final class Nodes(val here: Vector[typed.ActorSystem[Nothing]]):
    val farPort: Int = freePort()
    private var process: Option[Process] = None

    private def port(node: typed.ActorSystem[?]) = Cluster(node).selfMember.address.port.get
    def members: Int =
      here.map(node => Cluster(node).state.members.count(_.status == MemberStatus.Up)).min

    def startFar(): Unit =
      val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
      val opened =
        Seq("java.base/sun.nio.ch=ALL-UNNAMED", "java.base/jdk.internal.misc=ALL-UNNAMED")
      val command = Seq(java, "-Xmx256m", "-XX:TieredStopAtLevel=1") ++
        opened.flatMap(Seq("--add-opens", _)) ++
        Seq("-cp", System.getProperty("java.class.path"), "outside.pekko.FarNode") ++
        Seq(farPort.toString, port(here(0)).toString)
      val output = Files.createTempFile("far-node", ".log")
      output.toFile.deleteOnExit()
      process = Some(
        ProcessBuilder(command.asJava).redirectErrorStream(true)
          .redirectOutput(output.toFile).start()
      )
      until(members == 3)

    def farPid: Long = process.get.pid

    /** As `kill -9`. */
    def kill(): Unit =
      process.foreach(_.destroyForcibly())
      process.foreach(_.waitFor(60, TimeUnit.SECONDS))

    def signal(name: String): Unit =
      val kill = ProcessBuilder("kill", s"-$name", farPid.toString).start()
      assertEquals(kill.waitFor(), 0)

    /** The book of the far node, as node 0 sees it. */
    def farBook: ActorRef[Entry] =
      val own = Cluster(here(0)).selfMember.address
      val text = s"pekko://${own.system}@127.0.0.1:$farPort/system/book"
      ActorRefResolver(here(0)).resolveActorRef[Entry](text).toUndercroft(using here(0))
  end Nodes

  private def withNodes(body: Nodes => Unit): Unit =
    val first = FarNode.start(freePort(), None)
    var here = Vector(first)
    try
      here = here :+ FarNode.start(freePort(), Cluster(first).selfMember.address.port)
      val nodes = Nodes(here)
      try
        nodes.startFar()
        body(nodes)
      finally nodes.kill()
    finally
      here.foreach(_.terminate())
      here.foreach(node => scala.concurrent.Await.ready(node.whenTerminated, patience))

  private def report(book: ActorRef[Entry]): Booked =
    var result: Option[Booked] = None
    until:
      try result = Some(book.ask[Booked](5.seconds)(Entry.Report(_)))
      catch case _: AskTimeoutException => ()
      result.isDefined
    result.get

  private def noting[A](notes: Notes)(body: ActorSystem ?=> A): A =
    val system = ActorSystem(
      "sender",
      listener = {
        case ActorEvent.DeadLetter(_, message, reason) => notes.add(s"$message $reason")
        case _                                         => ()
      }
    )
    try body(using system)
    finally system.close()

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
