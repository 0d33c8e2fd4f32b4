package outside.actor

import undercroft.actor.*
import undercroft.actor.testkit.*

/** Watches of several references of one actor. */
class WatchedReferencesTest extends undercroft.tools.Suite:

  /** An actor that stops at its first message, and two of its adapters. */
  private def target(using
      ActorScope,
      Simulation
  ): (ActorRef[String], ActorRef[Int], ActorRef[Long]) =
    val adapters = Probe[(ActorRef[Int], ActorRef[Long])]()
    val actor = spawn(
      Behavior.setup[String]:
        adapters.ref ! (context.messageAdapter[Int](_.toString), context.messageAdapter(_.toString))
        Behavior.receive(_ => Behavior.stopped)
      ,
      "target"
    )
    val (ints, longs) = adapters.receiveMessage()
    (actor, ints, longs)

  private def watcher(
      seen: ActorRef[Any]
  )(watch: ActorContext[String] => Unit): Behavior[String] = Behavior.setup[String]:
    watch(context)
    Behavior
      .receive[String]: text =>
        seen ! text
        Behavior.same
      .onSignal { case Signal.Terminated(ref, _) =>
        seen ! ref
        Behavior.same
      }

  for run <- List(Run.Workers, Run.Virtual) do
    test(s"a watcher on $run is notified once for each reference"):
      simulate(seeds = 50):
        val probe = Probe[Any]()
        val (actor, ints, longs) = target
        val behavior = watcher(probe.ref): context =>
          context.watch(actor)
          context.watch(ints)
          context.watchWith(longs, "longs")
          context.watch(ints)
        spawn(behavior, "watcher", run): Unit
        simulation.runUntilIdle()
        actor ! "stop"
        simulation.runUntilIdle()
        assertEquals(probe.received, Vector[Any](actor, ints, "longs"))
        assert(simulation.system.observe.audit.isExact)

  test("references of a stopped actor that are watched one after another each notify"):
    simulate(seeds = 50):
      val probe = Probe[Any]()
      val (actor, ints, longs) = target
      actor ! "stop"
      simulation.runUntilIdle()
      val behavior = watcher(probe.ref): context =>
        for ref <- List[ActorRef[Nothing]](longs, actor, ints) do context.watch(ref)
      spawn(behavior): Unit
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any](longs, actor, ints))

  test("unwatch ends the watch of that reference only"):
    simulate(seeds = 50):
      val probe = Probe[Any]()
      val (actor, ints, longs) = target
      val behavior = watcher(probe.ref): context =>
        for ref <- List[ActorRef[Nothing]](actor, ints) do context.watch(ref)
        context.unwatch(ints)
        context.unwatch(longs)
      spawn(behavior): Unit
      simulation.runUntilIdle()
      actor ! "stop"
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any](actor))

  test("no notification comes after all references are unwatched, or for those unwatched between"):
    simulate(seeds = 50):
      val probe = Probe[Any]()
      val (actor, ints, longs) = target
      spawn(watcher(probe.ref): context =>
        for ref <- List[ActorRef[Nothing]](actor, ints) do context.watch(ref)
        for ref <- List[ActorRef[Nothing]](actor, ints) do context.unwatch(ref)): Unit
      spawn(
        Behavior.setup[String]:
          for ref <- List[ActorRef[Nothing]](actor, ints, longs) do context.watch(ref)
          Behavior
            .ignore[String]
            .onSignal { case Signal.Terminated(ref, _) =>
              probe.ref ! ref
              context[String].unwatch(ints)
              Behavior.same
            }
      ): Unit
      simulation.runUntilIdle()
      actor ! "stop"
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector[Any](actor, longs))
end WatchedReferencesTest
