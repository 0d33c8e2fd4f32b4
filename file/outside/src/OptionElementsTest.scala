package outside.file

import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.struct.*

/** Arrays of values. */
object FullArrays:
  enum Mood derives Struct, CanEqual:
    case Calm, Bright
  case class Spot(x: Int, y: Short) derives Struct, CanEqual
  case class Row(
      id: Int,
      numbers: InlineArray[Short, 3],
      names: InlineArray[Text[4], 2],
      moods: InlineArray[Mood, 2],
      spots: InlineArray[Spot, 2],
      grid: InlineArray[InlineArray[Int, 2], 2],
      maybe: InlineArray[Option[Short], 2]
  ) derives Struct, CanEqual

  def row(i: Int): Row = Row(
    i,
    InlineArray(i.toShort, -1.toShort, 0.toShort),
    InlineArray(Text[4](s"n$i"), Text[4]("")),
    InlineArray(Mood.Bright, Mood.Calm),
    InlineArray(Spot(i, 1), Spot(0, 0)),
    InlineArray(InlineArray[Int, 2](i, 0), InlineArray[Int, 2](2, 3)),
    InlineArray[Option[Short], 2](Some(i.toShort), None)
  )
end FullArrays

/** Arrays whose elements have become optional, some also wider and longer. */
object OptionArrays:
  enum Mood derives Struct, CanEqual:
    @formerly("Calm") case Quiet
    case Bright, Angry
  case class Spot(y: Int, x: Option[Int]) derives Struct, CanEqual
  case class Row(
      id: Int,
      numbers: InlineArray[Option[Int], 4],
      names: InlineArray[Option[Text[8]], 2],
      moods: InlineArray[Option[Mood], 2],
      spots: InlineArray[Option[Spot], 3],
      grid: InlineArray[InlineArray[Option[Long], 2], 3],
      maybe: InlineArray[Option[Long], 2]
  ) derives Struct, CanEqual
  case class Narrow(id: Int, numbers: InlineArray[Option[Byte], 3]) derives Struct
  case class Short(id: Int, numbers: InlineArray[Option[Int], 2]) derives Struct
  case class Wide(id: Int, grid: InlineArray[InlineArray[Option[Int], 3], 2]) derives Struct
  case class Plain(id: Int, maybe: InlineArray[scala.Short, 2]) derives Struct
end OptionArrays

/** Arrays in Options of an older program. */
object EarlierMaybes:
  enum Mood derives Struct, CanEqual:
    case Calm, Bright, Angry
  case class Day(mood: Mood) derives Struct, CanEqual
  case class Days(days: Option[InlineArray[Day, 2]]) derives Struct, CanEqual
  case class Numbers(numbers: Option[InlineArray[Int, 2]]) derives Struct, CanEqual

/** The same arrays with a part of the cases, and with optional elements. */
object LaterMaybes:
  enum Mood derives Struct, CanEqual:
    case Bright, Angry
  case class Day(mood: Mood) derives Struct, CanEqual
  case class Days(days: Option[InlineArray[Day, 2]]) derives Struct, CanEqual
  case class Numbers(numbers: Option[InlineArray[Option[Int], 2]]) derives Struct, CanEqual

