package outside.file

import java.time.{Duration, Instant, LocalDate}
import scala.Short
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object Pairs:
  case class Native(value: Int) derives Struct, CanEqual
  case class Big(@bigEndian value: Int) derives Struct, CanEqual
  case class BigWide(@bigEndian value: Long) derives Struct, CanEqual
  case class Plain(value: Long) derives Struct, CanEqual
  case class Point(x: Int, y: Int) derives Struct, CanEqual
  case class Place(y: Long, x: Int, z: Option[Int]) derives Struct, CanEqual
  case class InRecord(value: Point) derives Struct, CanEqual
  case class OutRecord(value: Place) derives Struct, CanEqual
  case class OptionRecord(value: Option[Place]) derives Struct, CanEqual
  case class Both(value: Union[(a: Int, b: Float)]) derives Struct
  case class Other(value: Union[(a: Int, b: Double)]) derives Struct
  enum Small derives Struct, CanEqual:
    case A, B
  enum Large derives Struct, CanEqual:
    case A, B, C
  enum Swapped derives Struct, CanEqual:
    case B, A
  object Millis:
    given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)
    case class Row(value: Instant) derives Struct, CanEqual
  case class Nanos(value: Instant) derives Struct, CanEqual
  case class Took(value: Duration) derives Struct, CanEqual
  case class Day(value: LocalDate) derives Struct, CanEqual
  object Cents:
    given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 6, scale = 2)
    case class Row(value: BigDecimal) derives Struct, CanEqual
  object MoreCents:
    given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)
    case class Row(value: BigDecimal) derives Struct, CanEqual
  object Mills:
    given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 3)
    case class Row(value: BigDecimal) derives Struct, CanEqual
  final case class Code(number: Int)
  object Coded:
    given Struct.StoredAs[Code, Int] =
      Struct.storedAs[Code, Int](_.number)(Code(_)).withLogicalType(LogicalType.Named("code"))
    case class Row(value: Code) derives Struct
end Pairs

