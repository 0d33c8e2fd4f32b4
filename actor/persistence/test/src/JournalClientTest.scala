package undercroft.actor
package persistence

import internal.journal.{JournalClient, RecoveredPart}
import java.nio.file.Files
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import scala.util.Using
import undercroft.file.format.Durability
import undercroft.tools.Suite

/** The journal's calls of its clients. */
class JournalClientTest extends Suite:
  /** Notes each answer, and then throws what `thrown` says. */
  private final class Noting(answers: LinkedBlockingQueue[String], thrown: Throwable | Null = null)
      extends JournalClient[Long, Long]:
    private def note(answer: String): Unit =
      answers.add(answer): Unit
      if thrown != null then throw thrown
    def appended(): Unit = note("appended")
    def appendFailed(cause: JournalException): Unit = note(s"${cause.kind}")
    def snapshotFailed(cause: JournalException): Unit = note(s"snapshot: ${cause.kind}")
    def recovered(part: RecoveredPart[Long, Long]): Unit = note(s"recovered ${part.events}")
    def recoveryFailed(cause: JournalException): Unit = note(s"recovery: ${cause.kind}")
    def after(nanos: Long)(task: => Unit): Unit = task

  test("a client that throws an error ends neither the journal nor the answers of the others"):
    val folder = Files.createTempDirectory("undercroft-client-")
    val answers = LinkedBlockingQueue[String]()
    def next(): String = String.valueOf(answers.poll(1, TimeUnit.MINUTES))
    Using.resource(Journal.open[Long, Long](folder, Durability.VOLATILE)): journal =>
      val failing = Noting(answers, ClientError())
      journal.append(1, 1, Vector(5L), failing)
      assertEquals(next(), "appended")
      journal.append(1, 7, Vector(5L), failing)
      assertEquals(next(), "Rejected")
      journal.append(2, 1, Vector(6L), Noting(answers))
      assertEquals(next(), "appended")
      journal.recover(1, Noting(answers))
      assertEquals(next(), "recovered Vector(5)")
    Using.resource(Files.walk(folder)): paths =>
      paths.sorted(java.util.Comparator.reverseOrder).forEach(Files.delete(_))
end JournalClientTest

private final class ClientError extends Error("the client of this test fails", null, false, false)
