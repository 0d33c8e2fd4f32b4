package undercroft.actor

import internal.cell.Supervisor
import scala.concurrent.duration.*

/** The outcome of failures, by the place of the failure and the supervision decision. */
class SupervisionTest extends EveryModel:
  private final class Broken(where: String) extends Exception(where)

  /** Fails in its message handler, at a timer's message or in a signal handler, as the message
    * says.
    */
  private def fragile(using Stage): Behavior[String] = Behavior.setup[String]:
    note("setup")
    val target = spawn(Behavior.receive[String](_ => Behavior.stopped), run = stage.run)
    Behavior
      .receive[String] {
        case "message" => throw Broken("message")
        case "timer"   => context.startSingleTimer("t", "tick", 1.milli); Behavior.same
        case "signal"  => context.watch(target); target ! "stop"; Behavior.same
        case "tick"    => throw Broken("timer")
        case text      => note(text); Behavior.same
      }
      .onSignal {
        case Signal.Terminated(_, _) => throw Broken("signal")
        case Signal.PreRestart       => note("preRestart"); Behavior.same
        case Signal.PostStop         => note("postStop"); Behavior.same
      }

  private val goesOn = List("setup", "after")
  private val beginsAnew = List("setup", "preRestart", "setup", "after")
  private val ends = List("setup", "postStop")

  private val table = List(
    (Supervision.Stop, ends),
    (Supervision.Resume, goesOn),
    (Supervision.Restart(3, 1.minute), beginsAnew),
    (Supervision.Backoff(1.milli, 2.millis), beginsAnew),
    (Supervision.Escalate, ends)
  )

  for
    (decision, outcome) <- table
    where <- List("message", "timer", "signal")
  do
    onEveryModel(s"a failure in a $where handler has the outcome of $decision"):
      val parent = stage.start(Behavior.setup[String]:
        val child = spawn(fragile.supervised { case _: Broken => decision }, run = stage.run)
        Behavior.receive { s =>
          child ! s; Behavior.same
        })
      parent ! where
      stage.until("the failure")(stage.decided.nonEmpty)
      if decision.isInstanceOf[Supervision.Backoff] then
        stage.until("the restart")(
          stage.system.observe.audit.restarts == 1 && stage.noted.size == 3
        )
      stage.quiet()
      assertEquals(stage.decided.head, (where, decision))
      if decision == Supervision.Escalate then
        // The parent has no decider, and stops with its child.
        assert(parent.isStopped)
        assertEquals(stage.decided.tail.map(_._2), List(Supervision.Stop))
        assertEquals(stage.noted, outcome)
      else
        parent ! "after"
        assertEquals(stage.noted, outcome)
  end for

  for decision <- table.map(_._1) do
    onEveryModel(s"an ask whose handler fails ends with an AskException ($decision)"):
      val actor = stage.start(
        Behavior.receive[Reply[Int]](_ => throw Broken("ask")).supervised { case _ => decision },
        "asked"
      )
      val answer = actor.askAsync[Int](if actor.isStopped then 1.hour else 50.millis)(identity)
      val failure = stage.result(answer).failed.get
      assert(failure.isInstanceOf[AskException], failure)
      stage.until("the decision")(stage.decided.nonEmpty)
      assertEquals(stage.decided.head, ("ask", decision))

    onEveryModel(s"a failure in PostStop does not restart a stopped actor ($decision)"):
      val actor = stage.start(
        Behavior
          .receive[Int](_ => Behavior.stopped)
          .onSignal { case Signal.PostStop => throw Broken("postStop") }
          .supervised { case _ => decision }
      )
      actor ! 1
      stage.until("it has stopped")(actor.isStopped)
      stage.quiet()
      assertEquals(stage.decided, List(("postStop", Supervision.Resume)))
      assertEquals(stage.system.observe.audit.restarts, 0L)
  end for

  for decision <- table.map(_._1) do
    onEveryModel(s"a setup that fails is retried or stops its actor ($decision)"):
      var tries = 0
      val child = Behavior
        .setup[Int] {
          tries += 1
          note(s"try $tries")
          if tries == 1 then throw Broken("setup")
          Behavior.receive[Int] { n =>
            note(s"$n")
            Behavior.same
          }
        }
        .supervised { case _: Broken => decision }
      val parent = stage.start(Behavior.setup[Int]:
        val childRef = spawn(child, run = stage.run)
        Behavior.receive: n =>
          childRef ! n
          Behavior.same)
      val isTriedAgain = decision match
        case Supervision.Restart(_, _) | Supervision.Backoff(_, _, _, _) => true
        case _                                                           => false
      val expected = if isTriedAgain then List("try 1", "try 2") else List("try 1")
      stage.until("the decision")(stage.decided.nonEmpty && stage.noted == expected)
      stage.quiet()
      val decided = if decision == Supervision.Resume then Supervision.Stop else decision
      assertEquals(stage.decided.head, ("setup", decided))
      parent ! 7
      assertEquals(stage.noted, if isTriedAgain then expected :+ "7" else expected)
      assertEquals(parent.isStopped, decision == Supervision.Escalate)
  end for

  onEveryModel(
    "a parent that restarts after an escalation also restarts all its children"
  ):
    def child(name: String): Behavior[String] = Behavior.setup[String]:
      note(s"$name begins")
      Behavior.receive[String](s => throw Broken(s)).supervised { case _ => Supervision.Escalate }
    val parent = stage.start(
      Behavior
        .setup[String]:
          val children = List("a", "b").map(name => spawn(child(name), name, stage.run))
          Behavior.receive: s =>
            children.head ! s
            Behavior.same
        .supervised { case _: ChildFailedException => Supervision.Restart() }
    )
    stage.quiet()
    parent ! "fail"
    stage.until("both began anew")(stage.noted.size == 4)
    assertEquals(stage.noted.sorted, List("a begins", "a begins", "b begins", "b begins"))

  onEveryModel("a child that restarts also restarts its own children"):
    val first = stage.start(Behavior.setup[String]:
      note("first begins")
      val second = spawn(
        Behavior
          .setup[String]:
            note("second begins")
            spawn(
              Behavior.setup[String]:
                note("third begins")
                Behavior.ignore
              ,
              run = stage.run
            ): Unit
            Behavior.receive(s => throw Broken(s))
          .supervised { case _ => Supervision.Restart() },
        run = stage.run
      )
      Behavior.receive: s =>
        second ! s
        Behavior.same)
    stage.quiet()
    first ! "fail"
    stage.until("two began anew")(stage.noted.size == 5)
    assertEquals(
      stage.noted.sorted,
      List("first begins", "second begins", "second begins", "third begins", "third begins")
    )

  onEveryModel("a setup that fails is retried up to the restart limit"):
    val actor = stage.start(Behavior.setup[String] {
      note("setup")
      throw Broken("setup")
    }.supervised { case _: Broken => Supervision.Restart(limit = 3, within = 1.minute) })
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.noted, List.fill(4)("setup"))
    assertEquals(stage.system.observe.audit.restarts, 3L)

  onEveryModel("a setup that fails under Supervision.Resume stops its actor"):
    val actor = stage.start(Behavior.setup[String](throw Broken("setup")).supervised {
      case _: Broken => Supervision.Resume
    })
    stage.quiet()
    assert(actor.isStopped)

  onEveryModel("Supervision.Restart restarts exactly up to its limit"):
    val actor = stage.start(Behavior.receive[Int](n => throw Broken(s"$n")).supervised {
      case _: Broken => Supervision.Restart(limit = 5, within = 1.hour)
    })
    for n <- 1 to 8 do actor ! n
    stage.quiet()
    assertEquals(stage.system.observe.audit.restarts, 5L)
    assertEquals(stage.system.observe.audit.failed, 6L)
    assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Stopped -> 2L))

  for isMade <- List(false, true) do
    val how = if isMade then " by a setup" else ""
    onEveryModel(s"supervision that a handler returns$how replaces the former, whose counts go on"):
      def desk: Behavior[String] = Behavior
        .receive[String] {
          case "next"    => if isMade then Behavior.setup(desk) else desk
          case "unknown" => throw IllegalStateException("unknown")
          case s         => throw Broken(s)
        }
        .supervised { case _: Broken => Supervision.Restart(limit = 2, within = 1.hour) }
      val first = stage.start(desk)
      for _ <- 1 to 3 do
        first ! "next"
        first ! "failing"
      val second = stage.start(desk.supervised { case _ => Supervision.Resume })
      for word <- List("unknown", "next", "unknown") do second ! word
      stage.quiet()
      assertEquals(stage.system.observe.audit.restarts, 2L)
      assert(first.isStopped)
      assert(second.isStopped) // the outer layer is gone
      assertEquals(stage.decided.map(_._2).count(_ == Supervision.Resume), 1)
  end for

  test("restart intensity counts restarts within the period to the nanosecond"):
    val supervisor = Supervisor({ case _ => Supervision.Stop }, Behavior.ignore, null)
    val may = (now: Long) => supervisor.mayRestart(2, 100, now)
    assertEquals(List(0L, 50L, 100L).map(may), List(true, true, false))
    assertEquals(List(101L, 150L, 151L).map(may), List(true, false, true))

  test("Backoff doubles its pause up to the maximum and resets after a quiet period"):
    val backoff = new Supervision.Backoff(10.nanos, 35.nanos, jitter = 0.5, limit = 4)
    val supervisor = Supervisor({ case _ => backoff }, Behavior.ignore, null)
    assertEquals(supervisor.pause(backoff, 0, 0), 10L)
    assertEquals(supervisor.pause(backoff, 10, 0), 20L)
    assertEquals(supervisor.pause(backoff, 30, 0), 35L)
    assertEquals(supervisor.pause(backoff, 65, 1), 52L)
    assertEquals(supervisor.pause(backoff, 120, 0), -1L)
    assertEquals(supervisor.pause(backoff, 1000, 0), 10L)

  onEveryModel("an inner decider precedes an outer one if it is defined for the exception"):
    val actor = stage.start(
      Behavior
        .receive[String] {
          case "inner" => throw IllegalArgumentException("inner")
          case "outer" => throw Broken("outer")
          case s       => note(s); Behavior.same
        }
        .supervised { case _: IllegalArgumentException => Supervision.Resume }
        .supervised { case _ => Supervision.Restart() }
    )
    for s <- List("inner", "outer", "end") do actor ! s
    assertEquals(stage.noted, List("end"))
    assertEquals(stage.decided.map(_._2), List(Supervision.Resume, Supervision.Restart()))

  onEveryModel("a decider that throws stops the actor, and its exception is suppressed"):
    val actor = stage.start(Behavior.receive[String](_ => throw Broken("first")).supervised {
      case _ => throw Broken("second")
    })
    actor ! "fail"
    stage.quiet()
    assert(actor.isStopped)
    assertEquals(stage.decided, List(("first", Supervision.Stop)))

  onEveryModel("a restart keeps mailbox and stash, cancels timers and stops children once"):
    def stashedNow: Behavior[String] = Behavior.receive { s =>
      note(s"again $s"); Behavior.same
    }
    val actor = stage.start(
      Behavior
        .setup[String]:
          note("setup")
          spawn(
            Behavior
              .receive[String](_ => Behavior.same)
              .onSignal { case Signal.PostStop => note("child stopped"); Behavior.same },
            run = stage.run
          ): Unit
          Behavior.receive:
            case "stash"   => context.stash(); Behavior.same
            case "unstash" => context.unstashAll(); stashedNow
            case "timer"   => context.startSingleTimer("t", "tick", 1.hour); Behavior.same
            case "fail"    => throw Broken("fail")
            case text      => note(text); Behavior.same
        .supervised { case _: Broken => Supervision.Restart() }
    )
    for s <- List("stash", "timer", "fail", "waited", "unstash") do actor ! s
    assertEquals(stage.noted, List("setup", "child stopped", "setup", "waited", "again stash"))

  onEveryModel("handled and failed messages add up to all 10 000 if every tenth fails", seeds = 2):
    val count = 10_000
    var handled = 0
    val actor = stage.start(
      Behavior
        .receive[Int] { n =>
          if n % 10 == 0 then throw Broken("tenth")
          handled += 1
          Behavior.same
        }
        .supervised { case _: Broken => Supervision.Restart(limit = count) }
    )
    for n <- 1 to count do actor ! n
    stage.quiet()
    assertEquals(handled, count / 10 * 9)
    val audit = stage.system.observe.audit
    assertEquals((audit.handled, audit.failed, audit.restarts), (9000L, 1000L, 1000L))

  onEveryModel("a failure that escalates through all parents stops the system's actors"):
    val bystander = stage.start(Behavior.ignore, "bystander")
    val actor = stage.start(Behavior.receive[Int](_ => throw Broken("all")).supervised { case _ =>
      Supervision.Escalate
    })
    actor ! 1
    stage.until("the end of the system")(stage.system.isStopped)
    assert(bystander.isStopped && actor.isStopped)
    val e = intercept[SpawnRejectedException](stage.start(Behavior.ignore))
    assertEquals(e.getMessage, s"${stage.system} is stopping and cannot spawn actors")
end SupervisionTest
