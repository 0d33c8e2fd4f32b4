package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** The state of timers and of the stash, as an actor sees it. */
class TimersTest extends undercroft.tools.Suite:

  /** Lets an actor do `step` at each message "step n", and notes all messages with their time. */
  private def stepping(run: Run, setUp: ActorContext[String] => Unit)(
      step: PartialFunction[String, ActorContext[String] => Unit]
  )(using simulation: Simulation): (ActorRef[String], Probe[String]) =
    val probe = Probe[String]()
    val begin = simulation.now
    val actor = spawn(
      Behavior.setup[String]:
        val own = context
        setUp(own)
        Behavior.receive: word =>
          if step.isDefinedAt(word) then step(word)(own)
          else probe.ref ! s"$word ${(simulation.now - begin).toMillis}"
          Behavior.same
      ,
      "stepping",
      run
    )
    (actor, probe)

  for run <- List(Run.Workers, Run.Virtual) do
    test(s"a timer is active from its start until it is cancelled or handled ($run)"):
      simulate(seeds = 20):
        val seen = Probe[String]()
        val (actor, _) = stepping(
          run,
          context =>
            context.startSingleTimer("one", "fires", 10.millis)
            context.startTimerAtFixedRate("rate", "fires", 3.millis)
            context.startTimerWithFixedDelay("delay", "fires", 3.millis)
            context.setReceiveTimeout(1.hour, "idle")
        ):
          case "show" =>
            context =>
              val keys = List("one", "rate", "delay", "other").filter(context.isTimerActive(_))
              seen.ref ! keys.mkString(",")
          case "cancel" => context => context.cancelTimer("rate")
          case "all"    => context => context.cancelAllTimers()
        def show() =
          actor ! "show"
          simulation.runUntilIdle()
        show()
        simulation.advance(20.millis)
        show()
        actor ! "cancel"
        show()
        actor ! "all"
        show()
        assertEquals(seen.received, Vector("one,rate,delay", "rate,delay", "delay", ""))

    test(s"after cancelAllTimers no timer sends, but the receive timeout does ($run)"):
      simulate(seeds = 20):
        val (actor, probe) = stepping(
          run,
          context =>
            context.startSingleTimer("one", "one", 10.millis)
            context.startTimerAtFixedRate("rate", "rate", 10.millis)
            context.startTimerWithFixedDelay("delay", "delay", 10.millis)
            context.setReceiveTimeout(30.millis, "idle")
        ) { case "all" => context => context.cancelAllTimers() }
        actor ! "all"
        simulation.advance(50.millis)
        assertEquals(probe.received, Vector("idle 30"))

    test(s"the first message of a repeated timer arrives after the initial delay ($run)"):
      simulate(seeds = 20):
        val (_, probe) = stepping(
          run,
          context =>
            context.startTimerAtFixedRate("rate", "rate", 5.millis, 20.millis)
            context.startTimerWithFixedDelay("delay", "delay", Duration.Zero, 20.millis)
        )(PartialFunction.empty)
        simulation.advance(50.millis)
        assertEquals(
          probe.received,
          Vector("delay 0", "rate 5", "delay 20", "rate 25", "delay 40", "rate 45")
        )
  end for

  test("a negative initial delay is refused"):
    var message = ""
    ActorSystem.scoped("clock"):
      spawn(Behavior.setup[Int]:
        def refused(start: => Unit) = intercept[IllegalArgumentException](start).getMessage
        val negative = -5.nanos
        message = refused(context.startTimerAtFixedRate(1, 1, negative, 1.second)) +
          refused(context.startTimerWithFixedDelay(1, 1, negative, 1.second))
        Behavior.stopped): Unit
    val expected = "the initial delay of a timer must be at least 0 ns, but is -5 ns"
    assertEquals(message, expected + expected)

  test("a cleared stash becomes dead letters, and the present message and later ones remain"):
    val lost = java.util.concurrent.ConcurrentLinkedQueue[String]()
    val listener: ActorEvent => Unit =
      case ActorEvent.DeadLetter(_, message, reason) => lost.add(s"$message $reason"): Unit
      case _                                         => ()
    ActorSystem.scoped("house", listener = listener):
      val system = summon[ActorSystem]
      val notes = java.util.concurrent.ConcurrentLinkedQueue[String]()
      val door = spawn(Behavior.setup[String]:
        var isOpen = false
        Behavior.receive: word =>
          if word == "open" then
            notes.add(s"${context.stashSize} wait")
            isOpen = true
            context.unstashAll()
          else if word == "clear" then
            context.stash()
            context.clearStash()
            notes.add(s"${context.stashSize} remain")
          else if isOpen then notes.add(word)
          else context.stash()
          Behavior.same)
      for word <- List("a", "b", "clear", "c", "open") do door ! word
      assert(system.awaitQuiescence(1.minute))
      // "clear" comes again, and is stashed.
      assertEquals(notes.toArray.toList, List("0 remain", "2 wait", "0 remain", "c"))
      assertEquals(lost.toArray.toList, List("a Cancelled", "b Cancelled"))
      assert(system.observe.audit.isExact, s"${system.observe.audit}")

  test("a process refuses to clear the stash that the runtime fills"):
    var message = ""
    ActorSystem.scoped("house"):
      val _ = spawn(
        Behavior.process[Int] { _ =>
          message = intercept[IllegalStateException](context.clearStash()).getMessage
        },
        "process"
      )
    assertEquals(message, "process stashes messages by itself, so its stash is not cleared")
end TimersTest
