package undercroft.arrow

import java.nio.file.{Files, Path}
import undercroft.file.format.{Durability, StructFile}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*
import undercroft.file.samples.*

class ArrowFileTest extends undercroft.tools.Suite:

  private inline def thereAndBack[L <: Layout](tables: TableFactory[L])(
      rows: Int,
      batch: Int
  ): Unit =
    val file = Samples.path()
    Region.scoped:
      val table = tables.tabulate[Everything](rows)(i => Everything.of(i.toInt))
      table.writeArrow(file, batch)
      val read = tables.readArrow[Everything](file)
      assertEquals(read.size, rows.toLong)
      for i <- 0 until rows do assertEquals(read(i), Everything.of(i), s"row $i")

  test("Rows with fields of every type survive writeArrow and readArrow"):
    thereAndBack(Rows)(100, 7)
  test("PackedRows with fields of every type survive writeArrow and readArrow"):
    thereAndBack(PackedRows)(65, 64)
  test("Columns with fields of every type survive writeArrow and readArrow"):
    thereAndBack(Columns)(5000, 4500)
  test("tables without rows survive writeArrow and readArrow"):
    thereAndBack(Columns)(0, 10)
    thereAndBack(Rows)(0, 10)

  test("readArrow reads a file into another layout than it was written from"):
    val file = Samples.path()
    Region.scoped:
      Columns.tabulate[Trade](10_000)(Trade.of).writeArrow(file)
      val rows = Rows.readArrow[Trade](file)
      assertEquals(rows.toVector, Vector.tabulate(10_000)(i => Trade.of(i)))

  test("writeArrow of a slice writes only its rows"):
    val file = Samples.path()
    Region.scoped:
      val table = Columns.tabulate[Everything](100)(i => Everything.of(i.toInt))
      table.slice(30, 61).writeArrow(file, 10)
      val read = Rows.readArrow[Everything](file)
      assertEquals(read.toVector, Vector.range(30, 61).map(Everything.of))

  test("readArrow finds fields by name and ignores others"):
    final case class Sold(price: Int, ticket: Int) derives Struct, CanEqual
    val file = Samples.path()
    Region.scoped:
      Rows.tabulate[Trade](100)(Trade.of).writeArrow(file)
      val read = Columns.readArrow[Sold](file)
      assertEquals(read(77), Sold(Trade.of(77).price, 77))

  test("writeArrow of a struct file is the same with and without its class"):
    val day = Samples.path("day.rows")
    val table = Rows.create[Everything](day, maxRows = 200)
    for i <- 0 until 150 do table += Everything.of(i)
    table.commit()
    table.close()
    val (withClass, without) = (Samples.path(), Samples.path())
    val again = Rows.openReadOnly[Everything](day)
    again.writeArrow(withClass)
    again.close()
    Region.scoped:
      assertEquals(Rows.readArrow[Everything](withClass)(149), Everything.of(149))
    val file = StructFile.open(day)
    file.writeArrow(without)
    file.close()
    assertEquals(Files.mismatch(withClass, without), -1L)

  test("a sealed struct file can be built from an Arrow file"):
    val (day, arrow) = (Samples.path("day.columns"), Samples.path())
    Region.scoped:
      Columns.tabulate[Trade](1000)(Trade.of).writeArrow(arrow)
      val file = Columns.create[Trade](day, maxRows = 1000, Durability.VOLATILE)
      file.appendAll(Columns.readArrow[Trade](arrow).toVector)
      file.seal()
    val file = Columns.openReadOnly[Trade](day)
    assertEquals(file(999), Trade.of(999))
    file.close()

  test("an enum of more than 127 cases survives writeArrow and readArrow"):
    final case class Wide(number: Many) derives Struct, CanEqual
    val file = Samples.path()
    Region.scoped:
      Columns.tabulate[Wide](130)(i => Wide(Many.fromOrdinal(i.toInt))).writeArrow(file)
      val read = Rows.readArrow[Wide](file)
      assertEquals(read.toVector.map(_.number.ordinal), Vector.range(0, 130))

  private def leftovers(file: Path): Int =
    val files = Files.list(file.getParent).nn
    try files.count.toInt
    finally files.close()

  test("writeArrow does not overwrite an existing file"):
    val file = Samples.path()
    Region.scoped:
      val table = Columns.tabulate[Trade](10)(Trade.of)
      table.writeArrow(file)
      val (kind, words) = Samples.failure(table.writeArrow(file))
      assertEquals(kind, ArrowErrorKind.Exists)
      assert(words.contains(file.toString), words)
    assertEquals(leftovers(file), 1)

  test("writeArrow does not replace a symbolic link to a missing file"):
    val file = Samples.path()
    Files.createSymbolicLink(file, file.resolveSibling("absent.arrow"))
    Region.scoped:
      val table = Columns.tabulate[Trade](10)(Trade.of)
      assertEquals(Samples.failure(table.writeArrow(file))._1, ArrowErrorKind.Exists)
    assert(Files.isSymbolicLink(file))
    assertEquals(leftovers(file), 1)

  test("writeArrow writes a file whose name is as long as names can be"):
    val file = Samples.path("a".repeat(249) + ".arrow")
    Region.scoped:
      Columns.tabulate[Trade](10)(Trade.of).writeArrow(file)
      assertEquals(Columns.readArrow[Trade](file).size, 10L)
    assertEquals(leftovers(file), 1)

  test("writeArrow throws for an invalid enum case number and leaves no file"):
    final case class Only(color: Color) derives Struct
    val (day, file) = (Samples.path("day.rows"), Samples.path())
    val table = Rows.create[Only](day, maxRows = 10)
    for _ <- 0 until 5 do table += Only(Color.Green)
    table.commit()
    table.close()
    // Row 3 is written as this library never writes it: its data begin at the offset of the header.
    val bytes = java.io.RandomAccessFile(day.toFile, "rw")
    bytes.seek(40)
    bytes.seek(java.lang.Long.reverseBytes(bytes.readLong()) + 3)
    bytes.write(77)
    bytes.close()
    val wrong = Rows.openReadOnly[Only](day)
    val (kind, words) = Samples.failure(wrong.writeArrow(file))
    wrong.close()
    assertEquals(kind, ArrowErrorKind.WrongValue)
    assert(words.contains("row 3 of `color` is case 77, but the enum has 3 cases"), words)
    assertEquals(leftovers(file), 0)

  test("writeArrow of a table in a closed region throws and leaves no file"):
    val file = Samples.path()
    val region = Region.shared("gone")
    given Region = region
    val table = Columns.tabulate[Trade](10)(Trade.of)
    region.close()
    val error = intercept[MemoryException](table.writeArrow(file))
    assert(error.getMessage.nn.contains("gone"), error.getMessage)
    assertEquals(leftovers(file), 0)

  test("writeArrow with batches of 0 rows throws IllegalArgumentException"):
    Region.scoped:
      val table = Columns.tabulate[Trade](10)(Trade.of)
      val error = intercept[IllegalArgumentException](table.writeArrow(Samples.path(), 0))
      assertEquals(error.getMessage, "batchRows must be at least 1, but is 0")

  test("writeArrow of a struct with a reference does not compile"):
    val errors = compileErrors("""
      final case class Node(next: Ref[Trade]) derives Struct
      Region.scoped(Rows[Node](1).writeArrow(Samples.path()))
    """)
    assert(errors.contains("`next` is a Ref"), errors)
end ArrowFileTest
