package outside.pekko

import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityContext}
import org.apache.pekko.cluster.sharding.typed.scaladsl.EntityTypeKey
import java.util.concurrent.locks.LockSupport
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

/** Behaviors of Undercroft as entities of Cluster Sharding, on two nodes. */
class ShardingTest extends ClusterSuite:

  private val key = EntityTypeKey[String]("Word")

  private def counting(entity: EntityContext[String], notes: Notes)(using
      typed.ActorSystem[?]
  ): Behavior[String] = Behavior.setup:
    val id = entity.entityId
    var count = 0
    Behavior
      .receive[String] { word =>
        if word == "stop" then Behavior.stopped
        else if word == "sleep" then
          entity.shard ! ClusterSharding.Passivate(self.toPekko)
          Behavior.same
        else
          count += 1
          notes.add(s"$id $word $count")
          Behavior.same
      }
      .onSignal { case Signal.PostStop =>
        notes.add(s"$id stopped")
        Behavior.same
      }

  test("entities on two nodes, by references that do not name the node; passivation and restart"):
    cluster(2): nodes =>
      val notes = nodes.map(_ => Notes())
      for (node, notes) <- nodes.zip(notes) do
        given typed.ActorSystem[?] = node
        ClusterSharding(node).init(
          Entity(key)(entity => counting(entity, notes).toPekko()).withStopMessage("stop")
        )
      untilSharded(nodes(0), key, 2)
      given typed.ActorSystem[?] = nodes(0)
      val refs =
        Vector.tabulate(40)(n => ClusterSharding(nodes(0)).entityRefFor(key, s"e$n").toUndercroft)
      def count = notes.map(_.all.size).sum
      for round <- 1 to 3 do
        for ref <- refs do ref ! "hello"
        until(count == 40 * round)
      assert(notes.forall(_.all.nonEmpty), "both nodes have entities")
      assertEquals(notes.flatMap(_.all).count(_.endsWith("hello 3")), 40)
      assertEquals(refs(0).name, "Word/e0")
      refs(0) ! "sleep"
      until(notes.flatMap(_.all).contains("e0 stopped"))
      refs(0) ! "again" // the shard keeps it until the entity has started again
      until(notes.flatMap(_.all).contains("e0 again 1"))

  test("remembered entities start again on the other node without a message"):
    val remembering = """
      pekko.cluster.sharding.remember-entities = on
      pekko.cluster.sharding.remember-entities-store = ddata
      pekko.cluster.sharding.distributed-data.durable.keys = []
      pekko.cluster.sharding.updating-state-timeout = 500ms
      pekko.cluster.sharding.waiting-for-state-timeout = 500ms
    """
    cluster(2, more = remembering): nodes =>
      val starts = nodes.map(_ => Notes())
      for (node, starts) <- nodes.zip(starts) do
        given typed.ActorSystem[?] = node
        def starting(id: String): Behavior[String] = Behavior.setup:
          starts.add(id)
          Behavior.receive(word => if word == "stop" then Behavior.stopped else Behavior.same)
        ClusterSharding(node).init(
          Entity(key)(entity => starting(entity.entityId).toPekko()).withStopMessage("stop")
        ): Unit
      untilSharded(nodes(0), key, 2)
      given typed.ActorSystem[?] = nodes(0)
      val ids = Vector.tabulate(40)(n => s"e$n")
      for id <- ids do ClusterSharding(nodes(0)).entityRefFor(key, id).toUndercroft ! "hello"
      until(starts.map(_.all.size).sum == 40)
      val moved = starts(1).all
      assert(moved.nonEmpty, "no entity is on the second node")
      nodes(1).terminate()
      until(moved.forall(starts(0).all.contains(_)))
      assertEquals(starts(0).all.distinct.sorted, ids.sorted.toList)

  test(
    "entities that are passivated again and again lose no message, also while carriers are busy"
  ):
    cluster(1): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val handled = java.util.concurrent.atomic.LongAdder()
      val stops = java.util.concurrent.atomic.LongAdder()
      def session(entity: EntityContext[String]): Behavior[String] = Behavior.setup:
        context.setReceiveTimeout(4.millis, "idle")
        val me = context.self
        Behavior
          .receive[String] {
            case "idle" => entity.shard ! ClusterSharding.Passivate(me.toPekko); Behavior.same
            case _      => handled.increment(); Behavior.same
          }
          .onSignal { case Signal.PostStop =>
            stops.increment()
            Behavior.same
          }
      def process(entity: EntityContext[String]): Behavior[String] = Behavior.process: inbox =>
        val me = self[String]
        while true do
          inbox.receive(4.millis) match
            case None    => entity.shard ! ClusterSharding.Passivate(me.toPekko)
            case Some(_) => handled.increment()
      for (key, behavior) <- Seq(key -> session, EntityTypeKey[String]("Process") -> process) do
        handled.reset()
        stops.reset()
        ClusterSharding(nodes(0)).init(Entity(key)(entity => behavior(entity).toPekko())): Unit
        val refs =
          Vector.tabulate(32)(i => ClusterSharding(nodes(0)).entityRefFor(key, s"$i").toUndercroft)
        val random = scala.util.Random(1)
        val isOver = java.util.concurrent.atomic.AtomicBoolean()
        val busy = Vector.fill(Runtime.getRuntime.availableProcessors):
          Thread.startVirtualThread: () =>
            while !isOver.get do
              for _ <- 1 to 100_000 do Thread.onSpinWait()
              LockSupport.parkNanos(1_000_000)
        try
          var sent = 0L
          for round <- 1 to 2000 do
            val ref = refs(random.nextInt(32))
            for _ <- 0 to random.nextInt(3) do
              ref ! "hit"
              sent += 1
            if round % 3 == 0 then LockSupport.parkNanos(300_000)
          until(handled.sum == sent)
          if key.name == "Word" then until(stops.sum > 0)
        finally
          isOver.set(true)
          busy.foreach(_.join())
      end for

  test("a watch of an entity is refused, with the reason"):
    cluster(1): nodes =>
      given typed.ActorSystem[?] = nodes(0)
      val region = ClusterSharding(nodes(0))
      val notes = Notes()
      region.init(Entity(key)(entity => counting(entity, notes).toPekko()))
      val entity = region.entityRefFor(key, "a").toUndercroft
      ActorSystem.scoped("mine"):
        spawn(Behavior.setup[Int]:
          try context.watch(entity)
          catch case error: IllegalArgumentException => notes.add(error.getMessage)
          Behavior.ignore[Int]): Unit
        assertEquals(
          notes.take(1),
          List("the entity Word/a cannot be watched: it may move to another node")
        )
end ShardingTest
