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
    assertEquals(
      types("points").str,
      "fixed_size_list<item: struct<x: int32 not null, y: int8 not null> not null>[2]"
    )

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
      "binary" -> "not supported: `when` is of the type binary",
      "list" -> "not supported: row 1 of `when` has a list of 0 elements",
      "map" -> "not supported: `when` is of the type map",
      "numbers" -> "the dictionary of `when` must contain text, but contains int64",
      "part" -> "invalid value: row 1 of `when` is 1 ms of a date64, which must be a whole number of days",
      "digits" -> "invalid value: row 2 of `when` is 100000000000000000000000000000000000000, which is not a decimal(38, 0)",
      "scale" -> "not supported: `when` is a decimal with 40 digits after its point; at most 38",
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

  test("readArrow reads dates, times and decimals as texts"):
    val arrow = Samples.path()
    val _ = run("types", "pyarrow", arrow.toString, "texts")
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

  final case class Line(price: Double, count: Option[Int], side: Side) derives Struct, CanEqual
  final case class Order(
      id: Long,
      lines: InlineArray[Line, 2],
      names: InlineArray[Text[3], 2],
      spare: Option[InlineArray[Line, 2]]
  ) derives Struct, CanEqual

  private def order(i: Int): Order =
    def line(k: Int) = Line(i + k / 2.0, Option.when(k > 0)(i), Side.fromOrdinal((i + k) % 2))
    Order(
      i,
      InlineArray.tabulate[Line, 2](line),
      InlineArray[Text[3], 2](Text(s"${i % 10}ż"), Text("")),
      Option.when(i % 3 > 0)(InlineArray.tabulate[Line, 2](k => line(k + 1)))
    )

  /** The orders in Python, of the type that is written. */
  private val orders =
    """
    |import pyarrow as pa
    |def line(i, k):
    |    return {"price": i + k / 2, "count": i if k > 0 else None, "side": ["Sell", "Buy"][(i + k) % 2]}
    |def order(i):
    |    spare = [line(i, 1), line(i, 2)] if i % 3 > 0 else None
    |    lines, names = [line(i, 0), line(i, 1)], [f"{i % 10}ż", ""]
    |    return {"id": i, "lines": lines, "names": names, "spare": spare}
    |side = pa.dictionary(pa.int8(), pa.string())
    |lines = pa.list_(pa.struct({"price": pa.float64(), "count": pa.int32(), "side": side}), 2)
    |names = pa.list_(pa.string(), 2)
    |rows = [order(i) for i in range(100)]
    |""".stripMargin

  test("pyarrow and Polars read arrays of structs and texts as lists"):
    val (inRows, inColumns) = (Samples.path("rows.arrow"), Samples.path("columns.arrow"))
    Region.scoped:
      Rows.tabulate[Order](100)(i => order(i.toInt)).writeArrow(inRows, 33)
      Columns.tabulate[Order](100)(i => order(i.toInt)).writeArrow(inColumns)
    for file <- Seq(inRows, inColumns) do
      Python.runCode(
        s"""$orders
           |table = pa.ipc.open_file(pa.memory_map("$file")).read_all()
           |table.validate(full=True)
           |item = pa.struct([pa.field("price", pa.float64(), False), pa.field("count", pa.int32()),
           |                  pa.field("side", side, False)])
           |assert table.schema.field("lines").type == pa.list_(pa.field("item", item, False), 2), table.schema
           |assert table.schema.field("names").type == pa.list_(pa.field("item", pa.string(), False), 2)
           |assert table.to_pylist() == rows, table.to_pylist()[:3]
           |""".stripMargin
      )
      Python.runCode(
        s"""$orders
           |import polars as pl
           |found = pl.read_ipc("$file").to_dicts()
           |assert found == rows, found[:3]
           |""".stripMargin
      )
    end for

  test("fixed-size lists of structs and texts of pyarrow are read as arrays"):
    val file = Samples.path()
    Python.runCode(
      s"""$orders
         |schema = pa.schema({"id": pa.int64(), "lines": lines, "names": names, "spare": lines})
         |table = pa.Table.from_pylist(rows, schema)
         |with pa.ipc.new_file("$file", schema) as sink:
         |    sink.write_table(table, max_chunksize=9)
         |    sink.write_table(table.slice(5, 7))
         |""".stripMargin
    )
    Region.scoped:
      val expected = Vector.tabulate(100)(order) ++ Vector.tabulate(7)(i => order(i + 5))
      assertEquals(Rows.readArrow[Order](file).toVector, expected)
      assertEquals(Columns.readArrow[Order](file).toVector, expected)

  for list <- Seq("pa.list_", "pa.large_list") do
    test(s"lists of any length are read as arrays if each has the length of the array: $list"):
      val file = Samples.path()
      Python.runCode(
        s"""$orders
           |other = $list
           |lines, names = other(lines.value_type), other(names.value_type)
           |schema = pa.schema({"id": pa.int64(), "lines": lines, "names": names, "spare": lines,
           |                    "sizes": other(pa.int16()), "flags": other(pa.bool_())})
           |for i, row in enumerate(rows):
           |    row |= {"sizes": [i, -i, 5], "flags": None if i % 4 == 0 else [i % 2 == 0, True]}
           |table = pa.Table.from_pylist(rows, schema)
           |with pa.ipc.new_file("$file", schema) as sink:
           |    sink.write_table(table, max_chunksize=9)
           |    sink.write_table(table.slice(5, 7))
           |""".stripMargin
      )
      val ids = Vector.range(0, 100) ++ Vector.range(5, 12)
      Region.scoped:
        assertEquals(Rows.readArrow[Order](file).toVector, ids.map(order))
        assertEquals(Columns.readArrow[Order](file).toVector, ids.map(order))
        val expected = ids.map: i =>
          Sized(
            InlineArray[Short, 3](i.toShort, (-i).toShort, 5),
            Option.when(i % 4 != 0)(InlineArray[Boolean, 2](i % 2 == 0, true))
          )
        assertEquals(PackedRows.readArrow[Sized](file).toVector, expected)
        val wider = Rows.readArrow[WiderSized](file).toVector
        assertEquals(wider, ids.map(i => WiderSized(InlineArray[Long, 3](i, -i, 5))))
  end for

  final case class Sized(sizes: InlineArray[Short, 3], flags: Option[InlineArray[Boolean, 2]])
      derives Struct, CanEqual
  final case class WiderSized(sizes: InlineArray[Long, 3]) derives Struct, CanEqual

  for (change, words) <- Seq(
      "rows[7]['lines'].append(line(1, 1))" ->
        "row 7 of `lines` has 3 elements, but must have 2",
      "rows[98]['lines'].pop()" -> "row 98 of `lines` has 1 elements, but must have 2",
      "rows[3]['lines'] = []" -> "row 3 of `lines` has 0 elements, but must have 2",
      "rows[5]['lines'][1] = None" -> "row 5 of `lines` has an element that is null",
      "rows[5]['lines'][1]['price'] = None" ->
        "`lines.item.price` is null in row 5, element 1, but its field is not an Option",
      "rows[4]['lines'] = None" -> "`lines` is null in row 4, but its field is not an Option"
    )
  do
    test(s"a list that an array cannot store is an error with its row: $change"):
      val file = Samples.path()
      Python.runCode(
        s"""$orders
           |$change
           |lines = pa.list_(lines.value_type)
           |schema = pa.schema({"id": pa.int64(), "lines": lines, "names": names, "spare": lines})
           |table = pa.Table.from_pylist(rows, schema)
           |with pa.ipc.new_file("$file", schema) as sink:
           |    sink.write_table(table, max_chunksize=9)
           |""".stripMargin
      )
      val error = intercept[ArrowException](Region.scoped(Rows.readArrow[Order](file): Unit))
      assertEquals(error.kind, ArrowErrorKind.WrongValue)
      assert(error.getMessage.nn.endsWith(words), error)
  end for

  test("a file with lists whose bytes are changed is read or rejected"):
    val file = Samples.path()
    Python.runCode(
      s"""$orders
         |schema = pa.schema({"id": pa.int64(), "lines": pa.list_(lines.value_type), "names": names,
         |                    "spare": pa.large_list(lines.value_type)})
         |with pa.ipc.new_file("$file", schema) as sink:
         |    sink.write_table(pa.Table.from_pylist(rows[:20], schema))
         |""".stripMargin
    )
    val sample = Files.readAllBytes(file).nn
    val seed = scala.util.Random.nextLong()
    val random = scala.util.Random(seed)
    var (read, refused) = (0, 0)
    for round <- 0 until 1000 do
      val bytes = sample.clone
      for _ <- 0 to random.nextInt(3) do
        bytes(random.nextInt(bytes.length)) = (random.nextInt(4) - 1).toByte
      Files.write(file, bytes)
      try
        Region.scoped(Rows.readArrow[Order](file): Unit)
        read += 1
      catch
        case _: ArrowException => refused += 1
        case error: Throwable  => throw AssertionError(s"seed $seed, round $round", error)
    assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")

  test("a null among the elements of an array is an error with its row"):
    val file = Samples.path()
    Python.runCode(
      s"""$orders
         |rows[5]["lines"][1] = None
         |schema = pa.schema({"id": pa.int64(), "lines": lines, "names": names, "spare": lines})
         |with pa.ipc.new_file("$file", schema) as sink:
         |    sink.write_table(pa.Table.from_pylist(rows, schema))
         |""".stripMargin
    )
    val error = intercept[ArrowException](Region.scoped(Rows.readArrow[Order](file): Unit))
    assertEquals(error.kind, ArrowErrorKind.WrongValue)
    assert(error.getMessage.nn.endsWith("row 5 of `lines` has an element that is null"), error)

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
        " needs undercroft-compression on the class path; or write the file without compression"
    )
end PythonTest
