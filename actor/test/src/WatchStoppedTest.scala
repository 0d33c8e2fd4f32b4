package undercroft.actor

import scala.concurrent.duration.DurationInt

class WatchStoppedTest extends undercroft.tools.Suite:

  test("every watch of an actor that has stopped signals Terminated at once"):
    val system = ActorSystem("quiet", 2)
    given ActorSystem = system
    try
      for round <- 1 to 20_000 do
        val notes = java.util.concurrent.ConcurrentLinkedQueue[String]()
        val stopped = spawn(Behavior.receive[String](_ => Behavior.stopped))
        stopped ! "now"
        assertEquals(system.awaitQuiescence(60.seconds), true)
        assert(stopped.isStopped)
        val watcher = spawn(Behavior.setup[String]:
          context.watch(stopped)
          Behavior
            .receive[String] { s =>
              notes.add(s): Unit
              Behavior.stopped
            }
            .onSignal { case Signal.Terminated(_, _) =>
              notes.add("gone"): Unit
              Behavior.same
            })
        assertEquals(system.awaitQuiescence(60.seconds), true)
        watcher ! "later"
        assertEquals(system.awaitQuiescence(60.seconds), true)
        assertEquals(notes.toString, "[gone, later]", s"round $round")
    finally system.close()
    end try
end WatchStoppedTest
