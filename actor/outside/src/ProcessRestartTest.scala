package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Restarts of processes: the body of a process ends before its next incarnation, or that of an
  * older sibling, begins.
  */
class ProcessRestartTest extends undercroft.tools.Suite:

  private val together: Decider = { case _ => Supervision.RestartAll() }

  /** Notes each setup, and throws at each message. */
  private def failing(notes: ActorRef[String]): Behavior[Int] = Behavior
    .setup[Int]:
      notes ! "first begins"
      Behavior.receive[Int](n => throw IllegalStateException(s"$n"))
    .supervised(together)

  test("a process has left its body before an older sibling of its group begins again"):
    simulate(seeds = 50):
      val notes = Probe[String]()
      var incarnations = 0
      val parent = spawn(Behavior.setup[Int]:
        val first = spawn(failing(notes.ref), "first")
        val process = Behavior.process[Int]: inbox =>
          incarnations += 1
          try inbox.receive(): Unit
          finally
            if incarnations == 1 then
              context[Int].sleep(500.millis)
              notes.ref ! "process left"
        spawn(process, "process"): Unit
        Behavior.receive[Int]: n =>
          first ! n
          Behavior.same)
      simulation.advance(1.second)
      parent ! 1
      simulation.runUntil(1.minute)(notes.received.size == 3): Unit
      assertEquals(notes.received, Vector("first begins", "process left", "first begins"))

  test("a process that is halted for a group restart does not wait for room in a halted sibling"):
    simulate(seeds = 50):
      val notes = Probe[String]()
      var incarnations = 0
      val parent = spawn(Behavior.setup[Int]:
        val first = spawn(failing(notes.ref), "first")
        lazy val sink: ActorRef[Int] =
          spawn(Behavior.ignore[Int], "sink", mailbox = Mailbox(2, Overflow.Backpressure))
        val process = Behavior.process[Int]: inbox =>
          incarnations += 1
          try inbox.receive(): Unit
          finally if incarnations == 1 then for n <- 1 to 9 do sink ! n
        spawn(process, "process"): Unit
        val _ = sink // the youngest: it halts first
        Behavior.receive[Int]: n =>
          first ! n
          Behavior.same)
      simulation.advance(1.second)
      parent ! 1
      simulation.runUntil(1.minute)(notes.received.size == 2): Unit
      assertEquals(notes.received, Vector("first begins", "first begins"))

  test("timers and children that a process starts while it leaves its body end with the restart"):
    simulate(seeds = 50):
      val notes = Probe[String]()
      var incarnations = 0
      val peer = spawn(Behavior.receive[Int](n => throw IllegalStateException(s"$n")), "peer")
      val process = Behavior.process[Int]: inbox =>
        incarnations += 1
        if incarnations == 1 then
          context[Int].link(peer)
          try inbox.receive(): Unit
          finally
            context[Int].startSingleTimer("late", 5, 100.millis)
            spawn(Behavior.ignore[Int], "late"): Unit
        else
          val children = context[Int].children.size
          notes.ref ! s"$children ${inbox.receive(1.second)}"
      spawn(process.supervised { case _ => Supervision.Restart() }, "process"): Unit
      peer ! 1
      simulation.runUntil(1.minute)(notes.received.nonEmpty): Unit
      assertEquals(notes.received, Vector("0 None"))
end ProcessRestartTest
