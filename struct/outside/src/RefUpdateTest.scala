package outside.struct

import undercroft.memory.*
import undercroft.struct.*

object Currency:
  opaque type Cents = Long
  object Cents:
    def apply(amount: Long): Cents = amount
    given Struct.StoredAs[Cents, Long] = Struct.storedAs[Cents, Long](identity)(identity)
  extension (a: Cents) def +(b: Cents): Cents = a + b
  extension (a: Cents) def amount: Long = a
import Currency.*

case class Step(dx: Int, dy: Int) derives Struct, CanEqual:
  def +(other: Step): Step = Step(dx + other.dx, dy + other.dy)

given Struct.StoredAs[BigDecimal, Long] =
  Struct.storedAs[BigDecimal, Long](_.bigDecimal.movePointRight(2).longValueExact)(BigDecimal(_, 2))

case class Meter(
    flag: Boolean,
    int: Int,
    double: Double,
    @bigEndian wire: Int,
    step: Step,
    cells: InlineArray[InlineArray[Int, 2], 2],
    paid: Cents,
    total: BigDecimal
) derives Struct

class RefUpdateTest extends undercroft.tools.Suite:

  private val zero = Meter(
    false,
    10,
    2.5,
    7,
    Step(1, 2),
    InlineArray.fill(InlineArray(3, 4)),
    Cents(100),
    BigDecimal("1.25")
  )

  private def inRows(ref: Ref[Meter]): Unit =
    ref.update(_.int)(_ << 4 | 3)
    ref.update(_.double)(_ + ref.int)
    ref.update(_.flag)(_ | ref.int > 3)
    ref.update(_.wire)(_ + 1)
    ref.step.update(_.dx)(_ + 10)
    ref.update(_.step)(_ + Step(100, 200))
    ref.update(_.cells(ref.cells(0)(0) - 3)(1))(_ * 2)
    ref.update(_.paid)(_ + Cents(50))
    ref.update(_.total)(_ + BigDecimal("1.95"))
    assertEquals((ref.int, ref.double, ref.flag, ref.wire), (163, 165.5, true, 8))
    assertEquals((ref.step(), ref.cells(0)(1), ref.paid().amount), (Step(111, 202), 8, 150L))
    assertEquals(ref.total(), BigDecimal("3.20"))

  test("an update changes a field of each kind"):
    Region.scoped:
      inRows(Rows.from(List(zero, zero)).ref(1))
      inRows(Ref(zero))
      val growing = Rows.growing[Meter]
      growing += zero
      inRows(growing.ref(0))

  test("an update that fails changes nothing"):
    Region.scoped:
      val ref = Ref(zero)
      intercept[ArithmeticException](ref.update(_.int)(_ / 0)): Unit
      intercept[IndexOutOfBoundsException](ref.update(_.cells(0)(2))(_ + 1)): Unit
      intercept[ArithmeticException](ref.update(_.total)(_ + BigDecimal("0.001"))): Unit
      assertEquals(ref().toString, zero.toString)

  test("a value that closes the region of the field throws, and stores nothing"):
    val region = Region.shared("evening")
    val ref = Ref(zero)(using region)
    intercept[StaleReferenceException](ref.update(_.int)(_ + { region.close(); 1 })): Unit

  test("a field is a value of its own type, which has no operators that assign"):
    Region.scoped:
      val ref = Ref(zero)
      var copy = ref.int
      copy += 1
      assertEquals((copy, ref.int), (11, 10))
      assert(compileErrors("ref.int += 1").contains("value += is not a member of Int"))
      assert(
        compileErrors("ref.step += Step(1, 1)").contains(
          "Step has no field `+=`; replace the whole by `ref.transform(f)`, a part by `update`"
        )
      )
end RefUpdateTest
