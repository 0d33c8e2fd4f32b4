package undercroft.actor

import scala.concurrent.Promise
import scala.concurrent.duration.*
import scala.util.{Failure, Success}

/** Timers, stash, asks and futures. */
class TimeTest extends EveryModel:

  onEveryModel("a single timer fires once and replaces the timer of the same key"):
    val _ = stage.start(Behavior.setup[String]:
      context.startSingleTimer("a", "replaced", 1.hour)
      context.startSingleTimer("a", "fired", 1.milli)
      context.startSingleTimer("b", "cancelled", 1.hour)
      context.cancelTimer("b")
      Behavior.receive { s =>
        note(s); Behavior.same
      })
    stage.until("it fires")(stage.noted.nonEmpty)
    assertEquals(stage.noted, List("fired"))

  onEveryModel("a cancelled periodic timer delivers no further message, not even a waiting one"):
    for isRate <- List(true, false) do
      val _ = stage.start(Behavior.setup[String]:
        var ticks = 0
        if isRate then context.startTimerAtFixedRate("t", "tick", 1.milli)
        else context.startTimerWithFixedDelay("t", "tick", 1.milli)
        Behavior.receive: _ =>
          ticks += 1
          if ticks == 3 then
            context.cancelTimer("t")
            note("three")
          if ticks > 3 then note("too many")
          Behavior.same)
    stage.until("both have ticked")(stage.noted.size >= 2)
    assertEquals(stage.noted, List("three", "three"))

  onEveryModel("the waiting message of a cancelled timer is not delivered"):
    val actor = stage.start(Behavior.setup[String]:
      Behavior.receive:
        case "start" =>
          context.startSingleTimer("t", "tick", Duration.Zero)
          // The timer's message arrives while this message is handled.
          val box = stage.system
          while box.observe.auditOf(self).waiting < 2 do Thread.onSpinWait()
          context.cancelTimer("t")
          note("cancelled")
          Behavior.same
        case text => note(text); Behavior.same)
    if stage.run != Run.Caller && !stage.isSimulated then
      actor ! "start"
      assertEquals(stage.noted, List("cancelled"))
      assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Cancelled -> 1L))

  onEveryModel("a receive timeout arrives when no other message does"):
    val _ = stage.start(Behavior.setup[String]:
      context.setReceiveTimeout(2.millis, "quiet")
      Behavior.receive: s =>
        note(s)
        context.cancelReceiveTimeout()
        Behavior.same)
    stage.until("it is quiet")(stage.noted.nonEmpty)
    assertEquals(stage.noted, List("quiet"))

  onEveryModel("unstashAll delivers stashed messages in order before waiting messages"):
    val actor = stage.start(Behavior.setup[String]:
      def closed: Behavior[String] = Behavior.receive:
        case "open" => context.unstashAll(); open
        case _      => context.stash(); Behavior.same
      def open: Behavior[String] = Behavior.receive { s =>
        note(s); Behavior.same
      }
      closed)
    for s <- List("a", "b", "open", "c") do actor ! s
    assertEquals(stage.noted, List("a", "b", "c"))
    assertEquals(stage.system.observe.audit.handled, 4L)

  onEveryModel("unstash delivers the oldest stashed messages in order before waiting messages"):
    val actor = stage.start(Behavior.setup[String]:
      var isOpen = false
      Behavior.receive: s =>
        s match
          case "one"       => context.unstash(1); isOpen = true
          case "two"       => context.unstash(1); context.unstash(1); isOpen = true
          case "many"      => context.unstash(Int.MaxValue); context.unstash(7); isOpen = true
          case "none"      => context.unstash(0); isOpen = true
          case "shut"      => isOpen = false
          case _ if isOpen => note(s)
          case _           => context.stash()
        Behavior.same)
    for s <- List("a", "b", "c", "d", "e", "none", "shut", "one", "shut", "two", "shut", "f") do
      actor ! s
    stage.quiet()
    // The turn of "one" makes a due at once, before "shut", and so on.
    assertEquals(stage.noted, List("a", "b", "c"))
    for s <- List("many", "g") do actor ! s
    stage.quiet()
    assertEquals(stage.noted, List("a", "b", "c", "d", "e", "f", "g"))

  onEveryModel("unstash in the middle of unstashed messages delivers the stashed ones first"):
    val actor = stage.start(Behavior.setup[String]:
      var round = 0
      Behavior.receive: s =>
        if s == "go" then
          round += 1
          context.unstashAll()
        else if round == 1 && s == "c" then
          // d and e are due; a and b were stashed again meanwhile.
          round = 2
          note(s)
          context.unstash(1)
        else if round < 2 then context.stash()
        else note(s)
        Behavior.same)
    for s <- List("a", "b", "c", "d", "e", "go") do actor ! s
    stage.quiet()
    assertEquals(stage.noted, List("c", "a", "d", "e"))
    actor ! "go"
    stage.quiet()
    assertEquals(stage.noted, List("c", "a", "d", "e", "b"))

  onEveryModel("unstash of a negative number is refused and changes nothing"):
    val actor = stage.start(Behavior.setup[String]:
      Behavior.receive: s =>
        if s == "go" then
          try context.unstash(-1)
          catch case e: IllegalArgumentException => note(e.getMessage)
        else context.stash()
        Behavior.same)
    for s <- List("a", "go") do actor ! s
    stage.quiet()
    assertEquals(stage.noted, List("the number of messages must be at least 0: -1"))

  onEveryModel("messages still stashed when the actor stops are dead letters"):
    val actor = stage.start(Behavior.setup[String]:
      Behavior.receive: s =>
        if s == "stop" then Behavior.stopped
        else
          context.stash()
          Behavior.same)
    for s <- List("a", "b", "stop") do actor ! s
    stage.quiet()
    assertEquals(stage.lost, List(("a", DeadLetterReason.Stopped), ("b", DeadLetterReason.Stopped)))

  onEveryModel("a stash takes StashLimit messages and unstashes them on a flat stack", seeds = 2):
    val actor = stage.start(
      Behavior.setup[Int]:
        var count = 0
        Behavior.receive: n =>
          if n == 0 then
            context.unstashAll()
            Behavior.receive { _ =>
              count += 1; if count == ActorContext.StashLimit then note("all"); Behavior.same
            }
          else
            try context.stash()
            catch case e: StashOverflowException => note(e.getMessage)
            Behavior.same
      ,
      "full"
    )
    for n <- 1 to ActorContext.StashLimit + 1 do
      actor ! n
      if n % 10_000 == 0 then stage.quiet()
    actor ! 0
    assertEquals(stage.noted, List("the stash of full is full: 65536 messages", "all"))

  private enum Counter derives CanEqual:
    case Add(n: Int)
    case Get(to: ActorRef[Int])
    case GetNever(to: Reply[Int])
    case Stop

  private def counter: Behavior[Counter] = Behavior.setup:
    var sum = 0
    var openReply: Option[Reply[Int]] = None
    Behavior.receive:
      case Counter.Add(n)       => sum += n; Behavior.same
      case Counter.Get(to)      => to ! sum; Behavior.same
      case Counter.GetNever(to) => openReply = openReply.orElse(Some(to)); Behavior.same
      case Counter.Stop         => Behavior.stopped

  onEveryModel("ask and askAsync return the reply"):
    val actor = stage.start(counter)
    for n <- 1 to 10 do actor ! Counter.Add(n)
    assertEquals(actor.ask(patience)(Counter.Get(_)), 55)
    assertEquals(stage.result(actor.askAsync(patience)(Counter.Get(_))).get, 55)

  onEveryModel("an ask without a reply times out, and its Reply is no longer open"):
    val actor = stage.start(counter, "mute")
    var reply: Option[Reply[Int]] = None
    val e = intercept[AskTimeoutException]:
      actor.ask[Int](5.millis) { to =>
        reply = Some(to); Counter.GetNever(to)
      }
    assertEquals(e.getMessage, "mute did not answer within 5000 us")
    assert(!reply.get.isOpen)
    reply.get ! 7
    assertEquals(stage.lost, List((7, DeadLetterReason.AskEnded)))
    val later = actor.askAsync(5.millis)(Counter.GetNever(_))
    assert(stage.result(later).failed.get.isInstanceOf[AskTimeoutException])

  onEveryModel("an ask fails at once if its target stops or has stopped"):
    val actor = stage.start(counter, "mortal")
    val pending = actor.askAsync(1.hour)(Counter.GetNever(_))
    stage.quiet()
    actor ! Counter.Stop
    val late = actor.askAsync(1.hour)(Counter.Get(_))
    for answer <- List(pending, late) do
      val failure = stage.result(answer).failed.get
      assert(failure.isInstanceOf[AskTargetStoppedException], failure)
    val e = intercept[AskTargetStoppedException](actor.ask(1.hour)(Counter.Get(_)))
    assert(e.getMessage.contains("mortal"), e.getMessage)

  onEveryModel("an ask returns the first of two replies"):
    val actor = stage.start(Behavior.receive[Reply[Int]] { to =>
      to ! 1; to ! 2; Behavior.same
    })
    assertEquals(actor.ask(patience)(identity[Reply[Int]]), 1)
    stage.quiet()
    assertEquals(stage.lost, List((2, DeadLetterReason.AskEnded)))

  test("a blocking ask on a worker throws IllegalStateException"):
    Stage.play(Run.Workers):
      val target = stage.start(counter, "target")
      val actor = stage.start(Behavior.receive[Int] { _ =>
        try note(s"${target.ask(1.second)(Counter.Get(_))}")
        catch case e: IllegalStateException => note(e.getMessage)
        Behavior.same
      })
      actor ! 1
      assertEquals(stage.noted, List("an ask of target would block a worker: use askAsync"))

  onModels(Run.Virtual, Run.Thread, Run.Caller)("ActorContext.sleep waits by its system's clock"):
    val time = if stage.isSimulated then 10.seconds else 2.millis
    val actor = stage.start(Behavior.setup[Int]:
      Behavior.receive: n =>
        val from = stage.system.clock.nanos
        context.sleep(time)
        val passed = stage.system.clock.nanos - from
        note(if passed >= time.toNanos then s"$n" else s"$n after $passed ns")
        Behavior.same)
    for n <- 1 to 2 do actor ! n
    assertEquals(stage.noted, List("1", "2"))

  onEveryModel("a process that sleeps is interrupted when it is stopped"):
    @volatile var isAsleep = false
    val parent = stage.start(Behavior.setup[Int]:
      val child = spawn(
        Behavior.process[Int] { inbox =>
          inbox.receive(): Unit
          isAsleep = true
          context.sleep(10_000.hours)
          inbox.receive(): Unit
          note("awake")
        },
        run = stage.run
      )
      Behavior.receive: n =>
        if n == 0 then context.stop(child) else child ! n
        Behavior.same)
    for n <- List(1, 2) do parent ! n
    stage.until("it sleeps")(isAsleep)
    parent ! 0
    stage.until("it was left")(stage.lost.nonEmpty)
    assertEquals(stage.lost, List((2, DeadLetterReason.Stopped)))
    assertEquals(stage.noted, Nil)

  onEveryModel("ActorContext.sleep throws on a worker and for a negative time"):
    val actor = stage.start(
      Behavior.setup[Int]:
        Behavior.receive: n =>
          try context.sleep(-n.nanos)
          catch case e: Exception => note(e.getMessage)
          Behavior.same
      ,
      "tired"
    )
    actor ! 1
    assertEquals(
      stage.noted,
      if stage.run == Run.Workers then
        List("a sleep of tired would block a worker: use a timer")
      else List("time must be at least 0, but is -1 nanoseconds")
    )

  onEveryModel("pipeToSelf sends a future's result or failure as a message"):
    val (good, bad) = (Promise[Int](), Promise[Int]())
    val _ = stage.start(Behavior.setup[String]:
      for promise <- List(good, bad) do
        context.pipeToSelf(promise.future):
          case Success(n) => s"got $n"
          case Failure(e) => s"failed: ${e.getMessage}"
      Behavior.receive { s =>
        note(s); Behavior.same
      })
    stage.quiet()
    good.success(7)
    stage.quiet()
    bad.failure(Exception("no"))
    assertEquals(stage.noted, List("got 7", "failed: no"))
end TimeTest
