package undercroft.struct

import java.time.{Instant, LocalDate}
import java.util.UUID
import undercroft.memory.Region
import undercroft.testkit.assertAllocates

enum Side derives CanEqual:
  case Buy, Sell

enum Venue(val city: String) derives CanEqual:
  case Xetra extends Venue("Frankfurt")
  case Lse extends Venue("London")

opaque type Ticket = Int
object Ticket:
  def apply(number: Int): Ticket = number
  extension (ticket: Ticket) def number: Int = ticket
  given CanEqual[Ticket, Ticket] = CanEqual.derived

opaque type Span = Point
object Span:
  def apply(x: Short, y: Double): Span = Point(x, y)
  extension (span: Span) def width: Double = span.y
  given CanEqual[Span, Span] = CanEqual.derived

case class Bits(high: Long, low: Long) derives Struct

given Struct.StoredAs[UUID, Bits] = Struct.storedAs[UUID, Bits](id =>
  Bits(id.getMostSignificantBits, id.getLeastSignificantBits)
)(bits => UUID(bits.high, bits.low))
given Struct.StoredAs[Instant, Long] =
  Struct.storedAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_).nn)
given Struct.StoredAs[LocalDate, Int] =
  Struct.storedAs[
    LocalDate,
    Int
  ](day => Math.toIntExact(day.toEpochDay))(LocalDate.ofEpochDay(_).nn)
given Struct.StoredAs[BigDecimal, Long] =
  Struct.storedAs[BigDecimal, Long](_.bigDecimal.movePointRight(2).nn.longValueExact)(BigDecimal(
    _,
    2
  ))
given [A] => CanEqual[A, A] = CanEqual.derived

case class Pair[A, B](first: A, second: B) derives CanEqual

case class Sides(before: Byte, side: Side, venue: Venue, after: Byte) derives Struct, CanEqual
case class Opaques(ticket: Ticket, span: Span, last: Byte) derives Struct, CanEqual
case class Shapes(
    plain: (Short, Double),
    named: (x: Int, y: Byte),
    pair: Pair[Int, Pair[Byte, Long]],
    last: Boolean
) derives Struct,
      CanEqual
case class Maybe(price: Option[Int], at: Option[Point], side: Option[Side], id: Option[UUID])
    derives Struct,
      CanEqual
case class Foreign(id: UUID, at: Instant, day: LocalDate, cost: BigDecimal) derives Struct, CanEqual

