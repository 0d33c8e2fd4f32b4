package undercroft.arrow

import java.nio.file.Files
import java.time.*
import java.util.UUID
import undercroft.file.*
import undercroft.file.format.{FileLayout, StructFile}
import undercroft.struct.*

object ConvertListsTest:
  given [A] => CanEqual[A, A] = CanEqual.derived
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Micros)
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 10, scale = 2)

  enum Fruit derives CanEqual:
    case apple, fig, pear

  final case class Lists(
      days: InlineArray[LocalDate, 2],
      moments: InlineArray[Instant, 2],
      prices: InlineArray[BigDecimal, 2],
      ids: InlineArray[UUID, 2],
      fruits: InlineArray[Fruit, 2],
      numbers: InlineArray[Int, 2],
      words: InlineArray[Text[5], 2]
  ) derives Struct

  final case class Nullable(days: Option[InlineArray[LocalDate, 2]]) derives Struct

  final case class Partial(x: InlineArray[Option[Long], 2]) derives Struct
end ConvertListsTest

/** Lists of pyarrow with dates, times, decimals, UUIDs and dictionaries as arrays of a struct file.
  */
class ConvertListsTest extends undercroft.tools.Suite:
  import ConvertListsTest.{Fruit, Lists, Nullable, Partial, given}
  private given CanEqual[FileLayout, FileLayout] = CanEqual.derived

  /** @param list
    *   the type of a list, with `%s` for its elements
    */
  private def columns(list: String): String = s"""
    |import uuid
    |from datetime import date, datetime, timezone
    |from decimal import Decimal
    |import pyarrow as pa
    |def listed(values, tpe):
    |    flat = pa.array(values, tpe) if not isinstance(values, pa.Array) else values
    |    pairs = [flat[i:i + 2] for i in range(0, 6, 2)]
    |    return ${list.format("flat")}
    |table = pa.table({
    |    "days": listed([date(2026, 11, 25 + k) for k in range(6)], pa.date32()),
    |    "moments": listed([10 ** k for k in range(6)], pa.timestamp("us", "UTC")),
    |    "prices": listed([Decimal(k - 3) / 4 for k in range(6)], pa.decimal128(10, 2)),
    |    "ids": listed([uuid.UUID(int=k << 63 | k).bytes for k in range(6)], pa.uuid()),
    |    "fruits": listed(pa.array(["apple", "fig", "pear"] * 2).dictionary_encode(), None),
    |    "numbers": listed([k * k for k in range(6)], pa.int32()),
    |    "words": listed(["w" * k for k in range(6)], pa.string()),
    |})
    |""".stripMargin

  private def lists(row: Int): Lists =
    Lists(
      InlineArray.tabulate(i => LocalDate.of(2026, 11, 25 + 2 * row + i).nn),
      InlineArray.tabulate(i =>
        Instant.EPOCH.plusNanos(1000 * math.pow(10, 2 * row + i).toLong).nn
      ),
      InlineArray.tabulate(i => BigDecimal(2 * row + i - 3) / 4),
      InlineArray.tabulate { i =>
        val k = 2L * row + i
        UUID(k >> 1, k << 63 | k)
      },
      InlineArray.tabulate(i => Vector(Fruit.apple, Fruit.fig, Fruit.pear)((2 * row + i) % 3)),
      InlineArray.tabulate(i => (2 * row + i) * (2 * row + i)),
      InlineArray.tabulate(i => Text[5]("w" * (2 * row + i)))
    )

  private val kinds = Seq(
    "fixed-size lists" -> "pa.FixedSizeListArray.from_arrays(%s, 2)",
    "lists" -> "pa.ListArray.from_arrays([0, 2, 4, 6], %s)",
    "large lists" -> "pa.LargeListArray.from_arrays([0, 2, 4, 6], %s)"
  )

  for (name, list) <- kinds; layout <- FileLayout.values do
    test(s"convertArrow stores $name of dates and dictionaries in the layout $layout"):
      val (file, copy, again) = (Samples.path(), Samples.path("copy"), Samples.path("again.arrow"))
      Python.runCode(
        s"""${columns(list)}
           |with pa.ipc.new_file("$file", table.schema) as sink:
           |    sink.write_table(table, max_chunksize=2)
           |""".stripMargin
      )
      convertArrow(file, copy, layout)
      val rows = layout match
        case FileLayout.ALIGNED => Rows.openReadOnly[Lists](copy)
        case FileLayout.PACKED  => PackedRows.openReadOnly[Lists](copy)
        case FileLayout.COLUMNS => Columns.openReadOnly[Lists](copy)
      try assertEquals(rows.toVector, Vector.tabulate(3)(lists))
      finally rows.close()
      val stored = StructFile.open(copy)
      try
        stored.verify(): Unit
        stored.writeArrow(again)
      finally stored.close()
      Python.runCode(
        s"""${columns(list)}
           |found = pa.ipc.open_file(pa.memory_map("$again")).read_all()
           |found.validate(full=True)
           |for name in table.column_names:
           |    of = table.schema.field(name).type.value_type
           |    if name != "fruits":
           |        assert found.schema.field(name).type.value_type == of, (name, found.schema.field(name))
           |    assert found[name].to_pylist() == table[name].to_pylist(), (name, found[name])
           |""".stripMargin
      )
      undercroft.memory.Region.scoped:
        assertEquals(Rows.readArrow[Lists](again).toVector, Vector.tabulate(3)(lists))
  end for

  test("convertArrow stores null lists as None, and their lengths do not count"):
    for (name, values) <- Seq(
        "null" -> "[None, [date(2026, 1, 1), date(2026, 1, 2)], None]",
        "all null" -> "[None, None, None]"
      )
    do
      val (file, copy) = (Samples.path(), Samples.path("copy"))
      Python.runCode(
        s"""from datetime import date
           |import pyarrow as pa
           |table = pa.table({"days": pa.array($values, pa.list_(pa.date32()))})
           |with pa.ipc.new_file("$file", table.schema) as sink:
           |    sink.write_table(table)
           |""".stripMargin
      )
      convertArrow(file, copy)
      if name == "null" then
        val rows = Columns.openReadOnly[Nullable](copy)
        try
          val days =
            InlineArray[LocalDate, 2](LocalDate.of(2026, 1, 1).nn, LocalDate.of(2026, 1, 2).nn)
          assertEquals(rows.toVector.map(_.days), Vector(None, Some(days), None))
        finally rows.close()
      else
        val stored = StructFile.open(copy)
        try assertEquals(stored.rows, 3L)
        finally stored.close()

  test("convertArrow stores a list with a null as an array of Options"):
    val (file, copy) = (Samples.path(), Samples.path("copy"))
    Python.runCode(
      s"""import pyarrow as pa
         |table = pa.table({"x": pa.array([[1, None]])})
         |with pa.ipc.new_file("$file", table.schema) as sink:
         |    sink.write_table(table)
         |""".stripMargin
    )
    convertArrow(file, copy)
    val rows = Columns.openReadOnly[Partial](copy)
    val pair = InlineArray[Option[Long], 2](Some(1L), None)
    try assertEquals(rows.toVector.map(_.x), Vector(pair))
    finally rows.close()

  for (values, words) <- Seq(
      "[[1, 2], [3, 4], [5]]" ->
        "row 2 of `x` has a list of 1 elements; a struct file stores lists of one length of at least 1, which the first list has with 2",
      "[[], []], pa.list_(pa.int8())" ->
        "row 0 of `x` has a list of 0 elements; a struct file stores lists of one length of at least 1",
      "[[1, 2], None, []]" -> "row 2 of `x` has a list of 0 elements",
      "[[[1], [2]], [[3], [4]]]" -> "`x` is of the type list of list, which is not stored"
    )
  do
    test(s"convertArrow rejects lists with the row: $values"):
      val (file, copy) = (Samples.path(), Samples.path("copy"))
      Python.runCode(
        s"""import pyarrow as pa
           |table = pa.table({"x": pa.array($values)})
           |with pa.ipc.new_file("$file", table.schema) as sink:
           |    sink.write_table(table, max_chunksize=2)
           |""".stripMargin
      )
      val error = intercept[ArrowException](convertArrow(file, copy))
      assert(error.getMessage.nn.contains(words), error.getMessage)
      assert(!Files.exists(copy))
  end for
end ConvertListsTest
