package outside.actor.testkit

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.Promise
import scala.concurrent.duration.*
import scala.util.boundary
import undercroft.actor.*
import undercroft.actor.testkit.*

/** The outcome of a simulation as its caller sees it. */
class SimulationReportTest extends undercroft.tools.Suite:

  private def reported(body: => Unit)(using munit.Location): String =
    intercept[munit.FailException](body).getMessage

  private def replayOf(message: String): String =
    "replay = \"([^\"]+)\"".r.findFirstMatchIn(message).fold(fail(message))(_.group(1))

  /** An actor with a thread, amid a burst of messages, and timers that are due in this time. Fails
    * in some of the orders of its messages.
    */
  private def burst(seeds: Int, kind: Int, replay: String = ""): Unit = simulate(seeds, replay):
    val order = ArrayBuffer[Int]()
    spawn(
      Behavior.setup[Int]:
        for i <- 1 to 6 do context.startSingleTimer(i, 100 + i, (i * 11).micros)
        Behavior.receive: n =>
          order += n
          if n < 30 then self ! n + 1
          Behavior.same
      ,
      run = Run.Virtual
    ) ! 1
    simulation.runUntilIdle()
    simulation.advance(1.milli)
    val text = order.mkString(",")
    if (text.hashCode & 7) == kind then throw AssertionError(s"order $text")

  /** An actor with a thread that asks until timers are due. Fails in some orders. */
  private def asks(seeds: Int, kind: Int, replay: String = ""): Unit = simulate(seeds, replay):
    val order = ArrayBuffer[String]()
    val server = spawn(Behavior.receive[Reply[Int]] { reply =>
      order += "s"
      reply ! 1
      Behavior.same
    })
    spawn(
      Behavior.setup[Int]:
        for i <- 1 to 5 do context.startSingleTimer(i, 100, (17 * i).micros)
        Behavior.receive: n =>
          order += s"$n"
          for _ <- 1 to 3 do
            try order += s"${server.ask[Int](20.micros)(reply => reply)}"
            catch case _: AskTimeoutException => order += "late"
          Behavior.same
      ,
      run = Run.Thread
    ) ! 1
    simulation.advance(100.micros)
    val text = order.mkString(",")
    if (text.hashCode & 7) == kind then throw AssertionError(s"order $text")

  test("a failure amid timers of an actor with a thread is reported, and its replay fails alike"):
    var failures = 0
    for test <- List[(Int, Int, String) => Unit](burst, asks); kind <- 0 to 7 do
      try test(200, kind, "")
      catch
        case failure: munit.FailException =>
          failures += 1
          assert(failure.getMessage.startsWith("order "), failure.getMessage)
          val again = reported(test(1, kind, replayOf(failure.getMessage)))
          assertEquals(again.linesIterator.next(), failure.getMessage.linesIterator.next())
    assert(failures > 4, s"$failures")

  test("a failure that recording the steps prevents is reported without its steps"):
    final class Flag:
      var isRead = false
      override def toString: String =
        isRead = true
        "a flag"
    val message = reported:
      simulate(seeds = 3):
        val flag = Flag()
        spawn(Behavior.ignore[Flag]) ! flag
        simulation.runUntilIdle()
        if !flag.isRead then throw AssertionError("nobody reads it")
    assertEquals(
      message.linesIterator.toList,
      List(
        "nobody reads it",
        "seed 1 of 3 fails, and not if its steps are recorded: the test depends on more than its " +
          "simulation, such as a toString with a side effect"
      )
    )

  final class Unprintable:
    override def toString: String = throw IllegalStateException("no text")

  test("a message whose toString throws does not hide the failure"):
    val message = reported:
      simulate(seeds = 3):
        var count = 0
        val actor = spawn(
          Behavior
            .receive[Unprintable] { _ =>
              count += 1
              throw IllegalStateException("handled")
            }
            .onMessageFailure { case _ => MessageFailure.Park }
            .supervised { case _ => Supervision.Resume }
        )
        for _ <- 1 to 2 do actor ! Unprintable()
        simulation.runUntilIdle()
        if count == 2 then throw AssertionError("handled twice")
    assert(message.startsWith("handled twice\n"), message)
    val text = s"<- ${classOf[Unprintable].getName}, whose text cannot be read: "
    assert(message.contains(text), message)

  test("an assertion in an actor fails the simulation even if its getMessage throws"):
    final class Failure extends AssertionError:
      override def getMessage: String = throw IllegalStateException("no message")
    val failure = intercept[munit.FailException]:
      simulate(seeds = 3):
        spawn(Behavior.receive[Int](_ => throw Failure())) ! 1
        simulation.runUntilIdle()
    assertEquals(failure.getCause.getClass.getName, classOf[Failure].getName)
    assert(failure.getMessage.contains("replay it with"), failure.getMessage)

  test("a message that a probe cannot print is named by its class in the error"):
    simulate(seeds = 1):
      val probe = Probe[Unprintable]("ear")
      probe.ref ! Unprintable()
      val error = intercept[AssertionError](probe.expectNoMessage(1.second))
      assert(error.getMessage.contains(classOf[Unprintable].getName), error.getMessage)

  // ---- exceptions that are no failures

  /** The exception that `body` throws, of any kind. */
  private def thrown(body: => Unit): Throwable =
    try
      body
      fail("nothing was thrown")
    catch case cause: Throwable => cause

  test("a failed assumption in the body or in an actor skips the test"):
    val skip = thrown(simulate(seeds = 3)(assume(false, "not on this machine")))
    assertEquals(skip.getClass.getName, "org.junit.AssumptionViolatedException")
    val skipByActor = thrown:
      simulate(seeds = 3):
        spawn(Behavior.receive[Int] { _ =>
          assume(false, "not here")
          Behavior.same
        }) ! 1
    assertEquals(skipByActor.getClass.getName, "org.junit.AssumptionViolatedException")
    val skipOfReplay = thrown(simulate(replay = "1@")(assume(false, "not on this machine")))
    assertEquals(skipOfReplay.getClass.getName, "org.junit.AssumptionViolatedException")

  test("an assumption that fails only in a shrunk schedule does not hide the failure"):
    val message = reported:
      simulate(seeds = 1):
        assume(simulation.nextInt(1_000_000) > 0, "no numbers")
        throw AssertionError("the failure")
    assert(message.startsWith("the failure\n"), message)
    assert(message.contains("1 choice out of order"), message)

  test("an interrupt of the body is rethrown, also by a repetition of a failure"):
    assert(thrown(simulate(seeds = 3)(throw InterruptedException("stop"))).getMessage == "stop")
    var runs = 0
    val cause = thrown:
      simulate(seeds = 3):
        runs += 1
        if runs == 3 then throw InterruptedException("stop")
        throw AssertionError("the failure")
    assertEquals((cause.getClass.getName, runs), ("java.lang.InterruptedException", 3))

  test("a jump out of the body leaves the simulation"):
    var seeds = 0
    val last = boundary:
      simulate(seeds = 100):
        seeds += 1
        if simulation.seed == 7 then boundary.break(simulation.seed)
      0L
    assertEquals((last, seeds), (7L, 7))

  // ---- the limits of time

  test("waits end by their time while steps are possible"):
    simulate(seeds = 20, stepTime = 1.second):
      val probe = Probe[Int]("ear")
      val done = Promise[Int]()
      val countdown = spawn(Behavior.setup[Int]:
        Behavior.receive: n =>
          if n > 0 then self ! n - 1
          else
            done.success(n)
            probe.ref ! n
          Behavior.same)
      countdown ! 200 // about 100 seconds
      val missing = intercept[AssertionError](probe.receiveMessage(1.second))
      assertEquals(missing.getMessage, "ear got no message within 1 second")
      val before = simulation.now
      probe.expectNoMessage(1.second)
      val passed = simulation.now - before
      assert(passed >= 1.second && passed <= 2.seconds, s"$passed")
      val holds = simulation.runUntil(1.second)(done.isCompleted)
      assert(!holds)
      val late = intercept[IllegalStateException](simulation.await(done.future, 1.second))
      assertEquals(late.getMessage, "a future was not completed within 1 second")
      assertEquals(probe.receiveMessage(10.minutes), 0)

  test("time beyond the clock's range is rejected with its values"):
    simulate(seeds = 3):
      simulation.advance(53_000.days)
      val error = intercept[IllegalArgumentException](simulation.advance(1000.days))
      assert(error.getMessage.contains("must be at most 4611686018427387903 nanoseconds: "), error)
      assert(error.getMessage.endsWith(" + 1000 days"), error.getMessage)
      val probe = Probe[Int]()
      spawn(Behavior.setup[Int]:
        context.startSingleTimer("key", 7, 1.second)
        Behavior.receive: n =>
          probe.ref ! n
          Behavior.same): Unit
      simulation.advance(1.hour)
      assertEquals(probe.received, Vector(7))
      val silent = spawn(Behavior.ignore[Reply[Int]])
      val before = simulation.now
      intercept[AskTimeoutException](silent.ask[Int](1.second)(reply => reply))
      assert(simulation.now - before >= 1.second, s"${simulation.now - before}")

  test("steps beyond the clock's range fail with the time"):
    val message = reported:
      simulate(seeds = 1):
        val probe = Probe[Int]("ear")
        probe.expectNoMessage(106_751.days)
        probe.expectNoMessage(106_751.days)
        probe.ref ! 1
        simulation.runUntilIdle()
    assert(message.contains("the simulated time must be at most 9223372036854775807 ns: "), message)

  test("a stepTime of more than a day is rejected"):
    for time <- List(2.days, Long.MaxValue.nanos) do
      val error = intercept[IllegalArgumentException](simulate(stepTime = time)(()))
      assertEquals(error.getMessage, s"stepTime must be from 0 to 1 day, but is $time")
    simulate(seeds = 3, stepTime = 1.day):
      Probe[Int]().ref ! 1
      simulation.runUntilIdle()

  test("the steps of a simulation tell a receive timeout that is put off from one that arrives"):
    val report = reported:
      simulate(seeds = 1):
        var idles = 0
        val session = spawn(
          Behavior.setup[String]:
            context.setReceiveTimeout(1.second, "Idle")
            Behavior.receive: word =>
              if word == "Idle" then idles += 1
              Behavior.same
          ,
          "session"
        )
        simulation.advance(900.millis)
        session ! "hello"
        simulation.advance(1500.millis)
        assertEquals(idles, 0)
    assert(report.contains("1000.000 ms  session <- the receive timeout, put off"), report)
    assertEquals("<- Idle of the receive timeout".r.findAllIn(report).size, 1, report)
end SimulationReportTest
