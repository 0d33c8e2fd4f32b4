package undercroft.actor

/** Parents, children, death watch and stopping. */
class LifecycleTest extends EveryModel:

  private def noting(name: String)(using Stage): Behavior[String] =
    Behavior
      .receive[String] { s =>
        note(s"$name got $s"); Behavior.same
      }
      .onSignal { case Signal.PostStop => note(s"$name stopped"); Behavior.same }

  onEveryModel("Terminated arrives after the last message of the actor that stopped"):
    val rounds = 200
    val messages = 20
    val _ = stage.start(Behavior.setup[Int]:
      var received = 0
      var round = 0
      def child(): Unit =
        val parent = self
        val childRef = spawn(
          Behavior.receive[Int] { n =>
            for i <- 1 to n do parent ! i
            if round % 2 == 0 then Behavior.stopped else throw Exception("broken")
          },
          run = stage.run
        )
        context.watch(childRef)
        childRef ! messages
      child()
      Behavior
        .receive[Int] { n =>
          received += 1
          if n != received then note(s"$n came as number $received")
          Behavior.same
        }
        .onSignal { case Signal.Terminated(_, cause) =>
          if received != messages then note(s"$received came before the end")
          if cause.isDefined != (round % 2 == 1) then note(s"round $round ended with $cause")
          received = 0
          round += 1
          if round < rounds then child() else note("all rounds")
          Behavior.same
        })
    assertEquals(stage.noted, List("all rounds"))

  onEveryModel("watching an actor that has already stopped signals Terminated at once, and once"):
    val stopped = stage.start(Behavior.receive[String](_ => Behavior.stopped), "gone")
    stopped ! "now"
    stage.quiet()
    val watcher = stage.start(Behavior.setup[String]:
      context.watch(stopped)
      context.watch(stopped)
      Behavior.receive[String] { s =>
        note(s); Behavior.same
      }.onSignal {
        case Signal.Terminated(ref, None) => note(s"$ref ended"); Behavior.same
      })
    stage.quiet()
    watcher ! "later"
    assertEquals(stage.noted, List("gone ended", "later"))

  onEveryModel("watchWith sends its message on termination, and unwatch cancels it"):
    def end = stage.start(Behavior.receive[String](_ => Behavior.stopped))
    val (x, y) = (end, end)
    val watcher = stage.start(Behavior.setup[String]:
      context.watchWith(x, "x ended")
      context.watchWith(y, "y ended")
      Behavior.receive: s =>
        if s == "unwatch" then context.unwatch(x) else note(s)
        Behavior.same)
    watcher ! "unwatch"
    stage.quiet()
    x ! "stop"
    y ! "stop"
    assertEquals(stage.noted, List("y ended"))

  onEveryModel("children stop before their parents, and each stops once"):
    val root = stage.start(Behavior.setup[String]:
      for i <- 1 to 2 do
        spawn(
          Behavior.setup[String]:
            spawn(noting(s"leaf $i"), run = stage.run): Unit
            noting(s"branch $i")
          ,
          run = stage.run
        ): Unit
      Behavior
        .receive[String](_ => Behavior.stopped)
        .onSignal { case Signal.PostStop => note("root stopped"); Behavior.same })
    stage.quiet()
    root ! "stop"
    val notes = stage.noted
    assertEquals(
      notes.sorted,
      List("branch 1", "branch 2", "leaf 1", "leaf 2", "root").map(_ + " stopped")
    )
    for i <- 1 to 2 do
      assert(notes.indexOf(s"leaf $i stopped") < notes.indexOf(s"branch $i stopped"))
    assertEquals(notes.last, "root stopped")

  onEveryModel("a child that its parent stops handles none of its waiting messages"):
    val parent = stage.start(Behavior.setup[String]:
      val child = spawn(noting("child"), "child", run = stage.run)
      Behavior.receive: s =>
        if s == "stop" then context.stop(child) else child ! s
        note(s"${context.children.size} child")
        Behavior.same)
    parent ! "hello"
    stage.quiet()
    parent ! "stop"
    stage.quiet()
    parent ! "anybody?"
    val notes = stage.noted
    assertEquals(notes.filter(_.startsWith("child")), List("child got hello", "child stopped"))
    assertEquals(notes.last, "0 child")
    assertEquals(stage.lost, List(("anybody?", DeadLetterReason.Stopped)))

  // One thread per actor would be too many.
  onModels(Run.Workers, Run.Caller)(
    "a chain of 200 000 nested actors stops from its end without stack overflow",
    seeds = 1
  ):
    val depth = 200_000
    val stopped = java.util.concurrent.atomic.AtomicInteger()
    def link(n: Int): Behavior[String] = Behavior.setup[String]:
      if n > 1 then spawn(link(n - 1), run = stage.run): Unit
      Behavior.receive[String](_ => Behavior.stopped).onSignal { case Signal.PostStop =>
        stopped.incrementAndGet(): Unit
        if n != stopped.get then note(s"$n was number ${stopped.get}")
        Behavior.same
      }
    val root = stage.start(link(depth))
    stage.quiet()
    root ! "stop"
    stage.until("all have stopped")(stopped.get == depth)
    assertEquals(stage.noted, Nil)
end LifecycleTest
