package outside.cli

import java.nio.file.Path
import java.time.*
import java.util.UUID
import undercroft.file.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object Micros:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Micros)
  given Struct.StoredAs[LocalTime, Long] = LogicalType.localTime(TimeUnit.Micros)
  given Struct.StoredAs[LocalDateTime, Long] = LogicalType.localDateTime(TimeUnit.Micros)
  given Struct.StoredAs[Duration, Long] = LogicalType.duration(TimeUnit.Micros)
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 3)
  final case class Wide(value: BigDecimal)
  private val wide = LogicalType.decimal128(precision = 38, scale = 10)
  given Struct.StoredAs[Wide, Bits128] = Struct
    .storedAs[Wide, Bits128](value => wide.encode(value.value))(bits => Wide(wide.decode(bits)))
    .withLogicalType(LogicalType.Decimal(38, 10))

  final case class Sale(
      id: Int,
      day: Option[LocalDate],
      at: Option[LocalDateTime],
      moment: Option[Instant],
      time: Option[LocalTime],
      price: Option[BigDecimal],
      wide: Option[Wide],
      uuid: Option[UUID],
      length: Option[Duration]
  ) derives Struct

  final case class Whole(uuid: UUID, inner: Inner) derives Struct
  final case class Inner(day: LocalDate, wide: Option[Wide]) derives Struct
end Micros

object Seconds:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Seconds)
  given Struct.StoredAs[LocalTime, Long] = LogicalType.localTime(TimeUnit.Millis)
  given Struct.StoredAs[LocalDateTime, Long] = LogicalType.localDateTime(TimeUnit.Seconds)
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 12, scale = 0)
  final case class Event(
      at: Instant,
      time: Option[LocalTime],
      local: LocalDateTime,
      price: Option[BigDecimal]
  ) derives Struct

final case class Shift(id: Int, length: Duration, rest: Option[Duration]) derives Struct