/** Each pair of a stored type and a type that it is read as, of the table in `docs/format.md`. */
class EvolutionPairsTest extends undercroft.tools.Suite:
  import Pairs.*
  import Trades.{failure, inFolder}

  /** Reads a value as another type in every layout, for reading and, with `isWritable`, writing. */
  private def reads[A: Struct, B: Struct](before: A, after: B)(using CanEqual[B, B]): Unit =
    def inLayout[L <: Layout](tables: TableFactory[L]): Unit = inFolder: folder =>
      val path = folder.resolve("values")
      Using.resource(tables.create[A](path, maxRows = 10)): table =>
        table += before
        table.commit()
      Using.resource(tables.openReadOnly[B](path))(table =>
        assertEquals(table.toVector, Vector(after))
      )
      Using.resource(tables.open[B](path, maxRows = 10)): table =>
        table += after
        table.commit()
      Using.resource(tables.openReadOnly[B](path)): table =>
        assertEquals(table.toVector, Vector(after, after))
    inLayout(Rows)
    inLayout(PackedRows)
    inLayout(Columns)

  /** Asserts that neither reader nor writer opens a file, which stays as it is. */
  private def refuses[A: Struct, B: Struct](value: A, words: String)(using
      CanEqual[A, A]
  ): Unit = inFolder: folder =>
    val path = folder.resolve("values")
    Using.resource(Rows.create[A](path)): table =>
      table += value
      table.commit()
    for (kind, message) <- Seq(failure(Rows.openReadOnly[B](path)), failure(Rows.open[B](path))) do
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(message.contains(words), message)
    Using.resource(Rows.openReadOnly[A](path))(table => assertEquals(table.toVector, Vector(value)))

  test("a number is read as every wider type that has it"):
    reads[Byte, Short](-7, -7)
    reads[Byte, Int](-7, -7)
    reads[Byte, Long](-7, -7)
    reads[Byte, Float](-7, -7)
    reads[Byte, Double](-7, -7)
    reads[Short, Int](Short.MinValue, Short.MinValue)
    reads[Short, Long](-300, -300)
    reads[Short, Float](-300, -300)
    reads[Short, Double](-300, -300)
    reads[Char, Int]('\uffff', 0xffff)
    reads[Char, Long]('\uffff', 0xffff)
    reads[Char, Float]('\uffff', 0xffff.toFloat)
    reads[Char, Double]('\uffff', 0xffff)
    reads[Int, Long](Int.MinValue, Int.MinValue)
    reads[Int, Double](Int.MaxValue, Int.MaxValue)
    reads[Float, Double](1.5f, 1.5)

  test("a number is not read as a type that may not have it"):
    refuses[Int, Float](1, "field value is Int; expected Float")
    refuses[Int, Short](1, "field value is Int; expected Short")
    refuses[Long, Double](1, "field value is Long; expected Double")
    refuses[Long, Int](1, "field value is Long; expected Int")
    refuses[Byte, Char](1, "field value is Byte; expected Char")
    refuses[Char, Short]('a', "field value is Char; expected Short")
    refuses[Short, Char](1, "field value is Short; expected Char")
    refuses[Double, Float](1, "field value is Double; expected Float")
    refuses[Float, Int](1, "field value is Float; expected Int")

  test("a Boolean is read as a Boolean only"):
    refuses[Boolean, Int](true, "field value is Boolean; expected Int")
    refuses[Byte, Boolean](1, "field value is Byte; expected Boolean")

  test("a number in one byte order is read as one of the other"):
    reads[Big, Native](Big(0x01020304), Native(0x01020304))
    reads[Native, Big](Native(-2), Big(-2))
    reads[Big, Plain](Big(-2), Plain(-2))
    reads[Native, BigWide](Native(-2), BigWide(-2))
    refuses[BigWide, Native](BigWide(1), "field value is big-endian Long; expected Int")

  test("texts and arrays grow, and do not shrink"):
    reads[Text[4], Text[9]](Text("äö"), Text("äö"))
    refuses[Text[9], Text[4]](Text("a"), "field value is Text[9]; expected Text[4]")
    reads[InlineArray[Short, 2], InlineArray[Int, 3]](
      InlineArray(1.toShort, -2.toShort),
      InlineArray(1, -2, 0)
    )
    refuses[InlineArray[Int, 3], InlineArray[Int, 2]](
      InlineArray(1, 2, 3),
      "field value is InlineArray[Int, 3]; expected InlineArray[Int, 2]"
    )
    refuses[InlineArray[Int, 2], InlineArray[Long, 1]](
      InlineArray(1, 2),
      "field value is InlineArray[Int, 2]; expected InlineArray[Long, 1]"
    )

  test("a value becomes an Option, and an Option no value"):
    reads[Int, Option[Int]](7, Some(7))
    reads[Int, Option[Long]](7, Some(7L))
    refuses[Option[Int], Int](Some(7), "field value is an Option of Int; expected Int")
    reads[Option[Int], Option[Long]](None, None)
    reads[Option[Int], Option[Long]](Some(7), Some(7L))

  test("elements become Options, and Options no elements"):
    reads[InlineArray[Short, 2], InlineArray[Option[Int], 3]](
      InlineArray(0.toShort, 5.toShort),
      InlineArray[Option[Int], 3](Some(0), Some(5), None)
    )
    refuses[InlineArray[Option[Int], 2], InlineArray[Int, 2]](
      InlineArray[Option[Int], 2](None, Some(1)),
      "field value is an Option of Int; expected Int"
    )

  test("a record is read by its fields, also as an Option, and as nothing else"):
    reads[InRecord, OutRecord](InRecord(Point(1, 2)), OutRecord(Place(2, 1, None)))
    reads[InRecord, OptionRecord](InRecord(Point(1, 2)), OptionRecord(Some(Place(2, 1, None))))
    refuses[InRecord, Plain](
      InRecord(Point(1, 2)),
      "field value is the struct Point; expected Long"
    )
    refuses[Plain, InRecord](Plain(1), "field value is Long; expected the struct Point")

  test("an enum gains cases at its end, and has no other order"):
    reads[Small, Large](Small.B, Large.B)
    refuses[Small, Swapped](Small.B, "field value is an enum of A, B; expected an enum of B, A")
    refuses[Small, Int](Small.B, "field value is an enum of A, B; expected Int")
    refuses[Byte, Small](1, "field value is Byte; expected an enum of A, B")
    reads[InlineArray[Small, 1], InlineArray[Large, 2]](
      InlineArray[Small, 1](Small.B),
      InlineArray[Large, 2](Large.B, Large.A)
    )

  test("a logical type is added, kept and not changed"):
    import Cents.given
    val at = Instant.ofEpochMilli(7)
    reads[Plain, Nanos](Plain(7_000_000), Nanos(at))
    reads[Nanos, Nanos](Nanos(at), Nanos(at))
    reads[Native, Day](Native(1), Day(LocalDate.ofEpochDay(1)))
    refuses[Nanos, Plain](Nanos(at), "expected Long")
    refuses[Nanos, Took](Nanos(at), "expected a duration in nanoseconds")
    locally:
      import Millis.Row
      refuses[Nanos, Row](Nanos(at), "expected a UTC timestamp in milliseconds")
    reads[Cents.Row, MoreCents.Row](
      Cents.Row(BigDecimal("1.25")),
      MoreCents.Row(BigDecimal("1.25"))
    )
    refuses[MoreCents.Row, Cents.Row](MoreCents.Row(BigDecimal(1)), "expected a decimal(6, 2)")
    refuses[Cents.Row, Mills.Row](Cents.Row(BigDecimal(1)), "expected a decimal(18, 3)")
    refuses[Native, Both](Native(1), "field value is Int; expected")

  test("a Union is read as the same Union only"):
    inFolder: folder =>
      val path = folder.resolve("values")
      Using.resource(Rows.create[Both](path))(_.commit())
      Using.resource(Rows.openReadOnly[Both](path))(table => assertEquals(table.size, 0L))
      val (kind, words) = failure(Rows.openReadOnly[Other](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field value is"), words)
end EvolutionPairsTest
