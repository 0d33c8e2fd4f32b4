package outside.boundedtypes

import undercroft.memory.*
import undercroft.struct.*

object Ids:
  opaque type UserId <: Long = Long
  def id(number: Long): UserId = number
import Ids.{UserId, id}

case class Order(id: UserId, n: Int) derives Struct
case class Holder(id: Option[UserId]) derives Struct
case class Pair(ids: InlineArray[UserId, 2]) derives Struct

object Payments:
  opaque type Paid <: Long = Long
  given Struct.StoredAs[Paid, Int] =
    Struct.storedAs[Paid, Int](paid => Math.toIntExact(paid))(number => number.toLong)

enum Side:
  case Buy, Sell

case class Box[N <: Int](x: Int) derives Struct
case class Tagged[S <: Side](n: Int) derives Struct

/** Types that are subtypes of a primitive are stored as the primitive and loaded as themselves. */
class BoundedTypeTest extends undercroft.tools.Suite:

  private def orders(using Region) = Rows.from(List(Order(id(7), 1), Order(id(5), 2)))

  test("a field of an opaque type with the bound Long is read and stored as its own type"):
    Region.scoped:
      val rows = orders
      val ids: Vector[UserId] = rows.map(_.id).toVector
      assertEquals(ids, Vector(id(7), id(5)))
      val first: UserId = rows.ref(0).id
      assertEquals(first, id(7))
      rows.ref(0).id = id(8)
      rows.updateAt(1)(_.id)(before => id(before + 1))
      assertEquals(rows.toVector, Vector(Order(id(8), 1), Order(id(6), 2)))
      val row: UserId = rows.row(1).id
      assertEquals(row, id(6))
      assertEquals(rows.map(_.id).min, id(6))
      assertEquals(rows.sortBy(_.id).map(_.n).toVector, Vector(2, 1))
      val matched = rows.map { case Order(user, n) => user + n }
      assertEquals(matched.toVector, Vector(9L, 8L))

  test("an opaque type with the bound Long is an element of a table, an Option and an array"):
    Region.scoped:
      assertEquals(Rows.from(List(id(3), id(4))).toVector, Vector(id(3), id(4)))
      val holders = Rows.from(List(Holder(Some(id(3))), Holder(None)))
      assertEquals(holders.toVector, Vector(Holder(Some(id(3))), Holder(None)))
      val pairs = Rows.from(List(Pair(InlineArray(id(1), id(2)))))
      assertEquals(pairs.map(_.ids(1)).toVector, Vector(id(2)))

  test("an opaque type with the bound Long is a key of groups and maps"):
    Region.scoped:
      val groups = orders.groupBy(_.id)
      assertEquals(groups(id(7)).map(_.n).toVector, Vector(1))
      val map = StructMap[UserId, Int]()
      map(id(7)) = 1
      assertEquals((map(id(7)), map.get(id(8))), (1, None))

  test("a StoredAs of an opaque type with the bound Long does not compile"):
    val errors = compileErrors("""
      import Payments.given
      case class Bill(paid: Payments.Paid) derives Struct
    """)
    val message = "Bill cannot derive Struct: field `paid` has a given Struct.StoredAs for Paid, " +
      "a subtype of Long, whose stored form is fixed: remove the bound of Paid, or the given"
    assert(errors.contains(message), errors)

  test("a type argument that is a constant or a case of an enum is not stored"):
    assertEquals(compileErrors("Region.scoped(Ref(Box[1](2))().x)"), "")
    assertEquals(compileErrors("Region.scoped(Ref(Tagged[Side.Buy.type](1))().n)"), "")

  test("a field whose type is a constant does not compile, and the error names the field"):
    for
      errors <- List(
        compileErrors("case class Pick(x: 1 | 2 | 3) derives Struct"),
        compileErrors("case class Pick(x: 1) derives Struct"),
        compileErrors("case class Pick(x: Side.Buy.type) derives Struct"),
        compileErrors("enum Pick derives Struct { case A; case B(x: 1) }")
      )
    do
      assert(!errors.contains("Exception occurred"), errors)
      assert(errors.contains("cannot derive Struct: field `x` has the type "), errors)
end BoundedTypeTest
