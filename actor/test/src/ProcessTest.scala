package undercroft.actor

import scala.concurrent.duration.*

/** Processes: actors in direct style, which receive their messages by a call. */
class ProcessTest extends EveryModel:

  onEveryModel("a process receives messages in order and stops when it returns"):
    val actor = stage.start(Behavior.process[Int] { inbox =>
      var sum = 0
      while sum < 6 do
        val n = inbox.receive()
        sum += n
        note(s"$n")
    })
    for n <- 1 to 4 do actor ! n
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("1", "2", "3"))
    stage.quiet()
    assertEquals(stage.system.observe.audit.handled, 3L)
    assertEquals(stage.lost, List((4, DeadLetterReason.Stopped)))

  onEveryThread("after awaitQuiescence a process that has ended is stopped"):
    for _ <- 1 to 3_000 do
      val actor = stage.start(Behavior.process[Int](inbox => inbox.receive(): Unit))
      actor ! 1
      stage.quiet()
      assert(actor.isStopped)

  onEveryModel("receiveFirst takes the first matching message and keeps the order of the others"):
    val actor = stage.start(Behavior.process[Any] { inbox =>
      note(inbox.receiveFirst { case n: Int => s"number $n" })
      note(inbox.receiveFirst { case c: Char => s"letter $c" })
      for _ <- 1 to 3 do note(s"${inbox.receive()}")
      inbox.receive(): Unit
    })
    for message <- List[Any]("a", "b", 1, 'c', "d") do actor ! message
    assertEquals(stage.noted, List("number 1", "letter c", "a", "b", "d"))
    assertEquals(stage.system.observe.audit.stashed, 0L)

  onEveryModel("a message skipped by receiveFirst is a dead letter when the process ends"):
    val actor = stage.start(Behavior.process[Any] { inbox =>
      inbox.receiveFirst { case n: Int => note(s"$n") }
    })
    actor ! "aside"
    actor ! 1
    stage.until("it has stopped")(actor.isStopped)
    stage.quiet()
    assertEquals(stage.lost, List(("aside", DeadLetterReason.Stopped)))

  onEveryModel("receive with a timeout returns None without a message"):
    val actor = stage.start(Behavior.process[Int] { inbox =>
      note(s"${inbox.receive(1.milli)}")
      note(s"${inbox.receive(1.hour)}")
    })
    stage.until("nothing came")(stage.noted == List("None"))
    actor ! 7
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("None", "Some(7)"))

  onEveryModel("receiveFirst with a timeout takes a matching message or returns None"):
    val actor = stage.start(Behavior.process[Any] { inbox =>
      note(s"${inbox.receiveFirst(1.milli) { case n: Int => n + 1 }}")
      note(s"${inbox.receiveFirst(1.hour) { case n: Int => n + 1 }}")
      note(s"${inbox.receiveFirst(1.milli) { case c: Char => c }}")
      note(s"${inbox.receiveFirst(1.hour) { case s: String => s }}")
      for _ <- 1 to 2 do note(s"${inbox.receive()}")
    })
    actor ! "a"
    stage.until("nothing came")(stage.noted == List("None"))
    for message <- List[Any]("b", 1, "c") do actor ! message
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("None", "Some(2)", "None", "Some(a)", "b", "c"))
    assertEquals(stage.system.observe.audit.stashed, 0L)

  onEveryModel("a process can ask, reply, spawn children, start timers and watch"):
    enum Said derives CanEqual:
      case Tick
      case Get(to: ActorRef[Int])
      case Gone
    val server = stage.start(Behavior.process[Reply[Int]] { inbox =>
      while true do inbox.receive() ! 20
    })
    val actor = stage.start(Behavior.process[Said] { inbox =>
      val child = spawn(Behavior.receive[Int](_ => Behavior.stopped), run = stage.run)
      context.watchWith(child, Said.Gone)
      context.startSingleTimer("t", Said.Tick, 1.milli)
      inbox.receiveFirst { case Said.Tick => note("tick") }
      child ! 1
      inbox.receiveFirst { case Said.Gone => note("gone") }
      val answer = server.ask[Int](patience)(identity)
      inbox.receiveFirst { case Said.Get(to) => to ! answer + 1 }
    })
    assertEquals(actor.ask[Int](patience)(Said.Get(_)), 21)
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("tick", "gone"))

  onEveryModel("a restarted process keeps the messages skipped by receiveFirst"):
    val actor = stage.start(Behavior.process[Any] { inbox =>
      note("begins")
      inbox.receiveFirst:
        case s: String if s == "fail" => throw Exception("broken")
        case n: Int                   => note(s"$n")
      note(s"${inbox.receive()}")
    }.supervised { case _ => Supervision.Restart() })
    for message <- List[Any]("aside", "fail", 1) do actor ! message
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(stage.noted, List("begins", "begins", "1", "aside"))
    stage.quiet()
    assertEquals((stage.system.observe.audit.failed, stage.system.observe.audit.handled), (1L, 2L))

  onEveryModel("a parent's stop unwinds a process that waits in receive"):
    val parent = stage.start(Behavior.setup[Int]:
      val child = spawn(
        Behavior.process[Int] { inbox =>
          try inbox.receive(): Unit
          finally note("left")
        },
        run = stage.run
      )
      Behavior.receive { _ =>
        context.stop(child); Behavior.same
      })
    stage.quiet()
    parent ! 1
    stage.until("the process was left")(stage.noted == List("left"))

  onEveryModel("an unhandled Terminated fails a process that waits in receive"):
    val target = stage.start(Behavior.receive[Int](_ => Behavior.stopped), "target")
    val actor = stage.start(Behavior.process[Int] { inbox =>
      context.watch(target)
      inbox.receive(): Unit
    })
    target ! 1
    stage.until("it has stopped")(actor.isStopped)
    assertEquals(
      stage.decided.map(_._1),
      List("target was watched and stopped, and nothing handles Terminated")
    )
end ProcessTest
