package undercroft.arrow

import java.nio.file.{Files, Path}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*
import undercroft.file.format.{FileLayout, StructFile}
import undercroft.file.samples.*

final case class Only(id: Long) derives Struct

/** Exchange of files with pyarrow and Polars, in both directions. */
class PythonTest extends undercroft.tools.Suite:
  private given CanEqual[FileLayout, FileLayout] = CanEqual.derived

  import Python.run

  private inline def written[L <: Layout](tables: TableFactory[L], batch: Int): Path =
    val file = Samples.path()
    Region.scoped:
      tables.tabulate[Everything](70)(i => Everything.of(i.toInt)).writeArrow(file, batch)
    file

  private def compare(rows: ujson.Value): Unit =
    assertEquals(rows.arr.size, 70)
    for i <- 0 until 70 do
      val row = ujson.read(rows(i).render())
      assertEquals(row.obj.remove("points").isDefined, true)
      assertEquals(row, Samples.json(i), s"row $i")

  test("pyarrow maps columns without a copy"):
    val report = run("pyarrow", written(Columns, 1000).toString)
    compare(report("rows"))
    assertEquals(report("copied").num, 0.0)
    assertEquals(report("aligned").bool, true)
    val types = report("types")
    assertEquals(types("color").str, "dictionary<values=string, indices=int8, ordered=0>")
    assertEquals(types("text").str, "string")
    assertEquals(types("array").str, "fixed_size_list<item: int32 not null>[3]")
    assertEquals(types("char").str, "uint16")
    assertEquals(types("points").str, "fixed_size_binary[16]")

  test("pyarrow maps rows in several batches without a copy"):
    val report = run("pyarrow", written(Rows, 32).toString)
    compare(report("rows"))
    assertEquals(report("copied").num, 0.0)

  test("Polars reads the values that were written"):
    compare(run("polars", written(PackedRows, 32).toString)("rows"))

  final case class Theirs(
      price: Double,
      id: Int,
      name: Text[32],
      color: Color,
      maybe: Option[Long]
  ) derives Struct, CanEqual

  private val expected = Vector(
    Theirs(1.5, 1, Text("Ada"), Color.Green, Some(7)),
    Theirs(-2.0, 2, Text("naïve"), Color.Red, None),
    Theirs(0.0, 3, Text("a text of more than twelve bytes"), Color.Green, Some(9))
  )

  for by <- Seq("pyarrow", "polars") do
    test(s"readArrow reads a file written by $by"):
      val file = Samples.path()
      val _ = run("write", by, file.toString)
      Region.scoped:
        assertEquals(Rows.readArrow[Theirs](file).toVector, expected)
        assertEquals(Columns.readArrow[Theirs](file).toVector, expected)

  enum Side derives Struct, CanEqual:
    case Sell, Buy

  final case class Point(x: Long, y: Option[Double]) derives Struct, CanEqual
  final case class Kinds(
      bool: Option[Boolean],
      int8: Byte,
      int64: Long,
      uint8: Short,
      uint16: Option[Int],
      uint32: Long,
      float: Float,
      double: Option[Double],
      text: Option[Text[3]],
      large: Text[32],
      view: Text[32],
      side: Side,
      bytes: InlineArray[Byte, 3],
      list: InlineArray[Short, 2],
      point: Option[Point]
  ) derives Struct, CanEqual

  private val kinds = Vector(
    Kinds(
      Some(true),
      -128,
      Long.MinValue,
      255,
      Some(65535),
      4294967295L,
      1.5f,
      None,
      Some(Text("Ada")),
      Text("naïve"),
      Text(""),
      Side.Sell,
      InlineArray[Byte, 3](97, 98, 99),
      InlineArray[Short, 2](1, 2),
      Some(Point(1, None))
    ),
    Kinds(
      Some(false),
      127,
      Long.MaxValue,
      0,
      None,
      0,
      -0.0f,
      Some(1e300),
      Some(Text("")),
      Text("a text of more than twelve bytes"),
      Text("a text of more than twelve bytes"),
      Side.Buy,
      InlineArray[Byte, 3](100, 101, 102),
      InlineArray[Short, 2](3, 4),
      None
    ),
    Kinds(
      None,
      0,
      0,
      1,
      Some(1),
      1,
      2.5f,
      Some(2.5),
      None,
      Text("x"),
      Text("y"),
      Side.Sell,
      InlineArray[Byte, 3](103, 104, 105),
      InlineArray[Short, 2](5, 6),
      Some(Point(3, Some(2.5)))
    )
  )

  for layout <- FileLayout.values do
    test(s"convertArrow stores all types of a file written by pyarrow in the layout $layout"):
      val arrow = Samples.path()
      val copy = arrow.resolveSibling("kinds.rows").nn
      val _ = run("types", "pyarrow", arrow.toString)
      convertArrow(arrow, copy, layout)
      val rows = layout match
        case FileLayout.ALIGNED => Rows.openReadOnly[Kinds](copy)
        case FileLayout.PACKED  => PackedRows.openReadOnly[Kinds](copy)
        case FileLayout.COLUMNS => Columns.openReadOnly[Kinds](copy)
      try assertEquals(rows.toVector, kinds)
      finally rows.close()

  test("readArrow reads integers of fewer bits, and bytes, that pyarrow wrote"):
    val arrow = Samples.path()
    val _ = run("types", "pyarrow", arrow.toString)
    Region.scoped(assertEquals(Columns.readArrow[Kinds](arrow).toVector, kinds))

  for (unstored, shown) <- Seq(
      "duration" -> "not supported: `when` is of the type duration",
      "binary" -> "not supported: `when` is of the type binary",
      "list" -> "not supported: `when` is of the type list of int64",
      "map" -> "not supported: `when` is of the type map",
      "numbers" -> "the dictionary of `when` must contain text, but contains int64",
      "element" -> "invalid value: row 2 of `when` has an element that is null",
      "range" -> "invalid value: a timestamp of `when` is out of range",
      "long" -> "a text of `when` has 1048577 bytes; at most 1048576 are stored"
    )
  do
    test(s"convertArrow rejects a field that is not stored, and leaves no file: $unstored"):
      val arrow = Samples.path()
      val copy = arrow.resolveSibling("kinds.rows").nn
      val _ = run("types", "pyarrow", arrow.toString, unstored)
      val error = intercept[ArrowException](convertArrow(arrow, copy))
      assert(error.getMessage.nn.contains(shown), error.getMessage)
      assert(!Files.exists(copy))

  final case class Flagged(isDefined: Boolean, get: Long) derives Struct, CanEqual
  final case class Texts(
      date: Option[Text[10]],
      date64: Text[10],
      time: Text[8],
      micros: Text[15],
      moment: Option[Text[26]],
      nanos: Text[29],
      zoned: Text[22],
      price: Text[5],
      whole: Option[Long],
      huge: Text[31],
      count: Long,
      large: Option[Text[20]],
      half: Option[Float],
      nothing: Option[Text[1]],
      bytes: Option[InlineArray[Short, 2]],
      halves: InlineArray[Float, 2],
      empty: Option[Text[1]],
      Option: Flagged
  ) derives Struct, CanEqual

  private val texts = Vector(
    Texts(
      Some(Text("2020-01-02")),
      Text("2020-01-02"),
      Text("01:02:03"),
      Text("01:02:03.0005"),
      Some(Text("2020-01-02 03:04:05.678")),
      Text("1970-01-01 00:00:00.000000001"),
      Text("1970-01-01 00:00:00+00"),
      Text("1.25"),
      Some(1),
      Text("1000000000000000000000000000000"),
      1,
      Some(Text("1")),
      Some(1.5f),
      None,
      Some(InlineArray[Short, 2](1, 255)),
      InlineArray[Float, 2](1.5f, 2),
      None,
      Flagged(false, 0)
    ),
    Texts(
      None,
      Text("9999-12-31"),
      Text("00:00:00"),
      Text("00:00:00"),
      Some(Text("1969-12-31 23:59:59.000001")),
      Text("1970-01-01 00:00:00.000000002"),
      Text("1970-01-01 00:00:01+00"),
      Text("-3.00"),
      Some(-5),
      Text("-5"),
      Long.MaxValue,
      Some(Text("18446744073709551615")),
      None,
      None,
      None,
      InlineArray[Float, 2](2, 3),
      None,
      Flagged(false, 1)
    ),
    Texts(
      Some(Text("0001-01-01")),
      Text("1969-12-31"),
      Text("23:59:59"),
      Text("12:00:00.000001"),
      None,
      Text("1969-12-31 23:59:59.999999999"),
      Text("1970-01-01 00:00:02+00"),
      Text("0.01"),
      None,
      Text("0"),
      0,
      None,
      Some(-0.0f),
      None,
      Some(InlineArray[Short, 2](3, 4)),
      InlineArray[Float, 2](3, 4),
      None,
      Flagged(true, 2)
    )
  )

  test("convertArrow and readArrow read dates, times and decimals as texts"):
    val arrow = Samples.path()
    val copy = arrow.resolveSibling("texts.rows").nn
    val _ = run("types", "pyarrow", arrow.toString, "texts")
    convertArrow(arrow, copy)
    val rows = Columns.openReadOnly[Texts](copy)
    try assertEquals(rows.toVector, texts)
    finally rows.close()
    Region.scoped(assertEquals(Rows.readArrow[Texts](arrow).toVector, texts))

  test("convertArrow stores a dictionary of 65536 cases, in many batches"):
    val arrow = Samples.path()
    val copy = arrow.resolveSibling("cases.rows").nn
    val _ = run("types", "pyarrow", arrow.toString, "cases")
    convertArrow(arrow, copy)
    val again = arrow.resolveSibling("again.arrow").nn
    val file = StructFile.open(copy)
    try file.writeArrow(again)
    finally file.close()
    Region.scoped:
      val sides = Columns.readArrow[Named](again)
      assertEquals(sides.size, 65536L)
      for i <- 0 until 65536 do assertEquals(sides(i).side, Text[10](s"case $i"))

  final case class Named(side: Text[10]) derives Struct, CanEqual

  test("convertArrow stores a file of no rows, whose dictionary is missing"):
    val arrow = Samples.path()
    val copy = arrow.resolveSibling("none.rows").nn
    val _ = run("types", "pyarrow", arrow.toString, "rows")
    convertArrow(arrow, copy)
    val file = StructFile.open(copy)
    try assertEquals((file.rows, file.schema.fields.size), (0L, 2))
    finally file.close()

  test("a compressed file without its codec is an error that names the module to add"):
    val file = Samples.path()
    Python.runCode(
      s"""import pyarrow as pa
         |from pyarrow import feather
         |feather.write_feather(pa.table({"id": [1, 2]}), "$file", compression="zstd")
         |""".stripMargin
    )
    val error = intercept[ArrowException](Region.scoped(Rows.readArrow[Only](file): Unit))
    assertEquals(
      error.getMessage,
      s"$file: offset ${error.offset}: not supported: the buffers are compressed with ZSTD, which" +
        " needs undercroft-arrow-compression on the class path; or write the file without compression"
    )
end PythonTest
