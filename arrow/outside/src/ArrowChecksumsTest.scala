package outside.arrow

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.arrow.*
import undercroft.file.format.{Checksums, ErrorKind, StructFile, StructFileException}
import undercroft.struct.*
import undercroft.file.*

case class Purchase(id: Long, amount: Int) derives Struct, CanEqual

/** Export of a sealed file with a flipped bit. */
class ArrowChecksumsTest extends undercroft.tools.Suite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def flipped[L <: Layout](tables: TableFactory[L], path: Path): Path =
    val table = tables.create[Purchase](path, maxRows = 200_000)
    for i <- 0 until 200_000 do table += Purchase(i, i)
    table.seal()
    val file = java.io.RandomAccessFile(path.toFile, "rw")
    try
      file.seek(12288 + 1_000_003)
      val byte = file.read()
      file.seek(12288 + 1_000_003)
      file.write(byte ^ 0x10)
    finally file.close()
    path

  private def corrupt(writing: => Unit, target: Path): Unit =
    val error = intercept[StructFileException](writing)
    assertEquals(error.kind, ErrorKind.CORRUPT)
    assert(error.getMessage.contains("the checksum of block"), error.getMessage)
    assert(!Files.exists(target))

  test("writeArrow of a sealed file with a flipped bit throws and writes no file"):
    inFolder: folder =>
      val target = folder.resolve("day.arrow")
      for path <- Seq(
          flipped(Rows, folder.resolve("day.rows")),
          flipped(Columns, folder.resolve("day.cols"))
        )
      do
        val file = StructFile.open(path)
        corrupt(file.writeArrow(target), target)
        file.close()
      val table = Rows.openReadOnly[Purchase](folder.resolve("day.rows"))
      corrupt(table.writeArrow(target), target)
      corrupt(table.slice(60_000, 70_000).writeArrow(target), target)
      table.slice(150_000, 160_000).writeArrow(folder.resolve("slice.arrow"))
      table.close()
      val columns = Columns.openReadOnly[Purchase](folder.resolve("day.cols"))
      corrupt(columns.slice(110_000, 150_000).writeArrow(target), target)
      columns.close()

  test("with Checksums.NEVER writeArrow copies a flipped bit unchecked"):
    inFolder: folder =>
      val target = folder.resolve("day.arrow")
      val file =
        StructFile.open(flipped(Columns, folder.resolve("day.cols")), Checksums.NEVER)
      file.writeArrow(target)
      file.close()
      assert(Files.size(target) > 2_000_000)
end ArrowChecksumsTest
