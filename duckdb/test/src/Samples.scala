package undercroft.duckdb

import java.nio.file.{Files, Path}
import undercroft.struct.*

enum Color derives Struct, CanEqual:
  case Red, Green, Blue

enum Change derives Struct, CanEqual:
  case Opened
  case Traded(price: Int, color: Color)
  case Renamed(name: Text[20])

final case class Point(x: Int, y: Byte) derives Struct, CanEqual

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

object Trade:
  def of(i: Long): Trade =
    Trade((i % 1000).toInt, (i * 7 % 1009).toInt, (i % 251).toInt, i % 3 == 0)

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
    color: Color,
    maybe: Option[Color],
    change: Change,
    point: Point,
    array: Inline[Int, 3],
    flags: Inline[Boolean, 3],
    matrix: Inline[Inline[Short, 2], 2],
    points: Inline[Point, 2],
    @bigEndian big: Int
) derives Struct,
      CanEqual

object Everything:
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
      Color.fromOrdinal(i % 3),
      Option.when(i % 3 == 1)(Color.Blue),
      change,
      Point(i, 7),
      Inline(i, 0, -i),
      Inline(i % 2 == 0, true, i % 3 == 0),
      Inline(Inline(i.toShort, 1.toShort), Inline(2.toShort, 3.toShort)),
      Inline(Point(1, 2), Point(i, 3)),
      0x01020304 + i
    )
  end of

  /** What DuckDB writes of row `i`, by column. */
  def shown(i: Int): Vector[String] =
    val traded =
      if i % 3 == 1 then s"{'price': ${i * 1000}, 'color': ${Color.fromOrdinal(i % 2)}}" else "NULL"
    val renamed = if i % 3 == 2 then s"{'name': a longer name $i}" else "NULL"
    Vector(
      s"${i % 2 == 0}",
      s"${(-i).toByte}",
      s"${(i * 100).toShort}",
      "233",
      s"${-i * 1000}",
      s"${Long.MaxValue - i}",
      s"${i * 0.25}",
      s"${i * -0.125}",
      if i % 2 == 0 then s"naïve $i" else s"a longer text $i",
      if i % 2 == 0 then s"$i" else "null",
      if i % 3 == 0 then s"{'x': $i, 'y': 1}" else "null",
      if i % 4 == 0 then "null" else s"{'get': ${if i % 4 > 1 then s"$i" else "NULL"}}",
      Color.fromOrdinal(i % 3).toString,
      if i % 3 == 1 then "Blue" else "null",
      s"{'tag': ${Seq("Opened", "Traded", "Renamed")(i % 3)}, 'Traded': $traded, 'Renamed': $renamed}",
      s"{'x': $i, 'y': 7}",
      s"[$i, 0, ${-i}]",
      s"[${i % 2 == 0}, true, ${i % 3 == 0}]",
      s"[$i, 1, 2, 3]",
      "",
      s"${0x01020304 + i}"
    )
  end shown
end Everything

object Samples:
  /** A path in a folder of a test's own. */
  def path(name: String): Path = Files.createTempDirectory("undercroft-duckdb").nn.resolve(name).nn

  /** Runs with a database, and closes it. */
  def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()
end Samples
