package outside.actor.persistence

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.actor.testkit.*

/** Persistent actors in simulations, over a journal in memory. */
class InMemoryTest extends BankSuite:
  import Command.*

  test("in a simulation an account stores, restarts and answers in order"):
    simulate(seeds = 200):
      val journal = Journal.inMemory[Movement, Account](latency = 5.millis)
      val probe = Probe[String]()
      val account = spawn(
        Bank.account(journal, 7, snapshotEvery = 4).supervised { case _: IllegalStateException =>
          Supervision.Restart(limit = 100)
        }
      )
      val failAt = simulation.nextInt(20)
      for n <- 1 to 20 do
        account ! Deposit(1, probe.ref)
        if n == failAt then account ! Fail
      simulation.advance(1.second)
      assertEquals(probe.received, (1 to 20).map(n => s"balance $n").toVector)
      assertEquals(journal.events(7).size, 20)
      assertEquals(journal.snapshot(7), Some((20L, Account(20, 20))))

  test("in a simulation an append that fails leaves the state unchanged"):
    simulate(seeds = 100):
      val journal = Journal.inMemory[Movement, Account]()
      val probe = Probe[String]()
      val account = spawn(Bank.account(journal, 7))
      account ! Deposit(5, probe.ref)
      simulation.runUntilIdle()
      journal.failAppends(Some(JournalException.Kind.NoSpace))
      account ! Deposit(5, probe.ref)
      simulation.runUntilIdle()
      journal.failAppends(None)
      account ! Deposit(1, probe.ref)
      simulation.runUntilIdle()
      assertEquals(probe.received, Vector("balance 5", "NoSpace", "balance 6"))
      assertEquals(journal.events(7).size, 2)

  for decision <- List(Supervision.Resume, Supervision.Restart(100, 1.hour)) do
    test(s"a command whose events cannot be stored is handled again before later ones ($decision)"):
      simulate(seeds = 100):
        val journal = Journal.inMemory[Movement, Account](latency = 1.milli)
        val probe = Probe[String]()
        var failures = 0
        val account = spawn(
          Bank
            .account(journal, 7)
            .onMessageFailure { case _: JournalException =>
              failures += 1
              if failures == 3 then journal.failAppends(None)
              MessageFailure.Retry(5)
            }
            .supervised { case _: JournalException => decision }
        )
        account ! Deposit(9, probe.ref)
        simulation.advance(10.millis)
        journal.failAppends(Some(JournalException.Kind.NoSpace))
        account ! Withdraw(1, probe.ref)
        for n <- 2 to 4 do account ! Withdraw(n, probe.ref)
        simulation.advance(1.second)
        assertEquals(failures, 3)
        assertEquals(
          probe.received,
          Vector("balance 9", "balance 8", "balance 6", "balance 3", "only 3")
        )
        assertEquals(journal.events(7).size, 4)
  end for

  test("an ask whose events cannot be stored ends at once, and the command can be parked"):
    val journal = Journal.inMemory[Movement, Account]()
    journal.failAppends(Some(JournalException.Kind.NoSpace))
    withSystem:
      val account = spawn(
        Bank
          .account(journal, 7)
          .onMessageFailure { case _: JournalException => MessageFailure.Park }
          .supervised { case _: JournalException => Supervision.Resume }
      )
      val error = intercept[AskFailedException](account.both(1))
      assert(error.getCause.isInstanceOf[JournalException], s"$error")
      val parked = summon[ActorSystem].drainParked().map(_.message)
      assert(parked.collect { case Both(1, _) => () }.size == 1, s"$parked")

  test("an append that fails without a handler is decided by the supervision"):
    simulate(seeds = 50):
      val journal = Journal.inMemory[Movement, Account](latency = 1.millis)
      val probe = Probe[String]()
      val account = spawn(Bank.account(journal, 7).supervised { case _: JournalException =>
        Supervision.Resume
      })
      account ! Deposit(5, probe.ref)
      simulation.advance(10.millis)
      journal.failAppends(Some(JournalException.Kind.NoSpace))
      account ! Withdraw(1, probe.ref)
      account ! Withdraw(6, probe.ref)
      simulation.advance(10.millis)
      journal.failAppends(None)
      account ! Withdraw(2, probe.ref)
      simulation.advance(10.millis)
      assertEquals(probe.received, Vector("balance 5", "only 5", "balance 3"))

  private def failed(using Simulation): Vector[(String, Throwable)] =
    simulation.events.collect { case ActorEvent.Failed(actor, cause, _) => (actor.name, cause) }

  test("an actor that waits to restart keeps its persistence id"):
    simulate(seeds = 50):
      val journal = Journal.inMemory[Movement, Account]()
      val probe = Probe[String]()
      val first = spawn(
        Bank.account(journal, 7).supervised { case _: IllegalStateException =>
          Supervision.Backoff(min = 1.second, max = 1.second)
        },
        "first"
      )
      first ! Fail
      simulation.runUntilIdle()
      spawn(Bank.account(journal, 7), "second"): Unit
      simulation.runUntilIdle()
      val refused = failed.collect { case (name, cause: JournalException) => (name, cause.kind) }
      assertEquals(refused, Vector(("second", JournalException.Kind.IdInUse)))
      first ! Deposit(5, probe.ref)
      simulation.advance(1.minute)
      assertEquals(probe.received, Vector("balance 5"))

  test("a command that is unhandled runs its actions, and is a dead letter"):
    simulate(seeds = 20):
      val journal = Journal.inMemory[Movement, Account](latency = 5.millis)
      val probe = Probe[Long]()
      val account = spawn(
        Persistent(journal, 7, Account(1, 0))(
          command = (_: Account, n: Long) =>
            Effect.unhandled.thenReply(probe.ref)(account => account.balance + n),
          event = Bank.applied
        )
      )
      account ! 3L
      account ! 4L
      simulation.advance(1.second)
      assertEquals(probe.received, Vector(4L, 5L))
      val unhandled = simulation.events.collect {
        case ActorEvent.DeadLetter(_, message, DeadLetterReason.Unhandled) => s"$message"
      }
      assertEquals(unhandled, Vector("3", "4"))

  test("a command that is unhandled cannot stop the actor, and the error names the cure"):
    simulate(seeds = 5):
      val journal = Journal.inMemory[Movement, Account]()
      val account = spawn(
        Persistent(journal, 7, Account(0, 0))(
          command = (_: Account, _: Long) => Effect.unhandled.thenStop,
          event = Bank.applied
        )
      )
      account ! 1L
      simulation.runUntilIdle()
      assertEquals(
        failed.map(_._2.getMessage),
        Vector(
          "thenStop cannot follow Effect.unhandled: use Effect.stop, or Effect.none with actions"
        )
      )

  test("a journal of files is refused in a simulation"):
    inFolder: folder =>
      withJournal(folder): journal =>
        simulate(seeds = 1):
          spawn(Bank.account(journal, 7)): Unit
          simulation.runUntilIdle()
          val causes = simulation.events.collect { case ActorEvent.Failed(_, cause, _) => cause }
          assert(causes.head.getMessage.contains("use Journal.inMemory"), causes.toString)

  test("accounts recover in another system from a journal in memory"):
    val journal = Journal.inMemory[Movement, Account]()
    withSystem(assertEquals(spawn(Bank.account(journal, 7)).deposit(4), "balance 4"))
    withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, 4L))

  for outcome <- List("drops", "rejects", "fails at") do
    test(s"after a stashed command that an interceptor $outcome, the others follow in their order"):
      simulate(seeds = 50):
        val journal = Journal.inMemory[Movement, Account](latency = 5.millis)
        val probe = Probe[String]()
        val account = spawn(
          Behavior
            .intercept(LosingOne(outcome))(Bank.account(journal, 7))
            .supervised { case _: ArithmeticException => Supervision.Resume }
        )
        for n <- 1 to 3 do account ! Deposit(n, probe.ref) // stashed until it has recovered
        account ! Fail
        simulation.advance(1.second)
        assertEquals(probe.received, Vector("balance 2", "balance 5"))
        account ! Deposit(4, probe.ref)
        simulation.advance(1.second)
        assertEquals(probe.received.last, "balance 9")
end InMemoryTest

/** Keeps back the command that follows the command `Fail`. */
final class LosingOne(outcome: String) extends BehaviorInterceptor[Command, Command]:
  private var isLosing = false

  def aroundReceive(
      command: Command,
      target: BehaviorInterceptor.Target[Command]
  ): Behavior[Command] = command match
    case Command.Fail =>
      isLosing = true
      Behavior.same
    case _ if isLosing =>
      isLosing = false
      outcome match
        case "drops"   => Behavior.same
        case "rejects" => Behavior.unhandled
        case _         => throw ArithmeticException("the interceptor failed")
    case other => target.receive(other)
end LosingOne
