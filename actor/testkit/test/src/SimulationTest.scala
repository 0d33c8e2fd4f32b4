package undercroft.actor
package testkit

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.{Await, Future, Promise, blocking}
import scala.concurrent.duration.*

/** Properties of a simulation: one thread, one order per seed, and simulated time. */
class SimulationTest extends undercroft.tools.Suite:
  private val quick = SimulationLimits(0, 100_000)

  private def echo: Behavior[Reply[Int]] = Behavior.receive: to =>
    to ! 7
    Behavior.same

  /** The orders in which three messages arrive, one per seed. */
  private def orders(seeds: Int): Vector[Vector[Int]] =
    val sequences = ArrayBuffer[Vector[Int]]()
    simulate(seeds):
      val probe = Probe[Int]()
      for n <- 1 to 3 do
        spawn(Behavior.receive[Int] { n =>
          probe.ref ! n
          Behavior.same
        }) ! n
      simulation.runUntilIdle()
      sequences += probe.received
    sequences.toVector

  test("each seed has one message order, and the seeds cover all orders"):
    val allOrders = orders(200)
    assertEquals(allOrders.toSet.size, 6)
    assertEquals(orders(200), allOrders)

  test("messages of one sender to one receiver keep their order for every seed"):
    simulate(seeds = 200):
      val probe = Probe[(Int, Int)]()
      for sender <- 1 to 3 do
        spawn(Behavior.setup[Int]:
          Behavior.receive: n =>
            probe.ref ! (sender, n)
            if n < 10 then self ! n + 1
            Behavior.same) ! 1
      simulation.runUntilIdle()
      for sender <- 1 to 3 do
        assertEquals(probe.received.filter(_._1 == sender).map(_._2), (1 to 10).toVector)

  test("virtual time fires a year of daily timers to the nanosecond"):
    simulate(seeds = 10, stepTime = Duration.Zero):
      val times = ArrayBuffer[FiniteDuration]()
      val here = simulation
      spawn(Behavior.setup[Int]:
        context.startTimerAtFixedRate("day", 1, 1.day)
        Behavior.receive: _ =>
          times += here.now
          Behavior.same): Unit
      simulation.advance(365.days)
      assertEquals(times.toVector, (1 to 365).map(_.days: FiniteDuration).toVector)
      assertEquals(simulation.now, 365.days: FiniteDuration)

  test("S3: the restart limit is exact at the boundary of its period"):
    for (pause, restarts) <- List((50.millis, 2L), (51.millis, 3L)) do
      simulate(seeds = 50, stepTime = Duration.Zero):
        val actor = spawn(Behavior.receive[Int](n => throw Exception(s"$n")).supervised {
          case _ => Supervision.Restart(limit = 2, within = 100.millis)
        })
        for n <- 1 to 3 do
          actor ! n
          simulation.advance(pause)
        // The third failure is 100 ms after the first, within the period, or 102 ms after it.
        assertEquals(simulation.system.observe.audit.restarts, restarts)
        assertEquals(actor.isStopped, restarts == 2)

  test("ask blocks in the test, in a process and in a handler with a thread, and times out"):
    simulate(seeds = 100):
      val probe = Probe[Int]()
      val server = spawn(echo, "server")
      val mute = spawn(Behavior.ignore[Reply[Int]], "mute")
      spawn(Behavior.process[Int] { _ =>
        probe.ref ! server.ask[Int](1.second)(identity)
      }): Unit
      for run <- List(Run.Virtual, Run.Thread, Run.Caller) do
        spawn(
          Behavior.receive[Int] { n =>
            probe.ref ! n + server.ask[Int](1.second)(identity)
            Behavior.same
          },
          run = run
        ) ! 10
      assertEquals(server.ask[Int](1.second)(identity), 7)
      simulation.runUntilIdle()
      assertEquals(probe.received.sorted, Vector(7, 17, 17, 17))
      val from = simulation.now
      val e = intercept[AskTimeoutException](mute.ask[Int](1.hour)(identity))
      assertEquals(e.getMessage, "mute did not answer within 3600000000 us")
      assert(simulation.now - from >= 1.hour && simulation.now - from < 61.minutes)

  test("a blocking ask on a worker throws IllegalStateException"):
    simulate(seeds = 10):
      val server = spawn(echo, "server")
      val probe = Probe[String]()
      spawn(Behavior.receive[Int] { _ =>
        try server.ask[Int](1.second)(identity): Unit
        catch case e: IllegalStateException => probe.ref ! e.getMessage
        Behavior.same
      }) ! 1
      assertEquals(probe.receiveMessage(), "an ask of server would block a worker: use askAsync")

  test("a process waits for messages, for a timeout and for room in a full mailbox"):
    simulate(seeds = 100):
      val probe = Probe[Any]("probe")
      val slow = spawn(
        Behavior.receive[Int] { n =>
          probe.ref ! n
          Behavior.same
        },
        "slow",
        mailbox = Mailbox(2, Overflow.Backpressure)
      )
      val process = spawn(Behavior.process[Int] { inbox =>
        probe.ref ! inbox.receive(1.hour).toString
        val count = inbox.receive()
        for n <- 1 to count do slow ! n
        probe.ref ! "sent"
      })
      assertEquals(probe.receiveMessage(2.hours), "None")
      process ! 20
      simulation.runUntil()(process.isStopped): Unit
      simulation.runUntilIdle()
      assertEquals(probe.received.collect { case n: Int => n }, (1 to 20).toVector)
      assert(probe.received.contains("sent"))
      assertEquals(simulation.system.observe.audit.deadLetters, Map.empty)

  test("a back-pressure deadlock of processes throws MailboxFullException that names both"):
    simulate(seeds = 50):
      val messages = ArrayBuffer[String]()
      def flooder(name: String, peer: => ActorRef[Int]): ActorRef[Int] = spawn(
        Behavior.process[Int] { inbox =>
          inbox.receive(): Unit
          try for n <- 1 to 10 do peer ! n
          catch case e: MailboxFullException => messages += e.getMessage
          while inbox.receive(1.second).isDefined do ()
        },
        name,
        mailbox = Mailbox(4, Overflow.Backpressure)
      )
      lazy val ping: ActorRef[Int] = flooder("ping", pong)
      lazy val pong: ActorRef[Int] = flooder("pong", ping)
      for actor <- List(ping, pong) do actor ! 0
      simulation.advance(1.minute)
      assert(ping.isStopped && pong.isStopped)
      for words <- messages do
        assert(
          words.contains("ping waits for pong") || words.contains("pong waits for ping"),
          words
        )

  test("a child that waits for room in its parent's mailbox stops when the parent restarts"):
    for run <- List(Run.Workers, Run.Virtual) do
      simulate(seeds = 100):
        var starts = 0
        val parent = spawn(
          Behavior
            .setup[Int]:
              starts += 1
              val above = self
              val child = spawn(
                Behavior.receive[Int] { count =>
                  for n <- 1 to count do above ! n
                  Behavior.same
                },
                "child",
                run
              )
              if starts == 1 then for _ <- 1 to 2 do child ! 5 // the second arrives while it waits
              Behavior.receive: n =>
                if starts == 1 && n == 1 then throw Exception("broken")
                Behavior.same
            .supervised { case _ => Supervision.Restart() },
          "parent",
          mailbox = Mailbox(1, Overflow.Backpressure)
        )
        simulation.runUntilIdle()
        assertEquals(starts, 2)
        assertEquals(simulation.system.observe.auditOf(parent).waiting, 0L)

  test("declared blocking waits until no other step is possible"):
    simulate(seeds = 50):
      val probe = Probe[Int]()
      val server = spawn(echo)
      for run <- Run.standard do
        spawn(
          Behavior.receive[Int] { n =>
            val answer = server.askAsync[Int](1.second)(identity)
            probe.ref ! n + Await.result(answer, 1.second)
            blocking(probe.ref ! n)
            Behavior.same
          },
          run = run
        ) ! 1
      simulation.runUntilIdle()
      assertEquals(probe.received.sorted, Vector(1, 1, 1, 1, 8, 8, 8, 8))

  test("futures run as simulation steps, and pipeToSelf delivers their results"):
    val orders = ArrayBuffer[Vector[Int]]()
    simulate(seeds = 100):
      val probe = Probe[Int]()
      val tasks = simulation.executionContext
      spawn(Behavior.setup[Int]:
        for n <- 1 to 3 do context.pipeToSelf(Future(n)(using tasks))(_.get)
        Behavior.receive { n =>
          probe.ref ! n
          Behavior.same
        }): Unit
      simulation.runUntilIdle()
      orders += probe.received
      assertEquals(simulation.await(Future(8)(using tasks)).get, 8)
    assertEquals(orders.toSet.size, 6)

  test("awaiting a future that is never completed throws IllegalStateException"):
    simulate(seeds = 1):
      val e = intercept[IllegalStateException](simulation.await(Promise[Int]().future, 1.day))
      assertEquals(e.getMessage, "a future was not completed within 1 day")

  test("other threads can send messages, but spawn and runUntilIdle throw there"):
    simulate(seeds = 10):
      val probe = Probe[Int]()
      val messages = java.util.concurrent.ConcurrentLinkedQueue[String]()
      val here = simulation
      def words(body: => Unit): Unit =
        try body
        catch case e: IllegalStateException => messages.add(e.getMessage): Unit
      val thread = Thread.ofPlatform
        .name("stranger")
        .start: () =>
          for n <- 1 to 3 do probe.ref ! n
          words(spawn(Behavior.ignore[Int])(using here): Unit)
          words(here.runUntilIdle())
          words(here.executionContext.execute(() => ()))
      thread.join()
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector(1, 2, 3))
      assertEquals(messages.size, 3)
      messages.forEach(text => assert(text.contains("simulation"), text))

  test("an actor that advances its own simulation gets IllegalStateException"):
    simulate(seeds = 1):
      val here = simulation
      val probe = Probe[String]()
      spawn(Behavior.receive[Int] { _ =>
        try here.advance(1.second)
        catch case e: IllegalStateException => probe.ref ! e.getMessage
        Behavior.same
      }) ! 1
      assertEquals(
        probe.receiveMessage(),
        "only the test, not an actor, advances the simulation of seed 1"
      )

  test("a simulation that never becomes idle fails after maxSteps"):
    val e = intercept[munit.FailException](simulate(seeds = 1, maxSteps = 1000):
      val actor = spawn(Behavior.setup[Int]:
        Behavior.receive { n =>
          self ! n
          Behavior.same
        })
      actor ! 1
      simulation.runUntilIdle())
    assert(e.getMessage.contains("is still at work after 1000 steps"), e.getMessage)

  test("a failed assertion in an actor fails the simulation"):
    for run <- List(Run.Workers, Run.Virtual) do
      val e = intercept[munit.FailException](simulate(seeds = 10):
        spawn(
          Behavior.receive[Int] { n =>
            assertEquals(n, 2, "in an actor")
            Behavior.same
          },
          run = run
        ) ! 1)
      assert(e.getMessage.contains("in an actor"), e.getMessage)

  test("an actor that does not stop fails the simulation"):
    val e = intercept[munit.FailException](simulate(seeds = 10):
      // It waits for a reply from an actor that neither replies nor stops.
      spawn(Behavior.process[Int](_ =>
        Reply[Reply[Int]](context[Int].system, "nobody").ask[Int](1.hour)(identity): Unit
      )): Unit)
    assert(e.getMessage.contains("actors did not stop, within 10 seconds"), e.getMessage)

  test("a failure that does not replay is reported as not reproducible"):
    var calls = 0
    val e = intercept[munit.FailException](simulate(seeds = 10):
      calls += 1
      if calls == 3 then throw Exception("now and then"))
    assert(e.getMessage.contains("and not again"), e.getMessage)

  test("shrinking reduces the numbers that the test draws by nextInt"):
    val e = intercept[munit.FailException](simulate(seeds = 1000):
      val probe = Probe[Int]()
      val count = simulation.nextInt(100)
      for n <- 1 to count do
        spawn(Behavior.receive[Int] { n =>
          probe.ref ! n
          Behavior.same
        }) ! n
      simulation.runUntilIdle()
      assertEquals(probe.received, (1 to count).toVector))
    // Two actors in four steps suffice to be out of order; shrinking may end at three in six.
    val steps = "here in (\\d+) steps".r.findFirstMatchIn(e.getMessage).map(_.group(1).nn.toInt)
    assert(steps.exists(_ <= 6), e.getMessage)

  test("one seed replays processes, timers, failures and restarts identically"):
    def course(seed: Long): SimulationRun =
      SimulationRun.run(Schedule(seed), quick, isTraced = true):
        val probe = Probe[String]()
        val flaky = spawn(
          Behavior
            .setup[Int]:
              context.startTimerWithFixedDelay("t", 0, 7.millis)
              Behavior.receive: n =>
                if n % 3 == 0 then throw Exception("third")
                probe.ref ! s"$n"
                Behavior.same
            .supervised { case _ => Supervision.Backoff(1.milli, 10.millis, limit = 1000) },
          "flaky"
        )
        for p <- 1 to 3 do
          spawn(
            Behavior.process[Int] { inbox =>
              for n <- 1 to 5 do
                flaky ! n * p
                inbox.receive(2.millis): Unit
            },
            s"p$p"
          ): Unit
        simulation.advance(50.millis)
    val first = course(3)
    assertEquals(first.failure, None)
    for _ <- 1 to 20 do assertEquals(course(3).lines, first.lines)
    assert((4 to 10).exists(seed => course(seed).lines != first.lines))
end SimulationTest
