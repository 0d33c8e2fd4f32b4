package outside.actor.persistence

import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.actor.testkit.*
import undercroft.struct.*

enum Tick derives Struct, CanEqual:
  case Opened
  case Ticked(n: Long)

/** The sum of the numbers that the event handler saw, and the last number of a tick. */
final case class Ticks(isOpen: Boolean, numbers: Long, last: Long, inOrder: Boolean)
    derives Struct,
      CanEqual

enum Press:
  case Open
  case Tick(n: Long)
  case Break
  case Stop

/** Stashed commands, the numbers of events, and signals with the state. */
class EffectsTest extends BankSuite:
  private def ticking(
      journal: Journal[Tick, Ticks],
      notes: ActorRef[String],
      snapshotEvery: Int = 0,
      stashLimit: Int = Persistent.DefaultStashLimit,
      commandsPerCommit: Int = 1
  ): Behavior[Press] =
    val empty = Ticks(false, 0, 0, true)
    Persistent[Press, Tick, Ticks](
      journal,
      7,
      empty,
      snapshotEvery,
      stashLimit,
      commandsPerCommit
    )(
      command = (ticks, press) =>
        press match
          case Press.Open =>
            Effect.persist(Tick.Opened).thenRun(_ => notes ! s"open $eventNumber").thenUnstashAll
          case Press.Tick(n) if !ticks.isOpen => Effect.stash
          case Press.Tick(n) =>
            val before = eventNumber
            Effect
              .persist(Tick.Ticked(n), Tick.Ticked(n))
              .thenRun(ticks => notes ! s"$n: $before to $eventNumber, ${ticks.last}")
          case Press.Break => throw IllegalStateException("broken")
          case Press.Stop =>
            Effect.stop
      ,
      event = (ticks, tick) =>
        tick match
          case Tick.Opened => ticks.copy(isOpen = true, numbers = ticks.numbers + eventNumber)
          case Tick.Ticked(n) =>
            val inOrder = ticks.inOrder && (ticks.last == 0 || ticks.last == eventNumber - 1)
            Ticks(true, ticks.numbers + eventNumber, eventNumber, inOrder)
      ,
      recovered = ticks => notes ! s"recovered ${ticks.numbers}",
      signal = { case (ticks, Signal.PostStop) =>
        notes ! s"stopped with ${ticks.numbers}, ${ticks.inOrder}"
      }
    )
  end ticking

  for
    latency <- List(0.millis, 1.milli)
    commandsPerCommit <- List(1, 4)
  do
    val kind = s"$latency, $commandsPerCommit per commit"
    test(s"stashed commands are handled in their order before later ones ($kind)"):
      simulate(seeds = 200):
        val journal = Journal.inMemory[Tick, Ticks](latency)
        val probe = Probe[String]()
        val actor =
          spawn(ticking(journal, probe.ref, commandsPerCommit = commandsPerCommit))
        val openAt = 1 + simulation.nextInt(10)
        for n <- 1 to 10 do
          if n == openAt then actor ! Press.Open
          actor ! Press.Tick(n)
        simulation.advance(1.second)
        actor ! Press.Stop
        simulation.advance(1.second)
        val ticks = (1 to 10).map(n => s"$n: ${2 * n - 1} to ${2 * n + 1}, ${2 * n + 1}")
        assertEquals(
          probe.received,
          ("recovered 0" +: "open 1" +: ticks :+ s"stopped with ${21 * 22 / 2}, true").toVector
        )
        assert(simulation.system.observe.audit.isExact, s"${simulation.system.observe.audit}")

    test(s"after a restart stashed commands are handled again, in their order ($kind)"):
      simulate(seeds = 100):
        val journal = Journal.inMemory[Tick, Ticks](latency)
        val probe = Probe[String]()
        val actor = spawn(
          ticking(journal, probe.ref, commandsPerCommit = commandsPerCommit)
            .supervised { case _: IllegalStateException => Supervision.Restart() }
        )
        for n <- 1 to 3 do actor ! Press.Tick(n)
        actor ! Press.Break
        actor ! Press.Open
        actor ! Press.Tick(4)
        simulation.advance(1.second)
        assertEquals(
          probe.received.filter(_.contains(" to ")),
          (1 to 4).map(n => s"$n: ${2 * n - 1} to ${2 * n + 1}, ${2 * n + 1}").toVector
        )
  end for

  test("event numbers are the same after a recovery from a snapshot, and those of the journal"):
    for snapshotEvery <- List(0, 1, 4, 100) do
      val journal = Journal.inMemory[Tick, Ticks]()
      for round <- 1 to 3 do
        simulate(seeds = 1):
          val probe = Probe[String]()
          val actor = spawn(ticking(journal, probe.ref, snapshotEvery))
          if round == 1 then actor ! Press.Open
          simulation.runUntilIdle()
          val before = journal.events(7).size.toLong
          actor ! Press.Tick(round)
          actor ! Press.Stop
          simulation.runUntilIdle()
          assertEquals(journal.events(7).size.toLong, before + 2)
          assert(
            probe.received.contains(s"$round: $before to ${before + 2}, ${before + 2}"),
            s"${probe.received}"
          )
          val sum = (before + 2) * (before + 3) / 2
          assertEquals(probe.received.last, s"stopped with $sum, true")

  test("a stash with too many commands fails the actor, and stashed ones become dead letters"):
    withSystem:
      val system = summon[ActorSystem]
      val journal = Journal.inMemory[Tick, Ticks]()
      val recovered = CountDownLatch(1)
      val notes = spawn:
        Behavior.receive[String]: _ =>
          recovered.countDown()
          Behavior.same
      val actor = spawn(ticking(journal, notes, stashLimit = 2), "ticking")
      // During the recovery a third command would be a dead letter.
      assert(recovered.await(1, TimeUnit.MINUTES))
      for n <- 1 to 3 do actor ! Press.Tick(n)
      until("the actor has stopped")(actor.isStopped)
      assert(system.awaitQuiescence(1.minute))
      assertEquals(failures.map(_.getMessage), List("the stash of ticking is full: 2 commands"))
      assertEquals(deadLetters, List(Press.Tick(1), Press.Tick(2)))

  test("thenStop after Effect.stash is refused"):
    withSystem:
      val journal = Journal.inMemory[Long, Long]()
      val actor = spawn(
        Persistent[Int, Long, Long](journal, 1, 0L)(
          command = (_, _) => Effect.stash.thenStop,
          event = _ + _
        )
      )
      actor ! 1
      until("the actor has stopped")(actor.isStopped)
      assertEquals(
        failures.map(_.getMessage),
        List("thenStop cannot follow Effect.stash: use Effect.stop, or Effect.none with actions")
      )
end EffectsTest
