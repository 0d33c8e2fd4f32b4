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
    byte: Byte,
    short: Short,
    char: Char,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    @bigEndian wire: Int,
    step: Step,
    cells: InlineArray[InlineArray[Int, 2], 2],
    steps: InlineArray[Step, 2],
    value: Union[(whole: Int, real: Double)],
    paid: Cents,
    total: BigDecimal,
    limit: Option[Int],
    pair: (Int, Long)
) derives Struct

class CompoundAssignmentTest extends undercroft.tools.Suite:

  private val zero = Meter(
    false,
    1,
    2,
    'c',
    10,
    20L,
    1.5f,
    2.5,
    7,
    Step(1, 2),
    InlineArray.fill(InlineArray(3, 4)),
    InlineArray.fill(Step(5, 6)),
    Union(whole = 8),
    Cents(100),
    BigDecimal("1.25"),
    Some(9),
    (11, 12L)
  )

  private def inRows(ref: Ref[Meter]): Unit =
    ref.int += 1
    ref.int -= 3
    ref.int *= 5
    assertEquals(ref.int, 40)
    ref.int /= 3
    ref.int %= 8
    assertEquals(ref.int, 5)
    ref.int <<= 4
    ref.int |= 3
    ref.int &= 0x52
    ref.int ^= 1
    assertEquals(ref.int, 0x53)
    ref.int = -16
    ref.int >>= 2
    assertEquals(ref.int, -4)
    ref.int >>>= 28
    assertEquals(ref.int, 15)
    ref.long += ref.int
    ref.long <<= 2
    assertEquals(ref.long, 140L)
    ref.float *= 2
    ref.double /= 2
    ref.double += ref.float
    assertEquals((ref.float, ref.double), (3f, 4.25))
    ref.flag |= ref.int > 3
    assert(ref.flag)
    ref.flag &= false
    ref.flag ^= true
    assert(ref.flag)
    ref.wire += 1
    ref.step.dx += 10
    ref.step += Step(100, 200)
    assertEquals((ref.wire, ref.step()), (8, Step(111, 202)))
    ref.cells(1)(0) += 5
    ref.cells(ref.cells(0)(0) - 3)(1) *= 2
    ref.steps(1).dy -= 6
    ref.steps(0) += Step(1, 1)
    assertEquals(
      (ref.cells(1)(0), ref.cells(0)(1), ref.steps(1)(), ref.steps(0)()),
      (8, 8, Step(5, 0), Step(6, 7))
    )
    ref.value.whole += 2
    assertEquals(ref.value.whole, 10)
    ref.value.real = 0.5
    ref.value.real += 1
    assertEquals(ref.value.real, 1.5)
    ref.paid += Cents(50)
    assertEquals(ref.paid().amount, 150L)
    ref.total += BigDecimal(2)
    ref.total -= BigDecimal("0.05")
    assertEquals(ref.total(), BigDecimal("3.20"))
  end inRows

  test("assigning operators change a field, an element, a member and a nested struct"):
    Region.scoped:
      inRows(Rows.from(List(zero, zero)).ref(1))
      inRows(Ref(zero))
      val growing = Rows.growing[Meter]
      growing += zero
      inRows(growing.ref(0))

  test("assigning operators change packed rows and rows of primitives"):
    Region.scoped:
      val packed = PackedRows.from(List(zero, zero))
      packed.ref(1).long += 5
      packed.ref(1).step.dy -= 5
      packed.ref(1).cells(0)(1) <<= 1
      packed.ref(1).wire *= 2
      assertEquals((packed(1).long, packed(1).step, packed(1).wire), (25L, Step(1, -3), 14))
      assertEquals(packed(1).cells(0)(1), 8)
      assertEquals(packed(0).long, 20L)
      val numbers = Rows.from(List(1, 2, 3))
      numbers.ref(2) += 10
      assertEquals(numbers.toVector, Vector(1, 2, 13))

  test("the receiver, the index and the value are evaluated once, in this order"):
    Region.scoped:
      val rows = Rows.from(List(zero, zero))
      var calls = Vector.empty[String]
      def named[A](name: String, value: A): A =
        calls :+= name
        value
      def number(name: String, value: Int): Int = named(name, value)
      named("rows", rows).ref(number("row", 1)).int += number("value", 5)
      assertEquals((calls, rows(1).int), (Vector("rows", "row", "value"), 15))
      calls = Vector.empty
      named("ref", rows.ref(0)).cells(number("i", 1))(number("j", 0)) += number("value", 5)
      assertEquals((calls, rows(0).cells(1)(0)), (Vector("ref", "i", "j", "value"), 8))

  test("an assignment with spaces, comments and parentheses around the field is the same"):
    Region.scoped:
      val ref = Ref(zero)
      ref.int /* the number */ += 1
      (ref.int) += 1
      ref.int // the number
        += 1
      assertEquals(ref.int, 13)
      val isLarge = ref.int >= 3 && ref.int <= 13 && ref.int != 5
      assert(isLarge)

  test("a read of a field has the type of the field"):
    Region.scoped:
      val ref = Ref(zero)
      var copy = ref.int
      copy = 5
      copy += 1
      assertEquals((copy, ref.int), (6, 10))
      val text = ref.int match
        case 10 => "ten"
        case _  => "other"
      assertEquals(text, "ten")

  test("an assignment that fails changes nothing"):
    Region.scoped:
      val ref = Ref(zero)
      intercept[ArithmeticException](ref.int /= 0): Unit
      intercept[IndexOutOfBoundsException](ref.cells(0)(2) += 1): Unit
      intercept[ArithmeticException](ref.total += BigDecimal("0.001")): Unit
      assertEquals(ref().toString, zero.toString)

  test("an assignment through a stale reference and through Ref.none throws"):
    val stale = Region.named("morning")(Ref(zero))
    val error = intercept[StaleReferenceException](stale.int += 1)
    assert(error.getMessage.nn.contains("morning"), error.getMessage)
    intercept[StaleReferenceException](stale.cells(0)(0) += 1): Unit
    intercept[StaleReferenceException](stale.step += Step(1, 1)): Unit
    intercept[NullReferenceException](Ref.none[Meter].int += 1): Unit

  test("a value that closes the region of the field throws, and stores nothing"):
    val region = Region.shared("evening")
    val ref = Ref(zero)(using region)
    intercept[StaleReferenceException](ref.int += { region.close(); 1 }): Unit

  private val rejected = List(
    "ref.step.dz += 1" -> "Step has no field `dz`; it has dx, dy",
    "ref.byte += 1" -> ("`+=` stores a value of type Int in field `byte` of type Byte: convert " +
      "it, as in `ref.update(_.byte)(before => (before + value).toByte)`"),
    "ref.int *= 0.5" -> "`*=` stores a value of type Double in field `int` of type Int",
    "ref.char += 1" -> "in field `char` of type Char",
    "ref.cells(0)(1) += 1L" -> "`+=` stores a value of type Long in a part of type Int",
    "ref.flag += 1" -> ("field `flag` of type Boolean has no `+` with a value of type Int: use " +
      "`ref.update(_.flag)(f)`"),
    "ref.int -= \"one\"" -> "field `int` of type Int has no `-` with a value of type String",
    "ref.limit += 1" -> "of type Option[Int] has no `+` with a value of type Int",
    "ref.step *= 2" -> "of type Step has no `*` with a value of type Int",
    "ref.limit.get += 1" -> "`get` of an Option cannot be stored alone"
  )

  // Compiled as a file: text for `compileErrors` is not the source that the operator is in.
  private def errorsOf(statements: List[String]): List[String] =
    val methods = statements.zipWithIndex.map: (statement, i) =>
      s"def change$i(ref: Ref[Meter]): Unit = $statement"
    val source =
      methods.mkString("import outside.struct.{*, given}\nimport undercroft.struct.*\n", "\n", "\n")
    UserCompiler.inFolder: folder =>
      UserCompiler.errors(UserCompiler.compile(folder, Seq("User" -> source))).toList

  test(
    "a wrong field, operator or result is a compile error with the field and the cure".tag(LongTest)
  ):
    val errors = errorsOf("ref.int += 1" :: rejected.map(_._1))
    for (error, (statement, message)) <- errors.zip(rejected) do
      assert(error.contains(message), s"$statement: $error")
    assertEquals(errors.size, rejected.size, errors)
end CompoundAssignmentTest
