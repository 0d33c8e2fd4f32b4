package undercroft.arrow

import java.nio.file.{Files, Path}
import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green, Blue

enum Change derives Struct, CanEqual:
  case Opened
  case Traded(price: Int, color: Color)
  case Renamed(name: Text[5])

final case class Point(x: Int, y: Byte) derives Struct, CanEqual

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
    array: Inline[Int, 3],
    flags: Inline[Boolean, 3],
    matrix: Inline[Inline[Short, 2], 2],
    points: Inline[Point, 2],
    pair: (Int, Byte),
    @bigEndian big: Int
) derives Struct,
      CanEqual

object Everything:
  def of(i: Int): Everything =
    val change = i % 3 match
      case 0 => Change.Opened
      case 1 => Change.Traded(i * 1000, Color.fromOrdinal(i % 2))
      case _ => Change.Renamed(Text(s"r${i % 1000}"))
    Everything(
      i % 2 == 0,
      (-i).toByte,
      (i * 100).toShort,
      'é',
      -i * 100_000,
      Long.MaxValue - i,
      i * 0.25f,
      i * -0.125,
      Text(s"naïve $i"),
      Option.when(i % 2 == 0)(i),
      Option.when(i % 3 == 0)(Point(i, 1)),
      Option.when(i % 4 > 0)(Option.when(i % 4 > 1)(i.toShort)),
      Option.when(i % 5 > 0)(Text(s"n$i")),
      Color.fromOrdinal(i % 3),
      Option.when(i % 3 == 1)(Color.Blue),
      change,
      Point(i, 7),
      Inline(i, 0, -i),
      Inline(i % 2 == 0, true, i % 3 == 0),
      Inline(Inline(i.toShort, 1.toShort), Inline(2.toShort, 3.toShort)),
      Inline(Point(1, 2), Point(i, 3)),
      (i, 5),
      0x01020304 + i
    )
  end of

  /** What others read of row `i`, as JSON. */
  def json(i: Int): ujson.Value =
    val traded =
      if i % 3 == 1 then
        ujson.Obj("price" -> i * 1000, "color" -> Color.fromOrdinal(i % 2).toString)
      else ujson.Null
    val renamed = if i % 3 == 2 then ujson.Obj("name" -> s"r${i % 1000}") else ujson.Null
    ujson.Obj(
      "bool" -> (i % 2 == 0),
      "byte" -> (-i).toByte.toInt,
      "short" -> (i * 100).toShort.toInt,
      "char" -> 233,
      "int" -> -i * 100_000,
      "long" -> ujson.Num((Long.MaxValue - i).toDouble),
      "float" -> i * 0.25,
      "double" -> (i * -0.125 + 0.0),
      "text" -> s"naïve $i",
      "option" -> (if i % 2 == 0 then ujson.Num(i) else ujson.Null),
      "absent" -> (if i % 3 == 0 then ujson.Obj("x" -> i, "y" -> 1) else ujson.Null),
      "nested" ->
        (if i % 4 == 0 then ujson.Null
         else ujson.Obj("get" -> (if i % 4 > 1 then ujson.Num(i) else ujson.Null))),
      "named" -> (if i % 5 > 0 then ujson.Str(s"n$i") else ujson.Null),
      "color" -> Color.fromOrdinal(i % 3).toString,
      "maybe" -> (if i % 3 == 1 then ujson.Str("Blue") else ujson.Null),
      "change" -> ujson.Obj(
        "tag" -> Seq("Opened", "Traded", "Renamed")(i % 3),
        "Traded" -> traded,
        "Renamed" -> renamed
      ),
      "point" -> ujson.Obj("x" -> i, "y" -> 7),
      "array" -> ujson.Arr(i, 0, -i),
      "flags" -> ujson.Arr(i % 2 == 0, true, i % 3 == 0),
      "matrix" -> ujson.Arr(i, 1, 2, 3),
      "pair" -> ujson.Obj("_1" -> i, "_2" -> 5),
      "big" -> (0x01020304 + i)
    )
  end json
end Everything

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual
object Trade:
  def of(i: Long): Trade = Trade(i.toInt, (i * 7 % 1000).toInt, (i % 251).toInt, i % 3 == 0)

object Samples:
  /** A path in a folder of a test's own. */
  def path(name: String = "some.arrow"): Path =
    Files.createTempDirectory("undercroft-arrow").nn.resolve(name).nn

  /** What an operation fails with. */
  def fault(body: => Any): (ArrowFault, String) =
    try
      val _ = body
      throw AssertionError("nothing was wrong")
    catch case error: ArrowException => (error.fault, error.getMessage.nn)
end Samples
