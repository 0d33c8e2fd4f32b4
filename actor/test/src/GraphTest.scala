package undercroft.actor

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, AtomicReferenceArray}
import scala.util.Random

/** Graphs of actors that are not a single ring: the counts must be exact on each. */
class GraphTest extends EveryModel:

  onEveryModel(
    "two rings that share nodes handle all messages, in the order of each pair of nodes",
    seeds = 5
  ):
    val rounds = 200
    val (smallRing, largeRing) = (10, 30)
    final case class Sent(ring: Int, number: Int, left: Int)
    val misplaced = AtomicLong()
    lazy val nodes: Vector[ActorRef[Sent]] = Vector.tabulate(largeRing): i =>
      stage.start(Behavior.setup[Sent]:
        val last = new Array[Int](2)
        Behavior.receive: token =>
          // A node receives a ring's tokens from one predecessor, so their numbers increase.
          if token.number <= last(token.ring) then misplaced.incrementAndGet(): Unit
          last(token.ring) = token.number
          if token.left > 0 then
            val size = if token.ring == 0 then smallRing else largeRing
            nodes((i + 1) % size) ! Sent(token.ring, token.number + 1, token.left - 1)
          Behavior.same)
    nodes(0) ! Sent(0, 1, smallRing * rounds - 1)
    nodes(0) ! Sent(1, 1, largeRing * rounds - 1)
    stage.quiet()
    assertEquals(stage.system.observe.audit.handled, (smallRing + largeRing) * rounds.toLong)
    assertEquals(misplaced.get, 0L)

  onEveryModel("on a random graph every message makes all its hops", seeds = 10):
    val seed = stage.seed
    val random = Random(seed)
    val count = 200
    val edges = Vector.fill(count)(Vector.fill(1 + random.nextInt(4))(random.nextInt(count)))
    val handled = AtomicLong()
    final case class Walk(left: Int, dice: Int)
    lazy val nodes: Vector[ActorRef[Walk]] = Vector.tabulate(count): i =>
      stage.start(Behavior.receive[Walk] { walk =>
        handled.incrementAndGet(): Unit
        val to = edges(i)((walk.dice >>> 8) % edges(i).size)
        if walk.left > 1 then
          nodes(to) ! Walk(walk.left - 1, (walk.dice * 1103515245 + 12345) & 0x7fffffff)
        Behavior.same
      })
    for n <- 1 to 100 do nodes(random.nextInt(count)) ! Walk(n, random.nextInt(Int.MaxValue))
    stage.quiet()
    assertEquals(handled.get, 5050L, s"seed $seed")
    assertEquals(stage.system.observe.audit.handled, 5050L, s"seed $seed")

  onEveryModel(
    "a ring handles every message while its nodes change behavior at each one",
    seeds = 5
  ):
    val hops = 5000
    val counts = AtomicReferenceArray[Integer](7)
    for i <- 0 until 7 do counts.set(i, 0)
    def node(i: Int, count: Int): Behavior[EventLog] = Behavior.receive:
      case EventLog.Token(id, left) =>
        counts.set(i, count + 1)
        if left > 1 then nodes((i + 1) % 7) ! EventLog.Token(id, left - 1)
        other(i, count + 1)
      case _ => Behavior.unhandled
    def other(i: Int, count: Int): Behavior[EventLog] =
      val handle: EventLog => Behavior[EventLog] =
        case EventLog.Token(id, left) =>
          counts.set(i, count + 1)
          if left > 1 then nodes((i + 1) % 7) ! EventLog.Token(id + 1, left - 1)
          node(i, count + 1)
        case _ => Behavior.unhandled
      Behavior.receive(handle)
    lazy val nodes: Vector[ActorRef[EventLog]] = Vector.tabulate(7)(i => stage.start(node(i, 0)))
    nodes(0) ! EventLog.Token(0, hops)
    stage.quiet()
    assertEquals((0 until 7).map(counts.get(_).toInt).sum, hops)

  testRounds("all of many actors of one system reply to a message")(100_000, 1_000_000): count =>
    Stage.play(Run.Workers, patience * 4):
      val answers = AtomicInteger()
      val collector = stage.start(
        Behavior.receive[Int] { n =>
          answers.addAndGet(n): Unit
          Behavior.same
        },
        "collector",
        Mailbox(count)
      )
      val behavior = Behavior.receive[ActorRef[Int]]: to =>
        to ! 1
        Behavior.same
      val actors = Array.fill(count)(stage.start(behavior))
      assertEquals(stage.system.observe.audit.actors, count + 1L)
      for actor <- actors do actor ! collector
      stage.quiet()
      assertEquals(answers.get, count)
end GraphTest
