package outside.actor

import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Random
import undercroft.actor.*

/** Paths of actors, and lookups by path. */
class PathTest extends undercroft.tools.Suite:
  private def stopping: Behavior[Int] = Behavior.receive(_ => Behavior.stopped)

  private def stop(actor: ActorRef[Int]): Unit =
    actor ! 1
    Await.result(actor.whenStopped, 1.minute)

  test("a path is the names from the system down, and finds the actor"):
    ActorSystem.scoped("town"):
      val system = summon[ActorSystem]
      val refs = ConcurrentLinkedQueue[ActorRef[Int]]()
      val shop = spawn(
        Behavior.setup[Int] {
          refs.add(spawn(stopping, "till"))
          Behavior.ignore
        },
        "shop"
      )
      assert(system.awaitQuiescence(1.minute))
      val till = refs.peek
      assertEquals((shop.path, till.path), ("shop", "shop/till"))
      assert(system.find("shop").contains(shop))
      assert(system.find("shop/till").contains(till))
      stop(till)
      assertEquals(system.find("shop/till"), None)
      assert(till.path.startsWith("shop/till#"), till.path)
      assertEquals(system.find(till.path), None)

  test("actors with one name have different paths, and each of their paths keeps finding them"):
    ActorSystem.scoped("town"):
      val system = summon[ActorSystem]
      val tills = Vector.fill(3)(spawn(stopping, "till"))
      val paths = tills.map(_.path)
      assertEquals(paths.distinct.size, 3)
      assertEquals(paths.head, "till")
      assert(paths.tail.forall(_.startsWith("till#")), paths.toString)
      for (till, path) <- tills.zip(paths) do assert(system.find(path).contains(till), path)
      stop(tills(0))
      assertEquals(tills(1).path, "till")
      for (till, path) <- tills.zip(paths).tail do assert(system.find(path).contains(till), path)
      assert(system.find("till").contains(tills(1)))

  test(
    "actors without a name, and names with slashes, number signs and percents, have unique paths"
  ):
    ActorSystem.scoped("town"):
      val system = summon[ActorSystem]
      val names = List("", "", "a/b", "a#1", "100%", "a%2Fb", "%23", "#", "/", "ü")
      val actors = for name <- names yield spawn(Behavior.ignore[Int], name)
      val paths = actors.map(_.path)
      assertEquals(paths.distinct.size, names.size)
      assertEquals(
        paths.drop(2),
        List("a%2Fb", "a%231", "100%25", "a%252Fb", "%2523", "%23", "%2F", "ü")
      )
      for (actor, path) <- actors.zip(paths) do assert(system.find(path).contains(actor), path)

  test("texts that are no path find nothing, and null is an error"):
    ActorSystem.scoped("town"):
      val system = summon[ActorSystem]
      val actor = spawn(Behavior.ignore[Int], "a")
      val number = spawn(Behavior.ignore[Int]).path.drop(1)
      for path <-
          List("", "/", "a/", "/a", "a//a", "#", "a#", "a#x", "#0" + number, s"a#$number") :+
            s"b#$number" :+ "a#99999999999999999999" :+ "town" :+ "A"
      do assertEquals(system.find(path), None, path)
      val error = intercept[NullPointerException](system.find(null))
      assertEquals(error.getMessage, "the path of an actor of town is null")
      assert(system.find("a").contains(actor))
    val closed = ActorSystem("closed")
    val late = spawn(Behavior.ignore[Int], "late")(using closed)
    closed.close()
    assertEquals(closed.find("late"), None)
    assert(late.path.startsWith("late#"))

  test("references that are no actors have their names as paths"):
    ActorSystem.scoped("town"):
      val actor = spawn(
        Behavior.setup[Reply[List[String]]] {
          val adapter = context.messageAdapter[Reply[List[String]]](identity)
          Behavior.receive: reply =>
            reply ! List(adapter.path, reply.path)
            Behavior.same
        },
        "desk"
      )
      assertEquals(
        actor.ask[List[String]](1.minute)(identity),
        List("adapter of desk", "the asker of desk")
      )

  test("the paths of random trees are unique, find their actors, and are those of the tree"):
    val seed = Random.nextLong()
    val random = Random(seed)
    ActorSystem.scoped("forest"):
      val system = summon[ActorSystem]
      val nodes = ConcurrentLinkedQueue[ActorRef[String]]()
      def node: Behavior[String] = Behavior.receive:
        case "stop" => Behavior.stopped
        case name   => Behavior.setup { nodes.add(spawn(node, name)); node }
      for _ <- 1 to 3 do nodes.add(spawn(node, "root"))
      for _ <- 1 to 500 do
        val live = nodes.asScala.toVector.filterNot(_.isStopped)
        val isStop = live.size > 20 && random.nextInt(10) == 0
        val target =
          live(if isStop then live.size - 1 - random.nextInt(10) else random.nextInt(live.size))
        target ! (if isStop then "stop" else Vector("", "a", "b", "a/b")(random.nextInt(4)))
        assert(system.awaitQuiescence(1.minute))
      val live = nodes.asScala.toVector.filterNot(_.isStopped)
      assert(live.size > 20 && live.size < nodes.size, s"${live.size} are live, seed $seed")
      val paths = live.map(_.path)
      assertEquals(paths.distinct.size, live.size, s"seed $seed")
      for (actor, path) <- live.zip(paths) do
        assert(system.find(path).contains(actor), s"$path, seed $seed")
      assertEquals(system.observe.tree.rows.map(_.path).toSet, paths.toSet, s"seed $seed")

  test("the rows of a tree that is deeper than 64 levels have no path from there on"):
    ActorSystem.scoped("deep"):
      val system = summon[ActorSystem]
      val last = ConcurrentLinkedQueue[ActorRef[Int]]()
      def nested(left: Int): Behavior[Int] = Behavior.setup:
        last.add(context.self)
        if left > 0 then spawn(nested(left - 1), "n")
        Behavior.ignore
      spawn(nested(100), "n")
      assert(system.awaitQuiescence(1.minute))
      assertEquals(system.observe.tree.rows.map(_.path).count(_.isEmpty), 101 - 65)
      for actor <- last.asScala do assert(system.find(actor.path).contains(actor))
end PathTest
