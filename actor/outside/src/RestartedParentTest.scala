package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** A restart of a parent that watches its children. */
class RestartedParentTest extends undercroft.tools.Suite:

  private def parent(watch: (ActorContext[String], ActorRef[Int]) => Unit, seen: ActorRef[Any]) =
    Behavior.setup[String]:
      seen ! "setup"
      val child = spawn(Behavior.receive[Int](_ => Behavior.stopped), "child")
      watch(context, child)
      Behavior.receive:
        case "fail" => throw IllegalStateException("once")
        case "stop" =>
          child ! 0
          Behavior.same
        case text =>
          seen ! text
          Behavior.same

  private val watches = List[(String, (ActorContext[String], ActorRef[Int]) => Unit)](
    ("watch", _.watch(_)),
    ("watchWith", _.watchWith(_, "the child has stopped"))
  )

  for (name, watch) <- watches; run <- List(Run.Workers, Run.Virtual) do
    test(s"a restart on $run does not report the children that it stops, by $name"):
      simulate(seeds = 100):
        val probe = Probe[Any]()
        val restart: Decider = { case _ => Supervision.Restart() }
        val actor = spawn(parent(watch, probe.ref).supervised(restart), "parent", run)
        actor ! "fail"
        actor ! "hello"
        simulation.runUntilIdle()
        assertEquals(probe.received, Vector[Any]("setup", "setup", "hello"))
        assert(!actor.isStopped)

  test("the next incarnation is notified of the end of its own child"):
    simulate(seeds = 100):
      val probe = Probe[Any]()
      val actor = spawn(parent(_.watchWith(_, "ended"), probe.ref).supervised { case _ =>
        Supervision.Restart()
      })
      for text <- List("fail", "stop") do actor ! text
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any]("setup", "setup", "ended"))

  test("a restart keeps the watch of an actor that is not a child"):
    simulate(seeds = 100):
      val probe = Probe[Any]()
      val other = spawn(Behavior.receive[Int](_ => Behavior.stopped), "other")
      val actor = spawn(
        Behavior
          .setup[String]:
            Behavior
              .receive[String]:
                case "watch" =>
                  context[String].watch(other)
                  Behavior.same
                case _ => throw IllegalStateException("once")
              .onSignal { case Signal.Terminated(ref, _) =>
                probe.ref ! ref.name
                Behavior.same
              }
          .supervised { case _ => Supervision.Restart() }
      )
      for text <- List("watch", "fail") do actor ! text
      simulation.runUntilIdle()
      other ! 0
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any]("other"))

  test("a group restart does not report the grandchildren that it stops"):
    simulate(seeds = 100):
      val probe = Probe[Any]()
      val together: Decider = { case _ => Supervision.RestartAll() }
      val actor = spawn(Behavior.setup[String]:
        val watching = spawn(parent(_.watchWith(_, "ended"), probe.ref).supervised(together))
        val failing = spawn(
          Behavior.receive[String](_ => throw IllegalStateException("once")).supervised(together)
        )
        Behavior.receive: text =>
          (if text == "fail" then failing else watching) ! text
          Behavior.same)
      simulation.runUntilIdle()
      actor ! "fail"
      simulation.runUntilIdle()
      actor ! "hello"
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any]("setup", "setup", "hello"))
end RestartedParentTest
