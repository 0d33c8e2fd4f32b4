package outside.python

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.{Durability, StructFile}
import undercroft.struct.*
import undercroft.tools.Requirement

enum Leg derives CanEqual:
  case Out, Back

case class Spot(x: Byte, y: Double) derives Struct, CanEqual

enum Stop derives Struct, CanEqual:
  case Home
  case Named(name: Text[4], gate: Option[Int])
  case At(spot: Spot)

/** A row with each type that Python writes. */
case class Trip(
    flag: Boolean,
    byte: Byte,
    short: Short,
    char: Char,
    int: Int,
    long: Long,
    float: Float,
    double: Double,
    text: Text[6],
    day: LocalDate,
    at: Instant,
    local: LocalDateTime,
    took: Duration,
    leg: Leg,
    grid: InlineArray[InlineArray[Short, 3], 2],
    maybe: Option[Long],
    note: Option[Text[4]],
    spot: Spot,
    start: LocalTime,
    price: BigDecimal,
    id: UUID,
    stop: Stop,
    stops: InlineArray[Stop, 2],
    cells: InlineArray[Option[Int], 2],
    ids: InlineArray[UUID, 2],
    spots: InlineArray[InlineArray[Spot, 1], 2]
) derives Struct, CanEqual
object Trip:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Millis)
  given Struct.StoredAs[LocalDateTime, Long] =
    LogicalType.localDateTime(LogicalType.TimeUnit.Micros)
  given Struct.StoredAs[LocalTime, Long] = LogicalType.localTime(LogicalType.TimeUnit.Micros)
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 38, scale = 4)
  given Struct.StoredAs[Duration, Long] = LogicalType.duration(LogicalType.TimeUnit.Seconds)

  def of(i: Int): Trip = Trip(
    i % 3 == 0,
    (i % 100).toByte,
    (-i).toShort,
    (i % 1000).toChar,
    -7 * i,
    i * (1L << 40),
    i / 4f,
    -i / 8.0,
    Text(if i % 2 == 0 then "" else "é" * (i % 4)),
    LocalDate.ofEpochDay(i - 5L),
    Instant.ofEpochMilli(i * 1001L),
    LocalDateTime.of(1970, 1, 1, 0, 0).plusSeconds(i),
    Duration.ofSeconds(-i),
    if i % 2 == 0 then Leg.Out else Leg.Back,
    InlineArray(
      InlineArray(i.toShort, 1.toShort, 2.toShort),
      InlineArray(3.toShort, 4.toShort, 5.toShort)
    ),
    Option.when(i % 4 > 0)(i),
    Option.when(i % 5 == 0)(Text("n")),
    Spot((i % 7).toByte, i),
    LocalTime.ofNanoOfDay(i * 1000L),
    BigDecimal(i - 5, 2).setScale(4),
    UUID(-1, i),
    stop(i),
    InlineArray(Stop.Home, stop(i + 1)),
    InlineArray(None, Some(i)),
    InlineArray(UUID(0, i), UUID(i, 0)),
    InlineArray(InlineArray(Spot(1, i)), InlineArray(Spot(2, -i)))
  )

  private def stop(i: Int): Stop = i % 3 match
    case 0 => Stop.Home
    case 1 => Stop.Named(Text("ab"), Option.when(i % 2 == 0)(i))
    case _ => Stop.At(Spot((i % 100).toByte, i / 2.0))
end Trip

