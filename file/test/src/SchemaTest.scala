package undercroft.file

import undercroft.file.format.ErrorKind
import undercroft.struct.*

class SchemaTest extends undercroft.tools.Suite:
  import Samples.{failure, path}

  private final case class Point(x: Int, y: Short) derives Struct, CanEqual
  private final case class Old(
      a: Int,
      at: Point,
      name: Text[4],
      cells: InlineArray[Short, 2],
      w: Float
  ) derives Struct
  private final case class New(
      extra: Option[Long],
      w: Double,
      name: Text[8],
      at: Wide,
      cells: InlineArray[Int, 3],
      @bigEndian a: Long
  ) derives Struct
  private final case class Wide(y: Int, x: Long) derives Struct, CanEqual
  private final case class Less(a: Int, at: Point) derives Struct
  private final case class Other(
      a: Short,
      at: Point,
      name: Text[2],
      cells: InlineArray[Short, 1],
      w: Int,
      more: Byte
  ) derives Struct

  private enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short)
  private enum Changed derives Struct, CanEqual:
    case Opened
    case Traded(price: Short, amount: Short)
  private final case class Before(at: Byte, change: Change) derives Struct, CanEqual
  private final case class After(change: Change, at: Int) derives Struct, CanEqual
  private final case class Wrong(at: Byte, change: Changed) derives Struct

  private object Sides:
    enum Side derives Struct, CanEqual:
      case Buy, Sell
    enum More derives Struct, CanEqual:
      case Buy, Sell, Cancel
    enum Turned derives Struct, CanEqual:
      case Sell, Buy
    enum Turn derives Struct, CanEqual:
      case Traded(price: Int, amount: Short)
      case Opened
    final case class Sided(side: Side, sides: InlineArray[Side, 2]) derives Struct, CanEqual
    final case class Added(side: More, sides: InlineArray[More, 2]) derives Struct, CanEqual
    final case class Mixed(side: Turned, sides: InlineArray[Turned, 2]) derives Struct
    final case class Payload(at: Byte, change: Turn) derives Struct

  private def old(i: Int) =
    Old(-i, Point(i, (-i).toShort), Text(s"n$i"), InlineArray(i.toShort, -1.toShort), i * 0.5f)

  private inline def converts[L <: Layout](tables: TableFactory[L]): Unit =
    val file = path()
    val before = tables.create[Old](file, maxRows = 1000)
    for i <- 0 until 500 do before += old(i)
    before.commit()
    before.close()

    def check(table: Table[New, L]): Unit =
      assertEquals(table.size, 500L)
      for i <- 0 until 500 do
        val row = table(i)
        assertEquals((row.extra, row.w, row.name.toString), (None, i * 0.5, s"n$i"))
        assertEquals((row.at, row.a), (Wide(-i, i), -i.toLong))
        assertEquals(row.cells.toIArray.toSeq, Seq(i, -1, 0))

    val read = tables.openReadOnly[New](file)
    check(read)
    assertEquals(read.refresh(), 500L)
    read.close()
    val written = tables.open[New](file, maxRows = 1000)
    check(written)
    written += written(3)
    written.commit()
    written.close()
    val again = tables.openReadOnly[New](file)
    assertEquals(again(500), again(3))
    again.close()
    assertEquals(failure(tables.openReadOnly[Old](file))._1, ErrorKind.WRONG_SCHEMA)
  end converts

  test("a file of Rows is read by field name: reordered, added and widened fields"):
    converts(Rows)
  test("a file of PackedRows is read by field name: reordered, added and widened fields"):
    converts(PackedRows)
  test("a file of Columns is read by field name: reordered, added and widened fields"):
    converts(Columns)

  test("an incompatible schema throws and names every field that differs"):
    val file = path()
    Rows.create[Old](file, maxRows = 10).close()
    val (kind, words) = failure(Rows.open[Less](file))
    assertEquals(kind, ErrorKind.WRONG_SCHEMA)
    assertEquals(
      words,
      s"$file: offset 8192: incompatible schema: field name of type Text[4] is unexpected; " +
        "field cells of type InlineArray[Short, 2] is unexpected; field w of type Float is unexpected"
    )
    val (_, differences) = failure(Rows.open[Other](file))
    for part <- Seq(
        "field a is Int; expected Short",
        "field name is Text[4]; expected Text[2]",
        "field cells is InlineArray[Short, 2]; expected InlineArray[Short, 1]",
        "field w is Float; expected Int"
      )
    do assert(differences.contains(part), differences)
    assert(!differences.contains("more"), differences)
    val (_, layouts) = failure(Columns.openReadOnly[Old](file))
    assert(layouts.contains("its layout is ALIGNED; expected COLUMNS"), layouts)
    Rows.open[Old](file).close()

  test("enum cases stay readable after their field moves"):
    val file = path()
    val before = Rows.create[Before](file, maxRows = 10)
    before += Before(1, Change.Traded(5, 6))
    before += Before(2, Change.Opened)
    before.commit()
    before.close()
    val after = Rows.openReadOnly[After](file)
    assertEquals(after.toVector, Vector(After(Change.Traded(5, 6), 1), After(Change.Opened, 2)))
    after.close()
    val (_, words) = failure(Rows.openReadOnly[Wrong](file))
    assert(words.contains("field change.Traded.price is Int; expected Short"), words)

  private inline def keepsCases[L <: Layout](tables: TableFactory[L]): Unit =
    import Sides.*
    val file = path()
    val before = tables.create[Sided](file, maxRows = 10)
    before += Sided(Side.Sell, InlineArray(Side.Buy, Side.Sell))
    before.commit()
    before.close()

    val turned = Seq(
      failure(tables.openReadOnly[Mixed](file)),
      failure(tables.open[Mixed](file, maxRows = 10))
    )
    for (wrong, words) <- turned do
      assertEquals(wrong, ErrorKind.WRONG_SCHEMA)
      for part <- Seq(
          "field side is an enum of Buy, Sell; expected an enum of Sell, Buy",
          "field sides is InlineArray[an enum of Buy, Sell, 2]; expected"
        )
      do assert(words.contains(part), words)

    val row = Added(More.Sell, InlineArray(More.Buy, More.Sell))
    val read = tables.openReadOnly[Added](file)
    assertEquals(read.toVector, Vector(row))
    read.close()
    val added = tables.open[Added](file, maxRows = 10)
    val cancelled = Added(More.Cancel, InlineArray(More.Cancel, More.Buy))
    added += cancelled
    added.commit()
    added.close()
    val again = tables.openReadOnly[Added](file)
    assertEquals(again.toVector, Vector(row, cancelled))
    again.close()
    val (_, fewer) = failure(tables.openReadOnly[Sided](file))
    val absent = "row 1: field side is Cancel, but the class has only the cases Buy, Sell"
    assert(fewer.contains(absent), fewer)
  end keepsCases

  test("in a file of Rows an enum may gain cases at its end, but not reorder them"):
    keepsCases(Rows)
  test("in a file of PackedRows an enum may gain cases at its end, but not reorder them"):
    keepsCases(PackedRows)
  test("in a file of Columns an enum may gain cases at its end, but not reorder them"):
    keepsCases(Columns)

  test("enum cases with fields are compared by their names"):
    val file = path()
    val before = Rows.create[Before](file, maxRows = 10)
    before += Before(1, Change.Traded(5, 6))
    before.commit()
    before.close()
    val (_, words) = failure(Rows.openReadOnly[Sides.Payload](file))
    assert(
      words.contains(
        "field change.tag is an enum of Opened, Traded; expected an enum of Traded"
      ),
      words
    )
end SchemaTest
