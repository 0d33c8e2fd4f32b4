package undercroft.actor

import scala.concurrent.Promise
import scala.concurrent.duration.*

/** Each misuse has the outcome that the guide's table states, on every run model. */
class BadUseTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  private def quitter(name: String)(using Stage): ActorRef[Int] =
    stage.start(Behavior.receive[Int](_ => Behavior.stopped), name)

  private def gone(name: String)(using Stage): ActorRef[Int] =
    val actor = quitter(name)
    actor ! 0
    stage.until(s"$name has stopped")(actor.isStopped)
    actor

  /** Runs `body` in the handler of an actor's first message, and notes the exception it throws. */
  private def inHandler(body: ActorContext[Int] ?=> Unit)(using Stage): ActorRef[Int] =
    val actor = stage.start(
      Behavior.setup[Int]:
        Behavior.receive: _ =>
          try body
          catch case e: Exception => note(s"${e.getClass.getSimpleName}: ${e.getMessage}")
          Behavior.same
      ,
      "one"
    )
    actor ! 1
    actor

  onEveryModel("a message to an actor that has stopped is a dead letter"):
    gone("gone") ! 7
    stage.quiet()
    assertEquals(stage.lost, List((7, DeadLetterReason.Stopped)))

  onEveryModel("a priority message to an actor that has stopped is a dead letter"):
    gone("gone").tellPriority(7)
    stage.quiet()
    assertEquals(stage.lost, List((7, DeadLetterReason.Stopped)))

  onEveryModel("a message without a matching handler is a dead letter"):
    stage.start(Behavior.receive[Int] {
      case 1 => Behavior.same
      case _ => Behavior.unhandled
    }) ! 2
    stage.quiet()
    assertEquals(stage.lost, List((2, DeadLetterReason.Unhandled)))

  onEveryModel("sending null throws NullPointerException, and the actor continues"):
    val actor = stage.start(
      Behavior.receive[String] { s =>
        note(s); Behavior.same
      },
      "taker"
    )
    val e = intercept[NullPointerException](actor ! null.asInstanceOf[String])
    assertEquals(e.getMessage, "a message to taker is null")
    val first = intercept[NullPointerException](actor.tellPriority(null.asInstanceOf[String]))
    assertEquals(first.getMessage, "a message to taker is null")
    actor ! "next"
    assertEquals(stage.noted, List("next"))

  onEveryModel(
    "a handler that throws for a message stops its actor without a decider"
  ):
    val actor = stage.start(Behavior.receive[Int](_ => throw Broken("message")))
    actor ! 1
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.decided, List(("message", Supervision.Stop)))
    assertEquals(stage.system.observe.audit.failed, 1L)

  onEveryModel("a handler that throws for a signal stops its actor without a decider"):
    val target = quitter("target")
    val actor = stage.start(Behavior.setup[Int]:
      context.watch(target)
      Behavior.ignore[Int].onSignal { case Signal.Terminated(_, _) => throw Broken("signal") })
    stage.quiet()
    target ! 1
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.decided, List(("signal", Supervision.Stop)))

  onEveryModel(
    "a handler that throws for a timer's message stops its actor and its timers"
  ):
    val actor = stage.start(Behavior.setup[Int]:
      context.startTimerAtFixedRate("t", 1, 1.milli)
      Behavior.receive(_ => throw Broken("timer")))
    stage.until("it has stopped")(actor.isStopped)
    stage.quiet()
    assertEquals(stage.decided, List(("timer", Supervision.Stop)))

  onEveryModel("a timer's message without a matching handler is a dead letter"):
    val actor = stage.start(Behavior.setup[Int]:
      context.startSingleTimer("t", 2, 1.milli)
      Behavior.receive[Int] {
        case 1 => Behavior.same
        case _ => Behavior.unhandled
      })
    stage.until("it came")(stage.lost.nonEmpty)
    assertEquals(stage.lost, List((2, DeadLetterReason.Unhandled)))
    assert(!actor.isStopped)

  onEveryModel("a process that throws stops its actor before and after it receives messages"):
    def process(name: String, receives: Int): ActorRef[Int] = stage.start(
      Behavior.process[Int] { inbox =>
        for _ <- 1 to receives do inbox.receive(): Unit
        throw Broken(name)
      },
      name
    )
    val (early, late) = (process("early", 0), process("late", 2))
    for n <- 1 to 2 do late ! n
    stage.until("both have stopped")(early.isStopped && late.isStopped)
    early ! 3
    stage.quiet()
    assertEquals(
      stage.decided.sortBy(_._1),
      List(("early", Supervision.Stop), ("late", Supervision.Stop))
    )
    assertEquals(stage.lost, List((3, DeadLetterReason.Stopped)))
    val audit = stage.system.observe.audit
    assertEquals((audit.handled, audit.failed), (1L, 1L))

  onEveryModel("a setup that throws stops its actor even under Supervision.Resume"):
    val actor = stage.start(
      Behavior.setup[Int](throw Broken("setup")).supervised { case _ => Supervision.Resume }
    )
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.decided, List(("setup", Supervision.Stop)))

  onEveryModel("an exception in PostStop is reported, and the actor has stopped"):
    val actor = stage.start(Behavior.receive[Int](_ => Behavior.stopped).onSignal {
      case Signal.PostStop => throw Broken("postStop")
    })
    actor ! 1
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.decided, List(("postStop", Supervision.Resume)))

  onEveryModel("an exception in PreRestart is reported, and the actor restarts"):
    val actor = stage.start(
      Behavior
        .receive[Int] { n =>
          if n == 1 then throw Broken("message")
          note(s"$n")
          Behavior.same
        }
        .onSignal { case Signal.PreRestart => throw Broken("preRestart") }
        .supervised { case _ => Supervision.Restart() }
    )
    for n <- List(1, 2) do actor ! n
    assertEquals(stage.noted, List("2"))
    assertEquals(
      stage.decided,
      List(("message", Supervision.Restart()), ("preRestart", Supervision.Resume))
    )

  onEveryModel("Terminated without a handler fails the watcher"):
    val target = quitter("target")
    val watcher = stage.start(Behavior.setup[Int]:
      context.watch(target)
      Behavior.ignore)
    stage.quiet()
    target ! 1
    stage.until("it has stopped")(watcher.isStopped)
    assertEquals(
      stage.decided.map(_._1),
      List("target was watched and stopped, and nothing handles Terminated")
    )

  onEveryModel("a second onSignal handler of Terminated is not called"):
    val target = quitter("target")
    val _ = stage.start(Behavior.setup[Int]:
      context.watch(target)
      Behavior
        .ignore[Int]
        .onSignal { case Signal.Terminated(_, _) => note("first"); Behavior.same }
        .onSignal { case Signal.Terminated(_, _) => note("second"); Behavior.same })
    stage.quiet()
    target ! 1
    stage.until("it was told")(stage.noted.nonEmpty)
    assertEquals(stage.noted, List("first"))

  onEveryModel("spawn in a stopping actor throws SpawnRejectedException"):
    val actor = stage.start(
      Behavior.setup[Int]:
        val actorContext = context
        Behavior.receive[Int](_ => Behavior.stopped).onSignal { case Signal.PostStop =>
          try spawn[Int](Behavior.ignore)(using actorContext): Unit
          catch case e: SpawnRejectedException => note(e.getMessage)
          Behavior.same
        }
      ,
      "last"
    )
    actor ! 1
    assertEquals(stage.noted, List("last is stopping and cannot spawn actors"))

  onEveryModel("spawn after shutdown throws SpawnRejectedException"):
    assertEquals(stage.system.shutdown(patience, patience), true)
    val e = intercept[SpawnRejectedException](stage.start(Behavior.ignore[Int]))
    assertEquals(e.getMessage, s"${stage.system} is stopping and cannot spawn actors")

  onEveryModel(
    "an ask without a reply times out, and the late reply is a dead letter"
  ):
    var lateReply: Option[Reply[Int]] = None
    val actor = stage.start(Behavior.receive[Reply[Int]](_ => Behavior.same), "mute")
    val e = intercept[AskTimeoutException](actor.ask[Int](5.millis) { to =>
      lateReply = Some(to); to
    })
    assertEquals(e.getMessage, "mute did not answer within 5000 us")
    lateReply.get ! 7
    assertEquals(stage.lost, List((7, DeadLetterReason.AskEnded)))
    val later = stage.result(actor.askAsync[Int](5.millis)(identity)).failed.get
    assertEquals(later.getMessage, "mute did not answer within 5 milliseconds")
    assert(later.isInstanceOf[AskTimeoutException], later)

  onEveryModel("an ask of an actor that stops or has stopped fails before its timeout"):
    val actor = stage.start(Behavior.receive[Reply[Int]](_ => Behavior.stopped), "mortal")
    for _ <- 1 to 2 do
      val e = intercept[AskTargetStoppedException](actor.ask[Int](1.hour)(identity))
      assert(e.getMessage.contains("mortal"), e.getMessage)

  onEveryModel("a second reply to an ask is a dead letter"):
    val actor = stage.start(Behavior.receive[Reply[Int]] { to =>
      to ! 1; to ! 2; Behavior.same
    })
    assertEquals(actor.ask[Int](patience)(identity), 1)
    stage.quiet()
    assertEquals(stage.lost, List((2, DeadLetterReason.AskEnded)))

  onEveryModel("a blocking ask throws on a worker and succeeds on other threads"):
    val target = spawn(
      Behavior.receive[Reply[Int]] { to =>
        to ! 1; Behavior.same
      },
      "target",
      Run.Virtual
    )(using stage.system)
    inHandler(note(s"${target.ask[Int](patience)(identity)}")): Unit
    val expected =
      if stage.run == Run.Workers then
        "IllegalStateException: an ask of target would block a worker: use askAsync"
      else "1"
    assertEquals(stage.noted, List(expected))

  onEveryModel("ActorContext throws IllegalStateException outside its actor's turn"):
    val contextPromise = Promise[ActorContext[Int]]()
    val _ = stage.start(
      Behavior.setup[Int]:
        contextPromise.success(context)
        Behavior.ignore
      ,
      "owner"
    )
    val leaked = stage.result(contextPromise.future).get
    stage.quiet()
    val uses = List[() => Unit](
      () => leaked.stash(),
      () => leaked.unstashAll(),
      () => leaked.children: Unit,
      () => leaked.startSingleTimer("t", 1, 1.hour),
      () => leaked.cancelTimer("t"),
      () => leaked.setReceiveTimeout(1.hour, 1),
      () => leaked.cancelReceiveTimeout(),
      () => leaked.watch(leaked.self),
      () => leaked.unwatch(leaked.self),
      () => leaked.stop(leaked.self),
      () => spawn[Int](Behavior.ignore)(using leaked): Unit
    )
    for use <- uses do
      val e = intercept[IllegalStateException](use())
      assert(e.getMessage.startsWith("the context of owner is used outside its turn"))

  onEveryModel("stopping an actor that is no child and watching oneself throw"):
    val stranger = stage.start(Behavior.ignore[Int], "other")
    inHandler:
      try context.stop(stranger)
      catch case e: IllegalArgumentException => note(e.getMessage)
      context.watch(self)
    assertEquals(
      stage.noted,
      List("other is not a child of one", "IllegalArgumentException: one cannot watch one")
    )
    assert(!stranger.isStopped)

  onEveryModel("stashing a message twice throws IllegalStateException"):
    inHandler:
      context.stash()
      context.stash()
    assertEquals(
      stage.noted,
      List("IllegalStateException: one has already stashed the current message")
    )
    assertEquals(stage.system.observe.audit.stashed, 1L)

  onEveryModel("a zero period and a negative delay of a timer throw"):
    inHandler:
      for start <- List[() => Unit](
          () => context.startSingleTimer("t", 1, -1.nanos),
          () => context.startTimerAtFixedRate("t", 1, Duration.Zero),
          () => context.startTimerWithFixedDelay("t", 1, -1.nanos),
          () => context.setReceiveTimeout(Duration.Zero, 1)
        )
      do
        try start()
        catch case e: IllegalArgumentException => note(e.getMessage)
    assertEquals(
      stage.noted,
      List(
        "the delay of a timer must be at least 0 ns, but is -1 ns",
        "the period of a timer must be at least 1 ns, but is 0 ns",
        "the delay of a timer must be at least 1 ns, but is -1 ns",
        "the receive timeout must be at least 1 ns, but is 0 ns"
      )
    )

  onEveryModel("a setup that ends in Behavior.unhandled fails"):
    val actor = stage.start(Behavior.setup[Int](Behavior.unhandled), "hollow")
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(
      stage.decided.map(_._1),
      List("the setup of hollow ended in Behavior.unhandled, which is not a behavior")
    )

  onEveryModel("a handler that returns a process fails its actor"):
    val actor = stage.start(
      Behavior.receive[Int](_ => Behavior.process[Int](inbox => inbox.receive(): Unit)),
      "late"
    )
    actor ! 1
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(
      stage.decided.map(_._1),
      List("late cannot become a process: spawn the process")
    )

  onEveryModel("a process that a setup inside an interceptor returns fails"):
    final class Passing extends BehaviorInterceptor[Int, Int]:
      def aroundReceive(n: Int, target: BehaviorInterceptor.Target[Int]): Behavior[Int] =
        target.receive(n)
    val process = Behavior.process[Int](_ => note("a process runs"))
    val resume: Decider = { case _ => Supervision.Resume }
    for inner <- List(process, process.supervised(resume)) do
      val actor = stage.start(Behavior.intercept(Passing())(Behavior.setup(inner)), "late")
      stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, Nil)
    assertEquals(
      stage.decided.map(_._1),
      List.fill(2)("a process cannot be intercepted: it takes its messages from its inbox")
    )

  onEveryModel("shutdown called by an actor of the system throws IllegalStateException"):
    inHandler(note(s"${context.system.shutdown()}")): Unit
    assertEquals(
      stage.noted,
      List(
        s"IllegalStateException: ${stage.system} cannot be shut down by one of its actors, which would wait for itself"
      )
    )

  onEveryModel("auditOf for an actor of another system throws IllegalArgumentException"):
    val otherSystem = ActorSystem("other", 1)
    try
      val stranger = spawn(Behavior.ignore[Int], "stranger")(using otherSystem)
      val e = intercept[IllegalArgumentException](stage.system.observe.auditOf(stranger))
      assertEquals(e.getMessage, s"stranger is not an actor of ${stage.system}")
    finally otherSystem.close()

  onEveryModel("an event listener that throws does not affect actors and the audit"):
    val log = java.util.logging.Logger.getLogger("undercroft.actor")
    log.setLevel(java.util.logging.Level.OFF) // it logs the listener's failure
    try
      val system = ActorSystem("deaf", 1, _ => throw Broken("listener"))
      val broken = Behavior.receive[Int](_ => throw Broken("message"))
      val actor = spawn(broken, run = stage.run)(using system)
      actor ! 1
      assertEquals(system.shutdown(patience, patience), true)
      assert(actor.isStopped)
      assert(system.observe.audit.isExact, system.observe.audit)
    finally log.setLevel(null)
end BadUseTest
