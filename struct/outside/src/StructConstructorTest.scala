package outside.struct

import undercroft.memory.*
import undercroft.struct.*

/** A class that checks its arguments. */
final case class Cents(amount: Long, currency: Int = 1) derives Struct, CanEqual:
  require(amount > 0, s"$amount cents")

/** A class with a checked field, and without a check of its own. */
final case class Entry(account: Int, cents: Cents) derives Struct, CanEqual

final case class Maybe(cents: Option[Cents]) derives Struct, CanEqual

/** The superclass has the check, or gets a checked argument. */
abstract class Checked(value: Int):
  require(value > 0, s"value $value")
final case class BySuper(value: Int) extends Checked(value) derives Struct, CanEqual

trait CheckedTrait:
  def value: Int
  if value < 1 then throw IllegalArgumentException(s"value $value")
final case class ByTrait(value: Int) extends CheckedTrait derives Struct, CanEqual

object Positive:
  def apply(n: Int): Int =
    require(n > 0, s"value $n")
    n
abstract class Entity(val id: Int)
final case class ByArgument(value: Int) extends Entity(Positive(value)) derives Struct, CanEqual

/** The companion's `apply` changes its argument. */
final case class EvenNumber(n: Int) derives Struct, CanEqual
object EvenNumber:
  def apply(n: Int): EvenNumber = new EvenNumber(n / 2 * 2)

/** A second constructor with as many parameters as the first one. */
final case class Distance(millimetres: Long) derives Struct, CanEqual:
  def this(metres: Int) = this(metres * 1000L)

/** A second constructor with fewer parameters. */
final case class Pair(a: Int, b: Int) derives Struct, CanEqual:
  def this(both: Int) = this(both, both * 2)

/** A class with subclasses, whose constructors have other arguments. */
case class Spread(low: Int, high: Int) derives Struct, CanEqual
class PointSpread(at: Int) extends Spread(at, at)
class SwappedSpread(end: Int, start: Int) extends Spread(start, end)

case class Quoted(id: Int, spread: Spread) derives Struct, CanEqual

sealed trait Zone derives Struct, CanEqual
case class Ring(radius: Int, width: Int) extends Zone
case class Disc(radius: Int) extends Zone
class ThinRing(diameter: Int) extends Ring(diameter / 2, 0)

/** `copy` is user-defined. */
final case class Own(a: Int, b: Int) derives Struct, CanEqual:
  def copy(a: Int = this.a, b: Int = this.b): Own = Own(a.abs, b.abs)

enum MarketOrder derives Struct, CanEqual:
  case Buy(n: Int)
  case Sell(n: Int) extends MarketOrder, CheckedSale

trait CheckedSale:
  StructConstructorTest.made += 1

final case class Counted(n: Int) derives Struct, CanEqual:
  StructConstructorTest.made += 1

object StructConstructorTest:
  /** The number of constructors that ran. */
  var made = 0

