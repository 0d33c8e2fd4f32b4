package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Events that reach an actor in the pause of `Supervision.Backoff`. */
class PausedActorTest extends undercroft.tools.Suite:

  private final class Broken extends RuntimeException("broken")

  private def breaking: Behavior[Int] = Behavior.receive(_ => throw IllegalStateException("peer"))

  private def pausing(peer: ActorRef[Int], seen: ActorRef[String], onLink: Supervision) = Behavior
    .setup[String]:
      seen ! "setup"
      Behavior.receive[String]:
        case "link" =>
          context.link(peer)
          Behavior.same
        case "fail" => throw Broken()
        case text =>
          seen ! text
          Behavior.same
    .supervised:
      case _: Broken                     => Supervision.Backoff(1.second, 10.seconds, jitter = 0)
      case _: LinkedActorFailedException => onLink

  test("an actor that is in a pause fails at its end if a linked actor failed meanwhile"):
    simulate(seeds = 50):
      val probe = Probe[String]()
      val peer = spawn(breaking, "peer")
      val actor = spawn(pausing(peer, probe.ref, Supervision.Stop), "actor")
      for text <- List("link", "fail") do actor ! text
      simulation.runUntilIdle()
      peer ! 0
      simulation.advance(500.millis)
      assert(peer.isStopped && !actor.isStopped)
      simulation.advance(1.second)
      assert(actor.isStopped)
      assertEquals(probe.received, Vector("setup"))
      val causes = simulation.events.collect { case ActorEvent.Failed(_, cause, _) => cause }
      val kinds = causes.map(_.getClass.getSimpleName)
      assertEquals(kinds, Vector("Broken", "IllegalStateException", "LinkedActorFailedException"))

  test("starts that fail later than the longest delay count as consecutive failures"):
    simulate(seeds = 20):
      val probe = Probe[String]()
      val actor = spawn(
        Behavior
          .setup[Int]:
            probe.ref ! "setup"
            context.sleep(20.seconds) // a connection that times out
            throw Broken()
          .supervised { case _: Broken =>
            Supervision.Backoff(1.second, 10.seconds, jitter = 0, limit = 3)
          },
        run = Run.Virtual
      )
      simulation.advance(10.minutes)
      assert(actor.isStopped)
      assertEquals(probe.received, Vector.fill(4)("setup"))

  test("the supervision decides about the link failure, once"):
    simulate(seeds = 50):
      val probe = Probe[String]()
      val peer = spawn(breaking, "peer")
      val actor = spawn(pausing(peer, probe.ref, Supervision.Restart()), "actor")
      for text <- List("link", "fail") do actor ! text
      simulation.runUntilIdle()
      peer ! 0
      simulation.advance(3.seconds)
      for text <- List("one", "fail") do actor ! text
      simulation.advance(12.seconds)
      actor ! "two"
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector("setup", "setup", "one", "setup", "two"))

  test("a link failure while the children of a restart stop is not lost"):
    simulate(seeds = 200):
      val probe = Probe[String]()
      val peer = spawn(breaking, "peer")
      val actor = spawn(
        Behavior
          .setup[String]:
            for _ <- 1 to 3 do spawn(Behavior.ignore[Int], run = Run.Virtual): Unit
            Behavior.receive[String]:
              case "link" =>
                context.link(peer)
                Behavior.same
              case _ => throw Broken()
          .supervised { case _: Broken => Supervision.Restart() }
      )
      actor ! "link"
      simulation.runUntilIdle()
      actor ! "fail"
      peer ! 0
      simulation.runUntilIdle()
      assert(actor.isStopped)

  test("the timer of a pause that a group restart ended does not end the next pause"):
    simulate(seeds = 50):
      val probe = Probe[FiniteDuration]()
      val refs = Probe[ActorRef[Int]]()
      spawn(Behavior.setup[Int]:
        refs.ref ! spawn(
          Behavior
            .setup[Int]:
              probe.ref ! simulation.now
              Behavior.receive(_ => throw Broken())
            .supervised { case _ => Supervision.Backoff(3.seconds, 60.seconds, jitter = 0) }
        )
        refs.ref ! spawn(
          Behavior.receive[Int](_ => throw Broken()).supervised { case _ =>
            Supervision.RestartAll()
          }
        )
        Behavior.ignore): Unit
      val (pausing, failing) = (refs.receiveMessage(), refs.receiveMessage())
      pausing ! 0
      simulation.advance(200.millis)
      failing ! 0 // ends the pause of three seconds
      simulation.advance(500.millis)
      pausing ! 0
      simulation.runUntilIdle()
      val from = simulation.now
      simulation.advance(10.seconds)
      assertEquals(probe.received.size, 3)
      val pause = (probe.received.last - from).toMillis
      assert(pause >= 5900 && pause <= 6100, s"a pause of $pause ms instead of 6 s")
end PausedActorTest
