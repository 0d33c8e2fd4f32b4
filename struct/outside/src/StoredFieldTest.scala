package outside.storedfields

import undercroft.memory.*
import undercroft.struct.*

case class Kelvin(degrees: Int) derives Struct
case class Celsius(degrees: Int)
object Celsius:
  given Struct.StoredAs[Celsius, Kelvin] =
    Struct.storedAs[Celsius, Kelvin](c => Kelvin(c.degrees + 273))(k => Celsius(k.degrees - 273))

case class Code(value: String)
object Code:
  given Struct.StoredAs[Code, Text[20]] =
    Struct.storedAs[Code, Text[20]](code => Text(code.value))(text => Code(text.string))

case class Reading(id: Int, t: Celsius) derives Struct
case class Week(id: Int, days: InlineArray[Celsius, 2]) derives Struct
case class Item(id: Int, code: Code) derives Struct

/** Counts its conversions. */
case class Range(from: Int, until: Int)
object Range:
  var encoded = 0
  var decoded = 0
  given Struct.StoredAs[Range, (Int, Int)] = Struct.storedAs[Range, (Int, Int)] { range =>
    encoded += 1
    (range.from, range.until)
  } { (from, until) =>
    decoded += 1
    Range(from, until)
  }

enum Event derives Struct:
  case Off
  case During(range: Range)

case class Log(id: Int, range: Option[Range], event: Event) derives Struct

/** Both conversions have another method with the same name. */
case class Grade(value: Int)
object Grade:
  given Struct.StoredAs[Grade, Int]:
    def encode(grade: Grade): Int = grade.value + 1
    def encode(number: Int): Int = -number
    def decode(stored: Int): Grade = Grade(stored - 1)
    def decode(text: String): Grade = Grade(text.length)

enum Tone:
  case Low, High

object Lengths:
  opaque type Meters = Double
  object Meters:
    given Struct.StoredAs[Meters, Double] = Struct.storedAs[Meters, Double](_ * 100)(_ / 100)
    extension (meters: Meters) def value: Double = meters

  /** An array of Doubles, because the type is transparent here. */
  def two: InlineArray[Meters, 2] = InlineArray[Meters, 2](1.0, 2.0)

case class Route(legs: InlineArray[Lengths.Meters, 2]) derives Struct

case class Note(grade: Grade, tone: Tone) derives Struct

/** Fields of a case class that a `Struct.StoredAs` stores as another type are not the fields of the
  * other type.
  */
