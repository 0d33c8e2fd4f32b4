package outside.file

import java.nio.file.Files
import undercroft.file.format.ErrorKind
import undercroft.struct.*
import undercroft.file.*

/** Messages of file errors. */
class ReasonsTest extends undercroft.tools.Suite:
  import Trades.*

  test("creating a file in a missing folder throws and names the folder"):
    inFolder: folder =>
      val (absent, words) = failure(Rows.create[Trade](folder.resolve("none/day.rows")))
      assertEquals(absent, ErrorKind.NOT_FOUND)
      assert(words.contains(folder.resolve("none").toString) && !words.contains("null"), words)

  test("creating a file in an interrupted thread throws and names the interrupt"):
    inFolder: folder =>
      Thread.currentThread.interrupt()
      val words =
        try failure(Rows.create[Trade](folder.resolve("day.rows")))._2
        finally assert(Thread.interrupted())
      assert(words.endsWith("unreadable: the thread was interrupted"), words)

  test("a folder in place of the lock or temporary file is named in the error"):
    inFolder: folder =>
      Files.createDirectories(folder.resolve("a.rows.new/x"))
      val beside = failure(Rows.create[Trade](folder.resolve("a.rows")))._2
      assert(beside.contains("a folder that is not empty: "), beside)
      Files.createDirectories(folder.resolve("b.rows.lock"))
      val lock = failure(Rows.create[Trade](folder.resolve("b.rows")))._2
      assert(lock.contains("directory"), lock)
end ReasonsTest
