package outside.file

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.ErrorKind
import undercroft.struct.*

object Short:
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int)
  case class Spot(x: Int) derives Struct, CanEqual
  case class Event(id: Long, at: Spot, change: Change, spots: InlineArray[Spot, 2])
      derives Struct, CanEqual
  case class Id(id: Long) derives Struct, CanEqual
  case class Maybe(id: Long, at: Option[Spot]) derives Struct, CanEqual

object Longer:
  val evaluations = AtomicInteger()
  private def price(): Int =
    evaluations.incrementAndGet(): Unit
    250

  enum Side derives Struct, CanEqual:
    case Buy, Sell
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(fee: Long = -3, price: Int, note: Text[8] = Text("fee"))
    case Moved(to: Int = 8)
  case class Spot(y: Int = 5, x: Int) derives Struct, CanEqual
  case class Event(
      price: Int = price(),
      id: Long,
      name: Text[12] = Text("none"),
      at: Spot,
      side: Side = Side.Sell,
      maybe: Option[Int] = Some(4),
      none: Option[Int] = None,
      change: Change,
      first: Change = Change.Traded(1, 2),
      last: Change = Change.Moved(9),
      spots: InlineArray[Spot, 2],
      grid: InlineArray[InlineArray[Spot, 2], 1] =
        InlineArray[InlineArray[Spot, 2], 1](InlineArray[Spot, 2](Spot(1, 2), Spot(3, 4))),
      cells: InlineArray[Byte, 3] = InlineArray(1.toByte, 2.toByte, 3.toByte),
      @bigEndian big: Int = 0x01020304,
      ratio: Double = 0.5,
      zero: Short
  ) derives Struct, CanEqual
  case class Kind(id: Long, fault: Int = throw IllegalStateException("no default")) derives Struct
  case class Open(id: Long, count: Int = ???) derives Struct
  case class Wrong(id: Long, name: Text[2] = Text("too long")) derives Struct
  case class Maybe(id: Long, at: Option[Spot]) derives Struct, CanEqual
  case class Box[A](id: Long, value: A, count: Int = 3)
  given [A: Struct] => Struct[Box[A]] = Struct.derived
  case class Boxed(id: Long, value: Int) derives Struct
end Longer

/** A class of an object of a class. */
class Holder:
  case class Inner(id: Long, count: Int = 7) derives Struct, CanEqual

