package outside.file

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.{Checksums, ErrorKind}
import undercroft.struct.*

/** A class of a newer program. */
object Newer:
  case class Point(x: Int, y: Int, z: Short) derives Struct, CanEqual
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short, fee: Long)
  case class Event(
      id: Long,
      note: Text[12],
      at: Point,
      price: Int,
      change: Change,
      maybe: Option[Int],
      cells: InlineArray[Short, 3],
      points: InlineArray[Point, 2],
      last: Byte
  ) derives Struct, CanEqual

  def event(i: Int): Event = Event(
    i,
    Text(s"note $i"),
    Point(i, -i, 3),
    i * 2,
    if i % 3 == 0 then Change.Opened else Change.Traded(i, (i % 7).toShort, -i),
    Option.when(i % 2 == 0)(i),
    InlineArray(i.toShort, 1.toShort, 2.toShort),
    InlineArray(Point(i, 1, 2), Point(3, i, 4)),
    (i % 100).toByte
  )
end Newer

/** Classes of older programs, with fewer fields. */
object Older:
  case class Point(y: Int, x: Int) derives Struct, CanEqual
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(amount: Short, price: Int)
  enum Kind derives Struct, CanEqual:
    case Opened, Traded
  case class Event(
      points: InlineArray[Point, 2],
      maybe: Option[Int],
      change: Change,
      price: Int,
      at: Point,
      id: Long
  ) derives Struct, CanEqual
  case class Kinds(change: Kind, last: Byte) derives Struct, CanEqual
  case class Price(price: Int) derives Struct, CanEqual
  case class Renamed(id: Long, cost: Int) derives Struct
  case class Inner(x: Int, depth: Option[Int]) derives Struct
  case class RenamedInside(at: Inner) derives Struct
  case class Required(id: Long, maybe: Int) derives Struct

  def event(i: Int): Event = Event(
    InlineArray(Point(1, i), Point(i, 3)),
    Option.when(i % 2 == 0)(i),
    if i % 3 == 0 then Change.Opened else Change.Traded((i % 7).toShort, i),
    i * 2,
    Point(-i, i),
    i
  )
end Older

