import java.nio.file.{Files, Path}
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.*
import undercroft.struct.*

enum Movement derives Struct, CanEqual:
  case Deposited(amount: Long)
  case Withdrawn(amount: Long)

case class Savings(balance: Long) derives Struct

enum Teller:
  case Deposit(amount: Long, to: ActorRef[String])
  case DepositAll(amounts: List[Long], to: ActorRef[String])
  case Withdraw(amount: Long, to: ActorRef[String])
  case Close(to: ActorRef[String])

def savings(journal: Journal[Movement, Savings], id: Long): Behavior[Teller] =
  Persistent(journal, id, Savings(0), snapshotEvery = 100, commandsPerCommit = 100)(
    command = (savings, teller) =>
      teller match
        case Teller.Deposit(amount, to) =>
          Effect
            .persist(Movement.Deposited(amount))
            .thenReply(to)(savings => s"balance ${savings.balance}") // when it is on the disk
            .onFailure(error => to ! s"not stored: ${error.kind}") // the disk is full, for example
        case Teller.DepositAll(amounts, to) => depositAll(amounts, to)
        case Teller.Withdraw(amount, to) if amount > savings.balance =>
          Effect.none.thenReply(to)(savings => s"only ${savings.balance}")
        case Teller.Withdraw(amount, to) =>
          Effect
            .persist(Movement.Withdrawn(amount))
            .thenReply(to)(savings => s"balance ${savings.balance}")
        case Teller.Close(to) => Effect.none.thenReply(to)(_ => "closed").thenStop,
    event = (savings, movement) =>
      movement match
        case Movement.Deposited(amount) => Savings(savings.balance + amount)
        case Movement.Withdrawn(amount) => Savings(savings.balance - amount)
  )

def depositAll(amounts: List[Long], to: ActorRef[String])(using
    Effects[Movement, Savings]
): Effect[Movement, Savings] =
  Effect
    .persistAll(amounts.map(Movement.Deposited(_))) // all of them or none
    .thenReply(to)(savings => s"balance ${savings.balance}")

def restarted(journal: Journal[Movement, Savings], id: Long): Behavior[Teller] =
  savings(journal, id).supervised { case _: JournalException =>
    Supervision.Restart(limit = 3, within = 1.minute)
  }

/** Opens the bank in a folder, pays into two accounts, and closes it. */
def businessDay(folder: Path): Unit =
  val journal = Journal.open[Movement, Savings](folder)
  try
    ActorSystem.scoped("bank"):
      val ada = spawn(savings(journal, id = 1), "ada")
      val bob = spawn(savings(journal, id = 2), "bob")
      println(ada.ask[String](10.seconds)(Teller.Deposit(100, _)))
      println(bob.ask[String](10.seconds)(Teller.Deposit(50, _)))
      println(bob.ask[String](10.seconds)(Teller.Withdraw(70, _)))
    audit(journal, from = 0): Unit
  finally journal.close() // after the system of its actors

/** Ends the bank in phases. */
def lastDay(folder: Path): Unit =
  val journal = Journal.open[Movement, Savings](folder)
  val system = ActorSystem("bank")
  val shutdown = CoordinatedShutdown(system, "close doors" -> 10.seconds)
  shutdown.add("close doors", "front door")(println("closed"))
  try
    val ada = spawn(restarted(journal, id = 1), "ada")(using system)
    println(ada.ask[String](10.seconds)(Teller.DepositAll(List(1, 2), _)))
  finally
    try shutdown.run(): Unit // the last phase stops the actors
    finally journal.close() // after them

/** A tag: the events that an auditor reads. */
def isLarge(movement: Movement): Boolean = movement match
  case Movement.Deposited(amount) => amount >= 100
  case Movement.Withdrawn(amount) => amount >= 100

/** Reads the large movements of all accounts from an offset on, and returns the next offset. */
def audit(journal: Journal[Movement, Savings], from: Long): Long =
  var next = from
  for stored <- journal.tagged(isLarge, from) do
    println(s"audited: account ${stored.id}, event ${stored.number}: ${stored.event}")
    next = stored.offset + 1
  next

/** A row of the journal, for a program that reads it as a table. */
case class StoredMovement(id: Long, sequence: Long, previous: Long, check: Int, event: Movement)
    derives Struct

@main def persistentBank(): Unit =
  val folder = Files.createTempDirectory("bank")
  businessDay(folder)
  businessDay(folder) // both accounts recover their balances

  val table = Rows.openReadOnly[StoredMovement](folder.resolve("events-0000000001.struct"))
  println(table.toVector.map(row => s"${row.id}: ${row.event}").mkString(", "))
  table.close()
  lastDay(folder)

// prints:
// balance 100
// balance 50
// only 50
// audited: account 1, event 1: Deposited(100)
// balance 200
// balance 100
// balance 30
// audited: account 1, event 1: Deposited(100)
// audited: account 1, event 2: Deposited(100)
// 1: Deposited(100), 2: Deposited(50), 1: Deposited(100), 2: Deposited(50), 2: Withdrawn(70)
// balance 203
// closed
