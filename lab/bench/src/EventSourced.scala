package undercroft.lab.bench

// How much does it cost to append an event durably, by persistent actors and in SQLite?

import java.nio.file.Path
import java.sql.{Connection, DriverManager, PreparedStatement}
import java.util.concurrent.{Semaphore, TimeUnit}
import org.openjdk.jmh.annotations.*
import scala.concurrent.duration.DurationInt
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.struct.*

/** An operation is one event of one of a thousand ids, forced to the disk when the operation ends.
  *
  * `actors` sends a command to each of a thousand persistent actors and waits for all replies;
  * their journal commits the events of all commands that wait together. The rivals are SQLite with
  * a write-ahead log and `synchronous = full`, and with a primary key of id and number, because the
  * journal finds events by them: `sqliteEach` has a transaction for each event, as a store without
  * group commit, and `sqliteBatch` has one for a thousand events, as large as a commit of the
  * journal can be here. SQLite is called directly, without actors. `actorsVolatile` gives the
  * events to the operating system and forces nothing. `oneActor` and `oneActorTogether` send as
  * many commands to one actor, which stores the events of each command alone, or of up to a
  * thousand with one commit.
  */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class EventSourced extends Measured:
  import EventSourced.*

  private var folder = Path.of("").nn
  private var banks = Map.empty[Durability, Bank]
  private var sqlite: Option[Sqlite] = None

  @Setup def make(): Unit = folder = LabFiles.path("events")

  private def bank(durability: Durability): Bank =
    val bank = banks.getOrElse(durability, Bank(folder.resolveSibling(s"$durability"), durability))
    banks = banks.updated(durability, bank)
    bank

  private def database: Sqlite =
    val database = sqlite.getOrElse(Sqlite(folder.resolveSibling("events.db")))
    sqlite = Some(database)
    database

  /** Returns the number of events that were answered. */
  @Benchmark
  @OperationsPerInvocation(Ids)
  def actors(): Long = bank(Durability.COMMITTED).depositAll()

  @Benchmark
  @OperationsPerInvocation(Ids)
  def actorsVolatile(): Long = bank(Durability.VOLATILE).depositAll()

  @Benchmark
  @OperationsPerInvocation(Singles)
  def oneActor(): Long = bank(Durability.COMMITTED).deposit(1, Singles)

  @Benchmark
  @OperationsPerInvocation(Ids)
  def oneActorTogether(): Long = bank(Durability.COMMITTED).deposit(Ids, Ids)

  @Benchmark
  @OperationsPerInvocation(Ids)
  def sqliteBatch(): Long = database.depositAll(Ids)

  @Benchmark
  @OperationsPerInvocation(Singles)
  def sqliteEach(): Long = database.depositAll(1)

  @TearDown def close(): Unit =
    for bank <- banks.values do
      bank.close()
      LabFiles.delete(bank.folder.resolve("events"))
    banks = Map.empty
    sqlite.foreach(_.close())
    sqlite = None
    LabFiles.delete(folder)
end EventSourced

object EventSourced:
  final val Ids = 1000

  /** The transactions of one call of `sqliteEach` or `oneActor`: each forces the disk. */
  final val Singles = 100

  final case class Deposited(amount: Long) derives Struct
  final case class Account(balance: Long) derives Struct
  final case class Deposit(amount: Long, to: ActorRef[Long])

  /** A thousand persistent accounts. */
  final class Bank(val folder: Path, durability: Durability):
    private val journal =
      Journal.open[Deposited, Account](folder, durability, Retention.SinceSnapshot)
    private val system = ActorSystem("bank")
    private val answers = Semaphore(0)
    private val counter = spawn(Behavior.receive[Long] { _ =>
      answers.release()
      Behavior.same
    })(using system)
    private val accounts = Vector.tabulate(Ids)(id => spawn(account(id))(using system))

    /** Accounts besides, by the number of commands that they store with one commit. */
    private val others = List(1, Ids).map: commandsPerCommit =>
      commandsPerCommit ->
        spawn(account(Ids + commandsPerCommit, commandsPerCommit))(using system)

    private def account(id: Long, commandsPerCommit: Int = 1): Behavior[Deposit] =
      Persistent(journal, id, Account(0), commandsPerCommit = commandsPerCommit)(
        command = (_, deposit) =>
          Effect.persist(Deposited(deposit.amount)).thenReply(deposit.to)(account =>
            account.balance
          ),
        event = (account, deposited) => Account(account.balance + deposited.amount)
      )

    def depositAll(): Long =
      for account <- accounts do account ! Deposit(1, counter)
      answered(Ids)

    def deposit(commandsPerCommit: Int, count: Int): Long =
      for (limit, account) <- others if limit == commandsPerCommit; _ <- 1 to count do
        account ! Deposit(1, counter)
      answered(count)

    private def answered(count: Int): Long =
      if !answers.tryAcquire(count, 1, TimeUnit.MINUTES) then
        val found = answers.availablePermits
        throw IllegalStateException(s"$found of $count answers within a minute")
      count

    def close(): Unit =
      val _ = system.shutdown(10.seconds, 10.seconds)
      journal.close()
  end Bank

  /** The same events in a table. */
  final class Sqlite(path: Path):
    private val connection: Connection = DriverManager.getConnection(s"jdbc:sqlite:$path").nn
    private var sequence = 0L
    private val insert: PreparedStatement =
      val statement = connection.createStatement.nn
      statement.execute("pragma journal_mode = wal"): Unit
      statement.execute("pragma synchronous = full"): Unit
      statement.execute(
        "create table events (id int, sequence int, amount int, primary key (id, sequence)) " +
          "without rowid"
      ): Unit
      statement.close()
      connection.setAutoCommit(false)
      connection.prepareStatement("insert into events values (?, ?, ?)").nn

    /** Inserts an event for each of the ids, or of as many as are inserted singly. */
    def depositAll(transaction: Int): Long =
      sequence += 1
      val count = if transaction == 1 then Singles else Ids
      var stored = 0L
      var id = 0
      while id < count do
        insert.setLong(1, id)
        insert.setLong(2, sequence)
        insert.setLong(3, 1)
        insert.addBatch()
        id += 1
        if id % transaction == 0 then
          stored += insert.executeBatch().nn.map(_.toLong).sum
          connection.commit()
      stored

    def close(): Unit = connection.close()
  end Sqlite
end EventSourced
