package outside.file

import java.nio.file.{Files, Path}
import java.util.zip.CRC32C
import undercroft.file.format.{ErrorKind, StructFile}
import undercroft.struct.*
import undercroft.file.*

case class GridPoint(x: Short, y: Short) derives Struct, CanEqual

object ThreeOfTwo:
  case class Grid(
      cells: InlineArray[InlineArray[Short, 2], 3],
      points: InlineArray[InlineArray[GridPoint, 2], 3]
  ) derives Struct, CanEqual
object TwoOfThree:
  case class Grid(
      cells: InlineArray[InlineArray[Short, 3], 2],
      points: InlineArray[InlineArray[GridPoint, 3], 2]
  ) derives Struct, CanEqual
object Six:
  case class Grid(cells: InlineArray[Short, 6], points: InlineArray[GridPoint, 6]) derives Struct,
        CanEqual
object ThreeOfThree:
  case class Grid(
      cells: InlineArray[InlineArray[Short, 3], 3],
      points: InlineArray[InlineArray[GridPoint, 2], 3]
  ) derives Struct, CanEqual

/** Dimensions of nested arrays in the schema of a file. */
class DimensionsTest extends undercroft.tools.Suite:
  import Trades.{failure, inFolder}

  private val grid =
    ThreeOfTwo.Grid(
      InlineArray.tabulate(i => InlineArray.tabulate(j => (10 * i + j).toShort)),
      InlineArray.tabulate(i => InlineArray.tabulate(j => GridPoint(i.toShort, j.toShort)))
    )

  private def written(path: Path): Path =
    val table = Rows.create[ThreeOfTwo.Grid](path, maxRows = 10)
    table += grid
    table.commit()
    table.close()
    path

  test("a 3 x 2 array cannot be read as 2 x 3 or as 6 elements"):
    inFolder: folder =>
      val path = written(folder.resolve("grid.rows"))
      for opened <- Seq(
          () => Rows.openReadOnly[TwoOfThree.Grid](path).close(),
          () => Rows.openReadOnly[Six.Grid](path).close(),
          () => Rows.open[TwoOfThree.Grid](path).close()
        )
      do assertEquals(failure(opened())._1, ErrorKind.WRONG_SCHEMA)
      val words = failure(Rows.openReadOnly[TwoOfThree.Grid](path))._2
      assert(
        words.contains("field cells is InlineArray[InlineArray[Short, 2], 3]; expected "),
        words
      )
      val table = Rows.openReadOnly[ThreeOfTwo.Grid](path)
      assertEquals(table(0), grid)
      table.close()

  test("an array whose inner dimension grew is read by its indices"):
    inFolder: folder =>
      val path = written(folder.resolve("grid.rows"))
      val wide = Rows.openReadOnly[ThreeOfThree.Grid](path)
      for i <- 0 until 3; j <- 0 until 3 do
        assertEquals(wide(0).cells(i)(j), if j < 2 then grid.cells(i)(j) else 0.toShort)
      wide.close()

  /** A file of format version 1, whose schema has only the total element count of nested arrays. */
  private def ofVersion1(folder: Path): Path =
    val path = folder.resolve("old.rows")
    val table = Rows.create[Six.Grid](path, maxRows = 10)
    val cells = (0 until 3).flatMap(i => (0 until 2).map(j => grid.cells(i)(j)))
    val points = (0 until 3).flatMap(i => (0 until 2).map(j => grid.points(i)(j)))
    table += Six.Grid(InlineArray(cells*), InlineArray(points*))
    table.commit()
    table.close()
    val bytes = Files.readAllBytes(path)
    for slot <- Seq(0, 4096) do
      bytes(slot + 8) = 1
      for i <- 120 until 128 do bytes(slot + i) = 0
      val crc = CRC32C()
      crc.update(bytes, slot, 4092)
      for i <- 0 until 4 do bytes(slot + 4092 + i) = (crc.getValue >> 8 * i).toByte
    Files.write(path, bytes)

  test("a version 1 file opens, and appending rewrites it with array dimensions"):
    inFolder: folder =>
      val path = ofVersion1(folder)
      val file = StructFile.open(path)
      assert(!file.hasDimensions)
      file.close()
      val read = Rows.openReadOnly[ThreeOfTwo.Grid](path)
      assertEquals(read(0), grid)
      read.close()
      val writer = Rows.open[ThreeOfTwo.Grid](path, maxRows = 10)
      writer += grid
      writer.commit()
      writer.close()
      assertEquals(failure(Rows.openReadOnly[TwoOfThree.Grid](path))._1, ErrorKind.WRONG_SCHEMA)
      val again = Rows.openReadOnly[ThreeOfTwo.Grid](path)
      assertEquals(again.toVector, Vector(grid, grid))
      again.close()
end DimensionsTest
