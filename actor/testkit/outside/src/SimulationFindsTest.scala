package outside.actor.testkit

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Bugs that a simulation finds and replays. */
class SimulationFindsTest extends undercroft.tools.Suite:

  /** The message of the failure that the simulation finds. */
  private def found(body: => Unit)(using munit.Location): String =
    intercept[munit.FailException](body).getMessage

  private def replayOf(message: String): String =
    "replay = \"([^\"]+)\"".r.findFirstMatchIn(
      message
    ).fold(fail(s"no replay in $message"))(_.group(1))

  // ---- sets of references

  enum Room derives CanEqual:
    case Join(member: ActorRef[Int])
    case Say(n: Int)

  private def room: Behavior[Room] = Behavior.setup:
    var members = Set[ActorRef[Int]]()
    Behavior.receive:
      case Room.Join(member) => members += member; Behavior.same
      case Room.Say(n) =>
        for member <- members do member ! n
        Behavior.same

  private def chat(seeds: Int, replay: String = ""): Unit = simulate(seeds, replay):
    val there = spawn(room, "room")
    var order = Vector[Int]()
    val members = Vector.tabulate(8): i =>
      spawn(
        Behavior.receive[Int] { _ =>
          order = order :+ i; Behavior.same
        },
        s"m$i"
      )
    for member <- members do there ! Room.Join(member)
    there ! Room.Say(1)
    simulation.runUntilIdle()
    if order.indexOf(7) < order.indexOf(3) && order.indexOf(5) < order.indexOf(1) then
      throw AssertionError("the planted mistake")

  test("a failure that depends on the order of a set of references replays"):
    for _ <- 1 to 3 do
      val replay = replayOf(found(chat(300)))
      for _ <- 1 to 10 do
        assert(found(chat(1, replay)).startsWith("the planted mistake"), replay)

  test("a simulation completes the futures of stopped actors, and names an actor without one"):
    var ended = 0
    simulate(seeds = 100):
      val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped), run = Run.Virtual)
      val future = actor.whenStopped
      assert(!future.isCompleted)
      actor ! 1
      simulation.await(future)
      assert(actor.isStopped && actor.whenStopped.isCompleted)
      ended += 1
    assertEquals(ended, 100)

  test("a simulation replaces named pools, and a stop with an interrupt is a stop"):
    var stopped = 0
    simulate(seeds = 50):
      val parent = spawn(
        Behavior.setup[String]:
          val child = spawn(Behavior.ignore[Int], run = Run.Thread)
          context.watchWith(child, "stopped")
          Behavior.receive:
            case "stop"    => context.stop(child, interruptAfter = 1.hour); Behavior.same
            case "stopped" => stopped += 1; Behavior.stopped
            case _         => Behavior.unhandled
        ,
        run = Run.Pool("io")
      )
      parent ! "stop"
      simulation.await(parent.whenStopped, within = 1.second)
    assertEquals(stopped, 50)

  test("a simulation replays an intercepted actor that drops messages by their order"):
    final class Dropping extends BehaviorInterceptor[Int, Int]:
      private var last = 0
      def aroundReceive(n: Int, target: BehaviorInterceptor.Target[Int]): Behavior[Int] =
        val before = last
        last = n
        if n < before then Behavior.unhandled else target.receive(n)
    var complete = 0
    simulate(seeds = 100):
      val probe = Probe[Int]()
      val actor = spawn(Behavior.intercept(Dropping())(Behavior.receive[Int] { n =>
        probe.ref ! n
        Behavior.same
      }))
      for n <- 1 to 2 do
        spawn(Behavior.receive[Int] { k =>
          actor ! k; Behavior.same
        }) ! n
      simulation.runUntilIdle()
      val seen = probe.received
      assert(seen == seen.sorted && seen.nonEmpty, seen.toString)
      if seen.size == 2 then complete += 1
    assert(complete > 0 && complete < 100, s"$complete of 100 were in order")

  test("hash codes of references and replies depend only on the seed"):
    def hashes: Vector[(Int, Int)] =
      var pairs = Vector[(Int, Int)]()
      simulate(seeds = 5):
        val actor = spawn(Behavior.receive[Reply[Int]] { to =>
          to ! to.hashCode; Behavior.same
        })
        pairs = pairs :+ (actor.hashCode, actor.ask(1.second)((reply: Reply[Int]) => reply))
      pairs
    val first = hashes
    assertEquals(hashes, first)
    assertEquals(first.map(_._1).distinct.size, 5)
    assertEquals(first.map(_._2).distinct.size, 5)

  // ---- time

  enum Client derives CanEqual:
    case Start
    case Done
    case Late

  /** A client that asks a server to add one, and asks again if no reply arrives in time. The server
    * recognizes a repeated request only if `isMended`.
    */
  private def retry(isMended: Boolean)(using Simulation): Int =
    var sum = 0
    val server = spawn(
      Behavior.setup[(Int, ActorRef[Client])]:
        var ids = Set[Int]()
        Behavior.receive: (id, client) =>
          if !(isMended && ids(id)) then sum += 1
          ids += id
          client ! Client.Done
          Behavior.same
      ,
      "server"
    )
    val client = spawn(
      Behavior.setup[Client]:
        def request(): Unit =
          context[Client].startSingleTimer("late", Client.Late, 1.second)
          server ! (1, self[Client])
        Behavior.receive:
          case Client.Start => request(); Behavior.same
          case Client.Late  => request(); Behavior.same
          case Client.Done  => context[Client].cancelTimer("late"); Behavior.same
      ,
      "client"
    )
    client ! Client.Start
    simulation.runUntilIdle()
    simulation.advance(1.minute)
    sum
  end retry

  test("a simulation with latency finds the double execution of a slow, retried request"):
    val message = found(simulate(seeds = 500, latency = 2.seconds)(assertEquals(retry(false), 1)))
    assert(message.contains("replay"), message)
    val replay = replayOf(message)
    for _ <- 1 to 10 do
      val again = found:
        simulate(replay = replay, latency = 2.seconds)(assertEquals(retry(false), 1))
      assert(again.contains("values are not the same"), again)
    simulate(seeds = 500, latency = 2.seconds)(assertEquals(retry(true), 1))

  test("without latency no timer fires while a message can be handled"):
    simulate(seeds = 500)(assertEquals(retry(false), 1))

  test("an ask times out in some seeds if the latency can exceed its timeout"):
    var outcomes = Set[String]()
    simulate(seeds = 200, latency = 2.seconds):
      val server = spawn(Behavior.receive[Reply[Int]] { to =>
        to ! 1; Behavior.same
      })
      val outcome =
        try s"answer ${server.ask[Int](1.second)(identity)}"
        catch case _: AskTimeoutException => "timeout"
      outcomes += outcome
    assertEquals(outcomes, Set("answer 1", "timeout"))

  test("a negative latency throws IllegalArgumentException"):
    val e = intercept[IllegalArgumentException](simulate(latency = -1.second)(()))
    assertEquals(e.getMessage, "latency must be at least 0, but is -1 seconds")

  // ---- sends of the test

  enum Step derives CanEqual:
    case Begin, End, Crash

  /** The test sends two messages to an actor, and another actor makes that one fail. */
  private def saga(policy: Overflow)(using Simulation): Option[String] =
    var wrong = Option.empty[String]
    val worker = spawn(
      Behavior
        .setup[Step]:
          var isBegun = false
          Behavior.receive:
            case Step.Begin => isBegun = true; Behavior.same
            case Step.End =>
              if !isBegun then wrong = Some("an end without a beginning")
              Behavior.same
            case Step.Crash => throw Exception("crash")
        .supervised { case _ => Supervision.Restart() },
      "worker",
      mailbox = Mailbox(100, policy)
    )
    spawn(
      Behavior.receive[Int] { _ =>
        worker ! Step.Crash; Behavior.same
      },
      "chaos"
    ) ! 1
    worker ! Step.Begin
    worker ! Step.End
    simulation.runUntilIdle()
    wrong
  end saga

  for policy <- Overflow.values do
    test(s"a simulation finds a crash between two messages of the test ($policy)"):
      val message = found(simulate(seeds = 1000)(assertEquals(saga(policy), None)))
      val replay = replayOf(message)
      for _ <- 1 to 10 do
        assert(found(simulate(replay = replay)(assertEquals(saga(policy), None))).nonEmpty)

  test("messages from the test to one actor keep their order for every seed"):
    var orders = Set[Vector[Int]]()
    simulate(seeds = 200):
      var received = Vector[Int]()
      val (a, b) = (
        spawn(Behavior.receive[Int] { n =>
          received = received :+ n; Behavior.same
        }),
        spawn(Behavior.receive[Int] { n =>
          received = received :+ n; Behavior.same
        })
      )
      a ! 1
      b ! 2
      a ! 3
      simulation.runUntilIdle()
      assert(received.indexOf(1) < received.indexOf(3))
      orders += received
    assertEquals(orders.size, 3)

  test("the audit of a simulation with asks and full mailboxes is exact"):
    for policy <- Overflow.values do
      simulate(seeds = 50, latency = 100.millis):
        val slow = spawn(
          Behavior.receive[Reply[Int]] { to =>
            to ! 1; Behavior.same
          },
          "slow",
          mailbox = Mailbox(2, policy)
        )
        val asker = spawn(Behavior.setup[Int]:
          Behavior.receive: n =>
            for _ <- 1 to n do
              try slow.askAsync[Int](50.millis)(identity): Unit
              catch case _: MailboxFullException => ()
            Behavior.same)
        asker ! 5
        asker ! 5
        simulation.advance(1.second)
        assert(simulation.system.observe.audit.isExact, s"${simulation.system.observe.audit}")
end SimulationFindsTest
