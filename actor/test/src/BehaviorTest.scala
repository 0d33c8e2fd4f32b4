package undercroft.actor

class BehaviorTest extends EveryModel:

  onEveryModel("messages are handled in the order of their sending"):
    val actor = stage.start(Behavior.receive[Int] { n =>
      note(s"$n"); Behavior.same
    })
    for n <- 1 to 100 do actor ! n
    assertEquals(stage.noted, (1 to 100).map(_.toString).toList)

  onEveryModel("a handler returns the next behavior of its actor"):
    def light: Behavior[String] = Behavior.receive: s =>
      note(s"light $s")
      if s == "switch" then dark else Behavior.same
    def dark: Behavior[String] = Behavior.receive: s =>
      note(s"dark $s")
      if s == "switch" then light else Behavior.same
    val lamp = stage.start(light)
    for s <- List("a", "switch", "b", "switch", "c") do lamp ! s
    assertEquals(stage.noted, List("light a", "light switch", "dark b", "dark switch", "light c"))

  onEveryModel("setup runs once for each actor, before its first message"):
    val counter = Behavior.setup[Int]:
      note("setup")
      var sum = 0
      Behavior.receive: n =>
        sum += n
        note(s"$sum")
        Behavior.same
    val actor = stage.start(counter)
    actor ! 1
    actor ! 2
    assertEquals(stage.noted, List("setup", "1", "3"))

  onEveryModel("one setup behavior gives each of two actors its own state"):
    val counter = Behavior.setup[Int]:
      var sum = 0
      Behavior.receive { n =>
        sum += n; note(s"$sum"); Behavior.same
      }
    val (a, b) = (stage.start(counter), stage.start(counter))
    a ! 1
    a ! 1
    stage.quiet()
    b ! 5
    assertEquals(stage.noted, List("1", "2", "5"))

  onEveryModel("an actor that has stopped handles no message; later ones are dead letters"):
    val actor = stage.start(Behavior.receive[Int] { n =>
      note(s"$n")
      if n == 2 then Behavior.stopped else Behavior.same
    })
    for n <- 1 to 2 do actor ! n
    stage.quiet()
    assert(actor.isStopped)
    actor ! 3
    assertEquals(stage.noted, List("1", "2"))
    assertEquals(stage.lost, List((3, DeadLetterReason.Stopped)))
    assertEquals(stage.system.observe.audit.deadLetters, Map(DeadLetterReason.Stopped -> 1L))

  onEveryModel("an unhandled message is a dead letter and does not change the behavior"):
    val actor = stage.start(Behavior.receive[Int] {
      case 1 => note("one"); Behavior.same
      case _ => Behavior.unhandled
    })
    for n <- List(1, 7, 1) do actor ! n
    assertEquals(stage.noted, List("one", "one"))
    assertEquals(stage.lost, List((7, DeadLetterReason.Unhandled)))

  onEveryModel("Behavior.empty handles no message, and Behavior.ignore handles all"):
    val (empty, ignore) = (stage.start[Int](Behavior.empty), stage.start[Int](Behavior.ignore))
    empty ! 1
    ignore ! 2
    stage.quiet()
    assertEquals(stage.lost, List((1, DeadLetterReason.Unhandled)))

  onEveryModel("an actor sends messages to itself"):
    val actor = stage.start(Behavior.setup[Int]:
      Behavior.receive: n =>
        if n > 0 then self ! n - 1 else note("down")
        Behavior.same)
    actor ! 1000
    assertEquals(stage.noted, List("down"))

  onEveryModel("an actor without a name is named by its system and number"):
    val named = stage.start[Int](Behavior.ignore, "clock")
    val numbered = stage.start[Int](Behavior.ignore)
    assertEquals(named.name, "clock")
    assertEquals(s"$named", "clock")
    assert(numbered.name.matches(s"${stage.system}/\\d+"), numbered.name)

  onEveryModel(
    "a million behavior changes and 10 000 nested setups do not overflow the stack",
    seeds = 1
  ):
    def change(n: Int): Behavior[Int] = Behavior.receive: last =>
      if n == last then
        note(s"changed $n times")
        Behavior.same
      else
        self0 ! last
        change(n + 1)
    lazy val self0: ActorRef[Int] = stage.start(change(0))
    def deep(n: Int): Behavior[Int] = if n == 0 then change(0) else Behavior.setup(deep(n - 1))
    val actor = stage.start(deep(10_000))
    self0 ! 1_000_000
    actor ! 0
    assertEquals(stage.noted.sorted, List("changed 0 times", "changed 1000000 times"))

  // One thread per actor would be too many.
  onModels(Run.Workers, Run.Caller)(
    "a message through a long chain of actors does not overflow the stack",
    seeds = 1
  ):
    val last = stage.start(Behavior.receive[Int] { n =>
      note(s"arrived $n"); Behavior.same
    })
    val length = if stage.isSimulated then 10_000 else 100_000
    val first = (1 to length).foldLeft(last)((next, _) =>
      stage.start(
        Behavior.receive[Int] { n =>
          next ! n + 1; Behavior.same
        },
        ""
      )
    )
    first ! 0
    assertEquals(stage.noted, List(s"arrived $length"))

  onEveryModel("a signal is delivered to the first handler that is defined for it"):
    val actor = stage.start(
      Behavior
        .receive[Int](_ => Behavior.stopped)
        .onSignal { case Signal.Terminated(_, _) => note("wrong"); Behavior.same }
        .onSignal { case Signal.PostStop => note("second"); Behavior.same }
        .onSignal { case Signal.PostStop => note("third"); Behavior.same }
    )
    actor ! 1
    assertEquals(stage.noted, List("second"))

  test("onSignal of Behavior.same throws IllegalArgumentException"):
    val e = intercept[IllegalArgumentException](Behavior.same[Int].onSignal { case _ =>
      Behavior.same
    })
    assertEquals(e.getMessage, "same, stopped and unhandled cannot handle signals")

  test("onSignal of a process throws IllegalArgumentException, which names the process"):
    val process = Behavior.process[Int](_ => ())
    for behavior <- List(process, process.supervised { case _ => Supervision.Resume }) do
      val e = intercept[IllegalArgumentException](behavior.onSignal { case _ => Behavior.same })
      assertEquals(
        e.getMessage,
        "a process cannot handle signals: it takes its messages from its inbox"
      )

  onEveryModel("a setup that has a signal handler and returns stopped stops without a failure"):
    def stopping = Behavior.setup[Int](Behavior.stopped)
    val resume: Decider = { case _ => Supervision.Resume }
    for
      behavior <- List(
        stopping,
        Behavior.setup[Int](stopping.supervised(resume)),
        Behavior.setup[Int](Behavior.stopped[Int].supervised(resume))
      )
    do
      val actor = stage.start(behavior.onSignal { case Signal.PostStop => Behavior.same })
      stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.decided, List())
end BehaviorTest