/** A class with some of a file's fields reads them; it writes nothing. */
class ProjectionTest extends undercroft.tools.Suite:
  import Trades.{failure, flip, inFolder}

  private def written[L <: Layout](tables: TableFactory[L], path: Path, rows: Int): Path =
    Using.resource(tables.create[Newer.Event](path, maxRows = 1000)): table =>
      for i <- 0 until rows do table += Newer.event(i)
      table.commit()
    path

  private inline def readsPart[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val path = written(tables, folder.resolve("day.events"), 300)
    val bytes = Files.readAllBytes(path).toVector
    Using.resource(tables.openReadOnly[Older.Event](path)): table =>
      assertEquals(table.size, 300L)
      for i <- 0 until 300 do assertEquals(table(i), Older.event(i))
      assertEquals(table.sumOf(_.price), (0L until 300L).map(_ * 2).sum)
    Using.resource(tables.openReadOnly[Older.Price](path)): table =>
      assertEquals(table.toVector, Vector.tabulate(300)(i => Older.Price(i * 2)))
    Using.resource(tables.openReadOnly[Older.Kinds](path)): table =>
      assertEquals(table.count(_.change == Older.Kind.Traded), 200L)
      assertEquals(table(101), Older.Kinds(Older.Kind.Traded, 1))
    assertEquals(Files.readAllBytes(path).toVector, bytes)

  test("a class with fewer fields reads them from a file of rows")(readsPart(Rows))
  test("a class with fewer fields reads them from a file of packed rows")(readsPart(PackedRows))
  test("a class with fewer fields reads them from a file of columns")(readsPart(Columns))

  test("a class with fewer fields reads a folder of files of several versions"):
    inFolder: parent =>
      val folder = parent.resolve("days")
      Columns.folder[Newer.Event](folder, maxRows = 10).add(_ += Newer.event(1))
      Columns.folder[Older.Event](folder, maxRows = 10).add(_ += Older.event(2))
      Columns.folder[Older.Price](folder, maxRows = 10).add(_ += Older.Price(3))
      Using.resource(Columns.openAll[Older.Price](folder)): table =>
        assertEquals(table.map(_.price).toVector.sorted, Vector(2, 3, 4))
        Columns.folder[Newer.Event](folder, maxRows = 10).add(_ += Newer.event(5))
        assertEquals(table.refresh(), 4L)
        assertEquals(table.sumOf(_.price), 19L)

  test("a writer with fewer fields than the file is rejected and changes nothing"):
    inFolder: folder =>
      for tables <- List(Rows, PackedRows) do
        val path = written(tables, folder.resolve(s"$tables.events"), 10)
        val bytes = Files.readAllBytes(path).toVector
        val (kind, words) = failure(tables.open[Older.Event](path))
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        for part <- Seq(
            "field note of type Text[12] is unexpected",
            "field at.z of type Short is unexpected",
            "field change.Traded.fee of type Long is unexpected",
            "field points.z of type Short is unexpected",
            "field cells of type InlineArray[Short, 3] is unexpected",
            "field last of type Byte is unexpected"
          )
        do assert(words.contains(part), words)
        assertEquals(Files.readAllBytes(path).toVector, bytes)

  test("compacting a folder by a class with fewer fields is rejected and keeps all files"):
    inFolder: parent =>
      val folder = parent.resolve("days")
      val writer = Rows.folder[Newer.Event](folder)
      for i <- 0 until 3 do writer.add(_ += Newer.event(i)): Unit
      val (kind, words) = failure(Rows.folder[Older.Price](folder).compact())
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field id of type Long is unexpected"), words)
      Using.resource(Rows.openAll[Newer.Event](folder)): table =>
        assertEquals(table.toVector, Vector.tabulate(3)(Newer.event))
      assertEquals(writer.compact(), 3)

  test("a file without a field of the class, but with another one, is rejected"):
    inFolder: folder =>
      val path = written(Rows, folder.resolve("day.events"), 10)
      val (kind, words) = failure(Rows.openReadOnly[Older.Renamed](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field price of type Int is unexpected"), words)
      assert(words.contains("the file lacks cost, which may have one of these names"), words)
      val (_, inside) = failure(Rows.openReadOnly[Older.RenamedInside](path))
      assert(inside.contains("field at.y of type Int is unexpected"), inside)
      assert(inside.contains("the file lacks at.depth"), inside)

  test("a field that may be missing in a row is not read as a required one"):
    inFolder: folder =>
      val path = written(Rows, folder.resolve("day.events"), 10)
      val (kind, words) = failure(Rows.openReadOnly[Older.Required](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field maybe is an Option of Int; expected Int"), words)

  test("a projection of columns compares the checksums of its columns only"):
    inFolder: folder =>
      val path = folder.resolve("day.events")
      val table = Columns.create[Newer.Event](path, maxRows = 1000)
      for i <- 0 until 1000 do table += Newer.event(i)
      table.seal()
      flip(path, Files.size(path) / 2) // in the arrays of points
      Using.resource(Columns.openReadOnly[Older.Price](path)): prices =>
        assertEquals(prices(999), Older.Price(1998))
      val (kind, _) = failure(Columns.openReadOnly[Older.Event](path))
      assertEquals(kind, ErrorKind.CORRUPT)
      val (all, _) = failure(Columns.openReadOnly[Older.Price](path, Checksums.AT_OPEN))
      assertEquals(all, ErrorKind.CORRUPT)

  test("a table with fewer fields than its file cannot be written to"):
    inFolder: folder =>
      val path = written(Rows, folder.resolve("day.events"), 10)
      Using.resource(Rows.openReadOnly[Older.Price](path)): table =>
        val error = intercept[UnsupportedOperationException](table += Older.Price(1))
        assert(error.getMessage.contains("was opened to be read only"), error.getMessage)
        intercept[UnsupportedOperationException](table.seal()): Unit
      Using.resource(Rows.openReadOnly[Newer.Event](path)): table =>
        assertEquals(table.toVector, Vector.tabulate(10)(Newer.event))
end ProjectionTest
