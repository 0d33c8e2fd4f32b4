package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.assertAllocates

enum Figure derives Struct, CanEqual:
  case Nothing
  case Circle(radius: Double)
  case Box(wide: Int, high: Int)
  case Named(name: Text[6], tone: Option[Byte])

sealed trait Order derives Struct, CanEqual
sealed trait Open extends Order
final case class Limit(id: Int, price: Long) extends Open
final case class Market(id: Int) extends Open
case object Halt extends Order
final case class Cancel(id: Int, why: Figure) extends Order

enum Message[+A] derives CanEqual:
  case Put(key: Short, value: A)
  case Gone

case class Letter(before: Byte, message: Message[Int], figure: Figure, after: Byte)
    derives Struct,
      CanEqual

/** A tree whose leaves and nodes have different fields. */
enum Forest derives Struct, CanEqual:
  case Leaf(value: Int)
  case Fork(left: Ref[Forest], right: Ref[Forest])

class CasesTest extends undercroft.tools.Suite:
  import Figure.*
  var sum = 0L

  private val figures = Vector(
    Nothing,
    Circle(2.5),
    Circle(-0.0),
    Box(3, -4),
    Box(Int.MaxValue, Int.MinValue),
    Named(Text("ab"), None),
    Named(Text("åßç"), Some(-1))
  )

  private val orders: Vector[Order] =
    Vector(Limit(1, -1), Market(2), Halt, Cancel(3, Circle(9))) ++ figures.map(Cancel(4, _))

  private val letters =
    for
      message <- Vector(Message.Put(1, 2), Message.Gone, Message.Put(-1, -2))
      figure <- figures
    yield Letter(-1, message, figure, -1)

  private def agree[T, L <: Layout](tables: TableFactory[L], values: Vector[T])(using
      Struct[T]
  ): Unit =
    Region.scoped:
      val table = tables[T](values.size)
      values.indices.foreach(i => table(i) = values(i))
      assertEquals(table.toVector, values)
      values.indices.foreach(i => table(i) = values(values.size - 1 - i))
      assertEquals(table.toVector, values.reverse)

  private inline def known[T, L <: Layout](table: Table[T, L], values: Vector[T]): Unit =
    values.indices.foreach(i => table(i) = values(i))
    assertEquals(values.indices.map(i => table(i)).toVector, values)
    table.transform(value => value)
    assertEquals(table.toVector, values)

  private inline def holds[T: Struct](values: Vector[T]): Unit =
    agree(Rows, values)
    agree(PackedRows, values)
    agree(Columns, values)
    Region.scoped:
      val rows = Rows[T](values.size)
      known(rows, values)
      known(PackedRows[T](values.size), values)
      known(Columns[T](values.size), values)
      values.indices.foreach: i =>
        rows.ref(i)() = values(values.size - 1 - i)
        assertEquals(rows.ref(i)(), values(values.size - 1 - i))
      val growing = Rows.growing[T]
      values.foreach(value => growing += value)
      assertEquals(growing.toVector, values)

  test("the layout of an enum is a tag and a union of its cases"):
    assertEquals(
      Struct[Figure].layout.show,
      """Figure: 16 bytes, aligned to 8
        |       0    1  tag                  Byte
        |       1    7  (padding)
        |       8    8  Circle.radius        Double
        |       8    4  Box.wide             Int
        |      12    4  Box.high             Int
        |       8    6  Named.name           Byte[6]
        |      14    1  Named.tone.isDefined Boolean
        |      15    1  Named.tone.get       Byte""".stripMargin
    )
    assertEquals(Struct[Figure].packedSize, 9)

  test("values of every enum case are stored and loaded in every layout"):
    holds[Figure](figures)
    holds[Order](orders)
    holds[Letter](letters)

  test("storing another case leaves other fields and rows unchanged"):
    Region.scoped:
      val rows = Rows[Letter](3)
      letters.foreach: letter =>
        rows(1) = letter
        assertEquals(rows(1), letter)
        assertEquals(rows(0), rows(2))
      assertEquals(rows(0), Letter(0, Message.Put(0, 0), Nothing, 0))

  test("a match through a reference agrees with a match on the value"):
    def area(ref: Ref[Figure]): Double = ref:
      case Circle(radius)                      => 3 * radius * radius
      case Box(wide, high)                     => wide.toDouble * high
      case Named(name, Some(tone)) if tone > 5 => name.byteLength + tone
      case Named(name, _)                      => name.byteLength
      case Nothing                             => 0
    def ofValue(figure: Figure): Double = figure match
      case Circle(radius)                      => 3 * radius * radius
      case Box(wide, high)                     => wide.toDouble * high
      case Named(name, Some(tone)) if tone > 5 => name.byteLength + tone
      case Named(name, _)                      => name.byteLength
      case Nothing                             => 0
    Region.scoped:
      val values = figures :+ Named(Text("x"), Some(7))
      val rows = Rows.from(values)
      for i <- values.indices do assertEquals(area(rows.ref(i)), ofValue(values(i)))

  test("every kind of pattern in a loop or through a reference agrees with a match on the value"):
    val seven = 7.toByte
    val values = letters ++ letters.map(_.copy(before = seven))
    Region.scoped:
      val (rows, columns) = (Rows.from(values), Columns.from(values))
      inline def agree(inline f: Letter => String): Unit =
        val texts = columns.map(f).toVector
        assertEquals(texts, values.map(f))
        assertEquals(values.indices.map(i => rows.ref(i)(f)).toVector, texts)
      agree:
        case Letter(_, Message.Put(1, value), Circle(radius), _) => s"$value $radius"
        case Letter(`seven`, _, _, _)                            => "seven"
        case letter @ Letter(_, Message.Gone, Box(_, high), _) if high < -4 =>
          s"${letter.before} $high"
        case Letter(_, Message.Gone, Nothing | Circle(_), after)    => s"either $after"
        case Letter(_, put: Message.Put[Int], Named(name, None), _) => s"${put.value} $name"
        case Letter(_, put @ Message.Put(_, _), _: Named, _)        => put.toString
        case other                                                  => other.toString
      agree: letter =>
        val inner = letter.figure match
          case Named(name, Some(-1)) => name.string
          case box: Box              => (box.wide + box.high).toString
          case figure                => figure.toString
        letter.message match
          case Message.Put(key, value) if value > 0 => s"$inner $key"
          case _                                    => s"$inner ${letter.before}"

  test("the compiler warns of a match through a reference if and only if it is not exhaustive".tag(
    LongTest
  )):
    val compiled = Compiled(
      """import undercroft.struct.*
        |enum Sign derives Struct:
        |  case Plus(by: Int)
        |  case Minus(by: Int)
        |def part(ref: Ref[Sign]): Int = ref { case Sign.Plus(by) => by }
        |def whole(ref: Ref[Sign]): Int = ref:
        |  case Sign.Plus(n) if n > 1 => n
        |  case Sign.Plus(m) => m
        |  case Sign.Minus(by) => -by
        |""".stripMargin,
      "-Wunused:all"
    )
    assertEquals(compiled.errors, "")
    val words = "match may not be exhaustive.\n\nIt would fail on pattern case: Sign.Minus(_)"
    assertEquals(compiled.warnings.trim, s"$words\n\n1 warning found")

  test("an enum case that cannot be stored does not compile, and the error names the reason"):
    val errors = Compiled(
      """import undercroft.struct.*
        |enum Deep derives Struct { case Leaf(n: Int); case Fork(left: Deep, right: Deep) }
        |enum Long derives Struct { case A(s: String); case B }
        |sealed trait Kin derives Struct
        |class Cousin(a: Int) extends Kin
        |enum Odd[A] { case One(a: A); case Two[B](b: B) extends Odd[Int] }
        |case class HasOdd(odd: Odd[Int]) derives Struct
        |enum Bare { case A(x: Int); case B }
        |case class HasBare(bare: Bare) derives Struct
        |""".stripMargin
    ).errors
    for words <- List(
        "Deep cannot derive Struct: it holds itself (Deep > Deep), so it has no size",
        "A cannot derive Struct: field `s` is a String",
        "Kin cannot derive Struct: its case Cousin is neither a case class nor an object",
        "Odd cannot derive Struct: the type parameter B of its case Two is not known from it",
        "field `bare` has the type Bare, which has no Struct: add `derives Struct` to Bare"
      )
    do assert(errors.contains(words), errors)

  test("reading or matching an invalid tag throws NoSuchElementException with the tag"):
    Region.scoped:
      val rows = Rows[Figure](1)
      rows.segment.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, 200.toByte)
      val message = "case 200 of Figure, which has 4 cases"
      assertEquals(intercept[NoSuchElementException](rows(0)).getMessage, message)
      val error = intercept[NoSuchElementException]:
        rows.ref(0):
          case Nothing               => 0
          case Box(_, _) | Circle(_) => 1
          case Named(_, _)           => 2
      assertEquals(error.getMessage, message)

  test("storing a case whose constructor argument throws changes nothing"):
    Region.scoped:
      val rows = Rows.from(List[Figure](Box(1, 2), Box(3, 4)))
      def broken: Int = throw IllegalArgumentException("no height")
      intercept[IllegalArgumentException](rows(0) = Box(9, broken))
      intercept[IllegalArgumentException](rows.ref(1)() = Box(9, broken))
      assertEquals(rows.toVector, Vector[Figure](Box(1, 2), Box(3, 4)))

  test("rows of an enum in reused memory have zeros outside their case"):
    def bytes[T](rows: Rows[T]): Vector[Byte] =
      rows.segment.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).nn.toVector
    val used = 20_000
    for _ <- 1 to 2 do
      Region.scoped(Rows.tabulate[Line](used)(i =>
        Line(true, Point(-1, -i.toDouble), Point(-1, 1), -1)
      ))
    Region.scoped:
      val rows = Rows.tabulate[Figure](used)(i => if i % 2 == 0 then Nothing else Box(1, 2))
      val zeroed = Rows[Figure](used)
      for i <- 1 until used by 2 do zeroed(i) = Box(1, 2)
      assertEquals(bytes(rows), bytes(zeroed))

  test("an enum is recursive through references in its cases"):
    def total(forest: Ref[Forest]): Int = forest:
      case Forest.Leaf(value)       => value
      case Forest.Fork(left, right) => total(left) + total(right)
    def grown(depth: Int)(using Region): Ref[Forest] =
      if depth == 0 then Ref(Forest.Leaf(1))
      else Ref(Forest.Fork(grown(depth - 1), grown(depth - 1)))
    Region.scoped:
      val forest = grown(8)
      assertEquals(total(forest), 256)
      assertAllocates(0) { sum += total(forest) }

  test("matches in loops and through references allocate nothing"):
    Region.scoped:
      val rows = Rows.from(figures)
      val columns = Columns.from(figures)
      assertAllocates(0) {
        sum += rows.sumOf:
          case Circle(radius)  => radius.toLong
          case Box(wide, high) => wide.toLong * high
          case _               => 0L
      }
      assertAllocates(0) {
        sum += columns.sumOf:
          case Circle(radius)  => radius.toLong
          case Box(wide, high) => wide.toLong * high
          case _               => 0L
      }
      assertAllocates(0) {
        sum += rows.ref(3):
          case Circle(radius)  => radius.toLong
          case Box(wide, high) => wide.toLong * high
          case _               => 0L
      }
      assertAllocates(0) { rows(2) = Box(sum.toInt, 7) }
      assertAllocates(0) { rows.ref(2)() = Circle(7) }
      assertAllocates(0) { columns(2) = Nothing }
end CasesTest
