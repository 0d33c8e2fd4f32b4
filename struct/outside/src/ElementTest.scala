package outside.struct

import undercroft.memory.*
import undercroft.struct.*

/** An enum without fields and without `derives`. */
enum Suit derives CanEqual:
  case Clubs, Diamonds, Hearts, Spades

object Fares:
  opaque type Fare = Long
  object Fare:
    def apply(cents: Long): Fare = cents
    given CanEqual[Fare, Fare] = CanEqual.derived
  extension (fare: Fare) def cents: Long = fare
import Fares.*

case class Duo[A, B](a: A, b: B) derives Struct, CanEqual
case class Nested[A](id: Int, inner: Duo[A, Option[A]], at: (A, Byte)) derives Struct, CanEqual

/** Tables whose rows are not case classes: every operation, in every layout, beside a Vector. */
class ElementTest extends undercroft.tools.Suite:

  private val memory = Region.shared("elements")

  /** The operations that need no order, in one layout, by inline access. */
  private inline def inLayout[T, L <: Layout](
      table: Table[T, L],
      values: Vector[T],
      other: T
  )(using Struct[T], CanEqual[T, T], Allocator): Unit =
    assertEquals(table.toVector, values)
    assertEquals(Vector.tabulate(values.size)(i => table(i)), values)
    assertEquals(table.iterator.toVector, values)
    assertEquals(table.filter(_ != other).toVector, values.filter(_ != other))
    assertEquals(table.count(_ == values(1)), values.count(_ == values(1)).toLong)
    assertEquals(table.indexWhere(_ == values(2)), values.indexOf(values(2)).toLong)
    assertEquals(table.map(v => (v, 1)).toVector, values.map(v => (v, 1)))
    assertEquals(table.reverse.toVector, values.reverse)
    assertEquals(table.strided(2).toVector, values.zipWithIndex.filter(_._2 % 2 == 0).map(_._1))
    assertEquals(table.zip(table.drop(1)).toVector, values.zip(values.drop(1)))
    assertEquals(table.distinct.toVector, values.distinct)
    val groups = table.groupBy(identity)
    assertEquals(groups.size, values.distinct.size.toLong)
    assertEquals(groups(values(0)).toVector, values.filter(_ == values(0)))
    val sizes = table.groupMapReduce(v => v)(_ => 1)(_ + _)
    for value <- values.distinct do assertEquals(sizes(value), values.count(_ == value))
    assertEquals(table.partition(_ == other)._2.toVector, values.filter(_ != other))
    assertEquals(table.parFilter(_ != other).toVector, values.filter(_ != other))
    val copy = table.copy
    copy(1) = other
    assertEquals(copy.toVector, values.updated(1, other))
    copy.transformAt(0)(_ => other)
    assertEquals(copy(0), other)
    copy.transform(_ => other)
    assertEquals(copy.toVector, values.map(_ => other))
    copy.setFrom(table)(v => v)
    copy.swap(0, 1)
    assertEquals(copy.toVector, values.updated(0, values(1)).updated(1, values(0)))
    assertEquals(copy.slice(1, 3).toVector, copy.toVector.slice(1, 3))
    assert(table.contentEqualsAt(0, 0) && table.compareAt(1, 1) == 0)
    assertEquals(table.hashAt(2), table.hashAt(2))
  end inLayout

  private inline def growing[T, L <: Layout](
      table: GrowingTable[T, L],
      values: Vector[T]
  )(using Struct[T], CanEqual[T, T]): Unit =
    for value <- values do table += value
    table.appendAll(values)
    table.appendAll(values.size)(i => values(i.toInt))
    assertEquals(table.toVector, values ++ values ++ values)

  private inline def referred[T, L <: Layout](table: Table[T, L], values: Vector[T], other: T)(using
      Struct[T],
      CanEqual[T, T]
  ): Unit =
    val ref = table.ref(1)
    assertEquals(ref(), values(1))
    ref() = other
    assertEquals(table(1), other)
    ref.transform(_ => values(1))
    assertEquals(table(1), values(1))
    assert(Ref.contentEquals(ref, table.ref(1)))

  private inline def keyed[T](values: Vector[T])(using Struct[T], CanEqual[T, T], Allocator): Unit =
    val map = StructMap[T, Int]()
    val inverse = StructMap[Int, T]()
    val set = StructSet[T]()
    for (value, i) <- values.zipWithIndex do
      map(value) = i
      inverse(i) = value
      assertEquals(set.add(value), values.indexOf(value) == i)
    for (value, i) <- values.zipWithIndex do
      assertEquals(map(value), values.lastIndexOf(value))
      assertEquals(inverse(i), value)
      assert(set.contains(value))
    assertEquals(set.size, values.distinct.size.toLong)

  /** Code that knows neither the type nor the layout. */
  private def generic[T: Struct](values: Vector[T], other: T)(using Allocator): Unit =
    for table <- List[Table[T, ?]](Rows.from(values), PackedRows.from(values), Columns.from(values))
    do
      assertEquals(table.toVector, values)
      table(0) = other
      assertEquals(table(0), other)
      assertEquals(table(1), values(1))

  private inline def everywhere[T](values: Vector[T], other: T)(using
      Struct[T],
      CanEqual[T, T]
  ): Unit =
    given Allocator = memory
    def rows(): Unit = inLayout(Rows.from(values), values, other)
    def packed(): Unit = inLayout(PackedRows.from(values), values, other)
    def columns(): Unit =
      inLayout(Columns.tabulate[T](values.size)(i => values(i.toInt)), values, other)
    def growth(): Unit =
      growing(Rows.growing[T], values)
      growing(PackedRows.growingTo[T](100), values)
      growing(Columns.growingTo[T](100), values)
    def references(): Unit =
      referred(Rows.from(values), values, other)
      referred(PackedRows.from(values), values, other)
      assertEquals(Ref(other)(), other)
    def keys(): Unit = keyed(values)
    for part <- List[() => Unit](rows, packed, columns, growth, references, keys) do part()
    generic(values, other)
  end everywhere

  test("rows of a primitive have all operations in every layout"):
    everywhere(Vector(3, 1, 2, 3, -7), 9)
    everywhere(Vector(1.5, -0.5, 0, 1.5), 2.0)

  test("rows of an enum without fields have all operations in every layout"):
    everywhere(Vector(Suit.Hearts, Suit.Clubs, Suit.Spades, Suit.Hearts), Suit.Diamonds)

  test("rows of an Option have all operations in every layout"):
    everywhere(Vector(Some(3L), None, Some(0L), Some(3L)), Some(8L): Option[Long])

  test("rows of a text have all operations in every layout"):
    val names = Vector[Text[12]](Text("bob"), Text(""), Text("äöü"), Text("bob"))
    everywhere(names, Text[12]("eve"))

  test("rows of an opaque type have all operations in every layout"):
    everywhere(Vector(Fare(3), Fare(1), Fare(-2), Fare(3)), Fare(9))

  test("rows of references have all operations in every layout"):
    val deals = Rows.tabulate[Deal](4)(i => Deal(i.toInt, 10))(using memory)
    everywhere(Vector(deals.ref(3), deals.ref(0), Ref.none[Deal], deals.ref(3)), deals.ref(2))

  test("rows of a generic class with known arguments have all operations in every layout"):
    everywhere(Vector(Duo(3, 4L), Duo(1, 2L), Duo(5, -1L), Duo(3, 4L)), Duo(0, 9L))
    everywhere(
      Vector.tabulate(4)(i =>
        Nested(i, Duo(i * 0.5, Option.when(i % 2 == 0)(i * 0.25)), (1.0, i.toByte))
      ),
      Nested(9, Duo(0.5, None), (1.0, 3.toByte))
    )
end ElementTest