/** Fields that a file lacks, and that have default arguments. */
class DefaultsTest extends undercroft.tools.Suite:
  import Trades.{failure, inFolder}

  private def before(i: Int): Short.Event = Short.Event(
    i,
    Short.Spot(i),
    if i % 2 == 0 then Short.Change.Opened else Short.Change.Traded(i),
    InlineArray(Short.Spot(1), Short.Spot(i))
  )

  private def after(i: Int): Longer.Event = Longer.Event(
    id = i,
    at = Longer.Spot(x = i),
    change = if i % 2 == 0 then Longer.Change.Opened else Longer.Change.Traded(price = i),
    spots = InlineArray[Longer.Spot, 2](Longer.Spot(x = 1), Longer.Spot(x = i)),
    zero = 0
  )

  private inline def readsDefaults[L <: Layout](tables: TableFactory[L]): Unit =
    inFolder: folder =>
      val path = folder.resolve("day.events")
      Using.resource(tables.create[Short.Event](path, maxRows = 200)): table =>
        for i <- 0 until 100 do table += before(i)
        table.commit()
      val expected = Vector.tabulate(100)(after)
      val earlier = Longer.evaluations.get
      Using.resource(tables.openReadOnly[Longer.Event](path)): table =>
        assertEquals(Longer.evaluations.get, earlier + 1)
        assertEquals(table.toVector, expected)
        assertEquals(table(3).big, 0x01020304)
        assertEquals(table.count(_.maybe == Some(4)), 100L)
      Using.resource(tables.open[Longer.Event](path, maxRows = 200)): table =>
        assertEquals(table.toVector, expected)
        table += after(100).copy(price = 3, maybe = None, big = 6)
        table.commit()
      val evaluated = Longer.evaluations.get
      Using.resource(tables.openReadOnly[Longer.Event](path)): table =>
        assertEquals(table.toVector.take(100), expected)
        assertEquals(table(100), after(100).copy(price = 3, maybe = None, big = 6))
      assertEquals(Longer.evaluations.get, evaluated + 1) // by `after` alone

  test("fields that a file of rows lacks have their default values")(readsDefaults(Rows))
  test("fields that a file of packed rows lacks have their default values"):
    readsDefaults(PackedRows)
  test("fields that a file of columns lacks have their default values")(readsDefaults(Columns))

  private def written[T: Struct](path: Path, rows: T*): Path =
    Using.resource(Rows.create[T](path)): table =>
      table.appendAll(rows)
      table.commit()
    path

  test("a field of a struct in an Option has its default value only where there is a struct"):
    inFolder: folder =>
      val path = written(
        folder.resolve("day.spots"),
        Short.Maybe(1, None),
        Short.Maybe(2, Some(Short.Spot(3)))
      )
      Using.resource(Rows.openReadOnly[Longer.Maybe](path)): table =>
        val rows = Vector(Longer.Maybe(1, None), Longer.Maybe(2, Some(Longer.Spot(5, 3))))
        assertEquals(table.toVector, rows)

  test("a default argument that throws fails the opening and leaves the file unchanged"):
    inFolder: folder =>
      val path = written(folder.resolve("day.ids"), Short.Id(1))
      val bytes = Files.readAllBytes(path).toVector
      for opened <- Seq(
          () => Rows.openReadOnly[Longer.Kind](path),
          () => Rows.open[Longer.Kind](path)
        )
      do
        val error = intercept[IllegalStateException](opened())
        assertEquals(error.getMessage, "no default")
      val long = intercept[IllegalArgumentException](Rows.openReadOnly[Longer.Wrong](path))
      assert(long.getMessage.contains("too long"), long.getMessage)
      assertEquals(Files.readAllBytes(path).toVector, bytes)
      Using.resource(Rows.open[Short.Id](path))(_ += Short.Id(2)) // the lock is free

  test("a default argument that throws an Error leaves the lock of the file free"):
    inFolder: folder =>
      val path = written(folder.resolve("day.ids"), Short.Id(1))
      intercept[NotImplementedError](Rows.open[Longer.Open](path))
      Using.resource(Rows.open[Short.Id](path))(_ += Short.Id(2))

  test("a field that a renamed field may be has no default value"):
    inFolder: folder =>
      case class Renamed(id: Long, there: Int = 9) derives Struct
      val path = written(folder.resolve("day.ids"), Longer.Boxed(1, 2))
      val (kind, words) = failure(Rows.openReadOnly[Renamed](path))
      assertEquals(kind, ErrorKind.WRONG_SCHEMA)
      assert(words.contains("field value of type Int is unexpected"), words)
      assert(words.contains("the file lacks there"), words)

  test("classes of a method, of an object of a class, and with type parameters have defaults"):
    case class Local(id: Long, count: Int = 6) derives Struct, CanEqual
    inFolder: folder =>
      val path = written(folder.resolve("day.ids"), Short.Id(1))
      Using.resource(Rows.openReadOnly[Local](path))(table => assertEquals(table(0), Local(1, 6)))
      val holder = Holder()
      Using.resource(Rows.openReadOnly[holder.Inner](path)): table =>
        assertEquals(table(0).count, 7)
      def generic[A: Struct](path: Path): Longer.Box[A] =
        Using.resource(Rows.openReadOnly[Longer.Box[A]](path))(_(0))
      val boxes = written(folder.resolve("day.boxes"), Longer.Boxed(1, 2))
      assertEquals(generic[Int](boxes).count, 3)
      assertEquals(Using.resource(Rows.openReadOnly[Longer.Box[Int]](boxes))(_(0).count), 3)
end DefaultsTest
