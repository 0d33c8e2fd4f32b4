package undercroft.arrow

import java.nio.file.{Files, Path}
import java.time.*
import java.util.UUID
import undercroft.file.*
import undercroft.file.format.{Field, FileLayout, StructFile, Type}
import undercroft.struct.*

object ConvertLogicalTest:
  given [A] => CanEqual[A, A] = CanEqual.derived
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)

  /** Fields in the units of the default conversions. */
  final case class Moment(
      day: Option[LocalDate],
      time: Option[LocalTime],
      at: Option[Instant],
      local: LocalDateTime,
      length: Option[Duration],
      price: Option[BigDecimal],
      id: Option[UUID],
      inner: Option[Inner],
      list: InlineArray[Inner, 2]
  ) derives Struct
  final case class Inner(day: LocalDate, id: UUID) derives Struct
end ConvertLogicalTest

/** Files of pyarrow with dates, times, decimals and UUIDs as struct files, without a class. */
class ConvertLogicalTest extends undercroft.tools.Suite:
  import ConvertLogicalTest.{Inner, Moment}
  private given CanEqual[FileLayout, FileLayout] = CanEqual.derived

  /** A file of pyarrow with columns of every unit, and the code that has them as `table`. */
  private val every = """
    |import uuid
    |from datetime import date, datetime, time, timedelta
    |from decimal import Decimal
    |import pyarrow as pa
    |units = ["s", "ms", "us", "ns"]
    |moments = [datetime(2026, 11, 25, 1, 2, 3), None, datetime(1969, 12, 31, 23, 59, 59)]
    |spans = [timedelta(seconds=-5), timedelta(days=400), None]
    |times = [time(1, 2, 3), None, time(23, 59, 59)]
    |columns = {f"timestamp {u}": pa.array(moments, pa.timestamp(u)) for u in units}
    |columns |= {f"zoned {u}": pa.array(moments, pa.timestamp(u, "Europe/Warsaw")) for u in units}
    |columns |= {f"duration {u}": pa.array(spans, pa.duration(u)) for u in units}
    |columns |= {f"time {u}": pa.array(times, pa.time32(u)) for u in units[:2]}
    |columns |= {f"time {u}": pa.array(times, pa.time64(u)) for u in units[2:]}
    |days = [date(2026, 11, 25), None, date(1, 1, 1)]
    |columns |= {"date32": pa.array(days, pa.date32()), "date64": pa.array(days, pa.date64())}
    |numbers = [Decimal("1.25"), None, Decimal("-99.99")]
    |big = Decimal("-12345678901234567890123456.789")
    |columns |= {
    |    "decimal32": pa.array(numbers, pa.decimal32(5, 2)),
    |    "decimal64": pa.array(numbers, pa.decimal64(18, 2)),
    |    "decimal128": pa.array(numbers, pa.decimal128(19, 2)),
    |    "wide": pa.array([big, None, Decimal(0)], pa.decimal128(38, 10)),
    |    "decimal256": pa.array([big, None, Decimal(0)], pa.decimal256(60, 3)),
    |    "hundreds": pa.array([Decimal(1200), None, Decimal(-99900)], pa.decimal128(3, -2)),
    |    "uuid": pa.array([uuid.UUID(int=1 << 127 | 7).bytes, None, bytes(16)], pa.uuid()),
    |    "required": pa.array([date(2026, 11, 25)] * 3),
    |    "id": pa.array([uuid.UUID(int=k).bytes for k in range(3)], pa.uuid()),
    |}
    |columns["struct"] = pa.StructArray.from_arrays(
    |    [columns["required"], columns["wide"], columns["id"]], ["a", "b", "c"])
    |table = pa.table(columns)
    |""".stripMargin

  private def convert(path: Path, layout: FileLayout): Path =
    val copy = path.resolveSibling(s"${path.getFileName}.$layout").nn
    convertArrow(path, copy, layout)
    copy

  for layout <- FileLayout.values do
    test(s"convertArrow keeps every date, time, decimal and UUID of pyarrow in the layout $layout"):
      val (file, again) = (Samples.path(), Samples.path("again.arrow"))
      Python.runCode(
        s"""$every
           |with pa.ipc.new_file("$file", table.schema) as sink:
           |    sink.write_table(table, max_chunksize=2)
           |""".stripMargin
      )
      val stored = StructFile.open(convert(file, layout))
      try
        stored.verify(): Unit
        stored.writeArrow(again)
      finally stored.close()
      Python.runCode(
        s"""$every
           |other = {"date64": pa.date32(), "decimal32": pa.decimal128(5, 2), "decimal64": pa.decimal128(18, 2),
           |         "decimal256": pa.decimal128(38, 3), "hundreds": pa.decimal128(5, 0)}
           |other |= {f"zoned {u}": pa.timestamp(u, "UTC") for u in units}
           |found = pa.ipc.open_file(pa.memory_map("$again")).read_all()
           |found.validate(full=True)
           |for name in table.column_names:
           |    tpe = other.get(name, table.schema.field(name).type)
           |    if name != "struct":
           |        assert found.schema.field(name).type == tpe, (name, found.schema.field(name).type)
           |    assert found[name].to_pylist() == table[name].cast(tpe).to_pylist(), (name, found[name])
           |""".stripMargin
      )
  end for

  for layout <- FileLayout.values do
    test(s"a class with logical types opens a converted file in the layout $layout"):
      val file = Samples.path()
      Python.runCode(
        s"""import uuid
           |from datetime import date, datetime, time, timedelta
           |from decimal import Decimal
           |import pyarrow as pa
           |days = pa.array([0, 1, 2, 3, 4, 5], pa.int32()).view(pa.date32())
           |ids = pa.array([uuid.UUID(int=k).bytes for k in range(6)], pa.uuid())
           |inners = pa.StructArray.from_arrays([days, ids], ["day", "id"])
           |valid = pa.array([False, True, False])
           |table = pa.table({
           |    "day": pa.array([date(2026, 11, 25), None, date(1, 1, 1)], pa.date64()),
           |    "time": pa.array([3723000000001, None, 0], pa.time64("ns")),
           |    "at": pa.array([1, None, -1], pa.timestamp("ns", "America/Lima")),
           |    "local": pa.array([0, 1, -1], pa.timestamp("ns")),
           |    "length": pa.array([None, -1, 2**62], pa.duration("ns")),
           |    "price": pa.array([Decimal("1.25"), None, Decimal("-3")], pa.decimal128(10, 2)),
           |    "id": pa.array([uuid.UUID(int=1 << 127 | 7).bytes, None, bytes(16)], pa.uuid()),
           |    "inner": pa.StructArray.from_arrays([days[:3], ids[:3]], ["day", "id"], mask=valid),
           |    "list": pa.FixedSizeListArray.from_arrays(inners, 2),
           |})
           |with pa.ipc.new_file("$file", table.schema) as sink:
           |    sink.write_table(table, max_chunksize=2)
           |""".stripMargin
      )
      def inner(k: Int) = Inner(LocalDate.ofEpochDay(k).nn, UUID(0, k))
      val copy = convert(file, layout)
      val rows = layout match
        case FileLayout.ALIGNED => Rows.openReadOnly[Moment](copy)
        case FileLayout.PACKED  => PackedRows.openReadOnly[Moment](copy)
        case FileLayout.COLUMNS => Columns.openReadOnly[Moment](copy)
      try
        assertEquals(
          rows.toVector,
          Vector(
            Moment(
              Some(LocalDate.of(2026, 11, 25).nn),
              Some(LocalTime.of(1, 2, 3, 1).nn),
              Some(Instant.ofEpochSecond(0, 1).nn),
              LocalDateTime.of(1970, 1, 1, 0, 0).nn,
              None,
              Some(BigDecimal("1.25")),
              Some(UUID(Long.MinValue, 7)),
              Some(inner(0)),
              InlineArray[Inner, 2](inner(0), inner(1))
            ),
            Moment(
              None,
              None,
              None,
              LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1).nn,
              Some(Duration.ofNanos(-1).nn),
              None,
              None,
              None,
              InlineArray[Inner, 2](inner(2), inner(3))
            ),
            Moment(
              Some(LocalDate.of(1, 1, 1).nn),
              Some(LocalTime.MIDNIGHT.nn),
              Some(Instant.ofEpochSecond(0, -1).nn),
              LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999).nn,
              Some(Duration.ofNanos(1L << 62).nn),
              Some(BigDecimal("-3.00")),
              Some(UUID(0, 0)),
              Some(inner(2)),
              InlineArray[Inner, 2](inner(4), inner(5))
            )
          )
        )
      finally rows.close()
      end try
      Files.delete(copy)
  end for

  test("convertArrow keeps the names of users' types"):
    import LogicalTypesTest.{Isin, given}
    final case class Share(isin: Isin, count: Int) derives Struct
    val file = Samples.path()
    undercroft.memory.Region.scoped:
      Rows.from(Vector(Share(Isin("DE0001"), 3))).writeArrow(file)
    val copy = convert(file, FileLayout.COLUMNS)
    val stored = StructFile.open(copy)
    try
      val kinds = (0 until 2).map: k =>
        stored.schema.fields.get(k) match
          case leaf: Field.Leaf => leaf.`type` match
              case logical: Type.Logical => logical.kind.description
              case other                 => other.toString
          case other => other.toString
      assertEquals(kinds, IndexedSeq("the logical type isin", "INT"))
    finally stored.close()
    val shares = Columns.openReadOnly[Share](copy)
    try assertEquals(shares(0), Share(Isin("DE0001"), 3))
    finally shares.close()
end ConvertLogicalTest
