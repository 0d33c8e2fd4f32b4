package outside.file

import java.nio.file.Path
import undercroft.file.*
import undercroft.file.format.{Field, StructFile}
import undercroft.struct.*

enum Side derives CanEqual:
  case Buy, Sell

case class Wrapped(value: Long) derives Struct, CanEqual
case class Interval[A, B](from: A, until: B) derives Struct, CanEqual

/** Files whose rows are not case classes. */
class ElementFileTest extends undercroft.tools.Suite:
  import Trades.*

  private inline def roundTrip[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      values: Vector[T]
  )(using Struct[T], CanEqual[T, T]): Unit =
    val table = tables.create[T](path, maxRows = 1000)
    for value <- values do table += value
    table(0) = values.last
    table.seal()
    val file = tables.openReadOnly[T](path)
    try
      assertEquals(file.iterator.toVector, values.updated(0, values.last))
      assertEquals(file.map(v => (v, 1)).toVector, values.updated(0, values.last).map((_, 1)))
    finally file.close()

  private inline def inEveryLayout[T](values: Vector[T])(using Struct[T], CanEqual[T, T]): Unit =
    inFolder: folder =>
      roundTrip(Rows, folder.resolve("day.rows"), values)
      roundTrip(PackedRows, folder.resolve("day.packed"), values)
      roundTrip(Columns, folder.resolve("day.columns"), values)
      for name <- List("day.rows", "day.packed", "day.columns") do
        assertEquals(columnsOf(folder.resolve(name)), List("value"))

  private def columnsOf(path: Path): List[String] =
    val file = StructFile.open(path)
    try file.schema.fields.toArray.toList.collect { case field: Field => field.name }
    finally file.close()

  test("a file of elements has one column, value, and is read as written"):
    inEveryLayout(Vector(3L, -1L, Long.MinValue))
    inEveryLayout(Vector(1.5, -1.5, Double.MaxValue))
    inEveryLayout(Vector(Side.Sell, Side.Buy, Side.Buy))
    inEveryLayout(Vector[Option[Long]](Some(7L), None, Some(0L)))
    inEveryLayout(Vector[Text[8]](Text("bob"), Text(""), Text("äöü")))

  test("a file of a generic class has the columns of its fields"):
    inFolder: folder =>
      val path = folder.resolve("day.columns")
      val table = Columns.create[Interval[Int, Option[Long]]](path, maxRows = 10)
      table += Interval(1, Some(2L))
      table += Interval(3, None)
      table.seal()
      val file = Columns.openReadOnly[Interval[Int, Option[Long]]](path)
      assertEquals(file.toVector, Vector(Interval(1, Some(2L)), Interval(3, None)))
      file.close()
      assertEquals(columnsOf(path), List("from", "until"))
      val (kind, _) = failure(Columns.openReadOnly[Interval[Int, Int]](path))
      assert(kind.name.nonEmpty)

  test("a file of elements can be opened as a class with one field, value, and the reverse"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      val table = Rows.create[Long](path)
      table.appendAll(List(1L, 2L))
      table.commit()
      table.close()
      val wrapped = Rows.open[Wrapped](path)
      wrapped += Wrapped(3)
      wrapped.commit()
      wrapped.close()
      val plain = Rows.openReadOnly[Long](path)
      assertEquals(plain.toVector, Vector(1L, 2L, 3L))
      assertEquals(plain.sum, 6L)
      plain.close()
      val (_, words) = failure(Rows.openReadOnly[Text[3]](path))
      assert(words.contains("value"), words)

  test("a file cannot hold references, and the error says so"):
    val errors = compileErrors("def f(path: Path) = Rows.create[Ref[Trade]](path)")
    assert(errors.contains("Reference cannot be in a file: a row is a Reference"), errors)
    assert(!errors.contains("Exception occurred"), errors)
end ElementFileTest
