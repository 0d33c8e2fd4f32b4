package outside.struct

import undercroft.memory.*
import undercroft.struct.*

object OptionElements:
  enum Mood derives Struct, CanEqual:
    case Calm, Bright
  enum Change derives Struct, CanEqual:
    case Opened
    case Sold(price: Int)
  case class Spot(x: Int, y: Short) derives Struct, CanEqual
  case class Row(
      id: Int,
      numbers: InlineArray[Option[Int], 3],
      names: InlineArray[Option[Text[4]], 2],
      moods: InlineArray[Option[Mood], 2],
      spots: InlineArray[Option[Spot], 2],
      changes: InlineArray[Option[Change], 2],
      grid: InlineArray[InlineArray[Option[Long], 2], 2]
  ) derives Struct, CanEqual

  def row(i: Int): Row = Row(
    i,
    InlineArray[Option[Int], 3](Some(i), None, Option.when(i % 2 == 0)(-i)),
    InlineArray[Option[Text[4]], 2](Some(Text(s"n$i")), None),
    InlineArray[Option[Mood], 2](None, Some(Mood.Bright)),
    InlineArray[Option[Spot], 2](Some(Spot(i, 1)), None),
    InlineArray[Option[Change], 2](Some(Change.Sold(i)), Option.when(i % 3 == 0)(Change.Opened)),
    InlineArray.tabulate[InlineArray[Option[Long], 2], 2]: k =>
      InlineArray.tabulate[Option[Long], 2](j => Option.when(k == j)(i.toLong))
  )
end OptionElements

/** Options as elements of an InlineArray. */
class OptionElementsTest extends undercroft.tools.Suite:
  import OptionElements.*

  private inline def works[L <: Layout](tables: TableFactory[L]): Unit = Region.scoped:
    val rows = Vector.tabulate(100)(row)
    val table = tables.from(rows)
    assertEquals(table.toVector, rows)
    assertEquals(table(7), rows(7))
    assertEquals(table.map(_.numbers(0).getOrElse(0)).sum, 4950L)
    assertEquals(table.count(_.numbers(2).isDefined), 50L)
    assertEquals(table.count(_.moods(0).isEmpty), 100L)
    assertEquals(table.map(_.spots(0)).toVector, rows.map(_.spots(0)))
    assertEquals(table.map(_.changes(1)).toVector, rows.map(_.changes(1)))
    assertEquals(table.map(_.grid(1)(1)).toVector, rows.map(_.grid(1)(1)))
    val total = table.map: row =>
      row.numbers(2) match
        case Some(number) => number
        case None         => 1
    assertEquals(total.toVector, rows.map(_.numbers(2).getOrElse(1)))
    table(3) = row(8)
    assertEquals(table(3), row(8))
    table.updateAll(_.numbers)(_ => InlineArray[Option[Int], 3](None, Some(1), None))
    assertEquals(table.map(_.numbers(1)).toVector, Vector.fill(100)(Option(1)))
    assertEquals(table.map(_.numbers(0)).toVector, Vector.fill(100)(Option.empty[Int]))
    assertEquals(table(9).names, row(9).names)

  test("arrays of Options in rows are read, matched and stored")(works(Rows))
  test("arrays of Options in packed rows are read, matched and stored")(works(PackedRows))
  test("arrays of Options in columns are read, matched and stored")(works(Columns))

  test("elements of a reference are read and stored"):
    Region.scoped:
      val rows = Rows.from(Vector.tabulate(10)(row))
      val ref = rows.ref(4)
      assertEquals(ref.numbers(0)(), Option(4))
      ref.numbers(0) = None
      ref.numbers(1) = Some(5)
      ref.names(1) = Some(Text[4]("x"))
      ref.grid(0)(1) = Some(9L)
      assertEquals(rows(4).numbers.toIArray.toList, List(None, Some(5), Some(-4)))
      assertEquals(rows(4).names(1).map(_.string), Option("x"))
      assertEquals(rows(4).grid(0)(1), Option(9L))
      assertEquals(rows(3), row(3))
      assertEquals(rows(5), row(5))
      intercept[IndexOutOfBoundsException](ref.numbers(3))
      ref.numbers = row(2).numbers
      assertEquals(rows(4).numbers, row(2).numbers)

  test("rows with arrays of Options are compared and hashed by their elements"):
    Region.scoped:
      val rows = Rows.from(Vector(row(1), row(1), row(2)))
      rows.ref(0).numbers(0) = None
      rows.ref(1).numbers(0) = Some(7)
      rows.ref(1).numbers(0) = None
      assert(rows.contentEqualsAt(0, 1))
      assertEquals(rows.hashAt(0), rows.hashAt(1))
      assert(!rows.contentEqualsAt(0, 2))
end OptionElementsTest
