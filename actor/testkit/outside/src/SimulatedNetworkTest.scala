package outside.actor.testkit

import scala.concurrent.duration.*
import scala.util.{Failure, Success}
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Protocols between nodes that lose messages, are cut off, and restart. */
class SimulatedNetworkTest extends undercroft.tools.RoundsSuite:

  enum Bank:
    case Deposit(number: Int, amount: Int, confirmTo: ActorRef[Teller])
    case Read(to: Reply[Int])
  enum Teller:
    case Pay(amount: Int)
    case Confirmed(number: Int)
    case Repeat

  /** An account; `isIdempotent` is the cure for the planted bug. */
  private def account(isIdempotent: Boolean): Behavior[Bank] = Behavior.setup:
    var sum = 0
    var seen = Set.empty[Int]
    Behavior.receive:
      case Bank.Deposit(number, amount, confirmTo) =>
        if !isIdempotent || !seen(number) then sum += amount
        seen += number
        confirmTo ! Teller.Confirmed(number)
        Behavior.same
      case Bank.Read(to) =>
        to ! sum
        Behavior.same

  /** Repeats each deposit until it is confirmed. */
  private def teller(bank: ActorRef[Bank], here: => ActorRef[Teller]): Behavior[Teller] =
    Behavior.setup:
      var open = Map.empty[Int, Int]
      var number = 0
      context.startTimerWithFixedDelay("repeat", Teller.Repeat, 100.millis)
      Behavior.receive: message =>
        message match
          case Teller.Pay(amount) =>
            number += 1
            open = open.updated(number, amount)
            bank ! Bank.Deposit(number, amount, here)
          case Teller.Confirmed(number) => open -= number
          case Teller.Repeat =>
            for (number, amount) <- open do bank ! Bank.Deposit(number, amount, here)
        Behavior.same

  private def pays(isIdempotent: Boolean, seeds: Int = 500, replay: String = "")(
      faults: (SimulatedNetwork, SimulatedNode, SimulatedNode) => Simulation ?=> Unit = (_, _, _) =>
        ()
  ): Unit = simulate(seeds, replay):
    val network = SimulatedNetwork(loss = 20, duplication = 10, maxDelay = 50.millis)
    val (branch, center) = (network.node("branch"), network.node("center"))
    val bank = center.spawn("bank")(account(isIdempotent))
    lazy val clerk: ActorRef[Teller] =
      branch.spawn("teller")(teller(branch.remote(bank), center.remote(clerk)))
    for _ <- 1 to 10 do clerk ! Teller.Pay(7)
    faults(network, branch, center)
    simulation.advance(1.minute)
    assertEquals(bank.ask[Int](1.second)(Bank.Read(_)), 70)

  private def found(body: => Unit): String = intercept[munit.FailException](body).getMessage

  test("an idempotent account keeps the sum through loss, duplicates and delays"):
    pays(isIdempotent = true)()

  test("a partition that heals: the sum holds"):
    pays(isIdempotent = true): (network, branch, center) =>
      network.partition(branch, center)
      simulation.advance(10.seconds)
      network.heal()

  testRounds("seeds with loss, duplicates, delays and a partition: the sum holds")(2000, 10_000):
    seeds =>
      pays(isIdempotent = true, seeds = seeds): (network, branch, center) =>
        simulation.advance(100.millis)
        network.partition(branch, center)
        simulation.advance(10.seconds)
        network.heal()

  test("planted: an account that is not idempotent is found, and the failure replays"):
    val message = found(pays(isIdempotent = false)())
    val replay = "replay = \"([^\"]+)\"".r.findFirstMatchIn(message).map(_.group(1)).getOrElse("")
    assert(replay.nonEmpty, message)
    for _ <- 1 to 3 do
      assert(found(pays(isIdempotent = false, replay = replay)()).contains("70"), replay)

  test("planted: an account in memory loses its sum by a restart, which is found"):
    val message = found(pays(isIdempotent = true): (_, _, center) =>
      simulation.advance(200.millis)
      center.restart())
    assert(message.contains("replay"), message)

  test("without faults each message arrives once, in order"):
    simulate(seeds = 200):
      val network = SimulatedNetwork()
      val (here, there) = (network.node("here"), network.node("there"))
      val probe = Probe[Int]()
      val target = there.spawn("target")(Behavior.receive[Int] { n =>
        probe.ref ! n
        Behavior.same
      })
      val remote = here.remote(target)
      for n <- 1 to 50 do remote ! n
      simulation.runUntilIdle()
      assertEquals(probe.received, (1 to 50).toVector)

  test("a partition loses messages in both directions, and only between its nodes"):
    simulate(seeds = 50):
      val network = SimulatedNetwork()
      val nodes = Vector("a", "b", "c").map(network.node)
      val probe = Probe[String]()
      val actors = nodes.map(node =>
        node.spawn("echo")(Behavior.receive[String] { text =>
          probe.ref ! text
          Behavior.same
        })
      )
      network.partition(nodes(0), nodes(1))
      for from <- 0 to 2; to <- 0 to 2 if from != to do
        nodes(from).remote(actors(to)) ! s"$from-$to"
      simulation.runUntilIdle()
      assertEquals(probe.received.sorted, Vector("0-2", "1-2", "2-0", "2-1"))

  /** A server that answers at once; `before` runs first. */
  private def server(before: () => Unit): Behavior[Reply[Int]] = Behavior.receive: reply =>
    before()
    reply ! 7
    Behavior.same

  test("a reply to an ask of a remote reference crosses the network: it takes time"):
    var late = 0
    simulate(seeds = 100):
      val network = SimulatedNetwork(maxDelay = 1.second)
      val (here, there) = (network.node("here"), network.node("there"))
      var served = 0
      val target = there.spawn("target")(server(() => served += 1))
      val reply = here.remote(target).askAsync[Int](10.seconds)(r => r)
      simulation.runUntil(10.seconds)(served == 1)
      simulation.runUntilIdle()
      assert(!reply.isCompleted, "the reply took no time")
      assertEquals(simulation.await(reply), Success(7))
      // a reply that needs longer than the ask waits
      simulation.await(here.remote(target).askAsync[Int](700.millis)(r => r)) match
        case Failure(_: AskTimeoutException) => late += 1
        case result                          => assertEquals(result, Success(7))
    assert(late > 0 && late < 100, s"$late of 100 replies were late")

  test("a reply that the network loses ends the ask by its timeout, though the server handled it"):
    var (served, replies) = (0, 0)
    simulate(seeds = 200):
      val network = SimulatedNetwork(loss = 30, duplication = 30)
      val (here, there) = (network.node("here"), network.node("there"))
      val target = there.spawn("target")(server(() => served += 1))
      val asked = here.remote(target)
      for _ <- 1 to 5 do
        try replies += asked.ask[Int](1.second)(r => r) / 7
        catch case _: AskTimeoutException => ()
    assert(replies > 300 && replies < 800, s"$replies replies")
    assert(served > replies, s"served $served, but $replies replies arrived")

  test("a partition between a request and its reply: the asker waits until its timeout"):
    simulate(seeds = 50):
      val network = SimulatedNetwork()
      val (here, there) = (network.node("here"), network.node("there"))
      var served = 0
      val target = there.spawn("target")(server { () =>
        served += 1
        network.partition(here, there)
      })
      intercept[AskTimeoutException](here.remote(target).ask[Int](1.second)(r => r)): Unit
      network.heal()
      assertEquals(served, 1)
      // the same node is not cut off from itself
      assertEquals(target.ask[Int](1.second)(r => r), 7)

  test(
    "a doubled reply counts once and is no dead letter; each lost reply of a planted bug is found"
  ):
    simulate(seeds = 100):
      val network = SimulatedNetwork(duplication = 100, maxDelay = 1.second)
      val (here, there) = (network.node("here"), network.node("there"))
      val target = there.spawn("target")(server(() => ()))
      for _ <- 1 to 3 do assertEquals(here.remote(target).ask[Int](1.minute)(r => r), 7)
      simulation.advance(1.minute)
      // each request arrived twice, and its second answer came too late
      val letters = simulation.events.collect { case ActorEvent.DeadLetter(_, _, reason) => reason }
      assertEquals(letters, Vector.fill(3)(DeadLetterReason.AskEnded))
    // the account is paid twice if a teller repeats an ask whose reply was lost
    val message = found:
      simulate(seeds = 200):
        val network = SimulatedNetwork(loss = 20)
        val (branch, center) = (network.node("branch"), network.node("center"))
        var sum = 0
        val account = center.spawn("account")(server(() => sum += 7))
        var isPaid = false
        var tries = 0
        while !isPaid && tries < 20 do
          tries += 1
          try
            branch.remote(account).ask[Int](1.second)(r => r): Unit
            isPaid = true
          catch case _: AskTimeoutException => ()
        assertEquals(sum, 7)
    assert(message.contains("replay"), message)

  test("a restart: new behaviors under the same references, also of actors that failed or stopped"):
    simulate(seeds = 100):
      val node = SimulatedNetwork().node("node")
      var starts = 0
      val actor = node.spawn("actor")(Behavior.setup[String]:
        starts += 1
        Behavior.receive:
          case "fail" => throw IllegalStateException("a test")
          case "stop" => Behavior.stopped
          case _      => Behavior.same)
      for word <- List("fail", "stop", "go on") do
        actor ! word
        simulation.runUntilIdle()
        node.restart()
        simulation.runUntilIdle()
      assertEquals(starts, 4)

  test("a null message is refused at its sender, and changes nothing"):
    simulate(seeds = 20):
      val network = SimulatedNetwork()
      val probe = Probe[String]()
      val actor = network.node("b").spawn("c")(Behavior.receive[String] { text =>
        probe.ref ! text
        Behavior.same
      })
      val remote = network.node("a").remote(actor)
      for ref <- List(actor, remote) do
        val error = intercept[NullPointerException](ref.tell(null))
        assertEquals(error.getMessage, s"a message to ${ref.name} is null")
        ref ! "later"
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector("later", "later"))

  test("wrong arguments are refused with their values"):
    simulate(seeds = 1):
      def message(body: => Any): String =
        intercept[IllegalArgumentException](body: Unit).getMessage
      assertEquals(
        message(SimulatedNetwork(loss = 101)),
        "loss must be from 0 to 100 percent, but is 101"
      )
      assertEquals(
        message(SimulatedNetwork(duplication = -1)),
        "duplication must be from 0 to 100 percent, but is -1"
      )
      assertEquals(
        message(SimulatedNetwork(maxDelay = -1.second)),
        "maxDelay must be at least 0, but is -1 seconds"
      )
      val node = SimulatedNetwork().node("a")
      val actor = node.spawn("b")(Behavior.ignore[Int])
      assertEquals(
        message(node.spawn("b")(Behavior.ignore[Int])),
        "the node a has an actor 'b' already"
      )
      assertEquals(
        message(node.remote(spawn(Behavior.ignore[Int], "c"))),
        "c is not on a simulated node: expected an actor that a node spawned"
      )
      val watched = Probe[String]()
      spawn(Behavior.setup[Int]:
        try context.watch(actor)
        catch case error: IllegalArgumentException => watched.ref ! error.getMessage
        Behavior.ignore[Int]): Unit
      assertEquals(watched.receiveMessage(), "a/b cannot be watched: it restarts with its node")

  test("a full mailbox with back-pressure blocks neither its node's other actors nor a restart"):
    simulate(seeds = 20):
      val node = SimulatedNetwork().node("bank")
      val probe = Probe[Int]()
      var starts = 0
      val busy = node.spawn[Int]("busy", Mailbox(1, Overflow.Backpressure)):
        starts += 1
        Behavior.process[Int](_ => context[Int].sleep(1.second))
      val till = node.spawn[Int]("till"):
        Behavior.receive: n =>
          probe.ref ! n
          Behavior.same
      for n <- 1 to 4 do busy ! n
      till ! 5
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector(5))
      node.restart()
      simulation.runUntilIdle()
      assertEquals(starts, 2)

  test("an actor that cannot start fails alone, and starts with a later restart of its node"):
    simulate(seeds = 100):
      val node = SimulatedNetwork().node("bank")
      var hasDisk = false
      def answering(n: Int) = Behavior.receive[Reply[Int]]: reply =>
        reply ! n
        Behavior.same
      val till = node.spawn("till")(answering(1))
      val store = node.spawn("store"):
        if !hasDisk then throw java.io.IOException("no disk")
        answering(2)
      val ghost = node.spawn("ghost")(null.asInstanceOf[Behavior[Int]])
      ghost ! 1
      assertEquals(till.ask[Int](1.second)(reply => reply), 1)
      intercept[Exception](store.ask[Int](1.second)(reply => reply))
      val causes = simulation.events.collect:
        case ActorEvent.Failed(actor, cause, _) => s"${actor.name}: ${cause.getMessage}"
      assertEquals(
        causes.toSet,
        Set(
          "bank/store: no disk",
          "bank/ghost: the behavior of ghost of the node bank is null"
        )
      )
      hasDisk = true
      node.restart()
      simulation.runUntilIdle()
      assertEquals(till.ask[Int](1.second)(reply => reply), 1)
      assertEquals(store.ask[Int](1.second)(reply => reply), 2)

  test("a process as the behavior of a node's actor has its thread"):
    simulate(seeds = 20):
      val node = SimulatedNetwork().node("bank")
      val till = node.spawn("till"):
        Behavior.process[Reply[Int]](inbox => inbox.receive() ! 3)
      assertEquals(till.ask[Int](1.second)(reply => reply), 3)

  test("null arguments are rejected by their names"):
    simulate(seeds = 1):
      val network = SimulatedNetwork()
      val node = network.node("bank")
      def messageOf(body: => Any): String = intercept[NullPointerException](body).getMessage
      def none[A]: A = null.asInstanceOf[A]
      assertEquals(messageOf(network.node(none)), "the name of a simulated node is null")
      assertEquals(messageOf(network.partition(node, none)), "a node of a partition is null")
      assertEquals(
        messageOf(node.spawn(none)(Behavior.ignore[Int])),
        "the name of an actor of the node bank is null"
      )
      assertEquals(
        messageOf(node.spawn("till", none[Mailbox])(Behavior.ignore[Int])),
        "the mailbox of till of the node bank is null"
      )
      assertEquals(
        messageOf(node.remote(none[ActorRef[Int]])),
        "the target of a remote reference of the node bank is null"
      )
end SimulatedNetworkTest