/** Struct files that the Python package writes are those of Scala's own tables. */
class WriteTest extends undercroft.tools.Suite:
  private val code =
    """import sys
      |from decimal import Decimal
      |from uuid import UUID
      |import numpy as np
      |import undercroft
      |from undercroft import Case
      |path, layout, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
      |i = np.arange(rows)
      |grid = np.tile(np.arange(6, dtype="i2").reshape(1, 2, 3), (rows, 1, 1))
      |grid[:, 0, 0] = i
      |def stop(k):
      |    if k % 3 == 0: return Case("Home", {})
      |    if k % 3 == 1: return Case("Named", {"name": "ab", "gate": np.int32(k) if k % 2 == 0 else None})
      |    return Case("At", {"spot": {"x": np.int8(k % 100), "y": k / 2}})
      |def objects(value): return [value(k) for k in range(rows)]
      |# The types of columns without rows are not known from their values.
      |few = {} if rows < 3 else {
      |    "start": i.astype("m8[us]"), "price": objects(lambda k: Decimal(k - 5) / 100),
      |    "id": objects(lambda k: UUID(int=(2**64 - 1 << 64) + k)), "stop": objects(stop),
      |    "stops": objects(lambda k: [Case("Home", {}), stop(k + 1)]),
      |    "cells": objects(lambda k: [None, np.int32(k)]),
      |    "ids": objects(lambda k: [UUID(int=k), UUID(int=k << 64)]),
      |    "spots": np.array([[[(1, k)], [(2, -k)]] for k in range(rows)], [("x", "i1"), ("y", "f8")]),
      |}
      |options = {} if rows < 3 else {"times": ["start"], "decimals": {"price": (38, 4)}}
      |stops = ["Home", "Named", "At"]
      |cases = {"leg": ["Out", "Back"]} | ({} if rows < 3 else {"stop": stops, "stops": stops})
      |undercroft.write(path, {
      |    "flag": i % 3 == 0, "byte": (i % 100).astype("i1"), "short": (-i).astype("i2"), "char": (i % 1000).astype("u2"),
      |    "int": (-7 * i).astype("i4"), "long": i << 40, "float": (i / 4).astype("f4"), "double": -i / 8,
      |    "text": np.array(["" if k % 2 == 0 else "é" * (k % 4) for k in range(rows)], "U3"),
      |    "day": (i - 5).astype("M8[D]"), "at": (i * 1001).astype("M8[ms]"), "local": (i * 1000000).astype("M8[us]"),
      |    "took": (-i).astype("m8[s]"), "leg": i % 2, "grid": grid, "maybe": np.ma.array(i, mask=i % 4 == 0),
      |    "note": np.ma.array(np.full(rows, b"n", "S4"), mask=i % 5 > 0),
      |    "spot": np.array([(k % 7, k) for k in range(rows)], [("x", "i1"), ("y", "f8")]),
      |} | few, layout=layout, name="Trip", cases=cases, utc=["at"], **options)
      |""".stripMargin

  private def written(path: Path, layout: String, rows: Int): Unit =
    val builder = ProcessBuilder(Requirement.python(), "-c", code, path.toString, layout, s"$rows")
    builder.environment.put("PYTHONPATH", s"${sys.env("UNDERCROFT")}/python/src")
    builder.environment.put("PYTHONDONTWRITEBYTECODE", "1")
    val process = builder.redirectErrorStream(true).start()
    val output = String(process.getInputStream.readAllBytes(), UTF_8)
    assertEquals(process.waitFor(), 0, output)

  private def check[L <: Layout](tables: TableFactory[L], layout: String, rows: Int)(
      open: Path => FileTable[Trip, L]
  ): Unit =
    val path = Files.createTempDirectory("undercroft-python").resolve("trips.struct")
    try
      written(path, layout, rows)
      Using.resource(StructFile.open(path)): file =>
        file.verify()
        assertEquals(file.durability, Durability.SEALED)
        val blocks = file.statistics("int")
        if rows > 0 then
          assertEquals(blocks.get(0).max.longValue, 0L)
          assertEquals(blocks.getLast.min.longValue, -7L * (rows - 1))
          assertEquals(file.statistics("double").get(0).max.doubleValue, 0.0)
          assert(rows < 5000 || blocks.size > 1)
      Using.resource(open(path)): table =>
        assertEquals(table.size, rows.toLong)
        for i <- 0 until rows do
          if rows >= 3 then assertEquals(table(i), Trip.of(i), s"row $i")
          else assertEquals(table(i).spot, Trip.of(i).spot)
    finally
      Files.deleteIfExists(path)
      Files.delete(path.getParent)
  end check

  for rows <- Seq(0, 1, 12_000) do
    test(
      s"Scala reads and verifies $rows rows that Python wrote, in every layout"
    ):
      check(Rows, "rows", rows)(Rows.openReadOnly[Trip](_))
      check(PackedRows, "packed", rows)(PackedRows.openReadOnly[Trip](_))
      check(Columns, "columns", rows)(Columns.openReadOnly[Trip](_))
end WriteTest
