package outside.struct

import undercroft.memory.*
import undercroft.struct.*

object Closures:
  case class Point(x: Int, y: Int) derives Struct, CanEqual
  enum Color derives Struct, CanEqual:
    case Red, Green
  sealed trait Figure derives Struct, CanEqual
  case class Circle(radius: Int) extends Figure
  case class Box(width: Int, height: Option[Int]) extends Figure
  case object Dot extends Figure
  case class Row(
      id: Int,
      numbers: InlineArray[Int, 2],
      grid: InlineArray[InlineArray[Long, 2], 2],
      points: InlineArray[Point, 2],
      options: InlineArray[Option[Int], 2],
      option: Option[Point],
      color: Color,
      figure: Figure,
      name: Text[8],
      union: Union[(number: Int, point: Point)]
  ) derives Struct, CanEqual

  def row(i: Int): Row = Row(
    i,
    InlineArray(i, i * 3),
    InlineArray.tabulate(k => InlineArray.tabulate(j => (i * k + j).toLong)),
    InlineArray(Point(i, 1), Point(2, i)),
    InlineArray(Some(i), None),
    Option.when(i % 2 == 0)(Point(i, i * 5)),
    if i % 3 == 0 then Color.Red else Color.Green,
    i % 4 match
      case 0 => Circle(i)
      case 1 => Box(i, None)
      case 2 => Box(i, Some(i * 7))
      case _ => Dot,
    Text[8](s"n$i"),
    Union[(number: Int, point: Point)](point = Point(i, -i))
  )

  val values: Vector[Row] = Vector.tabulate(12)(row)

  def delayed(times: Int)(value: => Int): Int = (0 until times).map(_ => value).sum

  abstract class Doubled(val start: Int):
    def more: Int
    def sum: Int = start + more
end Closures

/** A use of a part of a row in a function, a method or a class in the function literal. Each use is
  * evaluated over rows, over columns, through a reference, and over a Vector of the same values.
  */
class ClosureMatrixTest extends undercroft.tools.Suite:
  import Closures.*

  private inline def same(inline part: (Row, Int) => Int): Unit =
    Region.scoped:
      def lambda(): Unit = everywhere(r => List(0, 1).map(k => part(r, k)).sum)
      def nested(): Unit =
        everywhere(r => List(0, 1).map(k => List(1, 0).map(j => part(r, k) * part(r, j)).sum).sum)
      def loop(): Unit = everywhere: r =>
        var sum = 0
        for k <- 0 until 2 do sum += part(r, k)
        sum
      def method(): Unit = everywhere: r =>
        def at(k: Int): Int = part(r, k) + k
        at(0) - 2 * at(1)
      def recursive(): Unit = everywhere: r =>
        def from(k: Int): Int = if k == 2 then 0 else part(r, k) + 3 * from(k + 1)
        from(0)
      def byName(): Unit = everywhere: r =>
        val k = r.id % 2
        delayed(2)(part(r, k) + k)
      def later(): Unit = everywhere: r =>
        lazy val first = part(r, 0)
        val second = part(r, 1)
        if r.id == 3 then second else first - second
      def inClass(): Unit = everywhere: r =>
        class Parts(k: Int):
          val field: Int = part(r, k)
          lazy val later: Int = part(r, 1)
          var sum = 0
          sum += part(r, 1)
          def both: Int = field + part(r, 1 - k) * later + sum
        Parts(0).both + Parts(1).both
      def subclass(): Unit = everywhere: r =>
        class Parts extends Doubled(part(r, 1)):
          def more: Int = part(r, 0)
        Parts().sum
      val simple = List[() => Unit](lambda, nested, loop, method, recursive, byName)
      for use <- simple ++ List[() => Unit](later, inClass, subclass) do use()

  private inline def everywhere(inline f: Row => Int)(using Allocator): Unit =
    val expected = values.map(f)
    val (rows, columns) = (Rows.from(values), Columns.from(values))
    assertEquals(rows.map(f).toVector, expected)
    assertEquals(columns.sumOf(f), expected.map(_.toLong).sum)
    assertEquals(values.indices.map(i => rows.ref(i)(f)).toVector, expected)

  test("elements of an array of numbers"):
    same((r, k) => r.numbers(k))

  test("elements of an array of arrays"):
    same((r, k) => r.grid(k)(1 - k).toInt + r.id)

  test("elements of an array of structs"):
    same((r, k) => r.points(k).x - r.points(1 - k).y)

  test("elements of an array of Options"):
    same((r, k) => r.options(k).getOrElse(k + r.id))

  test("an element that is matched"):
    same: (r, k) =>
      r.options(k) match
        case Some(n) => n
        case None    => k

  test("a match on an Option"):
    same: (r, k) =>
      r.option match
        case Some(Point(x, y)) if x > 3 => x + k * y
        case Some(p)                    => p.y + k
        case None                       => k

  test("a match on an enum"):
    same: (r, k) =>
      r.color match
        case Color.Red   => k
        case Color.Green => r.id

  test("a match on a sealed trait"):
    same: (r, k) =>
      r.figure match
        case Circle(radius) if radius + k > 3 => radius
        case Box(width, Some(height))         => List(width, height).map(n => n + r.numbers(k)).sum
        case b: Box                           => b.width + k
        case other                            => if other == Dot then 1 else k

  test("a match in a match"):
    same: (r, k) =>
      r.figure match
        case Circle(n) =>
          val sums = List(n, k).map: j =>
            r.option match
              case Some(p) => p.x + j
              case _       => n
          sums.sum
        case _ =>
          r.option match
            case Some(p) => p.y
            case _       => k

  test("a match on the row"):
    same: (r, k) =>
      r match
        case Row(id, _, _, _, _, Some(Point(x, _)), _, Box(_, _), _, _) => id + x + k
        case other                                                      => other.id * k

  test("a search in a text"):
    same: (r, k) =>
      if r.name.startsWith("n1") then k
      else if r.name.contains(k.toString) then 7
      else r.name.byteLength

  test("a member of a union"):
    same((r, k) => r.union.point.y * k + r.union.point.x)
end ClosureMatrixTest
