package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** The receive timeout of an actor whose handler fails. */
class ReceiveTimeoutTest extends undercroft.tools.Suite:

  private def actor(idle: ActorRef[FiniteDuration])(using Simulation): Behavior[String] = Behavior
    .setup[String]:
      context.setReceiveTimeout(200.millis, "idle")
      Behavior.receive:
        case "idle" =>
          idle ! simulation.now
          throw IllegalStateException("idle")
        case _ => throw IllegalStateException("a message")
    .supervised { case _ => Supervision.Resume }

  for run <- List(Run.Workers, Run.Virtual, Run.Thread) do
    test(s"failing messages on $run defer the receive timeout, and a failing timeout does not"):
      simulate(seeds = 20):
        val probe = Probe[FiniteDuration]()
        val target = spawn(actor(probe.ref), run = run)
        for _ <- 1 to 20 do
          target ! "fail"
          simulation.advance(50.millis)
        assertEquals(probe.received, Vector.empty)
        val last = simulation.now - 50.millis
        simulation.advance(410.millis)
        val times = probe.received.map(time => (time - last).toMillis)
        assert(times.size == 2 && times.head >= 199 && times.head <= 210, s"$times")

  for (kind, isProcess) <- List("an actor" -> false, "a process" -> true) do
    test(s"messages that defer the timeout of $kind leave no dead letters"):
      simulate(seeds = 20):
        val seen = Probe[String]()
        def timesOut: Behavior[String] = Behavior.setup:
          context.setReceiveTimeout(50.millis, "idle")
          if isProcess then
            Behavior.process: inbox =>
              while true do seen.ref ! inbox.receive()
          else
            Behavior.receive: word =>
              seen.ref ! word
              Behavior.same
        val target = spawn(timesOut, run = Run.Virtual)
        for _ <- 1 to 50 do
          target ! "word"
          simulation.advance(20.millis)
        assertEquals(seen.received, Vector.fill(50)("word"))
        assertEquals(simulation.system.observe.audit.deadLetterCount, 0L)

  for (kind, isProcess) <- List("an actor" -> false, "a process" -> true) do
    test(s"priority messages defer the receive timeout of $kind"):
      simulate(seeds = 20):
        val seen = Probe[String]()
        def timesOut: Behavior[String] = Behavior.setup:
          context.setReceiveTimeout(200.millis, "idle")
          if isProcess then
            Behavior.process: inbox =>
              while true do seen.ref ! inbox.receive()
          else
            Behavior.receive: word =>
              seen.ref ! word
              Behavior.same
        val target = spawn(timesOut, run = Run.Virtual)
        for _ <- 1 to 20 do
          target.tellPriority("word")
          simulation.advance(50.millis)
        assertEquals(seen.received, Vector.fill(20)("word"))
end ReceiveTimeoutTest
