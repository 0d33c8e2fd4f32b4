package outside.file

import java.nio.file.Files
import undercroft.file.format.ErrorKind
import undercroft.struct.*
import undercroft.file.*

/** Messages of file errors. */
class ReasonsTest extends undercroft.tools.Suite:
  import Trades.*

  test("a folder that does not exist is named"):
    inFolder: folder =>
      val (absent, words) = fault(Rows.create[Trade](folder.resolve("none/day.rows")))
      assertEquals(absent, ErrorKind.NOT_FOUND)
      assert(words.contains(folder.resolve("none").toString) && !words.contains("null"), words)

  test("an interrupted thread is the reason where it is"):
    inFolder: folder =>
      Thread.currentThread.interrupt()
      val words =
        try fault(Rows.create[Trade](folder.resolve("day.rows")))._2
        finally assert(Thread.interrupted())
      assert(words.endsWith("unreadable: the thread was interrupted"), words)

  test("a folder in the place of the lock or of the file beside is named"):
    inFolder: folder =>
      Files.createDirectories(folder.resolve("a.rows.new/x"))
      val beside = fault(Rows.create[Trade](folder.resolve("a.rows")))._2
      assert(beside.contains("a folder that is not empty: "), beside)
      Files.createDirectories(folder.resolve("b.rows.lock"))
      val lock = fault(Rows.create[Trade](folder.resolve("b.rows")))._2
      assert(lock.contains("directory"), lock)
end ReasonsTest
