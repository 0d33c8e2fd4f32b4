package outside.file

import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.struct.*

object Mandatory:
  case class Spot(x: Int, y: Short) derives Struct, CanEqual
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short)
  case class Event(
      id: Long,
      price: Int,
      at: Spot,
      name: Text[8],
      change: Change,
      cells: InlineArray[Short, 2],
      flag: Boolean,
      maybe: Option[Int]
  ) derives Struct, CanEqual

object Optional:
  import Mandatory.{Change, Spot}
  case class Wide(y: Int, x: Option[Long]) derives Struct, CanEqual
  case class Event(
      name: Option[Text[16]],
      id: Option[Long],
      more: Option[Int],
      price: Option[Option[Long]],
      at: Option[Wide],
      change: Option[Change],
      cells: Option[InlineArray[Int, 3]],
      flag: Option[Boolean],
      maybe: Option[Option[Int]]
  ) derives Struct, CanEqual
  case class InCase(id: Long, change: Kind) derives Struct, CanEqual
  enum Kind derives Struct, CanEqual:
    case Opened
    case Traded(price: Option[Int], amount: Short)

object Plain:
  case class Pair(id: Long, change: Mandatory.Change) derives Struct, CanEqual

object Grown:
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short)
    case Renamed(at: Long, name: Text[24])
    case Closed
  case class Pair(note: Option[Int], id: Long, change: Change) derives Struct, CanEqual
  enum More derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short, fee: Int)
  case class Fee(id: Long, change: More) derives Struct, CanEqual

/** Files of a class whose fields have become optional, and of an enum that has more cases now. */
class EvolutionTest extends undercroft.tools.Suite:
  import Trades.{failure, inFolder}

  private def event(i: Int) = Mandatory.Event(
    i,
    -i,
    Mandatory.Spot(i, (-i).toShort),
    Text(s"n$i"),
    if i % 2 == 0 then Mandatory.Change.Opened else Mandatory.Change.Traded(i, 7),
    InlineArray(i.toShort, -1.toShort),
    i % 3 == 0,
    Option.when(i % 4 != 0)(i)
  )

  private def checkRow(row: Optional.Event, i: Int): Unit =
    assertEquals(row.name.map(_.toString), Some(s"n$i"))
    assertEquals((row.id, row.more, row.price), (Some(i.toLong), None, Some(Some(-i.toLong))))
    assertEquals(row.at, Some(Optional.Wide(-i, Some(i.toLong))))
    assertEquals(row.change, Some(event(i).change))
    assertEquals(row.cells.toList.flatMap(_.toIArray.toSeq), List(i, -1, 0))
    assertEquals(row.flag, Some(i % 3 == 0))
    assertEquals(row.maybe.flatten, event(i).maybe)

  private inline def becomesOptional[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.events")
      val before = tables.create[Mandatory.Event](path, maxRows = 200)
      for i <- 0 until 100 do before += event(i)
      before.commit()
      before.close()
      Using.resource(tables.openReadOnly[Optional.Event](path)): table =>
        assertEquals(table.size, 100L)
        for i <- 0 until 100 do checkRow(table(i), i)
      val appended = tables.open[Optional.Event](path, maxRows = 200)
      appended += appended(0).copy(id = None, price = Some(None))
      appended.commit()
      appended.close()
      Using.resource(tables.openReadOnly[Optional.Event](path)): table =>
        for i <- 0 until 100 do checkRow(table(i), i)
        assertEquals((table(100).id, table(100).price), (None, Some(None)))
      val (kind, words) = failure(tables.openReadOnly[Mandatory.Event](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("id.isDefined of type Boolean is unexpected"), words)

  test("fields of a file of rows become optional with their values")(becomesOptional(Rows))
  test("fields of a file of packed rows become optional with their values"):
    becomesOptional(PackedRows)
  test("fields of a file of columns become optional with their values")(becomesOptional(Columns))

  private inline def gainsCases[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val path = folder.resolve("day.pairs")
    val before = tables.create[Plain.Pair](path, maxRows = 200)
    for i <- 0 until 100 do before += Plain.Pair(i, event(i).change)
    before.commit()
    before.close()
    def check(rows: Vector[Grown.Pair]): Unit =
      for i <- 0 until 100 do
        val change = event(i).change match
          case Mandatory.Change.Opened                => Grown.Change.Opened
          case Mandatory.Change.Traded(price, amount) => Grown.Change.Traded(price, amount)
        assertEquals(rows(i), Grown.Pair(None, i, change))
    Using.resource(tables.openReadOnly[Grown.Pair](path))(table => check(table.toVector))
    val renamed = Grown.Pair(Some(1), 100, Grown.Change.Renamed(-1, Text("a name of 24 bytes")))
    val appended = tables.open[Grown.Pair](path, maxRows = 200)
    appended.appendAll(List(renamed, Grown.Pair(None, 101, Grown.Change.Closed)))
    appended.commit()
    appended.close()
    Using.resource(tables.openReadOnly[Grown.Pair](path)): table =>
      check(table.toVector)
      assertEquals(table(100), renamed)
      assertEquals(table(101).change, Grown.Change.Closed)
    assertEquals(failure(tables.openReadOnly[Plain.Pair](path))._1, ErrorKind.WRONG_SCHEMA)

  test("an enum in a file of rows gains cases with fields at its end")(gainsCases(Rows))
  test("an enum in a file of packed rows gains cases with fields at its end"):
    gainsCases(PackedRows)

  test("in a file of columns a new case with fields keeps all values or is an error"):
    inFolder: folder =>
      val path = folder.resolve("day.pairs")
      val before = Columns.create[Plain.Pair](path, maxRows = 10)
      before += Plain.Pair(1, Mandatory.Change.Traded(3, 4))
      before.seal()
      val result = scala.util.Try(Columns.openReadOnly[Grown.Pair](path))
      result match
        case scala.util.Success(table) =>
          assertEquals(table.toVector, Vector(Grown.Pair(None, 1, Grown.Change.Traded(3, 4))))
          table.close()
        case scala.util.Failure(error) =>
          assert(error.getMessage.contains("the cases of change lie otherwise"), error.getMessage)

  test("a case cannot gain fields"):
    inFolder: folder =>
      val path = folder.resolve("day.pairs")
      val before = Rows.create[Plain.Pair](path)
      before += Plain.Pair(1, Mandatory.Change.Traded(3, 4))
      before.seal()
      val (kind, words) = failure(Rows.openReadOnly[Grown.Fee](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("a case has the field change.Traded.fee, which is missing"), words)

  test("a field inside a case cannot become optional"):
    inFolder: folder =>
      val path = folder.resolve("day.pairs")
      val before = Rows.create[Plain.Pair](path)
      before += Plain.Pair(1, Mandatory.Change.Traded(3, 4))
      before.seal()
      val (kind, words) = failure(Rows.openReadOnly[Optional.InCase](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("change.Traded.price"), words)
end EvolutionTest