/** Dates, times, decimals, UUIDs and durations of CSV and Parquet files in struct files. */
class LogicalConvertTest extends CliSuite:
  import Micros.*

  private def sql(folder: Path, query: String, files: String*): List[String] =
    done(run(folder)((Seq("sql", query, "--csv") ++ files)*)).lines

  /** Writes the result of a query to a file. */
  private def copy(folder: Path, query: String, name: String): Unit =
    done(run(folder)("sql", s"copy ($query) to '${folder.resolve(name)}'")): Unit

  private def reading[A <: AutoCloseable, B](file: A)(read: A => B): B =
    try read(file)
    finally file.close()

  /** Extreme values of DuckDB's types, and nulls. Microseconds. */
  private val extremes =
    """select * replace (day::date as day, "at"::timestamp as "at", moment::timestamptz as moment,
      |  time::time as time, uuid::uuid as uuid) from (
      |select 1 as id, date '5881580-07-10' as day, timestamp '294247-01-10 04:00:54.775806' as at,
      |  timestamptz '294247-01-10 04:00:54.775806+00' as moment, time '23:59:59.999999' as time,
      |  999999999999999.999::decimal(18,3) as price,
      |  9999999999999999999999999999.9999999999::decimal(38,10) as wide,
      |  'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as uuid,
      |  interval '1 day 5 milliseconds' as length
      |union all select 2, '5877642-06-25 (BC)', '290309-12-22 (BC) 00:00:00',
      |  '290309-12-22 (BC) 00:00:00+00', '00:00:00', -999999999999999.999,
      |  -9999999999999999999999999999.9999999999, '00000000-0000-0000-0000-000000000000',
      |  interval '0 seconds'
      |union all select 3, null, null, null, null, null, null, null, null
      |union all select 4, '1969-12-31', '1969-12-31 23:59:59.999999',
      |  '1969-12-31 23:59:59.999999+00', '12:34:56.000001', -0.001, -0.0000000001,
      |  '80000000-0000-0000-7fff-ffffffffffff', interval '2000000000 hours'
      |union all select 5, '2026-02-03', '2026-02-03 04:05:06.000007',
      |  '2026-02-03 04:05:06.000007+00', '12:00:00', 12.5, 18446744073709551616.5,
      |  '01234567-89ab-cdef-0123-456789abcdef', interval '100 days')""".stripMargin

  private val micros = LocalDateTime.of(2026, 2, 3, 4, 5, 6, 7000).nn

  for layout <- Seq("rows", "packed", "columns") do
    inFolder(s"extreme values and nulls of Parquet are the values of a Scala class: $layout"):
      folder =>
        copy(folder, extremes, "t.parquet")
        done(run(folder)("convert", "./t.parquet", "./t.data", "--layout", layout))
        val path = folder.resolve("t.data")
        val sales = layout match
          case "rows"   => reading(Rows.openReadOnly[Sale](path))(_.toVector)
          case "packed" => reading(PackedRows.openReadOnly[Sale](path))(_.toVector)
          case _        => reading(Columns.openReadOnly[Sale](path))(_.toVector)
        assertEquals(sales(0).day, Some(LocalDate.of(5881580, 7, 10)))
        assertEquals(sales(0).price, Some(BigDecimal("999999999999999.999")))
        val most = BigDecimal.exact("9999999999999999999999999999.9999999999")
        assertEquals(sales(0).wide, Some(Wide(most)))
        assertEquals(sales(1).wide, Some(Wide(-most)))
        assertEquals(sales(0).uuid, Some(UUID(-1, -1)))
        assertEquals(sales(0).length, Some(Duration.ofDays(1).plusMillis(5).nn))
        assertEquals(sales(0).time, Some(LocalTime.MAX.truncatedTo(temporal.ChronoUnit.MICROS).nn))
        assertEquals(sales(1).day, Some(LocalDate.of(-5877641, 6, 25)))
        assertEquals(sales(2), Sale(3, None, None, None, None, None, None, None, None))
        assertEquals(sales(3).uuid, Some(UUID(Long.MinValue, Long.MaxValue)))
        assertEquals(
          sales(4),
          Sale(
            5,
            Some(LocalDate.of(2026, 2, 3)),
            Some(micros),
            Some(micros.toInstant(ZoneOffset.UTC).nn),
            Some(LocalTime.NOON),
            Some(BigDecimal("12.5")),
            Some(Wide(BigDecimal("18446744073709551616.5"))),
            Some(UUID(0x0123456789abcdefL, 0x0123456789abcdefL)),
            Some(Duration.ofDays(100))
          )
        )
  end for

  inFolder("values keep their types and digits by way of CSV, Parquet and Arrow"): folder =>
    // CSV has no types of UUIDs, decimals and durations.
    copy(folder, s"select * exclude (uuid, price, wide, length) from ($extremes)", "t.csv")
    copy(folder, s"select uuid, price, wide, length from ($extremes)", "u.parquet")
    for (source, types) <- Seq(
        "t.csv" -> "BIGINT,DATE,TIMESTAMP,TIMESTAMP WITH TIME ZONE,TIME",
        "u.parquet" -> "UUID,\"DECIMAL(18,3)\",\"DECIMAL(38,10)\",BIGINT"
      )
    do
      val reader = if source.endsWith("csv") then "read_csv" else "read_parquet"
      // DuckDB's own reading of the source; durations are numbers in the command.
      val length = if source.endsWith("csv") then "" else "replace (epoch_us(length) as length)"
      val expected =
        sql(folder, s"select * $length from $reader('${folder.resolve(source)}')")
      assertEquals(expected.size, 6)
      val chain =
        Seq("a.rows", "b.parquet", "c.packed", "d.arrow", "e.columns", "f.arrow", "g.rows")
      for (from, to) <- (source +: chain).zip(chain) do
        done(run(folder)("convert", s"./$from", s"./$to", "--overwrite"))
        assertEquals(sql(folder, "select * from x", s"x=./$to"), expected, to)
        val described = sql(folder, "select column_type from (describe x)", s"x=./$to").tail
        assertEquals(described.mkString(","), types, to)
    end for

  inFolder("every unit of timestamps and times is kept"): folder =>
    copy(
      folder,
      """select timestamp_ns '2262-04-11 23:47:16.854775806' as n,
        |  timestamptz_ns '1677-09-21 00:12:43.145224194+00' as z, time_ns '23:59:59.999999999' as t
        |union all select null, '1969-12-31 23:59:59.999999999+00'::timestamptz_ns,
        |  '00:00:00'::time_ns""".stripMargin,
      "n.parquet"
    )
    done(run(folder)("convert", "./n.parquet", "./n.rows"))
    done(run(folder)("diff", "./n.parquet", "./n.rows"))
    done(run(folder)("convert", "./n.rows", "./n.arrow"))
    done(run(folder)("diff", "./n.parquet", "./n.arrow"))
    val types = sql(folder, "select column_type from (describe n)", "./n.rows").tail
    assertEquals(types, List("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIME_NS"))

  inFolder("fields of a STRUCT have logical types, also without nulls"): folder =>
    copy(
      folder,
      """select 'ffffffff-ffff-ffff-0000-000000000001'::uuid as uuid,
        |  {'day': date '2026-01-02', 'wide': 0.5::decimal(38,10)} as inner
        |union all select '00000000-0000-0000-0000-000000000000',
        |  {'day': date '1969-12-31', 'wide': null}""".stripMargin,
      "s.parquet"
    )
    for layout <- Seq("rows", "packed", "columns") do
      done(run(folder)("convert", "./s.parquet", s"./s.$layout", "--layout", layout))
      val path = folder.resolve(s"s.$layout")
      val expected = Vector(
        Whole(UUID(-1, 1), Inner(LocalDate.of(2026, 1, 2), Some(Wide(BigDecimal("0.5"))))),
        Whole(UUID(0, 0), Inner(LocalDate.of(1969, 12, 31), None))
      )
      val found = layout match
        case "rows"   => reading(Rows.openReadOnly[Whole](path))(_.toVector)
        case "packed" => reading(PackedRows.openReadOnly[Whole](path))(_.toVector)
        case _        => reading(Columns.openReadOnly[Whole](path))(_.toVector)
      assertEquals(found, expected, layout)
      done(run(folder)("diff", "./s.parquet", s"./s.$layout"))

  for (value, sqlType, range) <- Seq(
      ("date 'infinity'", "DATE infinity", "5877642-06-25 (BC) to 5881580-07-10"),
      (
        "timestamp '-infinity'",
        "TIMESTAMP -infinity",
        "290309-12-22 (BC) 00:00:00 to 294247-01-10 04:00:54.775806"
      ),
      (
        "timestamp_ns 'infinity'",
        "TIMESTAMP_NS infinity",
        "1677-09-21 00:12:43.145224194 to 2262-04-11 23:47:16.854775806"
      ),
      ("time '24:00:00'", "TIME 24:00:00", "00:00:00 to 23:59:59.999999")
    )
  do
    inFolder(s"a value out of the stored range is an error with its row: $value"): folder =>
      copy(
        folder,
        s"select {'x': null} as s union all select {'x': $value} union all select {'x': $value}",
        "t.parquet"
      )
      val outcome = run(folder)("convert", "./t.parquet", "./t.rows")
      assertEquals(
        outcome,
        Outcome(
          2,
          "",
          s"undercroft: row 1 of column 's.x' has the $sqlType, which is not stored in a struct " +
            s"file; it stores values from $range\n"
        )
      )
      assertEquals(names(folder), Set("t.parquet"))
  end for

  inFolder("intervals with months, and those of more microseconds than a Long has, stay texts"):
    folder =>
      for (value, text) <- Seq(
          "interval '1 month'" -> "1 month",
          "interval '3 years 2 days'" -> "3 years 2 days",
          "interval '2147483647 days'" -> "2147483647 days"
        )
      do
        copy(folder, s"select interval '1 day' as x union all select $value", "t.parquet")
        done(run(folder)("convert", "./t.parquet", "./t.rows", "--overwrite"))
        assertEquals(sql(folder, "from t", "./t.rows").last, text)
        assertEquals(
          sql(folder, "select distinct typeof(x) from t", "./t.rows"),
          List("typeof(x)", "VARCHAR")
        )

  inFolder("decimals without decimals are Longs if all fit, else decimals"): folder =>
    for (value, sqlType) <- Seq(
        "9223372036854775807" -> "BIGINT",
        "9223372036854775808" -> "DECIMAL(38,0)",
        "-99999999999999999999999999999999999999" -> "DECIMAL(38,0)"
      )
    do
      copy(folder, s"select $value::decimal(38,0) as x union all select null", "t.parquet")
      done(run(folder)("convert", "./t.parquet", "./t.rows", "--overwrite"))
      assertEquals(
        sql(folder, "select typeof(x) as t, x from t", "./t.rows")(1).replace("\"", ""),
        s"$sqlType,$value"
      )

  inFolder("times and decimals of a struct file keep their units and digits in another layout"):
    folder =>
      import Seconds.{*, given}
      val local = LocalDateTime.of(1969, 12, 31, 23, 59, 58).nn
      val events = Vector(
        Event(Instant.ofEpochSecond(-1), Some(LocalTime.of(1, 2, 3, 4_000_000).nn), local, None),
        Event(Instant.ofEpochSecond(1L << 40), None, local, Some(BigDecimal(-12)))
      )
      val file = Rows.create[Event](folder.resolve("events.rows"))
      reading(file): file =>
        events.foreach(file += _)
        file.seal()
      done(run(folder)("convert", "./events.rows", "./events.columns", "--name", "Event"))
      val found = reading(Columns.openReadOnly[Event](folder.resolve("events.columns")))(_.toVector)
      assertEquals(found, events)
      val types = done(run(folder)("schema", "./events.columns")).out
      assert(types.contains("a UTC timestamp in seconds"), types)
      assert(types.contains("a time in milliseconds"), types)

  inFolder("durations of a struct file keep their unit in another layout"): folder =>
    val shifts = Vector(
      Shift(1, Duration.ofNanos(Long.MaxValue), None),
      Shift(2, Duration.ofNanos(-1), Some(Duration.ofNanos(Long.MinValue)))
    )
    val file = Rows.create[Shift](folder.resolve("shifts.rows"))
    reading(file): file =>
      shifts.foreach(file += _)
      file.seal()
    done(run(folder)("convert", "./shifts.rows", "./shifts.columns", "--name", "Shift"))
    val found = reading(Columns.openReadOnly[Shift](folder.resolve("shifts.columns")))(_.toVector)
    assertEquals(found, shifts)
    // Parquet has the numbers.
    done(run(folder)("convert", "./shifts.rows", "./shifts.parquet"))
    for other <- Seq("columns", "parquet") do
      assertEquals(run(folder)("diff", "./shifts.rows", s"./shifts.$other"), Outcome(0, "", ""))
end LogicalConvertTest