class FieldTypesTest extends undercroft.tools.Suite:
  var sum = 0L

  private def agree[T, L <: Layout](
      tables: TableFactory[L],
      values: Vector[T]
  )(using Struct[T]): Unit =
    Region.scoped:
      val table = tables[T](values.size)
      values.indices.foreach(i => table(i) = values(i))
      assertEquals(table.toVector, values)
      values.indices.reverse.foreach(i => table(i) = values(values.size - 1 - i))
      assertEquals(table.toVector, values.reverse)

  private inline def known[T, L <: Layout](table: Table[T, L], values: Vector[T]): Unit =
    values.indices.foreach(i => table(i) = values(i))
    assertEquals(values.indices.map(i => table(i)).toVector, values)
    table.transform(value => value)
    assertEquals(table.toVector, values)

  /** Stores and loads values by generic code, with known layouts and through references. */
  private inline def holds[T: Struct](values: T*): Unit =
    agree(Rows, values.toVector)
    agree(PackedRows, values.toVector)
    agree(Columns, values.toVector)
    Region.scoped:
      val rows = Rows[T](values.size)
      known(rows, values.toVector)
      known(PackedRows[T](values.size), values.toVector)
      known(Columns[T](values.size), values.toVector)
      values.indices.foreach: i =>
        rows.ref(i)() = values(values.size - 1 - i)
        assertEquals(rows.ref(i)(), values(values.size - 1 - i))

  test("an enum without fields is stored as a byte"):
    assertEquals(Struct[Sides].size, 4)
    val values = for side <- Side.values; venue <- Venue.values yield Sides(-1, side, venue, -1)
    holds(values.toSeq*)

  test("an opaque type is stored as its underlying type"):
    assertEquals(Struct[Opaques].size, 32)
    holds(Opaques(Ticket(1), Span(2, 3), 4), Opaques(Ticket(-1), Span(-2, -3.5), -4))

  test("tuples, named tuples and generic classes with known arguments are stored as structs"):
    assertEquals(Struct[Shapes].size, 56)
    holds(
      Shapes((1, 2.5), (x = 3, y = 4), Pair(5, Pair(6, 7L)), last = true),
      Shapes((-1, -2.5), (x = -3, y = -4), Pair(-5, Pair(-6, -7L)), last = false)
    )

  test("an Option is stored with a flag, and None is stored as zeros"):
    val id = UUID(1, 2)
    holds(
      Maybe(None, None, None, None),
      Maybe(Some(0), Some(Point(0, 0)), Some(Side.Buy), Some(UUID(0, 0))),
      Maybe(Some(-1), Some(Point(-1, -1)), Some(Side.Sell), Some(id))
    )
    Region.scoped:
      val rows = Rows[Maybe](1)
      assertEquals(rows(0), Maybe(None, None, None, None))
      rows(0) = Maybe(Some(7), Some(Point(1, 2)), Some(Side.Sell), Some(id))
      rows(0) = Maybe(None, None, None, None)
      val bytes = rows.segment.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).nn
      assert(bytes.forall(_ == 0), bytes.toVector)

  test("a StoredAs instance determines how a user's type is stored"):
    holds(
      Foreign(
        UUID(-1, 1),
        Instant.ofEpochMilli(5).nn,
        LocalDate.of(2026, 11, 21).nn,
        BigDecimal(12.34)
      ),
      Foreign(UUID(0, 0), Instant.EPOCH.nn, LocalDate.of(-9999, 1, 1).nn, BigDecimal("-0.01"))
    )

  test("storing a value whose StoredAs conversion throws changes nothing"):
    Region.scoped:
      val first = Foreign(UUID(1, 1), Instant.EPOCH.nn, LocalDate.EPOCH.nn, BigDecimal(1))
      val rows = Rows.from(List(first))
      intercept[ArithmeticException](rows(0) =
        first.copy(id = UUID(9, 9), cost = BigDecimal("0.001"))
      )
      assertEquals(rows(0), first)

  test("fields are read, updated and filtered by their declared types"):
    Region.scoped:
      val rows =
        Rows.from(List(Sides(1, Side.Buy, Venue.Lse, 2), Sides(3, Side.Sell, Venue.Xetra, 4)))
      assertEquals(rows.ref(1).side(), Side.Sell)
      assertEquals(rows.ref(0)(_.venue.city), "London")
      rows.ref(1).side = Side.Buy
      assertEquals(rows.count(_.side == Side.Buy), 2L)
      rows.updateAll(_.side)(side => if side == Side.Buy then Side.Sell else Side.Buy)
      rows.updateAt(0)(_.venue)(_ => Venue.Xetra)
      assertEquals(rows.map(_.side).toVector, Vector(Side.Sell, Side.Sell))
      assertEquals(
        rows.filter(_.venue.city == "Frankfurt").map(_.before).toVector,
        Vector[Byte](1, 3)
      )
      val shapes =
        Rows.from(List(Shapes((1, 2.5), (x = 3, y = 4), Pair(5, Pair(6, 7L)), last = true)))
      assertEquals(shapes.sumOf(_.pair.second.second), 7L)
      assertEquals(shapes.map(_.named.x).toVector, Vector(3))
      assertEquals(shapes.ref(0).pair.second.first, 6.toByte)

  test("a reference reads opaque types through a function"):
    Region.scoped:
      val rows = Rows.from(List(Opaques(Ticket(7), Span(2, 3), 4)))
      assertEquals(rows.ref(0)(_.ticket), Ticket(7))
      assertEquals(rows.ref(0)(_.span.width), 3.0)
      rows.ref(0).update(_.ticket)(ticket => Ticket(ticket.number + 1))
      rows.ref(0).ticket = Ticket(rows(0).ticket.number + 1)
      assertEquals(rows(0), Opaques(Ticket(9), Span(2, 3), 4))

  test("tables store tuples, named tuples and types with a StoredAs"):
    holds((1, 2L), (-1, -2L))
    holds((x = 1, y = 2.5), (x = -1, y = -2.5))
    holds(UUID(1, 2), UUID(-1, -2))
    Region.scoped:
      assertEquals(Rows.from(List((1L, 2), (3L, 4))).sumOf(_._1), 4L)
      val points = Columns.from(List((x = 1, y = 2.5), (x = 2, y = 3.5)))
      assertEquals(points.map(_.y).sum, 6.0)

  test("loading an invalid enum tag throws NoSuchElementException with the tag"):
    Region.scoped:
      val rows = Rows[Sides](1)
      rows.segment.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 1, 7.toByte)
      val error = intercept[NoSuchElementException](rows(0))
      assert(error.getMessage.nn.contains("7"), error.getMessage)

  test("enums and types with a StoredAs allocate nothing in loops and field access"):
    Region.scoped:
      val sides =
        Rows.from(List(Sides(1, Side.Buy, Venue.Lse, 2), Sides(3, Side.Sell, Venue.Xetra, 4)))
      assertAllocates(0) { if sides(1).side == Side.Sell then sum += 1 }
      assertAllocates(0) { sides(0) = Sides(1, Side.Sell, Venue.Xetra, 5) }
      assertAllocates(0) { sum += sides.count(_.side == Side.Buy) }
      val ticks = Rows.from(List(Tick(Instant.EPOCH.nn, 1)))
      assertAllocates(0) { sum += ticks.sumOf(_.at.toEpochMilli) }
end FieldTypesTest

case class Tick(at: Instant, price: Int) derives Struct, CanEqual