/** The constructor runs wherever a constructor call is stored. */
class StructConstructorTest extends undercroft.tools.Suite:
  private var zero = 0L // not a constant

  private def refused(what: String)(store: => Unit)(using munit.Location): Unit =
    val e = intercept[IllegalArgumentException](store)
    assert(e.getMessage.nn.contains("0 cents") || e.getMessage.nn.contains("value 0"), what)

  test("a constructor check runs at every store into a table and rejects it without a change"):
    Region.scoped:
      val rows = Rows[Cents](1)
      val packed = PackedRows[Cents](1)
      val columns = Columns[Cents](1)
      val growing = Rows.growing[Cents]
      rows(0) = Cents(5)
      packed(0) = Cents(5)
      columns(0) = Cents(5)
      growing += Cents(5)
      refused("rows")(rows(0) = Cents(zero))
      refused("rows, default and name")(rows(0) = Cents(currency = 2, amount = zero))
      refused("rows, new")(rows(0) = new Cents(zero, 1))
      refused("packed")(packed(0) = Cents(zero))
      refused("columns")(columns(0) = Cents(zero))
      refused("append")(growing += Cents(zero))
      refused("appendAll")(growing.appendAll(2)(_ => Cents(zero)))
      refused("ref")(rows.ref(0)() = Cents(zero))
      refused("transform")(rows.ref(0).transform(_.copy(amount = zero)))
      refused("transform of all")(rows.transform(_.copy(amount = zero)))
      refused("transformAt")(rows.transformAt(0)(_.copy(amount = zero)))
      refused("transformAt of columns")(columns.transformAt(0)(_.copy(amount = zero)))
      refused("fill")(rows.fill(Cents(zero)))
      refused("setFrom")(rows.setFrom(rows)(c => Cents(c.amount * zero)))
      refused("tabulate")(Rows.tabulate[Cents](1)(_ => Cents(zero)): Unit)
      refused("a new ref")(Ref(Cents(zero)): Unit)
      assertEquals(growing.size, 1L)
      for table <- List(rows(0), packed(0), columns(0), growing(0)) do assertEquals(table, Cents(5))

  test("the constructor check of a nested class runs at every depth"):
    Region.scoped:
      val rows = Rows[Entry](1)
      rows(0) = Entry(1, Cents(5))
      refused("rows")(rows(0) = Entry(1, Cents(zero)))
      refused("copy")(rows.ref(0).transform(_.copy(cents = Cents(zero))))
      refused("copy of a copy")(
        rows.ref(0).transform(e => e.copy(cents = e.cents.copy(amount = zero)))
      )
      refused("transformAt")(rows.transformAt(0)(e => e.copy(cents = e.cents.copy(amount = zero))))
      val options = Rows[Maybe](1)
      options(0) = Maybe(Some(Cents(5)))
      refused("option")(options(0) = Maybe(Some(Cents(zero))))
      assertEquals(rows(0), Entry(1, Cents(5)))
      assertEquals(options(0), Maybe(Some(Cents(5))))

  test("a constructor check runs for the key and the value of a map"):
    Region.scoped:
      val map = StructMap[Cents, Cents]()
      map(Cents(1)) = Cents(2)
      refused("value")(map(Cents(1)) = Cents(zero))
      refused("key")(map(Cents(zero)) = Cents(2))
      assertEquals(map(Cents(1)), Cents(2))
      assertEquals(map.size, 1L)

  test("a check in a superclass, a trait or a superclass argument runs"):
    Region.scoped:
      refused("superclass")(Rows[BySuper](1)(0) = BySuper(zero.toInt))
      refused("trait")(Rows[ByTrait](1)(0) = ByTrait(zero.toInt))
      refused("argument")(Rows[ByArgument](1)(0) = ByArgument(zero.toInt))

  test("a user-defined apply, copy or secondary constructor is called when its value is stored"):
    Region.scoped:
      val even = Rows[EvenNumber](1)
      even(0) = EvenNumber(5)
      assertEquals(even(0).n, 4)
      val lengths = Rows[Distance](1)
      lengths(0) = new Distance(5)
      assertEquals(lengths(0).millimetres, 5000L)
      lengths(0) = new Distance(7L)
      assertEquals(lengths(0).millimetres, 7L)
      val pairs = Rows[Pair](1)
      pairs(0) = new Pair(5)
      assertEquals((pairs(0).a, pairs(0).b), (5, 10))
      val rows = Rows[Own](1)
      rows(0) = Own(1, 2)
      rows.ref(0).transform(_.copy(a = -3))
      assertEquals((rows(0).a, rows(0).b), (3, 2))

  test("a value of a subclass is stored by its fields, not by the arguments of its constructor"):
    Region.scoped:
      val rows = Rows.from(List.fill(3)(Spread(-1, -1)))
      rows(0) = new PointSpread(5)
      rows(1) = new SwappedSpread(2, 1)
      rows(2) = new Spread(7, 8) {}
      assertEquals(rows.toVector, Vector(Spread(5, 5), Spread(1, 2), Spread(7, 8)))
      val growing = Rows.growing[Quoted]
      growing += Quoted(1, new SwappedSpread(2, 1))
      growing.appending(1)(_ += Quoted(2, new PointSpread(6)))
      assertEquals(growing.toVector, Vector(Quoted(1, Spread(1, 2)), Quoted(2, Spread(6, 6))))
      val map = StructMap[Spread, Int]()
      map(new SwappedSpread(2, 1)) = 3
      assertEquals(map.get(Spread(1, 2)), Some(3))
      val zones = Columns.from(List[Zone](Disc(1)))
      zones(0) = new ThinRing(8)
      assertEquals(zones(0), Ring(4, 0))

  test("a constructor with a side effect runs once for each store"):
    Region.scoped:
      val rows = Rows[Counted](1)
      val orders = Rows[MarketOrder](1)
      StructConstructorTest.made = 0
      rows(0) = Counted(1)
      rows.ref(0)() = Counted(2)
      assertEquals(StructConstructorTest.made, 2)
      orders(0) = MarketOrder.Sell(1)
      assertEquals(StructConstructorTest.made, 3)
      orders(0) = MarketOrder.Buy(1)
      assertEquals(StructConstructorTest.made, 3)
end StructConstructorTest
