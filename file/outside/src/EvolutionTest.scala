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
    case Traded(price: Option[Short], amount: Short)

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
    case Traded(fee: Int, amount: Long, price: Option[Long])
  case class Fee(id: Long, change: More) derives Struct, CanEqual

object Simple:
  enum State derives Struct, CanEqual:
    case On, Off
  case class Pair(state: State, id: Int) derives Struct, CanEqual

object Extended:
  enum State derives Struct, CanEqual:
    case On
    case Off(since: Long, reason: Option[Int])
    case Broken(since: Int)
  case class Pair(id: Int, state: State) derives Struct, CanEqual

object Inline:
  enum Turn derives Struct, CanEqual:
    case No
    case By(angle: Int)
  enum Turned derives Struct, CanEqual:
    case No
    case By(more: Int, angle: Long)
  case class Corner(x: Int, turn: Turn) derives Struct, CanEqual
  case class Wide(y: Option[Int], turn: Turned, x: Long) derives Struct, CanEqual
  case class Line(corners: InlineArray[Corner, 2], n: Int) derives Struct, CanEqual
  case class LongLine(n: Int, corners: InlineArray[Wide, 3]) derives Struct, CanEqual

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
      assert(words.contains("field id is an Option of Long; expected Long"), words)

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

  test("an enum in a file of columns gains cases with fields at its end")(gainsCases(Columns))

  private inline def casesGainFields[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.pairs")
      val before = tables.create[Plain.Pair](path, maxRows = 200)
      for i <- 0 until 100 do before += Plain.Pair(i, event(i).change)
      before.commit()
      before.close()
      def expected(i: Int): Grown.Fee = Grown.Fee(
        i,
        event(i).change match
          case Mandatory.Change.Opened                => Grown.More.Opened
          case Mandatory.Change.Traded(price, amount) => Grown.More.Traded(0, amount, Some(price))
      )
      Using.resource(tables.openReadOnly[Grown.Fee](path)): table =>
        assertEquals(table.toVector, Vector.tabulate(100)(expected))
      Using.resource(tables.open[Grown.Fee](path, maxRows = 200)): table =>
        table += Grown.Fee(100, Grown.More.Traded(-1, 2, None))
        table.commit()
      Using.resource(tables.openReadOnly[Grown.Fee](path)): table =>
        assertEquals(table.toVector.take(100), Vector.tabulate(100)(expected))
        assertEquals(table(100), Grown.Fee(100, Grown.More.Traded(-1, 2, None)))

  test("a case in a file of rows gains fields, wider fields and optional ones"):
    casesGainFields(Rows)
  test("a case in a file of packed rows gains fields, wider fields and optional ones"):
    casesGainFields(PackedRows)
  test("a case in a file of columns gains fields, wider fields and optional ones"):
    casesGainFields(Columns)

  private inline def gainsFirstFields[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.states")
      Using.resource(tables.create[Simple.Pair](path, maxRows = 10)): table =>
        table.appendAll(List(Simple.Pair(Simple.State.On, 1), Simple.Pair(Simple.State.Off, 2)))
        table.commit()
      Using.resource(tables.openReadOnly[Extended.Pair](path)): table =>
        val off = Extended.State.Off(0, None)
        val rows = Vector(Extended.Pair(1, Extended.State.On), Extended.Pair(2, off))
        assertEquals(table.toVector, rows)
      Using.resource(tables.open[Extended.Pair](path, maxRows = 10)): table =>
        table += Extended.Pair(3, Extended.State.Off(9, Some(8)))
        table.commit()
      Using.resource(tables.openReadOnly[Extended.Pair](path)): table =>
        assertEquals(table(1), Extended.Pair(2, Extended.State.Off(0, None)))
        assertEquals(table(2), Extended.Pair(3, Extended.State.Off(9, Some(8))))

  test("a case of an enum without fields gains fields in a file of rows")(gainsFirstFields(Rows))
  test("a case of an enum without fields gains fields in a file of packed rows"):
    gainsFirstFields(PackedRows)
  test("a case of an enum without fields gains fields in a file of columns"):
    gainsFirstFields(Columns)

  private inline def inlineStructsGainFields[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.paths")
      val corner = Inline.Corner(7, Inline.Turn.By(3))
      val before = Inline.Line(InlineArray(Inline.Corner(1, Inline.Turn.No), corner), 5)
      Using.resource(tables.create[Inline.Line](path, maxRows = 10)): table =>
        table += before
        table.commit()
      val after = Inline.LongLine(
        5,
        InlineArray(
          Inline.Wide(None, Inline.Turned.No, 1),
          Inline.Wide(None, Inline.Turned.By(0, 3), 7),
          Inline.Wide(None, Inline.Turned.No, 0)
        )
      )
      Using.resource(tables.openReadOnly[Inline.LongLine](path)): table =>
        assertEquals(table.toVector, Vector(after))
      Using.resource(tables.open[Inline.LongLine](path, maxRows = 10)): table =>
        table += table(0).copy(n = 6)
        table.commit()
      Using.resource(tables.openReadOnly[Inline.LongLine](path)): table =>
        assertEquals(table.toVector, Vector(after, after.copy(n = 6)))

  test("structs of an array in a file of rows gain fields")(inlineStructsGainFields(Rows))
  test("structs of an array in a file of packed rows gain fields"):
    inlineStructsGainFields(PackedRows)
  test("structs of an array in a file of columns gain fields")(inlineStructsGainFields(Columns))

  test("fields of a case that become narrower are an error with both types"):
    inFolder: folder =>
      val path = folder.resolve("day.pairs")
      val before = Rows.create[Plain.Pair](path)
      before += Plain.Pair(1, Mandatory.Change.Traded(3, 4))
      before.seal()
      val (kind, words) = failure(Rows.openReadOnly[Optional.InCase](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field change.Traded.price is Int; expected an Option of Short"), words)
end EvolutionTest
