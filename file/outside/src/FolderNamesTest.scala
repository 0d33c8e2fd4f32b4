package outside.file

import java.nio.file.{Files, Path}
import java.util.Locale
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.struct.*

/** The names of files and partitions, which are the order in which they are read. */
class FolderNamesTest extends undercroft.tools.Suite:
  import Trades.*

  private def ids(folder: Path): Vector[Long] =
    Using.resource(Rows.openAll[Trade](folder))(_.map(_.id).toVector)

  /** A sealed file of rows with the same id. */
  private def file(path: Path, id: Long, rows: Int = 1): Long =
    Files.createDirectories(path.getParent)
    val table = Rows.create[Trade](path)
    table.appendAll(Seq.fill(rows)(Trade(id, 0)))
    table.seal()
    Files.size(path)

  test("partitions whose names end like those of auxiliary files are read"):
    inFolder: folder =>
      for (host, id) <- Seq("a.old", "b.new", "c.lock").zipWithIndex do
        file(folder.resolve(s"host=$host/x.rows"), id)
      Files.writeString(folder.resolve("host=b.new/y.rows.lock"), "")
      assertEquals(ids(folder), Vector(0L, 1L, 2L))
      Rows.folder[Trade](folder).addTo((host = "d"))(_ += Trade(3, 0))
      assertEquals(ids(folder), Vector(0L, 1L, 2L, 3L))
      file(folder.resolve("host=b.new/z.rows"), 4)
      Using.resource(Rows.openAll[Trade](folder)): table =>
        assertEquals(table.unlisted, Vector(folder.resolve("host=b.new/z.rows")))

  test("a compaction keeps the order of rows if the default locale has other digits"):
    val before = Locale.getDefault
    Locale.setDefault(Locale.forLanguageTag("ar-EG"))
    try
      inFolder: folder =>
        val writer = Rows.folder[Trade](folder)
        writer.add(_.appendAll(Seq.fill(2000)(Trade(1, 0))))
        for id <- 2 to 12 do writer.add(_ += Trade(id, 0))
        val rows = ids(folder)
        assertEquals(rows.distinct, Vector.range(1L, 13L))
        Using.resource(Rows.openAll[Trade](folder)): table =>
          for file <- table.files do
            assert(file.path.getFileName.toString.matches("part-[0-9]{10}-.*"), file.path)
        assertEquals(writer.compact(maxBytes = 20_000 * 2), 11)
        assertEquals(ids(folder), rows)
    finally Locale.setDefault(before)

  test("a compaction keeps the order of the rows of files with any names"):
    for
      names <- Seq(
        Vector("a.rows", "b.rows", "c.rows"),
        Vector("a", "b", "b-0", "b0"),
        Vector("b-0.rows", "b-x.rows", "b.rows", "b.rows-0", "b0"),
        Vector("part-1-x.rows", "part-2-x.rows", "part-2-y.rows", "part-3.rows"),
        Vector("x" * 120 + ".rows", "x" * 200 + ".rows", "y.rows")
      )
      large <- 0 to names.size
    do
      inFolder: folder =>
        var least = Long.MaxValue
        for (name, i) <- names.zipWithIndex do
          least = least.min(file(folder.resolve(name), i, if i == large then 20_000 else 1))
        val rows = ids(folder)
        val writer = Rows.folder[Trade](folder)
        for round <- 1 to 4 do
          writer.compact(least * names.size)
          assertEquals(ids(folder), rows, s"$names, large $large, round $round")
          writer.add(_ => ())

  test("a compaction of the files of changes with the same number keeps the order of rows"):
    inFolder: folder =>
      val id = "00000000-0000-0000-0000-00000000000"
      val names = Vector(s"part-0000000001-${id}0-00000", s"part-0000000002-${id}1-00000")
      val least = names.zipWithIndex.map((name, i) => file(folder.resolve(s"$name.rows"), i)).max
      file(folder.resolve(s"part-0000000002-${id}2-00000.rows"), 2, 20_000)
      val rows = ids(folder)
      assertEquals(Rows.folder[Trade](folder).compact(least * 2), 2)
      assertEquals(ids(folder), rows)

  test("a partition value with half of a surrogate pair is refused, and the folder stays empty"):
    inFolder: folder =>
      val error = intercept[IllegalArgumentException]:
        Rows.folder[Trade](folder).addTo((name = "a\ud83db"))(_ += Trade(1, 1))
      assertEquals(
        error.getMessage,
        "the value of partition name must be valid Unicode, but has half of a surrogate pair at index 1"
      )
      assertEquals(Using.resource(Files.list(folder))(_.count), 0L)

  test("the root of the file system is no file to create"):
    val (kind, words) = failure(Rows.create[Trade](Path.of("/")))
    assertEquals(kind, ErrorKind.UNREADABLE)
    assert(words.contains("it is a folder; expected a file"), words)
end FolderNamesTest
