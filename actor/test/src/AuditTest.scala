package undercroft.actor

import internal.cell.{ActorCell, InternalMessage}
import scala.concurrent.Future
import testkit.simulate

/** Each end of a message is counted separately, so the audit's equation can fail. */
class AuditTest extends EveryModel:

  private def gone(using Stage): ActorRef[String] =
    val actor = stage.start(Behavior.receive[String](_ => Behavior.stopped), "gone")
    actor ! "stop"
    stage.until("it has stopped")(actor.isStopped)
    actor

  onEveryModel("each possible end of a message is counted once"):
    val stopped = gone
    val actor = stage.start(Behavior.setup[String]:
      def words: Behavior[String] = Behavior
        .receive[String] {
          case "become" => words
          case "stash"  => context.stash(); Behavior.same
          case "both"   => context.stash(); words
          case "lose"   => Behavior.unhandled
          case "fail"   => throw Exception("on demand")
          case "cancel" =>
            context.watch(stopped)
            context.unwatch(stopped) // the notification of its termination waits already
            Behavior.same
          case "watch" => context.watch(stopped); Behavior.same
          case _       => Behavior.same
        }
        .onSignal { case Signal.Terminated(_, _) => Behavior.same }
        .supervised { case _ => Supervision.Resume }
      words)
    for word <- List("same", "become", "stash", "both", "lose", "fail", "cancel", "watch") do
      actor ! word
    actor.tellPriority("first")
    stage.quiet()
    val expected = Audit(
      actors = 1,
      sent = 8 + 2 + 1, // with two notifications, and the message of tellPriority
      handled = 6,
      failed = 1,
      stashed = 2,
      waiting = 0,
      deadLetters = Map(DeadLetterReason.Unhandled -> 1L, DeadLetterReason.Cancelled -> 1L),
      restarts = 0
    )
    assertEquals(stage.system.observe.auditOf(actor), expected)
    assert(expected.isExact)

  onEveryModel("each possible end of a process's message is counted once"):
    val stopped = gone
    val actor = stage.start(Behavior.process[String] { inbox =>
      context.watch(stopped)
      context.unwatch(stopped)
      inbox.receiveFirst { case "second" => note("second") }
      for _ <- 1 to 2 do note(inbox.receive())
      context.pipeToSelf(Future.successful(1))(_ => throw Exception("made of a future"))
      try inbox.receive(): Unit
      catch case e: Exception => note(e.getMessage)
      inbox.receiveFirst { case "never" => () }
    })
    for word <- List("first", "second", "third") do actor ! word
    stage.until("a future failed")(stage.noted.size == 4)
    actor ! "fourth"
    assertEquals(stage.noted, List("second", "first", "third", "made of a future"))
    val expected = Audit(
      actors = 1,
      sent = 4 + 2,
      handled = 3,
      failed = 1,
      stashed = 1,
      waiting = 0,
      deadLetters = Map(DeadLetterReason.Cancelled -> 1L),
      restarts = 0
    )
    assertEquals(stage.system.observe.auditOf(actor), expected)
    assert(expected.isExact)

  /** An internal message that is handled as usual, and changes the counts of its cell besides. */
  private final class Miscounted(count: ActorCell[?] => Unit) extends InternalMessage:
    def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
      count(cell)
      Behavior.same

  private val mistakes = List[(String, ActorCell[?] => Unit)](
    "has no outcome" -> { cell =>
      cell.countSentRelease()
      cell.countOtherRelease()
    },
    "is handled and fails" -> (_.coldState().failed += 1),
    "is handled and stashed" -> (_.coldState().ownStash().put("twice")),
    "is both handled and a dead letter" -> { cell =>
      cell.coldState().countDead(DeadLetterReason.Unhandled)
      cell.system.observe.totals.lost(DeadLetterReason.Unhandled)
    },
    "is handled and lost by its actor alone" -> (_.coldState().countDead(
      DeadLetterReason.Unhandled
    ))
  )

  private def plant(mistake: ActorCell[?] => Unit)(using Stage): Unit =
    val actor = stage.start(Behavior.ignore[Int], "miscounted")
    actor ! 1
    actor.asInstanceOf[ActorCell[Int]].tellInternal(Miscounted(mistake))
    stage.quiet()
    val audit = stage.system.observe.auditOf(actor)
    assert(!audit.isExact, s"not found: $audit")

  // With these a system never becomes idle; in a simulation the wait for that takes no time.
  private val restless = List[(String, ActorCell[?] => Unit)](
    "is sent and not handled" -> (_.countSentRelease()),
    "is handled twice" -> (_.countHandledRelease())
  )

  for (title, mistake) <- restless; run <- Stage.runs do
    test(s"a simulation that never becomes idle reports a message that $title ($run)"):
      val e = intercept[munit.FailException](
        simulate(seeds = 1)(plant(mistake)(using Stage.simulated(run)))
      )
      assert(e.getMessage.contains("not quiet: Audit("), e.getMessage)

  for (title, mistake) <- mistakes; run <- Stage.runs do
    test(s"the audits of actor and system detect a message that $title ($run)"):
      val e = intercept[AssertionError](Stage.play(run)(plant(mistake)))
      assert(e.getMessage.contains("Audit("), e.getMessage)
      assert(!e.getMessage.contains("not found"), e.getMessage)

    test(s"the audit of a simulation detects a message that $title ($run)"):
      val e = intercept[munit.FailException](
        simulate(seeds = 1)(plant(mistake)(using Stage.simulated(run)))
      )
      assert(e.getMessage.contains("messages are missing"), e.getMessage)

  test("the sum of two audits adds each count, and the dead letters by reason"):
    import DeadLetterReason.{Stopped, Undelivered, Unhandled}
    val one = Audit(1, 20, 10, 1, 2, 3, Map(Stopped -> 1L, Undelivered -> 3L), 5)
    val other = Audit(2, 10, 4, 0, 1, 1, Map(Undelivered -> 2L, Unhandled -> 2L), 1)
    val sum = Map(Stopped -> 1L, Undelivered -> 5L, Unhandled -> 2L)
    assertEquals(one + other, Audit(3, 30, 14, 1, 3, 4, sum, 6))
    assertEquals(other + one, one + other)
    assert(one.isExact && other.isExact && (one + other).isExact)
end AuditTest
