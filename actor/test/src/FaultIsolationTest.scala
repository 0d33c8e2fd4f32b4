package undercroft.actor

import internal.cell.{ActorCell, SystemMessage}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import scala.concurrent.blocking
import scala.concurrent.duration.*

/** Errors in users' code, also at a bad moment, do not cost other actors a turn. */
class FaultIsolationTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** A value whose `toString` throws. */
  private final class Shy:
    override def toString: String = throw StackOverflowError("shy")

  private def counting(using Stage): ActorRef[Int] = stage.start(Behavior.receive[Int] { n =>
    note(s"$n")
    Behavior.same
  })

  onEveryModel("a decider that rethrows or returns null stops only its own actor"):
    val decisions = List[Decider]({ case e => throw e }, { case _ => null.nn })
    for decide <- decisions do
      val actor = stage.start(
        Behavior.receive[Int](n => throw Broken(s"$n")).supervised(decide)
      )
      actor ! 1
      stage.quiet()
      assert(actor.isStopped)
    val bystander = counting
    bystander ! 2
    assertEquals(stage.noted, List("2"))
    assertEquals(stage.decided.map(_._2), List(Supervision.Stop, Supervision.Stop))

  onEveryModel("a message failure decision that throws or is null drops the message"):
    val decisions = List[PartialFunction[Throwable, MessageFailure]](
      { case e => throw e },
      { case _ => null.nn },
      { case _ => MessageFailure.Retry(0, null.nn) }
    )
    for decide <- decisions do
      val actor = stage.start(
        Behavior
          .receive[Int](n =>
            if n == 1 then throw Broken("1")
            else
              note(s"$n"); Behavior.same
          )
          .onMessageFailure(decide)
          .supervised { case _ => Supervision.Resume }
      )
      for n <- 1 to 2 do actor ! n
    assertEquals(stage.noted, List("2", "2", "2"))
    assertEquals(stage.system.observe.audit.failed, 3L)

  test("messages and exceptions whose toString throws stop neither workers nor listeners"):
    val system = ActorSystem("shy", 1, event => event.toString.length: Unit)
    try
      given ActorSystem = system
      val stoppedActor = spawn(Behavior.receive[Any](_ => Behavior.stopped))
      for _ <- 1 to 3 do stoppedActor ! Shy()
      val failing = spawn(
        Behavior
          .receive[Any](_ =>
            throw new Exception:
              override def toString = throw Broken("shown")
          )
          .onMessageFailure({ case _ => MessageFailure.Park }, throw Broken("state"))
          .supervised { case _ => Supervision.Resume }
      )
      failing ! Shy()
      assert(system.awaitQuiescence(patience))
      val bystander = spawn(Behavior.receive[Reply[Int]] { to =>
        to ! 7; Behavior.same
      })
      assertEquals(bystander.ask(patience)(identity[Reply[Int]]), 7)
      assertEquals(system.drainParked().map(_.state.takeWhile(_ != ':')), Vector("not described"))
    finally assert(system.shutdown(patience, patience))
    end try

  test("spawns concurrent to a shutdown are rejected or stopped, and the system ends"):
    for round <- 1 to 200 do
      val system = ActorSystem("brief", 2, _ => ())
      val started = CountDownLatch(1)
      val spawning = Thread.ofPlatform.start: () =>
        given ActorSystem = system
        var going = true
        while going do
          try spawn(Behavior.ignore[Int]): Unit
          catch case _: SpawnRejectedException => going = false
          started.countDown()
      started.await()
      system.shutdown(Duration.Zero, patience): Unit // it never becomes idle
      assert(system.isStopped, s"round $round: ${system.observe.audit}")
      spawning.join()

  onEveryModel("a priority message wakes a waiting process and overtakes its messages"):
    val waiting =
      stage.start(Behavior.process[Int](inbox => while true do note(s"${inbox.receive()}")))
    stage.quiet()
    waiting.tellPriority(1)
    assertEquals(stage.noted, List("1"))
    val sending = stage.start(Behavior.process[Int] { inbox =>
      inbox.receive(): Unit
      for n <- 2 to 3 do self[Int] ! n
      self[Int].tellPriority(4)
      while true do note(s"${inbox.receive()}")
    })
    sending ! 0
    assertEquals(stage.noted, List("1", "4", "2", "3"))

  onEveryModel("receive with a zero timeout polls, and with the maximum timeout waits"):
    val actor = stage.start(Behavior.process[Int] { inbox =>
      inbox.receive(Long.MaxValue.nanos): Unit
      for n <- 1 to 2 do self[Int] ! n
      for _ <- 1 to 3 do note(s"${inbox.receive(Duration.Zero)}")
    })
    stage.quiet()
    actor ! 0
    assertEquals(stage.noted, List("Some(1)", "Some(2)", "None"))
    assert(stage.system.awaitQuiescence(Long.MaxValue.nanos))

  onEveryThread("a polling process stops when its parent stops it"):
    val parent = stage.start(Behavior.setup[Int]:
      val child = spawn(
        Behavior.process[Int](inbox => while true do inbox.receive(Duration.Zero): Unit),
        run = Run.Thread
      )
      Behavior.receive { _ =>
        context.stop(child); Behavior.same
      })
    stage.until("it has begun")(stage.system.observe.audit.actors == 2)
    parent ! 1
    stage.until("it has stopped")(stage.system.observe.audit.actors == 1)

  onEveryModel("messages of timers and watchWith can be stashed and unstashed"):
    val child = stage.start(Behavior.receive[Int](_ => Behavior.stopped))
    val actor = stage.start(Behavior.setup[String]:
      context.watchWith(child, "gone")
      context.startSingleTimer("once", "timer", 1.milli)
      var isOpen = false
      Behavior.receive: s =>
        if s == "open" then
          isOpen = true
          context.unstashAll()
        else if isOpen then note(s)
        else context.stash()
        Behavior.same)
    child ! 0
    stage.until("both are aside")(stage.system.observe.audit.stashed == 2)
    actor ! "open"
    stage.quiet()
    assertEquals(stage.noted.sorted, List("gone", "timer"))

  onEveryModel(
    "a fixed-delay timer continues after a failure and is not duplicated"
  ):
    val actor = stage.start(
      Behavior
        .setup[String]:
          var ticks = 0
          context.startTimerWithFixedDelay("t", "tick", 1.milli)
          Behavior.receive: _ =>
            ticks += 1
            if ticks == 1 then throw Broken("tick")
            else if ticks == 5 then
              context.cancelTimer("t")
              note("five")
            Behavior.same
        .supervised { case _ => Supervision.Resume }
    )
    stage.until("five ticks")(stage.noted == List("five"))
    assert(!actor.isStopped)

  onEveryModel("awaitQuiescence waits for the setups of a group restart"):
    val actors = List.tabulate(3): i =>
      stage.start(
        Behavior
          .setup[Int]:
            note(s"$i")
            Behavior.receive(_ => throw Broken("together"))
          .supervised { case _ => Supervision.RestartAll() }
      )
    stage.quiet()
    for round <- 1 to 9 do
      actors(round % 3) ! 1
      assertEquals(stage.noted.groupMapReduce(identity)(_ => 1)(_ + _).values.toSet, Set(round + 1))

  test(
    "actors of a blocked worker run elsewhere, including actors that receive meanwhile"
  ):
    Stage.play(Run.Workers, workers = 1):
      val isOver = AtomicBoolean(false)
      val handled = AtomicInteger()
      val flooded = List.fill(4)(stage.start(
        Behavior.receive[Int] { _ =>
          handled.incrementAndGet(): Unit; Behavior.same
        },
        mailbox = Mailbox(16, Overflow.DropNewest)
      ))
      val flood = Thread.ofPlatform.start: () =>
        while !isOver.get do flooded.foreach(_ ! 1)
      val blocker = stage.start(Behavior.receive[Reply[Boolean]] { to =>
        flooded.foreach(_ ! 2)
        val from = handled.get
        val gate = CountDownLatch(1)
        stage.start(Behavior.receive[Int] { _ =>
          gate.countDown(); Behavior.stopped
        }) ! 1
        to ! blocking:
          val opened = gate.await(60, TimeUnit.SECONDS)
          while handled.get < from + 8 do Thread.onSpinWait()
          opened
        Behavior.same
      })
      try for _ <- 1 to 50 do assert(blocker.ask(patience)(identity[Reply[Boolean]]))
      finally
        isOver.set(true)
        flood.join()

  /** Fails in each turn, as a class of the runtime that could not be initialized. */
  private final class Failing(turns: AtomicInteger) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if turns.incrementAndGet() < 10_000 then cell.pushSystemMessage(Failing(turns)): Unit
      throw NoClassDefFoundError("broken")
    override def tooLate(cell: ActorCell[?]): Unit = apply(cell)

  for (label, run) <- Seq("Run.Caller" -> Run.Caller, "a direct executor" -> Run.On(_.run())) do
    test(s"on $label, an actor whose turns fail in the runtime has one turn"):
      val system = ActorSystem("broken", 1, _ => ())
      given ActorSystem = system
      val actor = spawn(Behavior.receive[Int](_ => Behavior.same), run = run)
      val turns = AtomicInteger()
      actor.asInstanceOf[ActorCell[Int]].tellSystem(Failing(turns)): Unit
      intercept[SystemFailedException](system.shutdown(1.minute, 1.minute)): Unit
      assertEquals(turns.get, 1, "a stopped actor of a failed system has no more turns")
  end for

  onEveryModel("priority messages beyond PriorityLimit throw while earlier ones are handled"):
    var (handled, isRefused) = (0, false)
    val actor = stage.start(Behavior.setup[Int]:
      Behavior.receive: n =>
        handled += 1
        if !isRefused && handled < 2 * ActorRef.PriorityLimit then
          try for _ <- 1 to 2 do self[Int].tellPriority(n)
          catch case _: MailboxFullException => isRefused = true
        Behavior.same)
    actor ! 1
    stage.quiet()
    assert(isRefused, s"$handled messages")

  onEveryModel("messages postpone the receive timeout of a process"):
    // Only in simulated time: a real thread may wait for its turn for any length of time.
    if stage.isSimulated then
      val actor = stage.start(Behavior.process[Int] { inbox =>
        context[Int].startTimerAtFixedRate("t", 1, 10.millis)
        context[Int].setReceiveTimeout(100.millis, 0)
        for _ <- 1 to 40 do if inbox.receive() == 0 then note("too early")
        context[Int].cancelTimer("t")
        if inbox.receive() == 0 then note("in time")
      })
      stage.until("it has ended")(actor.isStopped)
      assertEquals(stage.noted, List("in time"))
end FaultIsolationTest
