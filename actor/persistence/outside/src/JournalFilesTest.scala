package outside.actor.persistence

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.*
import undercroft.file.format.Durability
import undercroft.struct.*
import undercroft.tools.{ForkedJvm, SmallDisk}

/** The files of a journal: snapshots, segments, retention, evolution, damage, and a full disk. */
class JournalFilesTest extends BankSuite:
  private val Segment = Journal.MinSegmentBytes

  private def files(folder: Path, prefix: String): List[Path] =
    Using.resource(Files.list(folder)): paths =>
      paths.iterator.asScala.toList
        .filter(path => path.getFileName.toString.matches(s"$prefix-\\d+\\.struct"))
        .sortBy(_.toString)

  /** Deposits 1 `count` times to each of `accounts` accounts. */
  private def fill(
      folder: Path,
      accounts: Int,
      count: Int,
      retention: Retention = Retention.KeepAll,
      durability: Durability = Durability.VOLATILE
  ) =
    Using.resource(Bank.open(folder, durability, retention, Segment)): journal =>
      withSystem:
        val refs =
          Vector.tabulate(accounts)(i => spawn(Bank.account(journal, i, snapshotEvery = 100)))
        val listener = spawn(Behavior.ignore[String])
        for _ <- 1 to count; ref <- refs do ref ! Command.Deposit(1, listener)
        refs.map(_.balance)

  private def balances(folder: Path, accounts: Int): Vector[Long] =
    Using.resource(Bank.open(folder, segmentBytes = Segment)): journal =>
      withSystem(Vector.tabulate(accounts)(i => spawn(Bank.account(journal, i)).balance))

  private def flip(path: Path, at: Long): Unit =
    Using.resource(java.io.RandomAccessFile(path.toFile, "rw")): file =>
      file.seek(at)
      val byte = file.read()
      file.seek(at)
      file.write(byte ^ 0x10)

  test("a journal continues over many segments, and keeps all of them"):
    inFolder: folder =>
      assertEquals(fill(folder, 5, 2000), Vector.fill(5)(2000L))
      val segments = files(folder, "events").size
      assert(segments >= 5, s"$segments segments")
      assertEquals(balances(folder, 5), Vector.fill(5)(2000L))
      assertEquals(fill(folder, 5, 100), Vector.fill(5)(2100L))

  test("a recovery of thousands of events without a snapshot is whole"):
    inFolder: folder =>
      Using.resource(Bank.open(folder, segmentBytes = Segment)): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 3, snapshotEvery = 0))
          val listener = spawn(Behavior.ignore[String])
          for _ <- 1 to 4000 do account ! Command.Deposit(1, listener)
          assertEquals(account.balance, 4000L)
      assertEquals(files(folder, "snapshots"), Nil)
      Using.resource(Bank.open(folder)): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 3))
          assertEquals(account.balance, 4000L)

  test("with retention since the snapshot, covered segments are deleted and balances stay"):
    inFolder: folder =>
      fill(folder, 5, 4000, Retention.SinceSnapshot): Unit
      val segments = files(folder, "events")
      assert(segments.size <= 4, segments.toString)
      assert(!segments.exists(_.toString.endsWith("events-0000000001.struct")), segments.toString)
      assertEquals(balances(folder, 5), Vector.fill(5)(4000L))
      fill(folder, 5, 2000, Retention.SinceSnapshot): Unit
      assertEquals(balances(folder, 5), Vector.fill(5)(6000L))

  test("an account without snapshots keeps the segments with its events"):
    inFolder: folder =>
      Using.resource(Bank.open(folder)): journal =>
        withSystem:
          assertEquals(spawn(Bank.account(journal, 99, snapshotEvery = 0)).deposit(7), "balance 7")
      fill(folder, 5, 4000, Retention.SinceSnapshot): Unit
      assert(files(folder, "events").head.toString.endsWith("events-0000000001.struct"))
      Using.resource(Bank.open(folder)): journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 99)).balance, 7L))

  test("a damaged newest snapshot is left out, and the recovery begins at the one before"):
    inFolder: folder =>
      fill(folder, 1, 1000, Retention.SinceSnapshot): Unit
      val snapshots = files(folder, "snapshots").last
      val rows = Rows.openReadOnly[Kept](snapshots)
      val count = rows.size
      val stride = Struct[Kept].size
      rows.close()
      assert(count >= 2, s"$count snapshots")
      val from = dataOffset(snapshots)
      flip(snapshots, from + (count - 1) * stride + 40)
      assertEquals(balances(folder, 1), Vector(1000L))

  /** The offset of the rows in a file: docs/format.md. */
  private def dataOffset(path: Path): Long =
    val header = java.nio.ByteBuffer.wrap(Files.readAllBytes(path))
    header.order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(40)

  test("a missing newest segment of events is an error that names it"):
    inFolder: folder =>
      fill(folder, 3, 2000, durability = Durability.COMMITTED): Unit
      val newest = files(folder, "events").last.toRealPath()
      Files.delete(newest)
      val error = failure(Bank.open(folder, segmentBytes = Segment))
      assertEquals(error.kind, JournalException.Kind.Corrupt)
      assert(error.getMessage.startsWith(s"$newest: missing: "), error.getMessage)

  test("a changed bit of a header of a closed journal loses no event"):
    val random = java.util.Random(1)
    inFolder: folder =>
      for round <- 1 to 20 do
        val balance = fill(folder, 1, 10)
        for path <- files(folder, "events") ++ files(folder, "snapshots") do
          flip(path, random.nextInt(8192))
        assertEquals(balances(folder, 1), balance, s"round $round")

  /** Deposits 1 and 2 with two commits, copies the folder while the journal is open, zeroes the
    * last bytes of the copy's second event, and returns the copy.
    */
  private def withoutEnd(folder: Path, bytes: Int): Path =
    val copy = Files.createDirectory(folder.resolve("copy"))
    withJournal(folder): journal =>
      withSystem:
        val account = spawn(Bank.account(journal, 0))
        account.deposit(1): Unit
        account.deposit(2): Unit
        Using.resource(Files.list(folder)): paths =>
          for path <- paths.iterator.asScala if Files.isRegularFile(path) do
            Files.copy(path, copy.resolve(path.getFileName)): Unit
    val path = files(copy, "events").head
    Using.resource(java.io.RandomAccessFile(path.toFile, "rw")): file =>
      file.seek(dataOffset(path) + 2 * Struct[Stored].size - bytes)
      file.write(new Array[Byte](bytes))
    copy

  test("a journal whose last commit a loss of power has cut continues after the one before"):
    val stride = Struct[Stored].size.toInt
    inFolder(folder => assertEquals(balances(withoutEnd(folder, 0), 1), Vector(3L)))
    for bytes <- List(stride - 28, stride) do
      inFolder: folder =>
        val copy = withoutEnd(folder, bytes)
        assertEquals(balances(copy, 1), Vector(1L), s"$bytes bytes")
        assertEquals(fill(copy, 1, 3, durability = Durability.COMMITTED), Vector(4L))
        assertEquals(balances(copy, 1), Vector(4L))

  test("a changed bit of an event is an error that names the file, the row and its bytes"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          for n <- 1 to 5 do account.deposit(n)
      val path = files(folder, "events").head
      val stride = Struct[Stored].size
      flip(path, dataOffset(path) + 2 * stride + 8)
      val error = failure(Bank.open(folder))
      assertEquals(error.kind, JournalException.Kind.Corrupt)
      val place = s"${path.toRealPath()}: row 2, bytes [${2 * stride}, ${3 * stride}) of its rows: "
      assertEquals(error.getMessage, s"${place}the record differs from its checksum")
      flip(path, dataOffset(path) + 2 * stride + 8)
      withJournal(folder)(journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, 15L))
      )

  test("a cut file is an error, and so is a missing segment"):
    inFolder: folder =>
      fill(folder, 1, 4000): Unit
      val paths = files(folder, "events")
      assert(paths.size >= 3, paths.toString)
      for path <- files(folder, "snapshots") do Files.delete(path)
      val bytes = Files.readAllBytes(paths(1))
      Files.write(paths(1), bytes.take(20_000))
      val cut = failure(Bank.open(folder))
      assertEquals(cut.kind, JournalException.Kind.Corrupt)
      assert(cut.getMessage.startsWith(s"${paths(1).toRealPath()}: "), cut.getMessage)
      Files.delete(paths(1))
      val missing = failure(Bank.open(folder))
      assertEquals(missing.kind, JournalException.Kind.Corrupt)
      assert(
        missing.getMessage.startsWith(s"${paths(2).toRealPath()}: row 0, "),
        missing.getMessage
      )
      Files.write(paths(1), bytes)
      assertEquals(balances(folder, 1), Vector(4000L))

  test("a folder has one journal at a time in a process"):
    inFolder: folder =>
      withJournal(folder): _ =>
        val error = failure(Bank.open(folder.resolve(".")))
        assertEquals(error.kind, JournalException.Kind.InUse)
        assertEquals(
          error.getMessage,
          s"${folder.toRealPath()}: in use: another journal of this process has it open"
        )
      withJournal(folder)(_ => ())

  test("a folder that a journal of this process has open is refused in another process"):
    inFolder: folder =>
      withJournal(folder): _ =>
        val result =
          ForkedJvm.run("outside.actor.persistence.OpensJournal", arguments = Seq(s"$folder"))
        assertEquals(result.last, "InUse", result.output)
      val result =
        ForkedJvm.run("outside.actor.persistence.OpensJournal", arguments = Seq(s"$folder"))
      assertEquals(result.last, "opened", result.output)

  test("a file in place of the folder is an error"):
    inFolder: folder =>
      val file = Files.write(folder.resolve("file"), Array[Byte](1))
      val error = failure(Bank.open(file))
      assertEquals(error.kind, JournalException.Kind.Failed)

  test("events and states are read by classes with more cases and more fields"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7, snapshotEvery = 3))
          for n <- 1 to 5 do account.deposit(n)
      for round <- 1 to 2 do
        Using.resource(Journal.open[evolved.Movement, evolved.Account](folder)): journal =>
          withSystem:
            val account = spawn(evolved.account(journal, 7))
            val before =
              account.ask[evolved.Account](scala.concurrent.duration.DurationInt(1).minute)((0L, _))
            assertEquals(before.balance, 15L - (round - 1) * 2L)
            val after =
              account.ask[evolved.Account](scala.concurrent.duration.DurationInt(1).minute)((2L, _))
            assertEquals((after.balance, after.fees), (13L - (round - 1) * 2L, 2L * round))

  test("states whose fields were reordered are read by their names"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7, snapshotEvery = 1))
          for n <- 1 to 3 do account.deposit(n * 10)
      Using.resource(Journal.open[Movement, reordered.Account](folder)): journal =>
        withSystem:
          val behavior = Persistent(journal, 7, reordered.Account(0, 0))(
            command = (_, to: ActorRef[reordered.Account]) =>
              Effect.none.thenReply(to)(account => account),
            event = (account, _) => account
          )
          val minute = scala.concurrent.duration.DurationInt(1).minute
          val state = spawn(behavior).ask[reordered.Account](minute)(to => to)
          assertEquals((state.balance, state.movements), (60L, 3L))

  test("events of an unrelated class are an error that names the field"):
    inFolder: folder =>
      withJournal(folder)(journal => withSystem(spawn(Bank.account(journal, 7)).deposit(1)))
      val error = failure(Journal.open[Account, Account](folder))
      assertEquals(error.kind, JournalException.Kind.Schema)
      assert(error.getMessage.contains("event"), error.getMessage)

  test("other programs read the events of an open journal as a table"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          for n <- 1 to 5 do account.deposit(n)
          val table = Rows.openReadOnly[Stored](files(folder, "events").head)
          assertEquals(table.map(_.id).sum, 35L)
          assertEquals(table(4).event, Movement.Deposited(5))
          assertEquals(table(4).sequence, 5L)
          table.close()

  test(
    "a journal whose file was deleted fails, and stores no more events until it is opened again"
  ):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          assertEquals(account.deposit(1), "balance 1")
          val path = files(folder, "events").head
          val moved = Files.move(path, folder.resolve("moved"))
          assertEquals(account.deposit(1), "Failed")
          assertEquals(account.deposit(1), "Failed")
          assertEquals(account.balance, 1L)
          Files.move(moved, path): Unit
          assertEquals(account.deposit(1), "Failed")
      assert(balances(folder, 8)(7) >= 1)

  test("an event that cannot be encoded is refused, and the next ones are stored"):
    given Struct.StoredAs[Even, Int] = Struct.storedAs[Even, Int](even =>
      if even.n % 2 != 0 then throw ArithmeticException(s"${even.n} is odd") else even.n
    )(Even(_))
    final case class Seen(even: Even) derives Struct
    inFolder: folder =>
      Using.resource(Journal.open[Seen, Seen](folder)): journal =>
        withSystem:
          val actor = spawn(
            Persistent(journal, 1, Seen(Even(0)), snapshotEvery = 2)(
              command = (_: Seen, command: (Int, ActorRef[String])) =>
                Effect
                  .persistAll(List.tabulate(3)(i => Seen(Even(command._1 * i))))
                  .thenReply(command._2)(seen => s"${seen.even.n}")
                  .onFailure(error => command._2 ! s"${error.kind}"),
              event = (_, seen) => Seen(Even(seen.even.n + 1))
            )
          )
          def add(n: Int) =
            actor.ask[String](scala.concurrent.duration.DurationInt(1).minute)((n, _))
          assertEquals(List(2, 1, 4).map(add), List("5", "Rejected", "9"))
          until("a snapshot failed")(failures.nonEmpty)
        assert(failures.forall(_.getMessage.contains("is odd")), failures.toString)

  test("on a full disk commands fail and change nothing, and later ones succeed"):
    SmallDisk("512k").use: folder =>
      val ballast = Files.write(folder.resolve("ballast"), new Array[Byte](200_000))
      var stored = 0
      Using.resource(Bank.open(folder, segmentBytes = Segment)): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          var last = ""
          while last != "NoSpace" && stored < 100_000 do
            last = account.deposit(1)
            if last != "NoSpace" then stored += 1
          assertEquals(last, "NoSpace")
          assertEquals(account.balance, stored.toLong)
          assertEquals(account.deposit(1), "NoSpace")
          Files.delete(ballast)
          assertEquals(account.deposit(1), s"balance ${stored + 1}")
      Using.resource(Bank.open(folder, segmentBytes = Segment)): journal =>
        withSystem(assertEquals(spawn(Bank.account(journal, 7)).balance, stored + 1L))
end JournalFilesTest

/** A number that is stored only if it is even. */
final case class Even(n: Int)

/** A row of the events of a bank, as another program sees it. */
final case class Stored(id: Long, sequence: Long, previous: Long, check: Int, event: Movement)
    derives Struct

/** A row of its snapshots. */
final case class Kept(id: Long, sequence: Long, previous: Long, check: Int, state: Account)
    derives Struct

/** Opens a journal and prints whether it could. */
object OpensJournal:
  def main(args: Array[String]): Unit =
    try
      Bank.open(Path.of(args(0))).close()
      println("opened")
    catch case error: JournalException => println(error.kind)

/** The state with its fields in another order. */
object reordered:
  final case class Account(movements: Long, balance: Long) derives Struct, CanEqual

/** The classes of a later version of the program. */
object evolved:
  enum Movement derives Struct, CanEqual:
    case Deposited(amount: Long)
    case Withdrawn(amount: Long)
    case Charged(fee: Long, reason: Int)

  final case class Account(balance: Long, fees: Long, movements: Long) derives Struct, CanEqual

  def account(
      journal: Journal[Movement, Account],
      id: Long
  ): Behavior[(Long, ActorRef[Account])] =
    Persistent(journal, id, Account(0, 0, 0), snapshotEvery = 2)(
      command = (_, command) =>
        val (fee, to) = command
        if fee == 0 then Effect.none.thenReply(to)(account => account)
        else Effect.persist(Movement.Charged(fee, 1)).thenReply(to)(account => account)
      ,
      event = (account, movement) =>
        val next = account.copy(movements = account.movements + 1)
        movement match
          case Movement.Deposited(amount) => next.copy(balance = account.balance + amount)
          case Movement.Withdrawn(amount) => next.copy(balance = account.balance - amount)
          case Movement.Charged(fee, _) =>
            next.copy(balance = account.balance - fee, fees = account.fees + fee)
    )
end evolved
