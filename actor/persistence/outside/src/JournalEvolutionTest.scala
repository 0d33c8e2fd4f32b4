package outside.actor.persistence

import scala.concurrent.duration.*
import scala.util.Using
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.struct.*

/** The classes of a later version of the bank. */
object later:
  enum Movement derives Struct, CanEqual:
    case Deposited(@formerly("amount") cents: Long, currency: Text[4] = Text("EUR"))
    case Withdrawn(fee: Int = 2, amount: Option[Long])
    case Closed
  final case class Account(
      @formerly("balance") cents: Long,
      movements: Long,
      currency: Text[4] = Text("EUR"),
      fees: Long
  ) derives Struct, CanEqual

  def account(
      journal: Journal[Movement, Account],
      id: Long
  ): Behavior[(Movement, ActorRef[Account])] =
    Persistent(journal, id, Account(0, 0, Text("none"), 0), snapshotEvery = 1000)(
      command = (_, command) =>
        val (movement, to) = command
        if movement == Movement.Closed then Effect.none.thenReply(to)(account => account)
        else Effect.persist(movement).thenReply(to)(account => account)
      ,
      event = (account, movement) =>
        val next = account.copy(movements = account.movements + 1)
        movement match
          case Movement.Deposited(cents, currency) =>
            next.copy(cents = account.cents + cents, currency = currency)
          case Movement.Withdrawn(fee, amount) =>
            next.copy(cents = account.cents - amount.getOrElse(0L), fees = account.fees + fee)
          case Movement.Closed => next
    )
end later

/** Classes with fewer fields than the events and states. */
object smaller:
  enum Movement derives Struct, CanEqual:
    case Deposited()
    case Withdrawn(amount: Long)
  final case class Account(balance: Long) derives Struct, CanEqual

/** The events and states of earlier classes. */
class JournalEvolutionTest extends BankSuite:

  private def ask(account: ActorRef[(later.Movement, ActorRef[later.Account])])(
      movement: later.Movement
  ): later.Account = account.ask[later.Account](1.minute)((movement, _))

  private def readsEarlier(snapshotEvery: Int, fees: Long): Unit = inFolder: folder =>
    Using.resource(Bank.open(folder)): journal =>
      withSystem:
        val account = spawn(Bank.account(journal, 7, snapshotEvery = snapshotEvery))
        for n <- 1 to 4 do account.deposit(n * 10)
        assertEquals(account.ask[String](1.minute)(Command.Withdraw(5, _)), "balance 95")
    val expected = later.Account(95, 5, Text("EUR"), fees)
    Using.resource(Journal.open[later.Movement, later.Account](folder)): journal =>
      withSystem:
        val account = spawn(later.account(journal, 7))
        assertEquals(ask(account)(later.Movement.Closed), expected)
        val deposited = ask(account)(later.Movement.Deposited(5, Text("CHF")))
        assertEquals(deposited, later.Account(100, 6, Text("CHF"), fees))
        val withdrawn = ask(account)(later.Movement.Withdrawn(1, None))
        assertEquals(withdrawn, later.Account(100, 7, Text("CHF"), fees + 1))
    Using.resource(Journal.open[later.Movement, later.Account](folder)): journal =>
      withSystem:
        val state = ask(spawn(later.account(journal, 7)))(later.Movement.Closed)
        assertEquals(state, later.Account(100, 7, Text("CHF"), fees + 1))

  test("events of earlier classes have renamed fields, defaults and Options inside cases"):
    readsEarlier(snapshotEvery = 1000, fees = 2)

  test("snapshots of earlier classes have renamed fields and defaults"):
    readsEarlier(snapshotEvery = 1, fees = 0)

  test("a journal is not opened by classes with fewer fields, and the error names the field"):
    inFolder: folder =>
      Using.resource(Bank.open(folder)): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7, snapshotEvery = 1))
          assertEquals(account.deposit(3), "balance 3")
      val events = failure(Journal.open[smaller.Movement, Account](folder))
      assertEquals(events.kind, JournalException.Kind.Schema)
      val field = "field event.Deposited.amount of type Long is unexpected"
      assert(events.getMessage.contains(field), events.getMessage)
      val states = failure(Journal.open[Movement, smaller.Account](folder))
      assertEquals(states.kind, JournalException.Kind.Schema)
      assert(states.getMessage.contains("field state.movements of type Long is unexpected"))
      Using.resource(Bank.open(folder)): journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, 3L))
end JournalEvolutionTest
