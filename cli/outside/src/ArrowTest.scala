package outside.cli

import java.nio.file.{Files, Path}
import undercroft.file.*
import undercroft.struct.*

final case class Leg(x: Long, y: Double) derives Struct, CanEqual
final case class Trip(
    id: Int,
    side: Side,
    leg: Option[Leg],
    sizes: InlineArray[Short, 2],
    note: Option[Text[6]],
    letter: Byte
) derives Struct, CanEqual

/** Arrow files as sources of every command. */
class ArrowTest extends CliSuite:

  /** Runs a script in a folder. */
  private def inPython(folder: Path, script: String): Unit =
    undercroft.tools.Python.runCode(s"import os\nos.chdir(\"$folder\")\n$script"): Unit

  /** Writes an Arrow file of a table, in batches of two rows. */
  private def byPyarrow(folder: Path, name: String, table: String): Unit =
    inPython(
      folder,
      s"""import pyarrow as pa
         |table = $table
         |with pa.ipc.new_file("$name", table.schema) as sink:
         |    sink.write_table(table, max_chunksize=2)
         |""".stripMargin
    )

  private def trip(i: Int): Trip = Trip(
    i,
    Side.fromOrdinal(i % 2),
    Option.when(i % 3 > 0)(Leg(Long.MaxValue - i, i / 8.0)),
    InlineArray[Short, 2](i.toShort, (-i).toShort),
    Option.when(i % 5 > 0)(Text(s"ż$i".take(5))),
    i.toByte
  )

  private def trips(folder: Path): Unit =
    val file = Rows.create[Trip](folder.resolve("trips.rows"))
    try
      for i <- 0 until 3000 do file += trip(i)
      file.seal()
    finally file.close()

  for layout <- Seq("rows", "packed", "columns") do
    inFolder(
      s"a struct file with nested structs and arrays keeps its rows by way of Arrow: $layout"
    ): folder =>
      trips(folder)
      done(run(folder)("convert", "./trips.rows", "./trips.arrow"))
      val options = Seq("--layout", layout, "--name", "Trip", "--overwrite")
      write(folder, "copy", "old")
      done(run(folder)(Seq("convert", "./trips.arrow", "./copy") ++ options*))
      done(run(folder)("diff", "./trips.rows", "./copy"))
      done(run(folder)("diff", "./trips.rows", "./trips.arrow"))
      assert(done(run(folder)("schema", "./copy")).lines.head.startsWith("Trip: "))
      val copy = layout match
        case "rows"   => Rows.openReadOnly[Trip](folder.resolve("copy"))
        case "packed" => PackedRows.openReadOnly[Trip](folder.resolve("copy"))
        case _        => Columns.openReadOnly[Trip](folder.resolve("copy"))
      try for i <- 0 until 3000 do assertEquals(copy(i), trip(i))
      finally copy.close()
      assertEquals(names(folder), Set("trips.rows", "trips.arrow", "copy"))

  inFolder("a file that pyarrow wrote becomes CSV, JSON and Parquet with the same rows"): folder =>
    byPyarrow(
      folder,
      "t.arrow",
      """pa.table({
        |  "b": [True, None, False],
        |  "n": pa.array([1, 255, 3], pa.uint8()),
        |  "t": ["a", None, "żółć"],
        |  "when": pa.array([0, 86399, None], pa.timestamp("s")),
        |  "d": pa.array(["x", "y", "x"]).dictionary_encode(),
        |})""".stripMargin
    )
    val lines = List(
      "b,n,t,when,d",
      "true,1,a,1970-01-01 00:00:00,x",
      ",255,,1970-01-01 23:59:59,y",
      "false,3,żółć,,x"
    )
    assertEquals(done(run(folder)("head", "./t.arrow", "--csv")).lines, lines)
    assertEquals(
      done(run(folder)("head", "./t.arrow", "--rows", "1", "--csv")).lines,
      lines.take(2)
    )
    assert(done(run(folder)("stats", "./t.arrow")).lines.head.startsWith("3 rows, "))
    val schema = done(run(folder)("schema", "./t.arrow")).lines
    assert(schema.exists(_.matches("d +enum of 2: x y .*")), schema)
    for name <- Seq("c.csv", "c.json", "c.parquet", "c.packed", "c.arrow") do
      done(run(folder)("convert", "./t.arrow", s"./$name"))
      assertEquals(done(run(folder)("head", s"./$name", "--csv")).lines, lines, name)

  inFolder("dates, times, decimals and UUIDs of pyarrow keep their types in every format"):
    folder =>
      inPython(
        folder,
        """import uuid
        |from datetime import date, datetime, time
        |from decimal import Decimal
        |import pyarrow as pa
        |moments = [datetime(2026, 11, 25, 1, 2, 3), None, datetime(1969, 12, 31, 23, 59, 59)]
        |table = pa.table({
        |    "day": pa.array([date(2026, 11, 25), None, date(1, 1, 1)]),
        |    "time": pa.array([time(1, 2, 3), None, time(0, 0, 0, 5)], pa.time64("us")),
        |    "at": pa.array(moments, pa.timestamp("us", "Europe/Warsaw")),
        |    "local": pa.array(moments, pa.timestamp("us")),
        |    "price": pa.array([Decimal("1.50"), None, Decimal("-0.25")], pa.decimal128(10, 2)),
        |    "wide": pa.array([Decimal("1.5"), None, Decimal(10) ** 30], pa.decimal128(38, 1)),
        |    "id": pa.array([uuid.UUID(int=7).bytes, None, uuid.UUID(int=1 << 127).bytes], pa.uuid()),
        |    "length": pa.array([1, None, -5], pa.duration("ms")),
        |})
        |with pa.ipc.new_file("t.arrow", table.schema) as sink:
        |    sink.write_table(table, max_chunksize=2)
        |""".stripMargin
      )
      val lines = List(
        "day,time,at,local,price,wide,id,length",
        "2026-11-25,01:02:03,2026-11-25 01:02:03+00,2026-11-25 01:02:03,1.50,1.5," +
          "00000000-0000-0000-0000-000000000007,1",
        ",,,,,,,",
        "0001-01-01,00:00:00.000005,1969-12-31 23:59:59+00,1969-12-31 23:59:59,-0.25," +
          "1000000000000000000000000000000.0,80000000-0000-0000-0000-000000000000,-5"
      )
      assertEquals(done(run(folder)("head", "./t.arrow", "--csv")).lines, lines)
      for name <- Seq("c.rows", "c.arrow", "c.parquet") do
        done(run(folder)("convert", "./t.arrow", s"./$name"))
        assertEquals(done(run(folder)("head", s"./$name", "--csv")).lines, lines, name)
      done(run(folder)("convert", "./t.arrow", "./c.csv"))
      assertEquals(Files.readString(folder.resolve("c.csv")).linesIterator.toList, lines)
      done(run(folder)("convert", "./t.arrow", "./c.jsonl"))
      val objects = Files.readString(folder.resolve("c.jsonl")).linesIterator.toList
      assert(objects(0).contains("\"day\":\"2026-11-25\",\"time\":\"01:02:03\""), objects(0))
      assert(objects(0).contains("\"price\":1.50,"), objects(0))
      assert(objects(1).contains("\"id\":null"), objects(1))
      val types =
        "DATE,TIME,TIMESTAMP WITH TIME ZONE,TIMESTAMP,DECIMAL(18,2),DECIMAL(38,1),UUID,BIGINT"
      for name <- Seq("t.arrow", "c.rows", "c.arrow", "c.parquet") do
        val query = "select " + lines.head.split(",").map(c => s"typeof(\"$c\")").mkString(",") +
          " from t limit 1"
        assertEquals(
          done(run(folder)("sql", query, "--csv", s"t=./$name")).lines.last,
          types.replace("DECIMAL(18,2)", "\"DECIMAL(18,2)\"").replace(
            "DECIMAL(38,1)",
            "\"DECIMAL(38,1)\""
          ),
          name
        )
      inPython(
        folder,
        """import pyarrow as pa
        |import pyarrow.parquet as pq
        |t = pa.ipc.open_file("t.arrow").read_all()
        |again = pa.ipc.open_file("c.arrow").read_all()
        |types = [str(f.type) for f in again.schema]
        |assert types == ["date32[day]", "time64[us]", "timestamp[us, tz=UTC]", "timestamp[us]",
        |    "decimal128(10, 2)", "decimal128(38, 1)", "extension<arrow.uuid>", "duration[ms]"], types
        |assert again.to_pylist() == t.cast(again.schema).to_pylist()
        |parquet = pq.read_table("c.parquet")
        |assert parquet["day"].to_pylist() == t["day"].to_pylist()
        |assert parquet["at"].cast(pa.int64()).to_pylist() == t["at"].cast(pa.int64()).to_pylist()
        |assert parquet["wide"].to_pylist() == t["wide"].to_pylist()
        |""".stripMargin
      )

  inFolder("names that are not Scala identifiers are kept; a name that occurs twice is refused"):
    folder =>
      byPyarrow(
        folder,
        "t.arrow",
        """pa.table({"my price": [1], "type": [2], 'a"b.c': [3], "ż": [4]})"""
      )
      done(run(folder)("convert", "./t.arrow", "./t.rows"))
      assertEquals(
        done(run(folder)("head", "./t.rows", "--csv")).lines,
        List("my price,type,\"a\"\"b.c\",ż", "1,2,3,4")
      )
      byPyarrow(
        folder,
        "twice.arrow",
        """pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])"""
      )
      val before = names(folder)
      val outcome = run(folder)("convert", "./twice.arrow", "./twice.rows")
      assertEquals(
        outcome,
        Outcome(
          2,
          "",
          "undercroft: ./twice.arrow: offset 0: not supported: it has several fields called `a`\n"
        )
      )
      assertEquals(names(folder), before)

  inFolder("lists of dates, dictionaries and structs of pyarrow are arrays in every command"):
    folder =>
      byPyarrow(
        folder,
        "t.arrow",
        """pa.table({
          |  "days": pa.array([[0, 1], [2, 3], None], pa.list_(pa.date32())),
          |  "tags": pa.array([["a"], ["b"], ["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
          |  "spots": [[{"x": 1}, {"x": 2}], [{"x": 3}, {"x": 4}], [{"x": 5}, {"x": 6}]],
          |})""".stripMargin
      )
      done(run(folder)("convert", "./t.arrow", "./t.rows"))
      val types = done(run(folder)("schema", "./t.rows")).lines.drop(3).map(_.split(" {2,}").toList)
      assertEquals(
        types.map(_.take(2)),
        List(
          List("days.isDefined", "Boolean"),
          List("days.get", "Int[2], a date"),
          List("tags", "enum[1] of 2: a b"),
          List("spots", "Spots[2]")
        )
      )
      assertEquals(
        done(run(folder)("head", "./t.rows", "--csv")).lines,
        List(
          "days,tags,spots",
          "\"[1970-01-01, 1970-01-02]\",[a],\"[{'x': 1}, {'x': 2}]\"",
          "\"[1970-01-03, 1970-01-04]\",[b],\"[{'x': 3}, {'x': 4}]\"",
          ",[a],\"[{'x': 5}, {'x': 6}]\""
        )
      )
      done(run(folder)("convert", "./t.rows", "./copy.arrow"))
      done(run(folder)("diff", "./t.arrow", "./copy.arrow"))
      assert(done(run(folder)("stats", "./t.rows")).out.contains("DATE[2]"))

  inFolder("a file without rows becomes a struct file without rows"): folder =>
    byPyarrow(
      folder,
      "t.arrow",
      """pa.table({"a": pa.array([], pa.int32()), "d": pa.array([], pa.string()).dictionary_encode()})"""
    )
    done(run(folder)("convert", "./t.arrow", "./t.rows"))
    assertEquals(done(run(folder)("head", "./t.rows", "--csv")).lines, List("a,d"))

  for (kind, values, reason) <- Seq(
      (
        "list",
        "[[1], [2, 3]]",
        "row 1 of `x` has a list of 2 elements; a struct file stores lists of one"
      ),
      ("binary", "[b'a', b'bc']", "`x` is of the type binary, which is not stored"),
      (
        "decimal",
        "pa.array([0, 0]).cast(pa.decimal256(60, 40))",
        "`x` is a decimal with 40 digits after its point; at most 38"
      ),
      ("struct", "[{'y': [1]}, {'y': []}]", "row 1 of `x.y` has a list of 0 elements")
    )
  do
    inFolder(s"a column that is not stored is refused with its name, and leaves no file: $kind"):
      folder =>
        byPyarrow(folder, "t.arrow", s"""pa.table({"id": [1, 2], "x": $values})""")
        for command <- Seq(Seq("convert", "./t.arrow", "./t.rows"), Seq("head", "./t.arrow")) do
          val outcome = run(folder)(command*)
          assertEquals((outcome.code, outcome.out), (2, ""))
          assert(outcome.err.startsWith("undercroft: ./t.arrow: offset "), outcome.err)
          assert(outcome.err.contains(reason), outcome.err)
        assertEquals(names(folder), Set("t.arrow"))
  end for

  inFolder("a cut file is rejected at any length, and a target that exists is unchanged"): folder =>
    trips(folder)
    done(run(folder)("convert", "./trips.rows", "./trips.arrow"))
    write(folder, "copy", "old")
    val bytes = Files.readAllBytes(folder.resolve("trips.arrow"))
    for length <- Seq(0, 5, 17, 1000, bytes.length / 2, bytes.length - 1) do
      Files.write(folder.resolve("cut.arrow"), bytes.take(length))
      val outcome = run(folder)("convert", "./cut.arrow", "./copy", "--overwrite")
      assertEquals(outcome.code, 2)
      assert(outcome.err.startsWith("undercroft: ./cut.arrow: offset "), outcome.err)
      assertEquals(Files.readString(folder.resolve("copy")), "old\n")
    assertEquals(names(folder), Set("trips.rows", "trips.arrow", "cut.arrow", "copy"))

  inFolder("compressed files, as pandas writes them, and streams are read"): folder =>
    def check(name: String): Unit =
      done(run(folder)("convert", s"./$name", "./t.csv", "--overwrite"))
      assertEquals(Files.readString(folder.resolve("t.csv")), "id,city\n1,Bonn\n2,Oslo\n")
    inPython(
      folder,
      """import pyarrow as pa
        |from pyarrow import feather, ipc
        |table = pa.table({"id": [1, 2], "city": ["Bonn", "Oslo"]})
        |for codec in ["lz4", "zstd"]:
        |    feather.write_feather(table, f"{codec}.arrow", compression=codec)
        |with ipc.new_stream("stream.arrow", table.schema) as writer:
        |    writer.write_table(table)
        |""".stripMargin
    )
    check("lz4.arrow")
    check("zstd.arrow")
    check("stream.arrow")

  inFolder("a stream that is no stream of Arrow is refused"): folder =>
    Files.write(folder.resolve("t.arrow"), Array.fill[Byte](64)(-1))
    val outcome = run(folder)("head", "./t.arrow")
    assertEquals(
      outcome.err,
      "undercroft: ./t.arrow: offset 0: corrupt: a message has -1 bytes\n"
    )
end ArrowTest
