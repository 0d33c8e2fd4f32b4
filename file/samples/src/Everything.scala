package undercroft.file.samples

import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green, Blue

enum Change derives Struct, CanEqual:
  case Opened
  case Traded(price: Int, color: Color)
  case Renamed(name: Text[20])

final case class Point(x: Int, y: Byte) derives Struct, CanEqual

/** Fields of every type, some of them nested. */
final case class Everything(
    bool: Boolean,
    byte: Byte,
    short: Short,
    char: Char,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    text: Text[24],
    option: Option[Int],
    absent: Option[Point],
    nested: Option[Option[Short]],
    named: Option[Text[8]],
    color: Color,
    maybe: Option[Color],
    change: Change,
    point: Point,
    array: InlineArray[Int, 3],
    flags: InlineArray[Boolean, 3],
    matrix: InlineArray[InlineArray[Short, 2], 2],
    points: InlineArray[Point, 2],
    pair: (Int, Byte),
    @bigEndian big: Int
) derives Struct,
      CanEqual

object Everything:
  /** Row `i`, for `i` in `[0, 10000)`. */
  def of(i: Int): Everything =
    val change = i % 3 match
      case 0 => Change.Opened
      case 1 => Change.Traded(i * 1000, Color.fromOrdinal(i % 2))
      case _ => Change.Renamed(Text(s"a longer name $i"))
    Everything(
      i % 2 == 0,
      (-i).toByte,
      (i * 100).toShort,
      'é',
      -i * 1000,
      Long.MaxValue - i,
      i * 0.25f,
      i * -0.125,
      Text(if i % 2 == 0 then s"naïve $i" else s"a longer text $i"),
      Option.when(i % 2 == 0)(i),
      Option.when(i % 3 == 0)(Point(i, 1)),
      Option.when(i % 4 > 0)(Option.when(i % 4 > 1)(i.toShort)),
      Option.when(i % 5 > 0)(Text(s"n$i")),
      Color.fromOrdinal(i % 3),
      Option.when(i % 3 == 1)(Color.Blue),
      change,
      Point(i, 7),
      InlineArray(i, 0, -i),
      InlineArray(i % 2 == 0, true, i % 3 == 0),
      InlineArray(InlineArray(i.toShort, 1.toShort), InlineArray(2.toShort, 3.toShort)),
      InlineArray(Point(1, 2), Point(i, 3)),
      (i, 5),
      0x01020304 + i
    )
  end of
end Everything
