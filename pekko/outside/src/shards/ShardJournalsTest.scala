package outside.pekko.shards

import java.nio.file.{Files, Path}
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import org.apache.pekko.actor.DeadLetter
import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.adapter.{TypedActorRefOps, TypedActorSystemOps}
import org.apache.pekko.cluster.MemberStatus
import org.apache.pekko.cluster.sharding.typed.scaladsl.{
  ClusterSharding,
  Entity,
  EntityContext,
  EntityTypeKey
}
import org.apache.pekko.cluster.typed.{Cluster, Join}
import outside.pekko.ClusterSuite
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.util.Try
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.pekko.*
import undercroft.struct.*

final case class Added(amount: Long) derives Struct, CanEqual
final case class Total(count: Long, sum: Long, last: Long) derives Struct, CanEqual

enum Count derives MessageCodec:
  case Add(amount: Long)
  case Read(to: Reply[CountResult])
  case Fail
  case Passivate

final case class CountResult(count: Long, sum: Long, last: Long, isOrdered: Boolean)
    derives MessageCodec, CanEqual

/** Persistent entities on nodes inside this process. */
class ShardJournalsTest extends ClusterSuite:
  /** How long an ask waits that gets no reply. */
  private val silence = 100.millis

  /** The entities of one test. */
  private var key = EntityTypeKey[Count]("Count")

  private def counter(journal: Journal[Added, Total], entity: EntityContext[Count])(using
      typed.ActorSystem[?]
  ): Behavior[Count] = Behavior.setup:
    var isOrdered = true
    val (id, self) = (entity.entityId.toLong, undercroft.actor.context.self)
    Persistent(journal, id, Total(0, 0, 0))(
      command = (total, command) =>
        command match
          case Count.Add(amount) =>
            if amount != total.last + 1 then isOrdered = false
            Effect.persist(Added(amount))
          case Count.Read(to) =>
            Effect.none.thenReply(to)(t => CountResult(t.count, t.sum, t.last, isOrdered))
          case Count.Fail => throw IllegalStateException("the command handler failed")
          case Count.Passivate =>
            Effect.none.thenRun(_ => entity.shard ! ClusterSharding.Passivate(self.toPekko))
      ,
      event = (total, added) => Total(total.count + 1, total.sum + added.amount, added.amount)
    )

  private def messages =
    ActorSystemSetup(UndercroftSerialization(MessageCodec[Count], MessageCodec[CountResult]))

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-shards-")
    try body(folder)
    finally VaultAudit.delete(folder)

  /** The folders of the tests on one node, which may store snapshots there until it ends. */
  private lazy val folders = Files.createTempDirectory("undercroft-shards-")

  /** A cluster of one node, on which each test has a type of entities and a folder. */
  private lazy val single: typed.ActorSystem[Nothing] =
    val single = node(messages)
    Cluster(single).manager ! Join(Cluster(single).selfMember.address)
    until(Cluster(single).selfMember.status == MemberStatus.Up)
    single

  override def afterAll(): Unit =
    single.terminate()
    Await.ready(single.whenTerminated, patience): Unit
    VaultAudit.delete(folders)

  private def onNode(body: (Path, typed.ActorSystem[Nothing]) => Unit): Unit =
    val folder = Files.createTempDirectory(folders, "node-")
    key = EntityTypeKey[Count](s"Count-${folder.getFileName}")
    body(folder, single)

  private def open(node: typed.ActorSystem[?], folder: Path, patience: FiniteDuration = 1.minute) =
    given typed.ActorSystem[?] = node
    val journals = ShardJournals.open[Added, Total](
      folder,
      durability = Durability.VOLATILE,
      patience = patience
    )
    ClusterSharding(node).init(Entity(key)(entity => journals.entity(counter(_, entity)))): Unit
    journals

  private def refs(node: typed.ActorSystem[?], count: Int): Vector[ActorRef[Count]] =
    given typed.ActorSystem[?] = node
    Vector.tabulate(count)(n => ClusterSharding(node).entityRefFor(key, s"$n").toUndercroft)

  private def read(counter: ActorRef[Count]): CountResult =
    counter.ask[CountResult](1.minute)(Count.Read(_))

  test("entities keep their state when their node leaves, and their messages wait meanwhile"):
    inFolder: folder =>
      cluster(2, messages): nodes =>
        val journals = nodes.map(open(_, folder))
        untilSharded(nodes(0), key, 2)
        val counters = refs(nodes(0), 40)
        for n <- 1 to 10; counter <- counters do counter ! Count.Add(n)
        for counter <- counters do assertEquals(read(counter), CountResult(10, 55, 10, true))
        assert(journals.forall(_.openShards.nonEmpty), "both nodes have shards")
        assertEquals(journals(0).openShards intersect journals(1).openShards, Set.empty[String])
        nodes(1).terminate()
        for n <- 11 to 20; counter <- counters do counter ! Count.Add(n)
        Await.ready(nodes(1).whenTerminated, patience): Unit
        for counter <- counters do counter ! Count.Add(21)
        for counter <- counters do
          val result = read(counter)
          // plain messages to a node that leaves may be lost; stored ones are not
          assert(result.count >= 11 && result.last == 21, s"$result")
        assertEquals(journals(1).openShards, Set.empty[String])
      // all nodes have ended: every journal is closed, with all events
      val shards = Files.list(folder).filter(Files.isDirectory(_)).toArray.length
      assert(shards > 1, s"$shards shards")
      for shard <- 0 until 20 if Files.exists(folder.resolve(s"shard-$shard")) do
        Journal.open[Added, Total](folder.resolve(s"shard-$shard")).close()

  /** Sends commands to one entity by reliable delivery: all are stored, in order. */
  private def deliver(commands: Int): Unit =
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      open(node, folder): Unit
      val counter = refs(node, 1).head
      val dead = Notes()
      val sender = ActorSystem(
        "sender",
        listener = {
          case ActorEvent.DeadLetter(_, message, reason) => dead.add(s"$message $reason")
          case _                                         => ()
        }
      )
      try
        given ActorSystem = sender
        val mailbox = Mailbox(10_000, Overflow.Backpressure)
        val delivery = ReliableDelivery.spawn(counter, mailbox = mailbox)
        for n <- 1 to commands do delivery ! Count.Add(n)
        val sum = commands * (commands + 1L) / 2
        assertEquals(read(delivery), CountResult(commands, sum, commands, true))
        assertEquals(dead.all, Nil)
      finally sender.close()

  test("20 000 commands to one entity by reliable delivery: all are stored, in order"):
    deliver(20_000)

  test(
    "a million commands to one entity by reliable delivery: all are stored, in order".tag(LongTest)
  ):
    deliver(1_000_000)

  test("a journal that another owner has open: the entity waits for it, with its messages"):
    onNode: (folder, node) =>
      val journals = open(node, folder)
      // entity 7 is in the shard that Pekko's default extractor computes
      val shard = s"${math.abs("7".hashCode % 20)}"
      val other = Journal.open[Added, Total](folder.resolve(s"shard-$shard"))
      val counter = refs(node, 8)(7)
      try
        for n <- 1 to 1000 do counter ! Count.Add(n)
        intercept[AskTimeoutException](
          counter.ask[CountResult](silence)(Count.Read(_))
        ): Unit
        assertEquals(journals.openShards, Set.empty[String])
      finally other.close()
      assertEquals(read(counter), CountResult(1000, 500_500, 1000, true))
      assertEquals(journals.openShards, Set(shard))

  test("more messages than the stash of an entity takes wait for its journal, and are handled"):
    onNode: (folder, node) =>
      open(node, folder): Unit
      val dead = deadLetters(node)
      val other = Journal.open[Added, Total](shardOf7(folder))
      val counters = refs(node, 8)
      assertEquals(read(counters(0)).count, 0L) // the shard coordinator runs
      val count = Persistent.DefaultStashLimit + 2000
      try
        for n <- 1 to count do counters(7) ! Count.Add(n)
        intercept[AskTimeoutException](
          counters(7).ask[CountResult](silence)(Count.Read(_))
        ): Unit
      finally other.close()
      assertEquals(
        read(counters(7)),
        CountResult(count, count * (count + 1L) / 2, count, true)
      )
      assertEquals(dead.all, Nil)

  test("a journal in use for longer than `patience`: the entity fails, and starts again later"):
    onNode: (folder, node) =>
      open(node, folder, patience = 100.millis): Unit
      val shard = folder.resolve(s"shard-${math.abs("7".hashCode % 20)}")
      val other = Journal.open[Added, Total](shard)
      val counter = refs(node, 8)(7)
      try
        for _ <- 1 to 3 do
          intercept[AskTimeoutException](
            counter.ask[CountResult](300.millis)(Count.Read(_))
          ): Unit
      finally other.close()
      until(Try(counter.ask[CountResult](1.second)(Count.Read(_)).count).toOption.contains(0L))

  /** The folder of the shard of entity 7. */
  private def shardOf7(folder: Path): Path =
    folder.resolve(s"shard-${math.abs("7".hashCode % 20)}")

  /** The numbers of the Adds that become dead letters of a node. */
  private def deadLetters(node: typed.ActorSystem[?]): Notes =
    val dead = Notes()
    val listener = node.systemActorOf(
      typed.scaladsl.Behaviors.receiveMessage[DeadLetter]: letter =>
        letter.message match
          case Count.Add(amount) => dead.add(amount)
          case _                 => ()
        typed.scaladsl.Behaviors.same
      ,
      s"dead-${key.name}",
      typed.Props.empty
    )
    node.toClassic.eventStream.subscribe(listener.toClassic, classOf[DeadLetter]): Unit
    dead

  test("messages that wait for a journal that is not opened become dead letters"):
    onNode: (folder, node) =>
      open(node, folder, patience = 300.millis): Unit
      val dead = deadLetters(node)
      val other = Journal.open[Added, Total](shardOf7(folder))
      try
        val counter = refs(node, 8)(7)
        for n <- 1 to 3 do counter ! Count.Add(n)
        assertEquals(dead.take(3), List("1", "2", "3"))
      finally other.close()

  test("an entity that fails at a message that waited, and is restarted, leaves no journal open"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      val journals = ShardJournals.open[Added, Total](folder, durability = Durability.VOLATILE)
      val handled = Notes()
      def failing(entity: EntityContext[Count]): Behavior[Count] = Behavior.setup:
        val own = undercroft.actor.context.self
        Behavior.receive: message =>
          message match
            case Count.Add(amount) => handled.add(amount)
            case Count.Fail        => throw IllegalStateException("the handler failed")
            case Count.Passivate   => entity.shard ! ClusterSharding.Passivate(own.toPekko)
            case Count.Read(_)     => ()
          Behavior.same
      ClusterSharding(node).init(Entity(key)(entity =>
        typed.scaladsl.Behaviors
          .supervise(journals.entity(_ => failing(entity)))
          .onFailure[IllegalStateException](typed.SupervisorStrategy.restart)
      )): Unit
      val dead = deadLetters(node)
      val other = Journal.open[Added, Total](shardOf7(folder))
      val counter = refs(node, 8)(7)
      try
        for n <- 1 to 3 do counter ! (if n == 2 then Count.Fail else Count.Add(n))
        intercept[AskTimeoutException](
          counter.ask[CountResult](silence)(Count.Read(_))
        ): Unit
      finally other.close()
      assertEquals(dead.take(1), List("3"))
      counter ! Count.Add(4)
      assertEquals(handled.take(2), List("1", "4"))
      counter ! Count.Passivate
      until(journals.openShards.isEmpty)

  test("a reliable delivery does not give up an entity that waits for its journal"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      open(node, folder): Unit
      val other = Journal.open[Added, Total](shardOf7(folder))
      val counters = refs(node, 8)
      assertEquals(read(counters(0)).count, 0L) // the shard coordinator runs
      val notes = Notes()
      noting(notes):
        try
          val delivery = ReliableDelivery.spawn(counters(7), giveUpAfter = 1.second)
          delivery ! Count.Add(1)
          intercept[AskTimeoutException](
            counters(7).ask[CountResult](1500.millis)(Count.Read(_))
          ): Unit
          other.close()
          assertEquals(read(delivery), CountResult(1, 1, 1, true))
        finally other.close()
      assertEquals(notes.all, Nil)

  test("the longest `patience` that a FiniteDuration has does not end"):
    onNode: (folder, node) =>
      open(node, folder, patience = Long.MaxValue.nanoseconds): Unit
      val shard = folder.resolve(s"shard-${math.abs("7".hashCode % 20)}")
      val other = Journal.open[Added, Total](shard)
      val counter = refs(node, 8)(7)
      try
        counter ! Count.Add(1)
        intercept[AskTimeoutException](
          counter.ask[CountResult](silence)(Count.Read(_))
        ): Unit
      finally other.close()
      assertEquals(read(counter), CountResult(1, 1, 1, true))

  /** Runs `body` while another folder, or none, is in the place of a folder. */
  private def replaced(folder: Path, replace: Path => Unit)(body: => Unit): Unit =
    val away = folder.resolveSibling(s"${folder.getFileName}-away")
    Files.move(folder, away)
    try
      replace(folder)
      body
    finally
      if Files.exists(folder) then VaultAudit.delete(folder)
      Files.move(away, folder): Unit

  test("no journal is created in the place of a folder that was moved or unmounted"):
    val replacements = List[Path => Unit](
      _ => (),
      folder => Files.createDirectory(folder): Unit,
      folder =>
        Files.createDirectory(folder)
        Files.writeString(folder.resolve("shards"), "7"): Unit
    )
    onNode: (parent, node) =>
      val folder = parent.resolve("journals")
      val journals = open(node, folder)
      val counter = refs(node, 1).head
      for (replace, n) <- replacements.zip(1 to 3) do
        counter ! Count.Add(n)
        assertEquals(read(counter).count, n.toLong)
        counter ! Count.Passivate
        until(journals.openShards.isEmpty)
        replaced(folder, replace):
          intercept[AskTimeoutException](
            counter.ask[CountResult](silence)(Count.Read(_))
          ): Unit
          assert(!Files.exists(folder.resolve(s"shard-${math.abs("0".hashCode % 20)}")))
        // Pekko loses messages to an entity between its end and the time that the shard knows it
        until(Try(counter.ask[CountResult](silence)(Count.Read(_))).isSuccess)

  test("a damaged journal: its entities fail, those of other shards continue"):
    onNode: (folder, node) =>
      val shard = folder.resolve(s"shard-${math.abs("7".hashCode % 20)}")
      Files.createDirectories(shard)
      Files.write(shard.resolve("events-0000000001.struct"), Array.fill[Byte](100)(1))
      open(node, folder): Unit
      val counters = refs(node, 8)
      intercept[AskTimeoutException](
        counters(7).ask[CountResult](silence)(Count.Read(_))
      ): Unit
      counters(1) ! Count.Add(1)
      assertEquals(read(counters(1)), CountResult(1, 1, 1, true))

  test("a journal that has failed is opened again, although an idle entity uses it"):
    onNode: (folder, node) =>
      open(node, folder): Unit
      val shard = shardOf7(folder)
      val idle = (8 to 1000).find(n => (s"$n".hashCode - "7".hashCode) % 20 == 0).get
      val counters = refs(node, idle + 1)
      val (first, second) = (counters(7), counters(idle))
      for counter <- List(first, second) do
        counter ! Count.Add(1)
        assertEquals(read(counter), CountResult(1, 1, 1, true))
      // Another file with the same events: the journal must not write to the removed one.
      val events = shard.resolve("events-0000000001.struct")
      val copy = Files.copy(events, shard.resolve("copy"))
      Files.move(copy, events, REPLACE_EXISTING): Unit
      for counter <- List(first, second) do
        counter ! Count.Add(2) // fails, and so does the entity
        val isBack = (1 to 30).exists: _ =>
          Try(counter.ask[CountResult](500.millis)(Count.Read(_))).toOption
            .contains(CountResult(1, 1, 1, true))
        assert(isBack, "the journal was not opened again")
      for counter <- List(first, second) do
        counter ! Count.Add(2)
        assertEquals(read(counter), CountResult(2, 3, 2, true))

  test("an entity that fails is started by its next message, with its stored state"):
    onNode: (folder, node) =>
      val journals = open(node, folder)
      val counter = refs(node, 1).head
      for round <- 1 to 20 do
        // Pekko loses messages to an entity between its end and the time that the shard knows it
        until(Try(counter.ask[CountResult](silence)(Count.Read(_))).isSuccess)
        counter ! Count.Add(round)
        assertEquals(read(counter).count, round.toLong)
        counter ! Count.Fail
        until(journals.openShards.isEmpty)

  test("a passivated entity is started by its next message, with its stored state"):
    onNode: (folder, node) =>
      val journals = open(node, folder)
      val counter = refs(node, 1).head
      for round <- 1 to 20 do
        counter ! Count.Add(round) // the shard keeps it until the entity has started again
        assertEquals(read(counter).count, round.toLong)
        counter ! Count.Passivate
        if round % 2 == 0 then until(journals.openShards.isEmpty)

  test("commands that wait when an entity is passivated are stored before it stops"):
    onNode: (folder, node) =>
      open(node, folder): Unit
      val counter = refs(node, 1).head
      for round <- 0 until 20 do
        for n <- 1 to 100 do
          counter ! Count.Add(round * 100 + n)
          if n % 30 == 0 then counter ! Count.Passivate
        val count = (round + 1) * 100L
        assertEquals(read(counter), CountResult(count, count * (count + 1) / 2, count, true))

  test("another number of shards is refused, and the folder is unchanged"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      ShardJournals.open[Added, Total](folder): Unit
      val error = intercept[IllegalArgumentException](
        ShardJournals.open[Added, Total](folder, shards = 7): Unit
      )
      assert(
        error.getMessage.startsWith(
          s"shards must be 20, the number with which $folder was written, but is 7: "
        ),
        error.getMessage
      )
      assertEquals(Files.readString(folder.resolve("shards")), "20\n")

  test("a folder that this system has opened already is refused; another system may open it"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      ShardJournals.open[Added, Total](folder): Unit
      val error = intercept[IllegalStateException](
        ShardJournals.open[Added, Total](folder): Unit
      )
      assertEquals(
        error.getMessage,
        s"cluster has opened $folder already: open it once, before the entity type is " +
          "initialized, and use it for all entities"
      )
      cluster(1, messages): others =>
        ShardJournals.open[Added, Total](folder)(using others(0)): Unit

  test("a mailbox with back-pressure is refused when the entity type is initialized"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      val journals = ShardJournals.open[Added, Total](folder)
      val error = intercept[IllegalArgumentException](
        journals.entity[Long](_ => Behavior.ignore[Long], Mailbox(10, Overflow.Backpressure))
      )
      assert(error.getMessage.contains("allowed: Fail, DropNewest, DropOldest"), error.getMessage)

  test("arguments out of range, a folder that is a file"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      def refused(body: => Any) = intercept[IllegalArgumentException](body: Unit).getMessage
      assertEquals(
        refused(ShardJournals.open[Added, Total](folder, shards = -1)),
        "shards must be at least 0, but is -1"
      )
      assertEquals(
        refused(ShardJournals.open[Added, Total](folder, patience = -1.second)),
        "patience must be at least 0, but is -1 seconds"
      )
      val file = Files.writeString(folder.resolve("file"), "text")
      intercept[java.io.IOException](ShardJournals.open[Added, Total](file): Unit): Unit

  test("an actor that is no entity fails, and leaves no journal open"):
    onNode: (folder, node) =>
      given typed.ActorSystem[?] = node
      val journals = ShardJournals.open[Added, Total](folder)
      val actor = node.systemActorOf(
        journals.entity(journal =>
          Persistent(journal, 1, Total(0, 0, 0))(
            command = (_, amount: Long) => Effect.persist(Added(amount)),
            event = (total, _) => total
          )
        ),
        "alone",
        typed.Props.empty
      )
      val stopped = Notes()
      node.systemActorOf(
        typed.scaladsl.Behaviors.setup[Int]: context =>
          context.watch(actor)
          typed.scaladsl.Behaviors.receiveSignal { case (_, typed.Terminated(_)) =>
            stopped.add("stopped")
            typed.scaladsl.Behaviors.same
          }
        ,
        "watcher",
        typed.Props.empty
      ): Unit
      assertEquals(stopped.take(1), List("stopped"))
      assertEquals(journals.openShards, Set.empty[String])
end ShardJournalsTest
