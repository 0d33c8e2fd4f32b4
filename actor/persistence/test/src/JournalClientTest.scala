package undercroft.actor
package persistence

import internal.journal.{FileJournal, JournalClient, RecoveredPart}
import java.io.RandomAccessFile
import java.lang.management.{BufferPoolMXBean, ManagementFactory}
import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.file.format.Durability
import undercroft.struct.{InlineArray, Struct}
import undercroft.tools.Suite

/** The journal's calls of its clients. */
class JournalClientTest extends Suite:
  /** Notes each answer, and then runs `effect`. */
  private final class Noting[E](
      answers: LinkedBlockingQueue[String],
      effect: () => Unit = () => ()
  ) extends JournalClient[E, Long]:
    private def note(answer: String): Unit =
      answers.add(answer): Unit
      effect()
    def appended(): Unit = note("appended")
    def appendFailed(cause: JournalException): Unit = note(s"${cause.kind}")
    def snapshotFailed(cause: JournalException): Unit = note(s"snapshot: ${cause.kind}")
    def deletionFailed(cause: JournalException): Unit = note(s"deletion: ${cause.kind}")
    def recovered(part: RecoveredPart[E, Long]): Unit = note(s"recovered ${part.events}")
    def recoveryFailed(cause: JournalException): Unit = note(s"recovery: ${cause.kind}")
    def failSystem(cause: Throwable): Unit = answers.add(s"the system ends: $cause"): Unit
    def after(nanos: Long)(task: => Unit): Unit = task

  test("a client that throws an error ends neither the journal nor the answers of the others"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val answers = LinkedBlockingQueue[String]()
    def next(): String = String.valueOf(answers.poll(1, TimeUnit.MINUTES))
    Using.resource(Journal.open[Long, Long](folder, Durability.VOLATILE)): journal =>
      val failing = Noting[Long](answers, () => throw ClientError())
      journal.append(1, 1, Vector(5L), failing)
      assertEquals(next(), "appended")
      journal.append(1, 7, Vector(5L), failing)
      assertEquals(next(), "Rejected")
      journal.append(2, 1, Vector(6L), Noting[Long](answers))
      assertEquals(next(), "appended")
      journal.recover(1, Noting[Long](answers))
      assertEquals(next(), "recovered Vector(5)")
    delete(folder)

  test("an answer for which there is no memory ends the system of its client alone"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val answers = LinkedBlockingQueue[String]()
    def next(): String = String.valueOf(answers.poll(1, TimeUnit.MINUTES))
    def failing = Noting[Long](answers, () => throw OutOfMemoryError("a test"))
    val ended = "the system ends: java.lang.OutOfMemoryError: a test"
    Using.resource(Journal.open[Long, Long](folder, Durability.VOLATILE)): journal =>
      journal.append(1, 1, Vector(5L), failing)
      assertEquals(List.fill(2)(next()), List("appended", ended))
      journal.append(1, 7, Vector(5L), failing)
      assertEquals(List.fill(2)(next()), List("Rejected", ended))
      journal.recover(1, failing)
      assertEquals(List.fill(2)(next()), List("recovered Vector(5)", ended))
      journal.append(2, 1, Vector(6L), Noting[Long](answers))
      assertEquals(next(), "appended")
    delete(folder)

  test("a fatal error of the journal ends the systems that wait, and it stores no more events"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val answers = LinkedBlockingQueue[String]()
    def next(): String = String.valueOf(answers.poll(1, TimeUnit.MINUTES))
    val (held, gate) = (CountDownLatch(1), CountDownLatch(1))
    val ended = "the system ends: java.lang.OutOfMemoryError: no memory for an event"
    Using.resource(Journal.open[Costly, Long](folder, Durability.VOLATILE)): journal =>
      val holding = Noting[Costly](
        answers,
        () =>
          held.countDown()
          gate.await()
      )
      journal.append(1, 1, Vector(Costly(5)), holding)
      try
        val isHeld = held.await(1, TimeUnit.MINUTES)
        assert(isHeld)
        // All are in the next batch.
        journal.snapshot(1, 1, 5L, Noting[Costly](answers))
        journal.append(1, 2, Vector(Costly(Costly.TooLarge)), Noting[Costly](answers))
        journal.recover(1, Noting[Costly](answers))
      finally gate.countDown()
      assertEquals(next(), "appended")
      // The batch, and the snapshot once more as one that waits.
      assertEquals(List.fill(4)(next()), List.fill(4)(ended))
      journal.append(1, 2, Vector(Costly(6)), Noting[Costly](answers))
      assertEquals(next(), "Failed")
    Using.resource(Journal.open[Costly, Long](folder, Durability.VOLATILE)): journal =>
      assertEquals(journal.size, 1L)
    delete(folder)

  test("the snapshots that wait when the journal fails are reported"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val answers = LinkedBlockingQueue[String]()
    val (held, gate) = (CountDownLatch(1), CountDownLatch(1))
    Using.resource(Journal.open[Long, Long](folder, Durability.VOLATILE)): journal =>
      val holding = Noting[Long](
        answers,
        () =>
          held.countDown()
          gate.await()
      )
      try
        journal.append(1, 1, Vector(5L), holding)
        val isHeld = held.await(1, TimeUnit.MINUTES)
        assert(isHeld)
        // Both are in the next batch, whose events cannot be stored.
        journal.snapshot(1, 1, 5L, Noting[Long](answers))
        journal.append(1, 2, Vector(6L), Noting[Long](answers))
        val events = folder.resolve("events-0000000001.struct").toFile
        Using.resource(RandomAccessFile(events, "rw"))(_.setLength(100))
      finally gate.countDown()
      for expected <- List("appended", "Failed", "snapshot: Failed") do
        assertEquals(String.valueOf(answers.poll(1, TimeUnit.MINUTES)), expected)
    delete(folder)

  test("a snapshot that is requested after the journal was closed is left out without an error"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val errors = LinkedBlockingQueue[String]()
    val opened = Journal.open[Long, Long](folder, Durability.VOLATILE)
    val journal = opened.asInstanceOf[FileJournal[Long, Long]]
    journal.close()
    journal.snapshot(1, 1, 5L, Noting[Long](errors))
    assertEquals(errors.asScala.toList, Nil)
    delete(folder)

  test("recoveries that wait for a reader of the journal take no direct memory"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val recovered = LinkedBlockingQueue[String]()
    val appended = LinkedBlockingQueue[String]()
    val (held, gate) = (CountDownLatch(FileJournal.ReaderThreads), CountDownLatch(1))
    val count = 2000
    var taken = 0L
    Using.resource(Journal.open[WideEvent, Long](folder, Durability.VOLATILE)): journal =>
      try
        for id <- 1 to FileJournal.ReaderThreads do
          val holding = Noting[WideEvent](
            recovered,
            () =>
              held.countDown()
              gate.await()
          )
          journal.recover(id, holding)
        val areHeld = held.await(1, TimeUnit.MINUTES)
        assert(areHeld)
        val before = directBytes
        for id <- 11 to 10 + count do journal.recover(id, Noting[WideEvent](recovered))
        // The writer answers the appends of a batch before it starts the recoveries of the batch.
        for sequence <- 1 to 2 do
          val event = WideEvent(InlineArray[Long, 512](Vector.fill(512)(7L)*))
          journal.append(1, sequence, Vector(event), Noting[WideEvent](appended))
          assertEquals(String.valueOf(appended.poll(1, TimeUnit.MINUTES)), "appended")
        taken = directBytes - before
      finally gate.countDown()
      end try
      for _ <- 1 to count + FileJournal.ReaderThreads do
        assertEquals(String.valueOf(recovered.poll(1, TimeUnit.MINUTES)), "recovered Vector()")
    delete(folder)
    assert(taken < count * 2048L, s"$taken bytes") // half of a record for each

  private def directBytes: Long =
    ManagementFactory.getPlatformMXBeans(classOf[BufferPoolMXBean]).asScala
      .filter(_.getName == "direct").map(_.getMemoryUsed).sum

  private def delete(folder: Path): Unit =
    Using.resource(Files.walk(folder)): paths =>
      paths.sorted(java.util.Comparator.reverseOrder).forEach(Files.delete(_))
end JournalClientTest

/** An event of 4 KiB. */
final case class WideEvent(numbers: InlineArray[Long, 512]) derives Struct

/** An event for which there is no memory if it is too large. */
final class Costly(val size: Long)

object Costly:
  val TooLarge = 1_000_000L

  given Struct.StoredAs[Costly, Long] = Struct.storedAs[Costly, Long] { event =>
    if event.size == TooLarge then throw OutOfMemoryError("no memory for an event")
    event.size
  }(Costly(_))
end Costly

private final class ClientError extends Error("the client of this test fails", null, false, false)
