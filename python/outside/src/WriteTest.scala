package outside.python

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant, LocalDate, LocalDateTime}
import scala.util.Using
import undercroft.file.*
import undercroft.file.format.{Durability, StructFile}
import undercroft.struct.*
import undercroft.tools.Requirement

enum Leg derives CanEqual:
  case Out, Back

case class Spot(x: Byte, y: Double) derives Struct, CanEqual

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
    spot: Spot
) derives Struct, CanEqual
object Trip:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Millis)
  given Struct.StoredAs[LocalDateTime, Long] =
    LogicalType.localDateTime(LogicalType.TimeUnit.Micros)
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
    Spot((i % 7).toByte, i)
  )
end Trip

/** Struct files that the Python package writes are those of Scala's own tables. */
class WriteTest extends undercroft.tools.Suite:
  private val code =
    """import sys
      |import numpy as np
      |import undercroft
      |path, layout, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
      |i = np.arange(rows)
      |grid = np.tile(np.arange(6, dtype="i2").reshape(1, 2, 3), (rows, 1, 1))
      |grid[:, 0, 0] = i
      |undercroft.write(path, {
      |    "flag": i % 3 == 0, "byte": (i % 100).astype("i1"), "short": (-i).astype("i2"), "char": (i % 1000).astype("u2"),
      |    "int": (-7 * i).astype("i4"), "long": i << 40, "float": (i / 4).astype("f4"), "double": -i / 8,
      |    "text": np.array(["" if k % 2 == 0 else "é" * (k % 4) for k in range(rows)], "U3"),
      |    "day": (i - 5).astype("M8[D]"), "at": (i * 1001).astype("M8[ms]"), "local": (i * 1000000).astype("M8[us]"),
      |    "took": (-i).astype("m8[s]"), "leg": i % 2, "grid": grid, "maybe": np.ma.array(i, mask=i % 4 == 0),
      |    "note": np.ma.array(np.full(rows, b"n", "S4"), mask=i % 5 > 0),
      |    "spot": np.array([(k % 7, k) for k in range(rows)], [("x", "i1"), ("y", "f8")]),
      |}, layout=layout, name="Trip", cases={"leg": ["Out", "Back"]}, utc=["at"])
      |""".stripMargin

  private def written(path: Path, layout: String, rows: Int): Unit =
    val builder = ProcessBuilder(Requirement.python(), "-c", code, path.toString, layout, s"$rows")
    builder.environment.put("PYTHONPATH", s"${sys.env("UNDERCROFT_SOURCES")}/python/src")
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
        for i <- 0 until rows do assertEquals(table(i), Trip.of(i), s"row $i")
    finally
      Files.deleteIfExists(path)
      Files.delete(path.getParent)
  end check

  for rows <- Seq(0, 1, 12_000) do
    test(
      s"Scala reads and verifies $rows rows that Python wrote, in every layout, without conversion"
    ):
      check(Rows, "rows", rows)(Rows.openReadOnly[Trip](_))
      check(PackedRows, "packed", rows)(PackedRows.openReadOnly[Trip](_))
      check(Columns, "columns", rows)(Columns.openReadOnly[Trip](_))
end WriteTest
