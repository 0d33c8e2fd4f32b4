package outside.python

import undercroft.file.samples.{Change, Color, Point}
import undercroft.struct.*

/** Case numbers beyond 127, which are negative if read with a sign. */
enum Wide derives Struct, CanEqual:
  case C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17, C18, C19
  case D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12, D13, D14, D15, D16, D17, D18, D19
  case E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19
  case F0, F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13, F14, F15, F16, F17, F18, F19
  case G0, G1, G2, G3, G4, G5, G6, G7, G8, G9, G10, G11, G12, G13, G14, G15, G16, G17, G18, G19
  case H0, H1, H2, H3, H4, H5, H6, H7, H8, H9, H10, H11, H12, H13, H14, H15, H16, H17, H18, H19
  case I0, I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, I12, I13, I14, I15, I16, I17, I18, I19

sealed trait Shape derives Struct, CanEqual
final case class Circle(center: Point, radius: Double) extends Shape
final case class Polygon(corners: InlineArray[Point, 3], color: Option[Color]) extends Shape
case object Nothing extends Shape

final case class Slot(number: Option[Int]) derives Struct

/** The kinds of field that `Everything` has not. */
final case class Rare(
    wide: Wide,
    shape: Shape,
    maybeShape: Option[Shape],
    union: Union[(whole: Int, small: InlineArray[Byte, 4])],
    cube: InlineArray[InlineArray[InlineArray[Short, 4], 3], 2],
    colors: InlineArray[Color, 3],
    names: InlineArray[Text[6], 2],
    changes: InlineArray[Change, 2],
    options: InlineArray[Slot, 2],
    @bigEndian bigDouble: Double,
    @bigEndian bigShort: Short
) derives Struct

object Rare:
  /** Row `i`, for `i` in `[0, 100)`. */
  def of(i: Int): Rare =
    Rare(
      Wide.fromOrdinal(i + 40),
      shape(i),
      Option.when(i % 2 == 0)(shape(i + 1)),
      Union(whole = 258 + i),
      InlineArray(matrix(i, 0), matrix(i, 1)),
      InlineArray(Color.Red, Color.fromOrdinal(i % 3), Color.Blue),
      InlineArray(Text("naïf"), Text(s"n$i")),
      InlineArray(Change.Renamed(Text(s"c$i")), Change.Opened),
      InlineArray(Slot(Some(i)), Slot(None)),
      i * 0.5,
      (i * 300).toShort
    )

  private def matrix(i: Int, page: Int): InlineArray[InlineArray[Short, 4], 3] =
    def line(row: Int): InlineArray[Short, 4] =
      InlineArray((i + page).toShort, row.toShort, (page * row).toShort, (-1).toShort)
    InlineArray(line(0), line(1), line(2))

  def shape(i: Int): Shape = i % 3 match
    case 0 => Circle(Point(i, 1), i * 0.5)
    case 1 =>
      Polygon(
        InlineArray(Point(0, 0), Point(i, 1), Point(1, 2)),
        Option.when(i % 2 == 0)(Color.Green)
      )
    case _ => Nothing

  def expectedShape(i: Int): Any = i % 3 match
    case 0 => kase("Circle", "center" -> point(i, 1), "radius" -> i * 0.5)
    case 1 =>
      val color = if i % 2 == 0 then "Green" else null
      kase("Polygon", "corners" -> Seq(point(0, 0), point(i, 1), point(1, 2)), "color" -> color)
    case _ => kase("Nothing")

  def expected(i: Int): Map[String, Any] =
    val cube = for page <- 0 to 1 yield for row <- 0 to 2 yield Seq(i + page, row, page * row, -1)
    val whole = 258 + i
    Map(
      "wide" -> Wide.fromOrdinal(i + 40).toString,
      "shape" -> expectedShape(i),
      "maybeShape" -> (if i % 2 == 0 then expectedShape(i + 1) else null),
      "union" -> Map("whole" -> whole, "small" -> (0 to 3).map(k => (whole >> 8 * k).toByte)),
      "cube" -> cube,
      "colors" -> Seq("Red", Color.fromOrdinal(i % 3).toString, "Blue"),
      "names" -> Seq("naïf", s"n$i"),
      "changes" -> Seq(kase("Renamed", "name" -> s"c$i"), kase("Opened")),
      "options" -> Seq(Map("number" -> i), Map("number" -> null)),
      "bigDouble" -> i * 0.5,
      "bigShort" -> (i * 300).toShort
    )
  end expected
end Rare

def point(x: Int, y: Int): Map[String, Any] = Map("x" -> x, "y" -> y)

/** A case of a sealed hierarchy. */
def kase(name: String, fields: (String, Any)*): Map[String, Any] =
  Map("case" -> name, "fields" -> fields.toMap)

/** A row of 21 bytes, 24 with padding. */
final case class Trade(price: Double, amount: Int, buy: Boolean, ticker: Text[8]) derives Struct

object Trade:
  def of(i: Int): Trade = Trade(i * 0.25, i % 1000, i % 2 == 0, Text(s"T${i % 50}"))
