package outside.pekko

import org.apache.pekko.actor.typed
import org.apache.pekko.cluster.sharding.typed.scaladsl.{ClusterSharding, Entity, EntityContext}
import org.apache.pekko.cluster.sharding.typed.scaladsl.EntityTypeKey
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