class StoredFieldTest extends undercroft.tools.Suite:

  private def readings(using Region) =
    Rows.from(List(Reading(1, Celsius(20)), Reading(2, Celsius(5))))

  test("a field of a value with a StoredAs is read from the decoded value"):
    Region.scoped:
      val rows = readings
      val columns = Columns.from(rows.toVector)
      assertEquals(rows.map(_.t.degrees).max, 20)
      assertEquals(columns.map(_.t.degrees).max, 20)
      assertEquals(rows.count(_.t.degrees < 10), 1L)
      val matched = rows.map { case Reading(_, t) => t.degrees }
      assertEquals(matched.toVector, Vector(20, 5))
      assertEquals(rows.ref(0)(_.t.degrees), 20)
      assertEquals(rows.ref(0).t().degrees, 20)
      assertEquals(columns.row(1).t.degrees, 5)
      assertEquals(Rows.from(List(Celsius(3))).map(_.degrees).toVector, Vector(3))

  test("a copy of a value with a StoredAs is stored encoded"):
    Region.scoped:
      val rows = readings
      rows.transform(r => r.copy(t = r.t.copy(degrees = r.t.degrees + 1)))
      assertEquals(rows.toVector, Vector(Reading(1, Celsius(21)), Reading(2, Celsius(6))))
      rows.transformAt(1)(r => r.copy(t = r.t.copy(degrees = 9)))
      rows.updateAt(0)(_.t)(t => Celsius(t.degrees * 2))
      assertEquals(rows.toVector, Vector(Reading(1, Celsius(42)), Reading(2, Celsius(9))))
      val whole = Rows.from(List(Celsius(3)))
      whole.transform(_.copy(degrees = 4))
      assertEquals(whole(0), Celsius(4))

  test("a field of an element with a StoredAs is read from the decoded element"):
    Region.scoped:
      val rows = Rows.from(List(Week(1, InlineArray(Celsius(1), Celsius(2)))))
      assertEquals(rows.map(_.days(1).degrees).toVector, Vector(2))
      assertEquals(rows.ref(0).days(1)().degrees, 2)

  test("a field of a value that is stored as a text is read from the decoded value"):
    Region.scoped:
      val rows = Rows.from(List(Item(1, Code("x")), Item(2, Code("y"))))
      assertEquals(rows.count(_.code.value == "x"), 1L)
      rows.transform(item => item.copy(code = item.code.copy(value = "z")))
      assertEquals(rows.map(_.code.value).toVector, Vector("z", "z"))

  test("the elements of an array of an opaque type with a StoredAs are encoded"):
    Region.scoped:
      val rows = Rows[Route](2)
      rows(0) = Route(Lengths.two)
      rows(1) = rows(0)
      assertEquals(rows.map(_.legs(1).value).toVector, Vector(2.0, 2.0))
      assertEquals(rows(1).legs(0).value, 1.0)

  test("binarySearchBy finds a value that is stored as a text"):
    Region.scoped:
      val rows = Columns.from(List(Item(1, Code("x")), Item(2, Code("y"))))
      assertEquals(rows.binarySearchBy(_.code)(Code("y")), 1L)
      assertEquals(rows.binarySearchBy(_.code)(Code("xx")), -2L)

  private def says(errors: String, part: String)(using munit.Location): Unit =
    assert(!errors.contains("Exception occurred"), errors)
    assert(errors.contains(part), errors)

  test("a field of a value with a StoredAs cannot be stored alone, and the error says why"):
    val unstored = "field `degrees` of Celsius is not stored"
    says(compileErrors("def f(r: Ref[Reading]) = r.t.degrees"), unstored)
    says(compileErrors("def f(r: Ref[Reading]): Unit = r.t.degrees = 5"), unstored)
    says(compileErrors("def f(row: TableRow[Celsius, Columnar]) = row.degrees"), unstored)
    says(
      compileErrors("def f(rows: Rows[Reading]) = rows.updateAt(0)(_.t.degrees)(_ + 1)"),
      "updateAt needs a field"
    )
    says(
      compileErrors("def f(rows: Rows[Reading]) = rows.sortInPlaceBy(_.t.degrees)"),
      "sortInPlaceBy needs a primitive field"
    )

  private def encodedBy(store: => Unit): Int =
    val before = Range.encoded
    store
    Range.encoded - before

  test("a value in an Option or in a case is encoded once per store"):
    Region.scoped:
      val rows = Rows[Log](2)
      val logs = Vector(
        Log(1, Some(Range(2, 3)), Event.Off),
        Log(2, None, Event.During(Range(4, 5))),
        Log(3, None, Event.Off)
      )
      val counts = logs.map: log =>
        val count = encodedBy(rows(0) = log)
        assertEquals(rows(0), log)
        count
      assertEquals(counts, Vector(1, 1, 0))

  test("a row loads the field that is selected, and no other"):
    Region.scoped:
      val rows = Rows.from(List(Log(1, Some(Range(2, 3)), Event.Off)))
      val before = Range.decoded
      assertEquals(rows.row(0).id, 1)
      rows.row(0).id = 7
      assertEquals(Range.decoded, before)
      assertEquals(rows.row(0).range, Some(Range(2, 3)))
      assertEquals(rows(0).id, 7)

  test("a StoredAs and an enum may have other methods with the names of their conversions"):
    Region.scoped:
      val rows = Rows.from(List(Note(Grade(4), Tone.High), Note(Grade(0), Tone.Low)))
      assertEquals(rows.toVector, Vector(Note(Grade(4), Tone.High), Note(Grade(0), Tone.Low)))
      assertEquals(rows.map(_.grade).toVector, Vector(Grade(4), Grade(0)))
      rows.ref(1).tone = Tone.High
      assertEquals(rows.map(_.tone).toVector, Vector(Tone.High, Tone.High))
end StoredFieldTest
