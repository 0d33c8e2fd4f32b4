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
      Files.createDirectories(folder.resolve("a.rows.uc.new/x"))
      val beside = failure(Rows.create[Trade](folder.resolve("a.rows")))._2
      assert(beside.contains("a folder that is not empty: "), beside)
      Files.createDirectories(folder.resolve("b.rows.lock"))
      val lock = failure(Rows.create[Trade](folder.resolve("b.rows")))._2
      assert(lock.contains("directory"), lock)

  test("compressing a file without a codec on the class path names the module of the codec"):
    inFolder: folder =>
      val day = sealedFile(Columns, folder.resolve("day.cols"), 10)
      val (kind, words) = failure(compressFile(day, folder.resolve("day.zst")))
      assertEquals(kind, ErrorKind.NO_CODEC)
      assert(
        words.endsWith(
          "the codec zstd is not on the class path: it has no codec; " +
            "undercroft-compression provides zstd"
        ),
        words
      )
      assert(!Files.exists(folder.resolve("day.zst")))

  test("a limit of rows that no file can hold is refused by its number, in each layout"):
    inFolder: folder =>
      for rows <- Seq(Long.MaxValue, Long.MaxValue - 63, Long.MaxValue / 16) do
        val creations = Seq(
          () => Rows.create[Trade](folder.resolve("rows"), maxRows = rows),
          () => Columns.create[Trade](folder.resolve("columns"), maxRows = rows)
        )
        for create <- creations do
          val error = intercept[IllegalArgumentException](create())
          assert(error.getMessage.contains(s"a file cannot hold $rows rows of"), error.getMessage)
      assertEquals(folder.toFile.list.toSet, Set())

  test("files of the user beside a struct file keep their content"):
    inFolder: folder =>
      val own = Seq("day.rows.lock", "day.rows.new").map(folder.resolve)
      own.foreach(Files.writeString(_, "mine"))
      val day = Rows.create[Trade](folder.resolve("day.rows"))
      day += Trade(1, 1)
      day.seal()
      day.close()
      assertEquals(own.map(Files.readString), Seq("mine", "mine"))
end ReasonsTest
