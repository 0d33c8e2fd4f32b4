package outside.struct

import java.time.LocalDate
import undercroft.memory.*
import undercroft.struct.*

case class Due(id: Int, day: LocalDate) derives Struct, CanEqual

// The types of these methods are inferred while the macros in them run.
def moved(due: Ref[Due]) =
  due.day = LocalDate.of(2027, 1, 1)
  due.id
def days(dues: Rows[Due]) =
  val first = dues.ref(0)
  (first.day(), dues.map(_.day).toVector)

object Dues:
  case class Paid(id: Int, day: LocalDate) derives Struct, CanEqual
  def last(paid: Rows[Paid]) = paid.map(_.day).toVector.last
  def one(paid: Ref[Paid]) = paid()

/** Methods without a declared result type, next to the class that they use. */
class InferredResultTest extends undercroft.tools.Suite:

  test("fields that a default given stores are read and stored in methods of an inferred type"):
    Region.scoped:
      val day = LocalDate.of(2026, 11, 27)
      val dues = Rows.from(List(Due(1, day)))
      assertEquals(days(dues), (day, Vector(day)))
      assertEquals(moved(dues.ref(0)), 1)
      assertEquals(dues(0), Due(1, LocalDate.of(2027, 1, 1)))
      val paid = Rows.from(List(Dues.Paid(2, day)))
      assertEquals((Dues.last(paid), Dues.one(paid.ref(0))), (day, Dues.Paid(2, day)))
end InferredResultTest
