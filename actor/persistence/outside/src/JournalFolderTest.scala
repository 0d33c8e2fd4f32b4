package outside.actor.persistence

import java.io.RandomAccessFile
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path}
import java.nio.file.StandardOpenOption.{CREATE, WRITE}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import scala.util.{Try, Using}
import undercroft.actor.*
import undercroft.actor.persistence.*
import undercroft.file.format.Durability
import undercroft.memory.{MemoryLimitException, Reservation}
import undercroft.struct.*
import undercroft.tools.{ForkedJvm, Requirement}

/** The folder of a journal: its lock, the record of its segments, and failures of its files. */
class JournalFolderTest extends BankSuite:
  import StepCommand.*

  /** The events of one command; each command begins a segment. */
  private val PerSegment = 1000

  private def events(folder: Path, number: Int): Path =
    folder.toRealPath().resolve(s"events-000000000$number.struct")

  private def files(folder: Path, prefix: String): List[Path] =
    Using.resource(Files.list(folder)): paths =>
      paths.iterator.asScala.toList
        .filter(_.getFileName.toString.matches(s"$prefix-\\d+\\.struct"))

  /** Stores `commands` full commands of the actor `id`. */
  private def store(
      folder: Path,
      durability: Durability,
      id: Long,
      commands: Int,
      retention: Retention = Retention.KeepAll
  ): Unit =
    Using.resource(Steps.open(folder, durability, retention)): journal =>
      withSystem:
        val actor = spawn(Steps.counter(journal, id, snapshotEvery = PerSegment))
        for _ <- 1 to commands do
          val end = CountDownLatch(1)
          actor ! Store(
            Vector.tabulate(PerSegment)(n => Stepped(n, Step(0))),
            () => end.countDown()
          )
          val isDone = end.await(1, TimeUnit.MINUTES)
          assert(isDone)
        assertEquals(failures, Nil)

  private def count(folder: Path, id: Long, durability: Durability = Durability.VOLATILE): Long =
    Using.resource(Steps.open(folder, durability)): journal =>
      withSystem(spawn(Steps.counter(journal, id)).ask[Long](1.minute)(Count(_)))

  private def assertMissing(folder: Path, number: Int, reason: String): Unit =
    val error = failure(Steps.open(folder).close())
    assertEquals(error.kind, JournalException.Kind.Corrupt)
    assertEquals(
      error.getMessage,
      s"${events(folder, number)}: missing: the journal has recorded this segment of events in " +
        s"${folder.toRealPath().resolve("journal.lock")}; $reason"
    )

  test("a closed journal leaves only its segments and journal.lock in the folder"):
    inFolder: folder =>
      store(folder, Durability.VOLATILE, 1, 2)
      val names = Using.resource(Files.list(folder)): paths =>
        paths.iterator.asScala.map(_.getFileName.toString).toList
      val others = names.filterNot(_.matches("(events|snapshots)-\\d+\\.struct"))
      assertEquals(others, List("journal.lock"), s"$names")
      assert(names.size > 2, s"$names")
      assertEquals(count(folder, 1), 2L * PerSegment)

  test("a missing segment of events is an error, also if no later event shows it"):
    inFolder: folder =>
      for id <- 1 to 3 do store(folder, Durability.COMMITTED, id, 1)
      val middle = events(folder, 2)
      val moved = Files.move(middle, folder.resolve("moved"))
      assertMissing(folder, 2, "1 of the 3 recorded segments are missing")
      Files.move(moved, middle): Unit
      assertEquals(count(folder, 2), PerSegment.toLong)

  test("segments that a volatile journal wrote are recorded by a committed one"):
    inFolder: folder =>
      for id <- 1 to 2 do store(folder, Durability.VOLATILE, id, 1)
      Steps.open(folder, Durability.COMMITTED).close()
      Files.delete(events(folder, 2))
      assertMissing(folder, 2, "1 of the 2 recorded segments are missing")

  test("segments that the retention deleted are not missed"):
    inFolder: folder =>
      var expected = 0L
      for durability <- List(Durability.COMMITTED, Durability.VOLATILE, Durability.COMMITTED) do
        store(folder, durability, 1, 4, Retention.SinceSnapshot)
        expected += 4 * PerSegment
        assert(!Files.exists(events(folder, 1)), s"$durability")
        assertEquals(count(folder, 1), expected, s"$durability")
      val oldest = files(folder, "events").minBy(_.toString)
      Files.delete(oldest)
      val error = failure(Steps.open(folder).close())
      assertEquals(error.kind, JournalException.Kind.Corrupt)
      assert(error.getMessage.contains(s"${oldest.getFileName}: missing"), error.getMessage)

  test("a record that has the newest segment only is read, and completed"):
    inFolder: folder =>
      for id <- 1 to 3 do store(folder, Durability.COMMITTED, id, 1)
      val record = folder.resolve("journal.lock")
      Files.write(record, Files.readAllBytes(record).take(12))
      assertEquals(count(folder, 2, Durability.COMMITTED), PerSegment.toLong)
      Files.delete(events(folder, 2))
      assertMissing(folder, 2, "1 of the 3 recorded segments are missing")

  test("a folder under a second name is in use, and keeps its lock"):
    inFolder: folder =>
      inFolder: other =>
        withJournal(folder): _ =>
          Files.createLink(other.resolve("journal.lock"), folder.resolve("journal.lock"))
          assertInUse(other, "another journal of this process has it open")
          assertLockedForOthers(folder)
        withJournal(other)(_ => ())

  /** Asserts, twice, that this process cannot open a folder. */
  private def assertInUse(folder: Path, reason: String): Unit =
    for _ <- 1 to 2 do
      val error = failure(Bank.open(folder))
      assertEquals(error.kind, JournalException.Kind.InUse)
      assertEquals(error.getMessage, s"${folder.toRealPath()}: in use: $reason")

  private def assertLockedForOthers(folder: Path): Unit =
    val result =
      ForkedJvm.run("outside.actor.persistence.OpensJournal", arguments = Seq(s"$folder"))
    assertEquals(result.last, "InUse", result.output)

  test("a journal that cannot be opened for lack of memory does not keep its folder in use"):
    inFolder: folder =>
      val result = ForkedJvm.run(
        "outside.actor.persistence.OpensWithoutMemory",
        ForkedJvm.Granted :+ "-Dundercroft.limit=16m",
        Seq(s"$folder")
      )
      assertEquals(
        result.output.linesIterator.toList.takeRight(2),
        List("Failed", "opened"),
        result.output
      )

  test("a folder whose lock file this process has locked is in use, and keeps that lock"):
    inFolder: folder =>
      val file = folder.toRealPath().resolve("journal.lock")
      Using.resource(FileChannel.open(file, CREATE, WRITE)): channel =>
        assert(channel.tryLock() != null)
        assertInUse(folder, s"this process has locked $file")
        assertLockedForOthers(folder)
      withJournal(folder)(_ => ())

  test("a thread that is interrupted cannot open a journal, and the error says so"):
    inFolder: folder =>
      withJournal(folder)(_ => ())
      val error =
        try
          Thread.currentThread.interrupt()
          failure(Bank.open(folder))
        finally Thread.interrupted(): Unit
      assertEquals(error.kind, JournalException.Kind.Failed)
      assert(error.getMessage.endsWith(": the thread was interrupted"), error.getMessage)
      withJournal(folder)(_ => ())

  test("a journal whose events were cut while it is open fails until it is opened again"):
    inFolder: folder =>
      withJournal(folder): journal =>
        withSystem:
          val account = spawn(Bank.account(journal, 7))
          assertEquals(account.deposit(1), "balance 1")
          Using.resource(RandomAccessFile(events(folder, 1).toFile, "rw"))(_.setLength(100))
          assertEquals(account.deposit(1), "Failed")
          assertEquals(account.deposit(1), "Failed")
          assertEquals(account.balance, 1L)

  test("after a close that failed, the folder can be opened again in the same process"):
    Requirement.CHATTR.require()
    def chattr(change: String, path: String) =
      assertEquals(ProcessBuilder("chattr", change, path).inheritIO().start().waitFor(), 0)
    inFolder: folder =>
      val journal = Bank.open(folder)
      withSystem(assertEquals(spawn(Bank.account(journal, 7, 1)).deposit(1), "balance 1"))
      val path = events(folder, 1).toString
      // A file that can only be appended to cannot be shortened to its rows.
      chattr("+a", path)
      try assertEquals(failure(journal.close()).kind, JournalException.Kind.Failed)
      finally chattr("-a", path)
      withJournal(folder): again =>
        withSystem(assertEquals(spawn(Bank.account(again, 7)).balance, 1L))

  test("segments of snapshots have at most the bytes of a segment, also if a state is large"):
    inFolder: folder =>
      val open =
        Journal.open[Movement, Page](folder, Durability.VOLATILE, segmentBytes = 65_536)
      Using.resource(open): journal =>
        withSystem:
          val actor = spawn(
            Persistent(journal, 1, Page(Text("")), snapshotEvery = 1)(
              command = (_: Page, to: ActorRef[Int]) =>
                Effect.persist(Movement.Deposited(1)).thenReply(to)(_ => 1),
              event = (page, _) => page
            )
          )
          for _ <- 1 to 100 do assertEquals(actor.ask[Int](1.minute)(to => to), 1)
      val sizes = files(folder, "snapshots").map(Files.size)
      assert(sizes.nonEmpty && sizes.max <= 65_536 + 16_384, sizes.toString)

  test("a segment that cannot be deleted is reported once, and deleted after a later snapshot"):
    inFolder: folder =>
      Using.resource(Steps.open(folder, retention = Retention.SinceSnapshot)): journal =>
        withSystem:
          val actor = spawn(Steps.counter(journal, 1, snapshotEvery = 2 * PerSegment))
          def storeTwo(): Unit =
            for _ <- 1 to 2 do
              val end = CountDownLatch(1)
              val events = Vector.tabulate(PerSegment)(n => Stepped(n, Step(0)))
              actor ! Store(events, () => end.countDown())
              val isDone = end.await(1, TimeUnit.MINUTES)
              assert(isDone)
          storeTwo()
          // In the place of the first segment is a folder that is not empty.
          val first = events(folder, 1)
          Files.move(first, folder.resolve("moved")): Unit
          val file = Files.createFile(Files.createDirectory(first).resolve("file"))
          storeTwo()
          until("the failure is reported")(failures.nonEmpty)
          assert(failures.head.getMessage.contains("cannot be deleted: "), failures.toString)
          assert(!Files.exists(events(folder, 2)))
          storeTwo()
          until("a later segment is deleted")(Files.notExists(events(folder, 4)))
          Files.delete(file)
          storeTwo()
          until("the segment is deleted")(Files.notExists(first))
          assertEquals(actor.ask[Long](1.minute)(Count(_)), 8L * PerSegment)
          assertEquals(failures.size, 1, failures.toString)
      assertEquals(count(folder, 1), 8L * PerSegment)

  test("a volatile journal forces its snapshots before it deletes the events that they cover"):
    inFolder: folder =>
      val recording = jdk.jfr.Recording()
      recording.enable("jdk.FileForce").withoutThreshold(): Unit
      recording.start()
      store(folder, Durability.VOLATILE, 1, 4, Retention.SinceSnapshot)
      recording.stop()
      assert(!Files.exists(events(folder, 1)))
      val dump = folder.resolve("forces.jfr")
      recording.dump(dump)
      recording.close()
      val forced = jdk.jfr.consumer.RecordingFile.readAllEvents(dump).asScala.toList
        .map(_.getString("path"))
        .filter(_ == folder.toRealPath().resolve("snapshots-0000000001.struct").toString)
      assert(forced.nonEmpty, forced.toString)
end JournalFolderTest

/** A state with many bytes. */
final case class Page(text: Text[2000]) derives Struct, CanEqual

/** Opens a journal while all memory is in use, and again when it is free; prints both results. */
object OpensWithoutMemory:
  private val PageBytes = 65_536L
  private val MaxPages = 1024

  def main(args: Array[String]): Unit =
    val filler = Reservation(MaxPages * PageBytes)
    try for pages <- 1 to MaxPages do filler.segment(pages * PageBytes): Unit
    catch case _: MemoryLimitException => ()
    println(resultOf(Path.of(args(0))))
    filler.close()
    println(resultOf(Path.of(args(0))))

  private def resultOf(folder: Path): String =
    try
      Bank.open(folder).close()
      "opened"
    catch
      case error: JournalException     => s"${error.kind}"
      case error: MemoryLimitException => s"$error"
end OpensWithoutMemory
