import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.actor.testkit.*

@main def persistentTest(): Unit =
  given munit.Location = munit.Location.empty
  simulate(seeds = 100):
    val journal = Journal.inMemory[Movement, Savings]()
    val probe = Probe[String]()
    val account = spawn(savings(journal, id = 7))
    account ! Teller.Deposit(100, probe.ref)
    simulation.runUntilIdle()
    journal.failAppends(Some(JournalException.Kind.NoSpace)) // as a full disk
    account ! Teller.Deposit(1, probe.ref)
    simulation.runUntilIdle()
    journal.failAppends(None)
    account ! Teller.Withdraw(30, probe.ref)
    simulation.runUntilIdle()
    assert(probe.received == Vector("balance 100", "not stored: NoSpace", "balance 70"))
    assert(journal.events(7).size == 2)
  println("a hundred schedules")

// prints:
// a hundred schedules