class OptionElementsTest extends undercroft.tools.Suite:
  import FullArrays.row
  import OptionArrays.{Mood, Row}
  import Trades.{failure, inFolder}

  private def check(read: Row, i: Int): Unit =
    assertEquals(read.id, i)
    assertEquals(read.numbers.toIArray.toSeq, Seq(Some(i), Some(-1), Some(0), None))
    assertEquals(read.names.toIArray.toList.map(_.map(_.string)), List(Option(s"n$i"), Option("")))
    assertEquals(read.moods.toIArray.toList, List(Option(Mood.Bright), Option(Mood.Quiet)))
    val spots = Seq(Some(OptionArrays.Spot(1, Some(i))), Some(OptionArrays.Spot(0, Some(0))), None)
    assertEquals(read.spots.toIArray.toSeq, spots)
    val grid = Vector.tabulate(3, 2)((k, j) => read.grid(k)(j))
    assertEquals(
      grid,
      Vector(Vector(Some(i.toLong), Some(0L)), Vector(Some(2L), Some(3L)), Vector(None, None))
    )
    assertEquals(read.maybe.toIArray.toSeq, Seq(Some(i.toLong), None))

  private inline def becomeOptional[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      Using.resource(tables.create[FullArrays.Row](path, maxRows = 100)): table =>
        for i <- 0 until 50 do table += row(i)
        table.commit()
      Using.resource(tables.openReadOnly[Row](path)): table =>
        for i <- 0 until 50 do check(table(i), i)
      Using.resource(tables.open[Row](path, maxRows = 100)): table =>
        table += table(7).copy(numbers = InlineArray[Option[Int], 4](None, Some(1), None, None))
        table.commit()
      Using.resource(tables.openReadOnly[Row](path)): table =>
        for i <- 0 until 50 do check(table(i), i)
        assertEquals(table(50).numbers.toIArray.toSeq, Seq(None, Some(1), None, None))
        assertEquals(table(50).names, table(7).names)
      val (kind, words) = failure(tables.openReadOnly[FullArrays.Row](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field numbers is"), words)

  test("elements of arrays in a file of rows become optional with their values"):
    becomeOptional(Rows)
  test("elements of arrays in a file of packed rows become optional with their values"):
    becomeOptional(PackedRows)
  test("elements of arrays in a file of columns become optional with their values"):
    becomeOptional(Columns)

  test("elements that do not fit, and arrays of another form, are errors with both types"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      Using.resource(Rows.create[FullArrays.Row](path)): table =>
        table += row(1)
        table.commit()
      for
        ((kind, words), part) <- Seq(
          failure(Rows.openReadOnly[OptionArrays.Narrow](path)) ->
            "field numbers is Short; expected an Option of Byte",
          failure(Rows.openReadOnly[OptionArrays.Short](path)) ->
            "field numbers is InlineArray[Short, 3]; expected InlineArray[the struct Option",
          failure(Rows.openReadOnly[OptionArrays.Wide](path)) ->
            "field grid is InlineArray[InlineArray[Int, 2], 2]; expected",
          failure(Rows.openReadOnly[OptionArrays.Plain](path)) ->
            "field maybe is an Option of Short; expected Short"
        )
      do
        assertEquals(kind, ErrorKind.WRONG_SCHEMA)
        assert(words.contains(part), words)

  private def absentElements[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val path = folder.resolve("days")
    val bright = EarlierMaybes.Day(EarlierMaybes.Mood.Bright)
    Using.resource(tables.create[EarlierMaybes.Days](path, maxRows = 10)): table =>
      table += EarlierMaybes.Days(None)
      table += EarlierMaybes.Days(Some(InlineArray[EarlierMaybes.Day, 2](bright, bright)))
      table.commit()
    Using.resource(tables.openReadOnly[LaterMaybes.Days](path)): table =>
      assert(table(0).days.isEmpty)
      val moods = table(1).days.get.toIArray.toSeq.map(_.mood)
      assertEquals(moods, Seq(LaterMaybes.Mood.Bright, LaterMaybes.Mood.Bright))

  test("elements of an absent array have no case"):
    for tables <- Seq(Rows, PackedRows, Columns) do absentElements(tables)

  private def absentOptions[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
    val path = folder.resolve("numbers")
    Using.resource(tables.create[EarlierMaybes.Numbers](path, maxRows = 10)): table =>
      table += EarlierMaybes.Numbers(None)
      table += EarlierMaybes.Numbers(Some(InlineArray[Int, 2](3, 0)))
      table.commit()
    Using.resource(tables.open[LaterMaybes.Numbers](path, maxRows = 10)): table =>
      table += LaterMaybes.Numbers(None)
      assertEquals(table(1).numbers.get.toIArray.toSeq, Seq[Option[Int]](Some(3), Some(0)))
      assert(table.contentEqualsAt(0, 2))
      assertEquals((table.compareAt(0, 2), table.hashAt(0)), (0, table.hashAt(2)))

  test("an absent array whose elements became optional equals a new absent one by its bytes"):
    for tables <- Seq(Rows, PackedRows, Columns) do absentOptions(tables)

  test("arrays of Options of references are not stored in files, and not in Unions"):
    val errors = compileErrors(
      """case class Row(names: InlineArray[Option[TextRef], 2]) derives Struct
         Rows.create[Row](java.nio.file.Path.of("x"))"""
    )
    assert(errors.contains("TextRef"), errors)
    val union = compileErrors(
      "case class Row(u: Union[(a: InlineArray[Option[Int], 2], b: Long)]) derives Struct"
    )
    assert(union.contains("Option"), union)
end OptionElementsTest
