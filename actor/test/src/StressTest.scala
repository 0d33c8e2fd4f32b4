package undercroft.actor

import internal.cell.ActorCell
import internal.dispatch.TimeSlice
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, AtomicReference}
import scala.concurrent.duration.*
import scala.util.Random

/** Race scenarios, run many times. Their names, such as O1 and R2, are from the list of scenarios.
  */
class StressTest extends EveryModel:

  /** Runs `bodies` concurrently, each on its own thread, and rethrows the first error. */
  private def atOnce(bodies: (() => Unit)*): Unit =
    val failure = AtomicReference[Throwable | Null](null)
    val threads = bodies.map: body =>
      Thread.ofPlatform.start: () =>
        try body()
        catch case e: Throwable => failure.compareAndSet(null, e): Unit
    threads.foreach(_.join())
    failure.get match
      case null => ()
      case e    => throw e

  roundsOnEveryThread("O1: messages keep their order per sender and receiver on all threads")(
    4000,
    20_000
  ): messagesPerSender =>
    final case class Numbered(sender: Int, number: Int)
    val bad = AtomicLong()
    val received = AtomicLong()
    val receivers = Vector.fill(4)(stage.start(
      Behavior.setup[Numbered]:
        val last = new Array[Int](16)
        Behavior.receive: message =>
          if message.number != last(message.sender) + 1 then bad.incrementAndGet(): Unit
          last(message.sender) = message.number
          received.incrementAndGet(): Unit
          // Work of uneven length, so that moving actors between workers pays.
          for _ <- 0 until (message.number * 31 + message.sender) % 64 do Thread.onSpinWait()
          Behavior.same
      ,
      mailbox = Mailbox(10_000_000)
    ))
    // Eight senders: two actors of the same model, two on workers, two platform and two virtual
    // threads.
    val actors = (0 until 4).map: sender =>
      spawn(
        Behavior.setup[Int]:
          Behavior.receive: n =>
            for receiver <- receivers do receiver ! Numbered(sender, n)
            if n < messagesPerSender then self ! n + 1
            Behavior.same
        ,
        run = if sender < 2 then stage.run else Run.Workers
      )(using stage.system)
    for actor <- actors do actor ! 1
    val threads = (4 until 8).map: sender =>
      val body: Runnable = () =>
        for n <- 1 to messagesPerSender; receiver <- receivers do receiver ! Numbered(sender, n)
      if sender < 6 then Thread.ofPlatform.start(body) else Thread.ofVirtual.start(body)
    threads.foreach(_.join())
    stage.quiet()
    assertEquals((bad.get, received.get), (0L, 8L * 4 * messagesPerSender))

  onEveryModel(
    "O3: messages sent right after spawn by the spawner and by another actor arrive",
    seeds = 2
  ):
    val rounds = 2000
    val sum = AtomicLong()
    val greeter = stage.start(Behavior.receive[ActorRef[Int]] { ref =>
      ref ! 2; Behavior.same
    })
    val counter = Behavior.setup[Int]:
      Behavior.receive: n =>
        sum.addAndGet(n): Unit
        if n == 2 then Behavior.stopped else Behavior.same
    val spawner = stage.start(Behavior.setup[Int]:
      Behavior.receive: n =>
        val child = spawn(counter, run = stage.run)
        child ! 1
        greeter ! child
        if n < rounds then self ! n + 1
        Behavior.same)
    spawner ! 1
    stage.quiet()
    assertEquals(sum.get, 3L * rounds)

  roundsOnEveryThread("R1: tells, asks, watches and children that race with a stop all end")(
    60,
    300
  ): rounds =>
    val stops = AtomicInteger()
    val answers = AtomicInteger()
    val notices = AtomicInteger()
    val after = AtomicInteger()
    for round <- 1 to rounds do
      var isOver = false
      val target = stage.start(
        Behavior.setup[Any]:
          Behavior
            .receive[Any] {
              case s: String if s == "stop" => Behavior.stopped
              case _: String => spawn(Behavior.ignore[Int], run = stage.run): Unit; Behavior.same
              case to: Reply[Int] @unchecked => to ! 1; Behavior.same
              case _ =>
                if isOver then after.incrementAndGet(): Unit
                Behavior.same
            }
            .onSignal { case Signal.PostStop =>
              isOver = true
              stops.incrementAndGet(): Unit
              Behavior.same
            }
      )
      atOnce(
        () => target ! "stop",
        () =>
          for _ <- 1 to 3 do
            target ! round; target ! "child"
        ,
        () =>
          try
            target.ask[Int](patience)(identity[Reply[Int]]): Unit
            answers.incrementAndGet(): Unit
          catch case _: AskTargetStoppedException => answers.incrementAndGet(): Unit,
        () =>
          spawn(
            Behavior.setup[Int]:
              context.watch(target)
              Behavior.ignore[Int].onSignal { case Signal.Terminated(_, _) =>
                notices.incrementAndGet(): Unit
                Behavior.stopped
              }
            ,
            run = stage.run
          )(using stage.system): Unit
      )
    end for
    stage.quiet()
    assertEquals((stops.get, answers.get, notices.get, after.get), (rounds, rounds, rounds, 0))

  testRounds("R2: each message wakes an actor that is just becoming idle")(
    100_000,
    1_000_000
  ): rounds =>
    Stage.play(Run.Workers):
      val answered = AtomicInteger()
      val actor = stage.start(Behavior.receive[Int] { n =>
        answered.set(n); Behavior.same
      })
      val startNanos = System.nanoTime
      var n = 0
      // As many messages as fit into a minute, if the machine is busy.
      while n < rounds && System.nanoTime - startNanos < 60_000_000_000L do
        n += 1
        actor ! n
        val sent = System.nanoTime
        // The pause varies, so that a message arrives at every step of the worker towards idle.
        for _ <- 0 until n % 97 do Thread.onSpinWait()
        var looks = 0
        while answered.get != n && System.nanoTime - sent < patience.toNanos do
          looks += 1
          if looks % 256 == 0 then Thread.`yield`() else Thread.onSpinWait()
        assertEquals(answered.get, n)

  for run <- List(Run.Virtual, Run.Thread) do
    testRounds(s"R2: two actors on their own threads wake each other ($run)")(
      20_000,
      100_000
    ): rounds =>
      Stage.play(run):
        lazy val ping: ActorRef[Int] = stage.start(Behavior.receive { n =>
          if n < rounds then pong ! n + 1
          Behavior.same
        })
        lazy val pong: ActorRef[Int] = stage.start(Behavior.receive { n =>
          ping ! n
          Behavior.same
        })
        val _ = pong
        ping ! 0
        assertEquals(stage.system.awaitQuiescence(4 * patience), true)
        assertEquals(stage.system.observe.audit.handled, 2L * rounds + 1)

  test("F1: a flooding actor does not starve a thousand other actors of its worker"):
    Stage.play(Run.Workers, workers = 1):
      val polite = 1000
      val isFlooding = java.util.concurrent.atomic.AtomicBoolean(true)
      val done = CountDownLatch(polite)
      val flooder = stage.start(Behavior.setup[Int]:
        Behavior.receive: n =>
          if isFlooding.get then self ! n // its mailbox is never empty
          Behavior.same)
      flooder ! 1
      val actors = Vector.fill(polite)(stage.start(Behavior.setup[Int]:
        Behavior.receive: n =>
          if n < 10 then self ! n + 1 else done.countDown()
          Behavior.same))
      for actor <- actors do actor ! 1
      assert(done.await(60, java.util.concurrent.TimeUnit.SECONDS), "all polite actors had turns")
      isFlooding.set(false)

  test("F2: two actors that alternate in the next-turn slot do not starve other actors"):
    Stage.play(Run.Workers, workers = 1):
      val isPlaying = java.util.concurrent.atomic.AtomicBoolean(true)
      lazy val ping: ActorRef[Int] = stage.start(Behavior.receive { n =>
        if isPlaying.get then pong ! n
        Behavior.same
      })
      lazy val pong: ActorRef[Int] =
        stage.start(Behavior.receive { n =>
          ping ! n; Behavior.same
        })
      val _ = pong
      ping ! 1
      val bystander = stage.start(Behavior.receive[Reply[Int]] { to =>
        to ! 1; Behavior.same
      })
      for _ <- 1 to 200 do assertEquals(bystander.ask(patience)(identity[Reply[Int]]), 1)
      isPlaying.set(false)

  test("F3: a handler that blocks its worker is reported with its stack, and others run"):
    val stalls = java.util.concurrent.LinkedBlockingQueue[ActorEvent.Stalled]()
    val system = ActorSystem(
      "blocked",
      2,
      {
        case stuck: ActorEvent.Stalled => stalls.add(stuck): Unit
        case _                         => ()
      }
    )
    given ActorSystem = system
    try
      val opened = CountDownLatch(1)
      val blocking = spawn(
        Behavior.receive[Int] { _ =>
          opened.await()
          Behavior.same
        },
        "blocking"
      )
      blocking ! 1
      val stuck = stalls.poll(patience.toSeconds, java.util.concurrent.TimeUnit.SECONDS)
      assert(stuck != null, "nobody told")
      assertEquals((stuck.nn.actor.name, stuck.nn.state), ("blocking", Thread.State.WAITING))
      assert(stuck.nn.stack.exists(_.toString.contains("StressTest")), stuck.nn.stack)
      // Actors that are spawned meanwhile run on the other worker.
      val bystander = spawn(Behavior.receive[Reply[Int]] { to =>
        to ! 1
        Behavior.same
      })
      for _ <- 1 to 100 do assertEquals(bystander.ask(patience)(identity[Reply[Int]]), 1)
      opened.countDown()
    finally assertEquals(system.shutdown(patience, patience), true)
    end try
    assert(!stalls.stream.anyMatch(_.actor.name == "blocking"), "it was told of once")
    assert(system.observe.audit.isExact, system.observe.audit)

  test("a time slice ends after its time for fast and for slow messages"):
    val slice = TimeSlice(1_000_000)
    for pauseNanos <- List(0L, 10_000L, 300_000L) do
      slice.begin()
      val from = System.nanoTime
      var messages = 0L
      while !slice.isSpent() do
        messages += 1
        val until = System.nanoTime + pauseNanos
        while System.nanoTime < until do Thread.onSpinWait()
      assert(System.nanoTime - from >= 1_000_000L * 3 / 4 || messages <= 64, s"$messages messages")

  test("L1: the audit is exact after actors spawn, send, fail and stop at random"):
    val seed = System.nanoTime
    Stage.play(Run.Workers):
      val handled = AtomicLong()
      val left = AtomicInteger(200_000)
      val random = Random(seed)
      val refs = new java.util.concurrent.atomic.AtomicReferenceArray[ActorRef[Int]](1000)
      def life: Behavior[Int] = Behavior
        .setup[Int]:
          Behavior.receive: n =>
            val dice = Random(seed + n)
            if left.decrementAndGet() > 0 then
              for k <- 0 until 1 + dice.nextInt(2) do
                val to = refs.get(dice.nextInt(1000))
                if to != null then to ! n * 31 + k
            handled.incrementAndGet(): Unit
            dice.nextInt(40) match
              case 0 => refs.set(dice.nextInt(1000), spawn(life)); Behavior.same
              case 1 => handled.decrementAndGet(): Unit; throw Exception("at random")
              case 2 if dice.nextInt(20) == 0 => Behavior.stopped
              case _                          => Behavior.same
        .supervised { case _ => Supervision.Restart(limit = 1000) }
      for i <- 0 until 1000 do refs.set(i, stage.start(life))
      for _ <- 1 to 10_000 do refs.get(random.nextInt(1000)) ! random.nextInt()
      stage.quiet()
      val audit = stage.system.observe.audit
      assert(audit.isExact, s"seed $seed: $audit")
      assertEquals(audit.waiting, 0L, s"seed $seed")
      assertEquals(audit.handled, handled.get, s"seed $seed: $audit")

  test("R3: shutdown of 100 000 actors handles their messages and ends the threads"):
    val events = ConcurrentLinkedQueue[ActorEvent]()
    val system = ActorSystem("many", 2, event => events.add(event): Unit)
    val counter = AtomicInteger()
    for _ <- 1 to 100_000 do
      spawn(Behavior.receive[Int] { _ =>
        counter.incrementAndGet(): Unit; Behavior.same
      })(using
        system
      ) ! 1
    assertEquals(system.shutdown(patience, patience), true)
    assertEquals(counter.get, 100_000)
    val audit = system.observe.audit
    assertEquals((audit.actors, audit.handled, audit.waiting), (0L, 100_000L, 0L))
    assert(audit.isExact, audit)
    val names = Thread.getAllStackTraces.keySet.toString
    assert(!names.contains("many-worker"), names)

  test("shutdown returns within its limits and turns waiting messages into dead letters"):
    val system = ActorSystem("stuck", 1)
    val opened = CountDownLatch(1)
    val entered = CountDownLatch(1)
    val actor = spawn(
      Behavior.receive[Int] { _ =>
        entered.countDown()
        opened.await()
        Behavior.same
      },
      run = Run.Thread
    )(using system)
    actor ! 1
    actor ! 2
    entered.await()
    assert(!system.shutdown(1.milli, 1.milli), "it is not over")
    actor match
      case cell: ActorCell[?] =>
        val end = System.nanoTime + patience.toNanos
        while !cell.isStopRequested && System.nanoTime < end do Thread.onSpinWait()
        assert(cell.isStopRequested, "the guardian stops its children")
      case ref => fail(s"$ref is no actor")
    opened.countDown()
    assertEquals(system.shutdown(patience, patience), true)
    val audit = system.observe.audit
    assertEquals((audit.handled, audit.deadLetters), (1L, Map(DeadLetterReason.Stopped -> 1L)))

  test("actors of two systems send messages to each other"):
    Stage.play(Run.Workers):
      val otherSystem = ActorSystem("other", 1)
      val rounds = 10_000
      lazy val here: ActorRef[Int] = stage.start(Behavior.receive { n =>
        if n < rounds then there ! n + 1 else note("over")
        Behavior.same
      })
      lazy val there: ActorRef[Int] =
        spawn(Behavior.receive[Int] { n =>
          here ! n; Behavior.same
        })(using otherSystem)
      val _ = there
      here ! 0
      stage.until("all rounds")(stage.noted.nonEmpty)
      assertEquals(otherSystem.shutdown(patience, patience), true)
end StressTest
