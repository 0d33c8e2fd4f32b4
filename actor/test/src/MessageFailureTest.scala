package undercroft.actor

import scala.concurrent.duration.*

/** The outcome of a message whose handler fails, on every run model. */
class MessageFailureTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** Fails at negative numbers, `times` times in all, and counts the messages that it handled. */
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
      .onMessageFailure(policy, state = s"$handled handled")

  // State of the current test; the tests run one after another.
  private val failures = java.util.concurrent.atomic.AtomicInteger()
  private var policy: PartialFunction[Throwable, MessageFailure] = PartialFunction.empty

  private def play(times: Int, failing: MessageFailure, decision: Supervision)(using Stage) =
    failures.set(0)
    policy = { case _: Broken => failing }
    val actor = stage.start(fragile(times).supervised { case _: Broken => decision }, "fragile")
    for n <- List(1, -2, 3) do actor ! n
    actor

  private def parked(using Stage) = stage.system.drainParked().map(entry =>
    (entry.actor.name, entry.message, entry.cause.getMessage, entry.state)
  )

  private def counts(using Stage) =
    val audit = stage.system.observe.audit
    (audit.handled, audit.failed, audit.deadLetterCount)

  onEveryModel("MessageFailure.Drop drops the message that failed"):
    val _ = play(1, MessageFailure.Drop, Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "3"))
    assertEquals(counts, (2L, 1L, 0L))

  onEveryModel("MessageFailure.Retry handles the message again before waiting messages"):
    val _ = play(2, MessageFailure.Retry(2), Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "-2", "3"))
    assertEquals(stage.decided.size, 2)
    assertEquals(counts, (3L, 0L, 0L))

  onEveryModel("MessageFailure.Retry handles the message again after a restart of the actor"):
    val _ = play(2, MessageFailure.Retry(2), Supervision.Restart())
    assertEquals(stage.noted, List("setup", "1", "setup", "setup", "-2", "3"))
    assertEquals(counts, (3L, 0L, 0L))

  onEveryModel("a message whose retries are used up is dropped and counted as failed once"):
    val _ = play(9, MessageFailure.Retry(2), Supervision.Resume)
    assertEquals(stage.noted, List("setup", "1", "3"))
    assertEquals(stage.decided.size, 3)
    assertEquals(counts, (2L, 1L, 0L))

  onEveryModel("a message is parked after its retries, with its cause and the actor's state"):
    val _ = play(9, MessageFailure.Retry(1, MessageFailure.Park), Supervision.Restart())
    assertEquals(stage.noted, List("setup", "1", "setup", "setup", "3"))
    assertEquals(parked, Vector(("fragile", -2, "-2", "0 handled")))
    assertEquals(parked, Vector())

  onEveryModel("a parked message can be resent"):
    val _ = play(1, MessageFailure.Park, Supervision.Resume)
    stage.quiet()
    assertEquals(counts, (2L, 1L, 0L))
    val messages = stage.system.drainParked()
    assertEquals(messages.map(entry => (entry.message, entry.state)), Vector((-2, "1 handled")))
    messages.head.resend()
    assertEquals(stage.noted, List("setup", "1", "3", "-2"))
    assertEquals(counts, (3L, 1L, 0L))

  onEveryModel("a stopped actor does not retry its message, but the next decision applies"):
    val actor = play(1, MessageFailure.Retry(5, MessageFailure.Park), Supervision.Stop)
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(parked, Vector(("fragile", -2, "-2", "1 handled")))
    assertEquals(counts, (1L, 1L, 1L))

  onEveryModel("the next decision applies to a message that waits for its retry at the stop"):
    failures.set(0)
    policy = { case _: Broken => MessageFailure.Retry(5, MessageFailure.Park) }
    val parent = stage.start(Behavior.setup[Int]:
      val child = spawn(
        fragile(9).supervised { case _ => Supervision.Backoff(1.hour, 1.hour, jitter = 0) },
        "fragile",
        stage.run
      )
      Behavior.receive: n =>
        if n == 0 then context.stop(child) else child ! n
        Behavior.same)
    parent ! -2
    stage.until("it has failed")(stage.decided.nonEmpty)
    parent ! 0
    stage.quiet()
    assertEquals(parked, Vector(("fragile", -2, "-2", "0 handled")))
    assertEquals(counts, (2L, 1L, 0L))

  onEveryModel("MessageFailure.ToParent signals the parent after the child's messages"):
    val parent = stage.start(
      Behavior.setup[Int]:
        val owner = self[Int]
        val child = spawn(
          Behavior
            .receive[Int] { n =>
              owner ! -n
              throw Broken(s"$n")
            }
            .onMessageFailure { case _ => MessageFailure.ToParent }
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
    assertEquals(stage.system.observe.audit.failed, 1L)

  onEveryModel("an unhandled MessageFailed is a dead letter; an actor without parent parks it"):
    val broken = Behavior
      .receive[Int](n => throw Broken(s"$n"))
      .onMessageFailure { case _ => MessageFailure.ToParent }
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
    assertEquals(stage.lost, List((7, DeadLetterReason.Unhandled)))
    stage.start(broken, "orphan") ! 8
    stage.quiet()
    assertEquals(parked, Vector(("orphan", 8, "8", "")))

  onEveryModel("an ask whose handling fails gets its reply from the retry"):
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
        .onMessageFailure { case _ => MessageFailure.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    assertEquals(actor.ask[Int](patience)(identity), 7)

  onEveryModel("a timer's message that fails is retried even after its timer is gone"):
    var failed = false
    val _ = stage.start(
      Behavior
        .setup[String]:
          if !failed then context.startSingleTimer("t", "tick", 1.milli)
          Behavior.receive: s =>
            if !failed then
              failed = true
              throw Broken("first")
            note(s)
            Behavior.same
        .onMessageFailure { case _ => MessageFailure.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    stage.until("it was handled")(stage.noted == List("tick"))

  onEveryModel("a restarted process receives the message that it failed with again"):
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
        .onMessageFailure { case _ => MessageFailure.Retry(1) }
        .supervised { case _ => Supervision.Restart() }
    )
    for n <- 1 to 4 do actor ! n
    assertEquals(stage.noted, List("begin", "1", "begin", "2", "3", "4"))
    assert(actor.isStopped)
    assertEquals(stage.system.observe.audit.failed, 0L)

  onEveryModel("inner onMessageFailure precedes outer; a throwing one drops the message"):
    val actor = stage.start(
      Behavior
        .receive[Int](n => throw (if n == 1 then IllegalStateException("1") else Broken(s"$n")))
        .onMessageFailure { case _: IllegalStateException => MessageFailure.Park }
        .onMessageFailure { case _: Broken => throw Broken("decision") }
        .supervised { case _ => Supervision.Resume },
      "layers"
    )
    for n <- 1 to 2 do actor ! n
    stage.quiet()
    assertEquals(parked, Vector(("layers", 1, "1", "")))
    assertEquals(stage.system.observe.audit.failed, 2L)

  onEveryModel("a parked message whose state description throws reports that exception"):
    stage.start(
      Behavior
        .receive[Int](n => throw Broken(s"$n"))
        .onMessageFailure(
          { case _ => MessageFailure.Park },
          state = throw IllegalStateException("no words")
        ),
      "mute"
    ) ! 1
    stage.quiet()
    assertEquals(
      parked,
      Vector(("mute", 1, "1", "not described: java.lang.IllegalStateException: no words"))
    )

  test("beyond ParkedLimit the oldest parked message is dropped and reported"):
    Stage.play(Run.Workers):
      val actor = stage.start(
        Behavior
          .receive[Int](n => throw Broken(s"$n"))
          .onMessageFailure { case _ => MessageFailure.Park }
          .supervised { case _ => Supervision.Resume }
      )
      for n <- 0 to ActorSystem.ParkedLimit do actor ! n
      stage.quiet()
      val losses = stage.told.collect { case ActorEvent.MessageParked(note, false) => note.message }
      assertEquals(losses, List[Any](0))
      assertEquals(parked.map(_._2), Vector.range(1, ActorSystem.ParkedLimit + 1))
end MessageFailureTest
