package outside.actor.persistence

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.locks.LockSupport
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.struct.*

enum Movement derives Struct, CanEqual:
  case Deposited(amount: Long)
  case Withdrawn(amount: Long)

final case class Account(balance: Long, movements: Long) derives Struct, CanEqual

enum Command:
  case Deposit(amount: Long, to: ActorRef[String])
  case Withdraw(amount: Long, to: ActorRef[String])
  case Both(amount: Long, to: ActorRef[String])
  case Balance(to: ActorRef[Long])
  case Close(to: ActorRef[String])
  case Fail
  case FailAfterwards(amount: Long)
  case Poison(to: ActorRef[String])

/** A bank of persistent accounts, as a user would write it. */
object Bank:
  import Command.*
  import Movement.*

  val Refused = -1L

  def open(
      folder: Path,
      durability: Durability = Durability.VOLATILE,
      retention: Retention = Retention.KeepAll,
      segmentBytes: Long = Journal.DefaultSegmentBytes
  ): Journal[Movement, Account] =
    Journal.open[Movement, Account](folder, durability, retention, segmentBytes)

  def applied(account: Account, movement: Movement): Account = movement match
    case Deposited(Refused) => throw IllegalStateException("a poisoned event")
    case Deposited(amount)  => Account(account.balance + amount, account.movements + 1)
    case Withdrawn(amount)  => Account(account.balance - amount, account.movements + 1)

  def account(
      journal: Journal[Movement, Account],
      id: Long,
      snapshotEvery: Int = 10,
      stashLimit: Int = Persistent.DefaultStashLimit,
      recovered: Account => Unit = _ => (),
      commandsPerCommit: Int = 1
  ): Behavior[Command] =
    Persistent(journal, id, Account(0, 0), snapshotEvery, stashLimit, commandsPerCommit)(
      command = (account, command) =>
        command match
          case Deposit(amount, to) =>
            Effect
              .persist(Deposited(amount))
              .thenReply(to)(account => s"balance ${account.balance}")
              .onFailure(error => to ! s"${error.kind}")
          case Withdraw(amount, to) if amount > account.balance =>
            Effect.none.thenReply(to)(account => s"only ${account.balance}")
          case Withdraw(amount, to) =>
            Effect.persist(Withdrawn(amount)).thenReply(to)(account =>
              s"balance ${account.balance}"
            )
          case Both(amount, to) =>
            Effect
              .persist(Deposited(amount), Withdrawn(amount))
              .thenReply(to)(account => s"movements ${account.movements}")
          case Balance(to) => Effect.none.thenReply(to)(account => account.balance)
          case Close(to)   => Effect.none.thenReply(to)(_ => "closed").thenStop
          case Fail        => throw IllegalStateException("the command handler failed")
          case FailAfterwards(amount) =>
            Effect
              .persist(Deposited(amount))
              .thenRun(_ => throw IllegalStateException("an action failed"))
          case Poison(to) =>
            Effect.persist(Deposited(Refused)).thenReply(to)(_ => "poisoned"),
      event = applied,
      recovered = recovered
    )
end Bank

/** A suite of systems and journals in a folder. */
abstract class BankSuite extends undercroft.tools.Suite:
  import Command.*

  private val events = ConcurrentLinkedQueue[ActorEvent]()

  protected def failures: List[Throwable] = events.asScala.toList.collect:
    case ActorEvent.Failed(_, cause, _) => cause

  protected def deadLetters: List[Any] = events.asScala.toList.collect:
    case ActorEvent.DeadLetter(_, message, _) => message

  /** Runs `body` with a folder that is deleted afterwards. */
  protected def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-bank-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(Files.deleteIfExists(_): Unit)

  /** Runs `body` in a system of its own, whose audit is exact at the end. */
  protected def withSystem[A](body: ActorSystem ?=> A): A =
    events.clear()
    val system = ActorSystem("bank", 2, event => events.add(event): Unit)
    val result =
      try body(using system)
      finally
        val isOver = system.shutdown(1.minute, 1.minute)
        assert(isOver, s"\n${system.observe.tree.show}")
    assert(system.observe.audit.isExact, s"${system.observe.audit}")
    result

  protected def withJournal[A](folder: Path)(body: Journal[Movement, Account] => A): A =
    Using.resource(Bank.open(folder))(body)

  extension (account: ActorRef[Command])
    protected def deposit(amount: Long): String = account.ask[String](1.minute)(Deposit(amount, _))
    protected def withdraw(amount: Long): String =
      account.ask[String](1.minute)(Withdraw(amount, _))
    protected def both(amount: Long): String = account.ask[String](1.minute)(Both(amount, _))
    protected def balance: Long = account.ask[Long](1.minute)(Balance(_))
    protected def close(): String = account.ask[String](1.minute)(Close(_))

  /** Waits at most a minute for a condition that follows from messages that were sent. */
  protected def until(state: String)(condition: => Boolean): Unit =
    val end = System.nanoTime + 1.minute.toNanos
    while !condition && System.nanoTime < end do LockSupport.parkNanos(100_000)
    assert(condition, s"after a minute it is not so: $state")

  protected def failure(body: => Any): JournalException =
    intercept[JournalException](body: Unit)
end BankSuite
