package undercroft.actor

import scala.concurrent.duration.*

/** What becomes of a message whose handler fails, on every run model. */
class FailingTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** Fails with each negative number `times` times, and counts what it handled. */
  private def fragile(times: Int)(using Stage): Behavior[Int] = Behavior.setup:
    var handled = 0
    note("setup")
    Behavior
      .receive[Int] { n =>
        if n < 0 && failures.incrementAndGet() <= times then throw Broken(s"$n")
        handled += 1
        note(s"$n")
        Behavior.same
      }
      .failing(policy, state = s"$handled handled")

  // Of the test that runs, which are run one after another.
  private val failures = java.util.concurrent.atomic.AtomicInteger()
  private var policy: PartialFunction[Throwable, Failing] = PartialFunction.empty

  private def play(times: Int, failing: Failing, decision: Supervision)(using Stage) =
    failures.set(0)
    policy = { case _: Broken => failing }
    val actor = stage.start(fragile(times).supervised { case _: Broken => decision }, "fragile")
    for n <- List(1, -2, 3) do actor ! n
    actor

  private def parked(using Stage) = stage.system.takeParked().map(one =>
    (one.actor.name, one.message, one.cause.getMessage, one.state)
  )

  private def counts(using Stage) =
    val audit = stage.system.audit
    (audit.handled, audit.failed, audit.deadCount)

  onEveryModel("a message that fails is dropped where that is said, and where nothing is"):
    val _ = play(1, Failing.Drop, Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "3"))
    assertEquals(counts, (2L, 1L, 0L))

  onEveryModel("a message that fails is handled again, before those that wait"):
    val _ = play(2, Failing.Retry(2), Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "-2", "3"))
    assertEquals(stage.decided.size, 2)
    assertEquals(counts, (3L, 0L, 0L))

  onEveryModel("it is handled again by the actor that began anew"):
    val _ = play(2, Failing.Retry(2), Supervision.Restart())
    assertEquals(stage.noted, List("setup", "1", "setup", "setup", "-2", "3"))
    assertEquals(counts, (3L, 0L, 0L))

  onEveryModel("what fails too often is dropped, and counted as failed once"):
    val _ = play(9, Failing.Retry(2), Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "3"))
    assertEquals(stage.decided.size, 3)
    assertEquals(counts, (2L, 1L, 0L))

  onEveryModel("it is parked where that is said, with the cause and the state of then"):
    val _ = play(9, Failing.Retry(1, Failing.Park), Supervision.Restart())
    assertEquals(stage.noted, List("setup", "1", "setup", "setup", "3"))
    assertEquals(parked, Vector(("fragile", -2, "-2", "0 handled")))
    assertEquals(parked, Vector())

  onEveryModel("a message that fails is parked, and can be sent again"):
    val _ = play(1, Failing.Park, Supervision.Resume)
    stage.quiet()
    assertEquals(counts, (2L, 1L, 0L))
    val taken = stage.system.takeParked()
    assertEquals(taken.map(one => (one.message, one.state)), Vector((-2, "1 handled")))
    taken.head.sendAgain()
    assertEquals(stage.noted, List("setup", "1", "3", "-2"))
    assertEquals(counts, (3L, 1L, 0L))

  onEveryModel("what is to be handled again by an actor that stops is not, but what follows holds"):
    val actor = play(1, Failing.Retry(5, Failing.Park), Supervision.Stop)
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(parked, Vector(("fragile", -2, "-2", "1 handled")))
    assertEquals(counts, (1L, 1L, 1L))

  onEveryModel("a message that fails is handed to the parent, after what the child sent"):
    val parent = stage.start(
      Behavior.setup[Int]:
        val mine = self[Int]
        val child = spawn(
          Behavior
            .receive[Int] { n =>
              mine ! -n
              throw Broken(s"$n")
            }
            .failing { case _ => Failing.ToParent }
            .supervised { case _ => Supervision.Resume },
          "child",
          stage.run
        )
        Behavior
          .receive[Int] { n =>
            if n > 0 then child ! n else note(s"$n")
            Behavior.same
          }
          .onSignal { case Signal.MessageFailed(child, message, cause) =>
            note(s"$child $message ${cause.getMessage}")
            Behavior.same
          }
    )
    parent ! 7
    assertEquals(stage.noted, List("-7", "child 7 7"))
    assertEquals(stage.system.audit.failed, 1L)

  onEveryModel("what a parent does not handle is a dead letter, and without a parent it is parked"):
    val broken = Behavior
      .receive[Int](n => throw Broken(s"$n"))
      .failing { case _ => Failing.ToParent }
      .supervised { case _ => Supervision.Resume }
    val parent = stage.start(
      Behavior.setup[Int]:
        val child = spawn(broken, "child", stage.run)
        Behavior.receive: n =>
          child ! n
          Behavior.same
      ,
      "parent"
    )
    parent ! 7
    stage.quiet()
    assertEquals(stage.lost, List((7, Reason.Unhandled)))
    stage.start(broken, "orphan") ! 8
    stage.quiet()
    assertEquals(parked, Vector(("orphan", 8, "8", "")))

  onEveryModel("an ask that fails is answered when it is handled again"):
    var failed = false
    val actor = stage.start(
      Behavior
        .receive[Reply[Int]] { to =>
          if !failed then
            failed = true
            throw Broken("first")
          to ! 7
          Behavior.same
        }
        .failing { case _ => Failing.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    assertEquals(actor.ask[Int](patience)(identity), 7)

  onEveryModel("a timer's message that fails is handled again, though its timer is gone"):
    var failed = false
    val _ = stage.start(
      Behavior
        .setup[String]:
          if !failed then context.startTimer("t", "tick", 1.milli)
          Behavior.receive: s =>
            if !failed then
              failed = true
              throw Broken("first")
            note(s)
            Behavior.same
        .failing { case _ => Failing.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    stage.until("it was handled")(stage.noted == List("tick"))

  onEveryModel("a process begins anew with the message that it failed with"):
    var failed = false
    val actor = stage.start(
      Behavior
        .process[Int] { inbox =>
          note("begin")
          for _ <- 1 to 3 do
            val n = inbox.receive()
            if n == 2 && !failed then
              failed = true
              throw Broken("2")
            note(s"$n")
        }
        .failing { case _ => Failing.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    for n <- 1 to 4 do actor ! n
    assertEquals(stage.noted, List("begin", "1", "begin", "2", "3", "4"))
    assert(actor.isStopped)
    assertEquals(stage.system.audit.failed, 0L)

  onEveryModel("an inner decision goes before an outer one, and one that throws is none"):
    val actor = stage.start(
      Behavior
        .receive[Int](n => throw (if n == 1 then IllegalStateException("1") else Broken(s"$n")))
        .failing { case _: IllegalStateException => Failing.Park }
        .failing { case _: Broken => throw Broken("decision") }
        .supervised { case _ => Supervision.Resume },
      "layers"
    )
    for n <- 1 to 2 do actor ! n
    stage.quiet()
    assertEquals(parked, Vector(("layers", 1, "1", "")))
    assertEquals(stage.system.audit.failed, 2L)

  onEveryModel("a state whose description throws is parked with that"):
    stage.start(
      Behavior
        .receive[Int](n => throw Broken(s"$n"))
        .failing({ case _ => Failing.Park }, state = throw IllegalStateException("no words")),
      "mute"
    ) ! 1
    stage.quiet()
    assertEquals(
      parked,
      Vector(("mute", 1, "1", "not described: java.lang.IllegalStateException: no words"))
    )

  test("the oldest parked message goes when there is one too many, and is told of"):
    Stage.play(Run.Workers):
      val actor = stage.start(
        Behavior
          .receive[Int](n => throw Broken(s"$n"))
          .failing { case _ => Failing.Park }
          .supervised { case _ => Supervision.Resume }
      )
      for n <- 0 to ActorSystem.ParkedLimit do actor ! n
      stage.quiet()
      val gone = stage.told.collect { case Event.MessageParked(one, false) => one.message }
      assertEquals(gone, List[Any](0))
      assertEquals(parked.map(_._2), Vector.range(1, ActorSystem.ParkedLimit + 1))
end FailingTest
