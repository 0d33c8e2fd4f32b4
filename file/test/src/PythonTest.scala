package undercroft.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import undercroft.struct.*
import undercroft.tools.Requirement

/** Files read by a Python program that was written from docs/format.md alone. */
class PythonTest extends undercroft.tools.Suite:

  enum Color derives Struct, CanEqual:
    case Red, Green, Blue
  enum Change derives Struct, CanEqual:
    case Opened
    case Traded(price: Int, amount: Short)
    case Renamed(name: Text[3])
  final case class Point(x: Int, y: Byte) derives Struct
  opaque type Ticket = Long
  final case class Everything(
      bool: Boolean,
      byte: Byte,
      short: Short,
      char: Char,
      int: Int,
      long: Long,
      float: Float,
      double: Double,
      text: Text[12],
      option: Option[Int],
      color: Color,
      change: Change,
      point: Point,
      array: InlineArray[Int, 3],
      points: InlineArray[Point, 2],
      pair: (Int, Byte),
      @bigEndian big: Int,
      ticket: Ticket,
      union: Union[(whole: Int, small: InlineArray[Byte, 4])]
  ) derives Struct

  private def everything(i: Int) =
    val change = i % 3 match
      case 0 => Change.Opened
      case 1 => Change.Traded(i * 1000, (-i).toShort)
      case _ => Change.Renamed(Text(s"r$i"))
    val ticket: Ticket = i * 10_000_000_000L
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
      Color.fromOrdinal(i % 3),
      change,
      Point(i, 7),
      InlineArray(i, 0, -i),
      InlineArray(Point(1, 2), Point(i, 3)),
      (i, 5),
      0x01020304 + i,
      ticket,
      Union(whole = 258)
    )
  end everything

  private def json(i: Int): String =
    val change = i % 3 match
      case 0 => """{"tag": "Opened", "Opened": {}}"""
      case 1 => s"""{"tag": "Traded", "Traded": {"price": ${i * 1000}, "amount": ${-i}}}"""
      case _ => s"""{"tag": "Renamed", "Renamed": {"name": "r$i"}}"""
    val option = if i % 2 == 0 then i else 0
    val doubled = i * -0.125
    s"""{"bool": ${i % 2 == 0}, "byte": ${-i}, "short": ${i * 100}, "char": 233, """ +
      s""""int": ${-i * 100_000}, "long": ${Long.MaxValue - i}, "float": ${i * 0.25}, """ +
      s""""double": $doubled, "text": "na\\u00efve $i", """ +
      s""""option": {"isDefined": ${i % 2 == 0}, "get": $option}, "color": "${Color.fromOrdinal(
          i % 3
        )}", """ +
      s""""change": $change, "point": {"x": $i, "y": 7}, "array": [$i, 0, ${-i}], """ +
      s""""points": [{"x": 1, "y": 2}, {"x": $i, "y": 3}], "pair": {"_1": $i, "_2": 5}, """ +
      s""""big": ${0x01020304 + i}, "ticket": ${i * 10_000_000_000L}, """ +
      s""""union": {"whole": 258, "small": [2, 1, 0, 0]}}"""

  private def read(file: Path): String =
    Requirement.PYTHON3.require()
    val process =
      ProcessBuilder("python3", sys.env("UNDERCROFT_PYTHON"), file.toString)
        .redirectErrorStream(true)
        .nn
        .start()
        .nn
    val output = String(process.getInputStream.nn.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, output)
    output.strip.nn

  private inline def reads[L <: Layout](tables: TableFactory[L]): Unit =
    val file = Samples.path()
    val table = tables.create[Everything](file, maxRows = 200)
    for i <- 0 until 70 do table += everything(i)
    table.commit()
    val rows = (0 until 70).map(json).mkString("[", ", ", "]")
    assertEquals(read(file), s"""{"name": "Everything", "promise": 1, "rows": $rows}""")
    table.seal()
    val text = read(file)
    assert(text.startsWith(s"""{"name": "Everything", "promise": 2, "rows": $rows, "ranges": [["""))
    // Statistics of bool, byte, short, char, int and long.
    assert(text.contains(s"""[[[0, 1], [-69, 0], [0, 6900], [233, 233], [-6900000, 0], """), text)

  test("Python reads fields of every type from a file of Rows"):
    reads(Rows)
  test("Python reads fields of every type from a file of PackedRows"):
    reads(PackedRows)
  test("Python reads fields of every type from a file of Columns"):
    reads(Columns)

  test("Python detects a corrupt file"):
    val file = Samples.path()
    val table = Rows.create[Trade](file, maxRows = 100)
    for i <- 0 until 100 do table += Trade.of(i)
    table.seal()
    Requirement.PYTHON3.require()
    val bytes = Files.readAllBytes(file).nn
    bytes(12288 + 800) = 77
    Files.write(file, bytes)
    intercept[munit.ComparisonFailException](read(file)): Unit
end PythonTest
