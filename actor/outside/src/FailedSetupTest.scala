package outside.actor

import undercroft.actor.*
import undercroft.actor.testkit.*

/** A handler returns a behavior that cannot be started. */
class FailedSetupTest extends undercroft.tools.Suite:

  private val resume: Decider = { case _ => Supervision.Resume }
  private def failing: Behavior[String] = Behavior.setup(throw IllegalStateException("a setup"))
  private def process: Behavior[String] = Behavior.process[String](_ => ())

  private val successors = List[(String, () => Behavior[String])](
    ("a setup that throws", () => failing),
    ("a supervised setup that throws", () => failing.supervised(resume)),
    ("a setup in a setup that throws", () => Behavior.setup(failing).supervised(resume)),
    ("a process", () => process),
    ("a supervised process", () => process.supervised(resume))
  )

  for (name, successor) <- successors; run <- List(Run.Workers, Run.Virtual) do
    test(s"an actor on $run stops if its handler returns $name, even under Resume"):
      simulate(seeds = 20):
        val probe = Probe[String]()
        val actor = spawn(
          Behavior
            .receive[String]:
              case "next" => successor()
              case text =>
                probe.ref ! text
                Behavior.same
            .onSignal { case Signal.PostStop =>
              probe.ref ! "ended"
              Behavior.same
            }
            .supervised(resume),
          run = run
        )
        for text <- List("one", "next", "two") do actor ! text
        simulation.runUntilIdle()
        assertEquals(probe.received, Vector("one", "ended"))
        assert(actor.isStopped)
        val decisions = simulation.events.collect { case ActorEvent.Failed(_, _, decision) =>
          decision
        }
        assertEquals(decisions, Vector(Supervision.Stop))
  end for

  private final class Passing extends BehaviorInterceptor[String, String]:
    def aroundReceive(
        message: String,
        target: BehaviorInterceptor.Target[String]
    ): Behavior[String] = target.receive(message)

  test("an actor with an interceptor stops if its handler returns a setup that throws"):
    simulate(seeds = 20):
      val probe = Probe[String]()
      val inner = Behavior.receive[String]:
        case "next" => failing
        case text =>
          probe.ref ! text
          Behavior.same
      val actor = spawn(Behavior.intercept(Passing())(inner).supervised(resume))
      for text <- List("one", "next", "two") do actor ! text
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector("one"))
      assert(actor.isStopped)

  test("an actor that restarted after a failed setup resumes again"):
    simulate(seeds = 20):
      val probe = Probe[String]()
      val actor = spawn(
        Behavior
          .receive[String]:
            case "next" => failing
            case "fail" => throw IllegalArgumentException("a message")
            case text =>
              probe.ref ! text
              Behavior.same
          .supervised:
            case _: IllegalStateException => Supervision.Restart()
            case _                        => Supervision.Resume
      )
      for text <- List("next", "one", "fail", "two") do actor ! text
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector("one", "two"))
end FailedSetupTest
