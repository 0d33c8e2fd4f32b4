package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** References for messages of another protocol. */
class MessageAdapterTest extends undercroft.tools.Suite:

  final case class Price(amount: Int)
  enum Shop:
    case Ask
    case Priced(amount: Int)
    case Failed(text: String)

  private def prices: Behavior[ActorRef[Price]] =
    var amount = 0
    Behavior.receive: customer =>
      amount += 1
      customer ! Price(amount)
      Behavior.same

  private def shop(prices: ActorRef[ActorRef[Price]], seen: ActorRef[Shop]): Behavior[Shop] =
    Behavior.setup:
      val adapter = context.messageAdapter[Price](price => Shop.Priced(price.amount))
      Behavior.receive: message =>
        message match
          case Shop.Ask => prices ! adapter
          case _        => seen ! message
        Behavior.same

  for run <- Run.standard do
    test(s"messages of another actor arrive converted, on $run"):
      simulate(seeds = 200):
        val probe = Probe[Shop]()
        val customer = spawn(shop(spawn(prices), probe.ref), run = run)
        for _ <- 1 to 3 do customer ! Shop.Ask
        simulation.runUntilIdle()
        assertEquals(probe.received, Vector.tabulate(3)(n => Shop.Priced(n + 1)))

  test("on threads: the messages of four senders, each in order, and an exact audit"):
    var received = Vector.empty[(Int, Int)]
    ActorSystem.scoped("shop"):
      val adapters = TestProbe[ActorRef[(Int, Int)]]()
      val receiver = Behavior.setup[String]:
        adapters.ref ! context.messageAdapter[(Int, Int)](pair => s"${pair._1} ${pair._2}")
        Behavior.receive: text =>
          val Array(sender, n) = text.split(' ').map(_.toInt): @unchecked
          received = received :+ (sender, n)
          Behavior.same
      spawn(receiver): Unit
      val adapter = adapters.receiveMessage(1.minute)
      val senders = (1 to 4).map: sender =>
        Thread.ofPlatform.start(() => for n <- 1 to 1000 do adapter ! (sender, n))
      senders.foreach(_.join())
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(summon[ActorSystem].observe.audit.isExact)
    for (sender, own) <- received.groupBy(_._1) do
      assertEquals(own.map(_._2), (1 to 1000).toVector, s"of sender $sender")
    assertEquals(received.size, 4000)

  test("a conversion that throws, or returns null, is a failure of the actor, which may resume"):
    simulate(seeds = 100):
      val probe = Probe[Any]()
      val adapters = Probe[ActorRef[Int]]()
      val behavior = Behavior
        .setup[String]:
          adapters.ref ! context.messageAdapter[Int]:
            case 1 => throw IllegalStateException("a test")
            case 2 => null.asInstanceOf[String]
            case n => s"$n"
          Behavior.receive: text =>
            probe.ref ! text
            Behavior.same
        .supervised { case _: Exception => Supervision.Resume }
      spawn(behavior, "shop"): Unit
      val adapter = adapters.receiveMessage()
      for n <- 1 to 4 do adapter ! n
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any]("3", "4"))
      val causes = simulation.events.collect { case ActorEvent.Failed(_, cause, _) =>
        cause.getMessage
      }
      assertEquals(causes, Vector("a test", "a message adapter of shop returned null for 2"))

  test("the limit of the mailbox applies, and a stopped actor's messages are dead letters"):
    simulate(seeds = 50):
      val adapters = Probe[ActorRef[Int]]()
      val actor = spawn(
        Behavior.setup[String]:
          adapters.ref ! context.messageAdapter[Int](n => s"$n")
          Behavior.receive: text =>
            if text == "0" then Behavior.stopped else Behavior.same
        ,
        "shop",
        mailbox = Mailbox(10)
      )
      val adapter = adapters.receiveMessage()
      assert(!adapter.isStopped)
      assertEquals(adapter.name, "adapter of shop")
      adapter ! 0
      simulation.runUntilIdle()
      assert(adapter.isStopped)
      adapter ! 7
      val letters = simulation.events.collect { case ActorEvent.DeadLetter(_, message, reason) =>
        (message, reason)
      }
      assertEquals(letters, Vector[(Any, DeadLetterReason)]((7, DeadLetterReason.Stopped)))
      val _ = actor

  test("a full mailbox fails the sender of an adapter"):
    ActorSystem.scoped("full", listener = _ => ()):
      val adapters = TestProbe[ActorRef[Int]]()
      val gate = java.util.concurrent.CountDownLatch(1)
      val behavior = Behavior.setup[String]:
        adapters.ref ! context.messageAdapter[Int](n => s"$n")
        Behavior.receive: _ =>
          gate.await()
          Behavior.same
      spawn(behavior, "shop", Run.Virtual, Mailbox(10)): Unit
      val adapter = adapters.receiveMessage(1.minute)
      try intercept[MailboxFullException](for n <- 1 to 100 do adapter ! n): Unit
      finally gate.countDown()

  test("a priority message of an adapter precedes the others, also if the mailbox is full"):
    ActorSystem.scoped("full", listener = _ => ()):
      val adapters = TestProbe[ActorRef[Int]]()
      val texts = TestProbe[String]()
      val entry, gate = java.util.concurrent.CountDownLatch(1)
      val behavior = Behavior.setup[String]:
        adapters.ref ! context.messageAdapter[Int](n => s"$n")
        Behavior.receive: text =>
          entry.countDown()
          gate.await()
          texts.ref ! text
          Behavior.same
      spawn(behavior, "shop", Run.Virtual, Mailbox(3)): Unit
      val adapter = adapters.receiveMessage(1.minute)
      try
        adapter ! 0
        entry.await()
        for n <- 1 to 2 do adapter ! n
        adapter.tellPriority(-1)
      finally gate.countDown()
      val order = Vector.fill(4)(texts.receiveMessage(1.minute))
      assertEquals(order, Vector("0", "-1", "1", "2"))

  test("a process receives a priority message of an adapter"):
    ActorSystem.scoped("shop"):
      val adapters = TestProbe[ActorRef[Int]]()
      val texts = TestProbe[String]()
      spawn(Behavior.process[String]: inbox =>
        adapters.ref ! context[String].messageAdapter[Int](n => s"$n")
        texts.ref ! inbox.receive()): Unit
      adapters.receiveMessage(1.minute).tellPriority(7)
      assertEquals(texts.receiveMessage(1.minute), "7")

  test("a process that a setup returns receives a priority message that an adapter sent before"):
    simulate(seeds = 20):
      val texts = Probe[String]()
      spawn(
        Behavior.setup[String]:
          context.messageAdapter[Int](n => s"$n").tellPriority(7)
          Behavior.process(inbox => texts.ref ! inbox.receive())
        ,
        run = Run.Virtual
      ): Unit
      simulation.runUntilIdle()
      assertEquals(texts.received, Vector("7"))
      assert(simulation.system.observe.audit.isExact)

  test("a priority message of an adapter to a process precedes the others, and is converted once"):
    simulate(seeds = 20):
      val adapters = Probe[ActorRef[Int]]()
      val texts = Probe[String]()
      var conversions = 0
      spawn(Behavior.process[String]: inbox =>
        adapters.ref ! context[String].messageAdapter[Int]: n =>
          conversions += 1
          s"$n"
        context[String].sleep(1.second)
        texts.ref ! inbox.receiveFirst { case text if text != "3" => text }
        for _ <- 1 to 2 do texts.ref ! inbox.receive()): Unit
      val adapter = adapters.receiveMessage()
      for n <- 1 to 2 do adapter ! n
      adapter.tellPriority(3)
      simulation.runUntil(1.minute)(texts.received.size == 3): Unit
      assertEquals((texts.received, conversions), (Vector("1", "3", "2"), 3))

  test("a priority message to a process is parked if its adapter fails"):
    simulate(seeds = 20):
      val behavior = Behavior.setup[String]:
        context.messageAdapter[Int](_ => throw IllegalStateException("a test")).tellPriority(7)
        Behavior.process(inbox => inbox.receive(): Unit)
      spawn(behavior.onMessageFailure { case _ => MessageFailure.Park }, run = Run.Virtual): Unit
      simulation.runUntilIdle()
      assertEquals(simulation.system.drainParked().map(_.message), Vector[Any](7))
      val audit = simulation.system.observe.audit
      assertEquals((audit.failed, audit.isExact), (1L, true))

  test("a stashed message is converted once; a watch of an adapter is a watch of its actor"):
    simulate(seeds = 100):
      val probe = Probe[String]()
      val adapters = Probe[ActorRef[Int]]()
      var conversions = 0
      val actor = spawn(Behavior.setup[String]:
        adapters.ref ! context.messageAdapter[Int]: n =>
          conversions += 1
          s"$n"
        var isOpen = false
        Behavior.receive: text =>
          if text == "stop" then Behavior.stopped
          else
            if text == "open" then
              isOpen = true
              context.unstashAll()
            else if isOpen then probe.ref ! text
            else context.stash()
            Behavior.same)
      val adapter = adapters.receiveMessage()
      spawn(Behavior.setup[Int]:
        context.watch(adapter)
        Behavior.ignore[Int].onSignal { case Signal.Terminated(ref, _) =>
          probe.ref ! ref.name
          Behavior.same
        }): Unit
      adapter ! 7
      simulation.runUntilIdle()
      actor ! "open"
      simulation.runUntilIdle()
      assertEquals((probe.received, conversions), (Vector("7"), 1))
      actor ! "stop"
      simulation.runUntilIdle()
      assertEquals(probe.received.last, adapter.name)

  test("an adapter outside a turn of its actor is refused"):
    ActorSystem.scoped("shop"):
      val contexts = TestProbe[ActorContext[String]]()
      spawn(Behavior.setup[String]:
        contexts.ref ! context
        Behavior.ignore): Unit
      val foreign = contexts.receiveMessage(1.minute)
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      val error = intercept[IllegalStateException](foreign.messageAdapter[Int](n => s"$n"))
      assert(error.getMessage.contains("is used outside its turn"), error.getMessage)
end MessageAdapterTest
