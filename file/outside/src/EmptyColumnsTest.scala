package outside.file

import java.nio.file.{Files, Path, StandardCopyOption}
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.struct.*

object before:
  final case class Reading(a: Int, b: Long) derives Struct
object after:
  final case class Reading(a: Int, b: Long, c: Double = 1.5) derives Struct
object part:
  final case class Reading(b: Long) derives Struct

/** Files without rows whose class has changed, and files whose name another one has taken. */
class EmptyColumnsTest extends munit.FunSuite:
  private def folder(): Path = Files.createTempDirectory("empty").nn

  private def written(path: Path, rows: Int, isSealed: Boolean): Path =
    val file = Columns.create[before.Reading](path, maxRows = 100)
    for i <- 0 until rows do file += before.Reading(i, i)
    if isSealed then file.seal() else file.commit()
    file.close()
    path

  for isSealed <- Seq(false, true) do
    test(s"columns without rows are opened by classes with more and fewer fields, $isSealed"):
      val path = written(folder().resolve("c"), 0, isSealed)
      assertEquals(Columns.openReadOnly[before.Reading](path).size, 0L)
      assertEquals(Columns.openReadOnly[after.Reading](path).size, 0L)
      assertEquals(Columns.openReadOnly[part.Reading](path).size, 0L)

  test("a changed class appends to columns without rows"):
    val path = written(folder().resolve("c"), 0, isSealed = false)
    val table = Columns.open[after.Reading](path, maxRows = 100)
    table += after.Reading(1, 2)
    table.commit()
    assertEquals(table.toVector, Vector(after.Reading(1, 2, 1.5)))
    table.close()

  test("a changed class reads a folder with a file without rows"):
    val days = folder()
    written(days.resolve("a"), 0, isSealed = true): Unit
    written(days.resolve("b"), 3, isSealed = true): Unit
    assertEquals(Columns.openAll[after.Reading](days).size, 3L)

  private def replaced(path: Path): Unit =
    Files.move(
      written(path.resolveSibling("other").nn, 1, isSealed = true),
      path,
      StandardCopyOption.REPLACE_EXISTING
    ): Unit

  test("verify compares the open file, although another file has taken its name"):
    val path = written(folder().resolve("t"), 10, isSealed = true)
    val open = Columns.openReadOnly[before.Reading](path)
    open.verify()
    val file = java.io.RandomAccessFile(path.toFile, "rw")
    file.seek(12288)
    file.write(77)
    file.close()
    assertEquals(intercept[StructFileException](open.verify()).kind, ErrorKind.CORRUPT)
    replaced(path)
    assertEquals(intercept[StructFileException](open.verify()).kind, ErrorKind.CORRUPT)
    open.close()

  test("verify of converted rows reports that another file has taken the name"):
    val path = written(folder().resolve("t"), 10, isSealed = true)
    val open = Columns.openReadOnly[after.Reading](path)
    open.verify()
    replaced(path)
    assertEquals(intercept[StructFileException](open.verify()).kind, ErrorKind.REPLACED)
    open.close()
end EmptyColumnsTest
