package outside.file

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.file.*
import undercroft.struct.*
import undercroft.tools.Requirement

/** Single rows of files that the system's cache does not have. */
class ReadAheadTest extends undercroft.tools.Suite:
  import Trades.*

  /** Whether the system reads ahead, for each mapping of a file that is longer than a page of any
    * platform; proc(5) calls the flag `rr`.
    */
  private def readAhead(path: Path): Seq[Boolean] =
    Requirement.LINUX.require()
    val lines = Files.readAllLines(Path.of("/proc/self/smaps")).asScala.toSeq
    val starts = lines.indices.filter(at => lines(at).endsWith(path.toRealPath().toString))
    for start <- starts
    yield !lines.drop(start).find(_.startsWith("VmFlags:")).get.split(' ').contains("rr")

  private def write(path: Path, from: Int, until: Int): Unit =
    Using.resource(if from == 0 then Rows.create[Trade](path) else Rows.open[Trade](path)): table =>
      for i <- from until until do table += Trade(i, i)
      table.commit()

  private val count = 100_000

  test("read-ahead ends when it is disabled, and rows are the same"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      write(path, 0, count)
      Using.resource(Rows.openReadOnly[Trade](path)): table =>
        assertEquals(readAhead(path), Seq(true))
        table.disableReadAhead()
        table.disableReadAhead()
        assert(readAhead(path).contains(false), readAhead(path))
        for i <- 0 until count by 999 do assertEquals(table(i), Trade(i, i))
        assertEquals(table.sumOf(_.id), (0L until count).sum)

  test("read-ahead of another table over the file goes on"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      write(path, 0, count)
      Using.resource(Rows.openReadOnly[Trade](path)): table =>
        Using.resource(Rows.openReadOnly[Trade](path)): other =>
          table.disableReadAhead()
          assert(readAhead(path).contains(false), readAhead(path))
          assert(readAhead(path).contains(true), readAhead(path))
          assertEquals(other.size, table.size)

  test("rows beyond the mapping are read without read-ahead after a refresh, too"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      write(path, 0, count)
      Using.resource(Rows.openReadOnly[Trade](path)): table =>
        table.disableReadAhead()
        val before = readAhead(path).count(_ == false)
        write(path, count, 20 * count)
        assertEquals(table.refresh(), 20L * count)
        assert(readAhead(path).count(_ == false) > before, readAhead(path))
        assertEquals(table(20L * count - 1), Trade(20 * count - 1, 20 * count - 1))

  test("columns, packed rows and a table that is appended to have it, too"):
    inFolder: folder =>
      def disabled[L <: Layout](tables: TableFactory[L]): Unit =
        val path = folder.resolve(s"day.$tables")
        Using.resource(tables.create[Trade](path, maxRows = count)): table =>
          for i <- 0 until count do table += Trade(i, i)
          table.disableReadAhead()
          assert(readAhead(path).contains(false), readAhead(path))
          table.commit()
          assertEquals(table(count - 1), Trade(count - 1, count - 1))
      disabled(Rows)
      disabled(PackedRows)
      disabled(Columns)

  test("files of a folder have it, also those that a refresh finds"):
    inFolder: folder =>
      val writer = Rows.folder[Trade](folder)
      writer.add(file => for i <- 0 until count do file += Trade(i, i))
      Using.resource(Rows.openAll[Trade](folder)): table =>
        table.disableReadAhead()
        writer.add(file => for i <- count until 2 * count do file += Trade(i, i))
        assertEquals(table.refresh(), 2L * count)
        assertEquals(table(2 * count - 1), Trade(2 * count - 1, 2 * count - 1))
        for file <- table.files do assert(readAhead(file.path).contains(false), file.path)

  test("an empty file, a short one, and rows converted to memory are read as before"):
    inFolder: folder =>
      val (empty, short) = (folder.resolve("empty.rows"), folder.resolve("short.rows"))
      write(empty, 0, 0)
      write(short, 0, 1)
      Using.resource(Rows.openReadOnly[Trade](empty)): table =>
        table.disableReadAhead()
        assertEquals(table.size, 0L)
      Using.resource(Rows.openReadOnly[Trade](short)): table =>
        table.disableReadAhead()
        assertEquals(table(0), Trade(0, 0))
      Using.resource(Rows.openReadOnly[WideTrade](short)): table =>
        table.disableReadAhead()
        assertEquals(table(0), WideTrade(0, 0))

  test("a closed table and a closed folder are errors"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      write(path, 0, 10)
      val table = Rows.openReadOnly[Trade](path)
      table.close()
      assertEquals(failure(table.disableReadAhead())._1, undercroft.file.format.ErrorKind.CLOSED)
      val all = Rows.openAll[Trade](folder)
      all.close()
      assertEquals(failure(all.disableReadAhead())._1, undercroft.file.format.ErrorKind.CLOSED)
end ReadAheadTest
