package outside.cli

import java.nio.file.{Files, Path}
import java.time.{LocalDate, LocalDateTime, ZoneOffset}
import undercroft.file.*
import undercroft.struct.*

object Moment:
  given Struct.StoredAs[LocalDateTime, Long] =
    LogicalType.localDateTime(LogicalType.TimeUnit.Micros)
final case class Moment(day: LocalDate, time: LocalDateTime) derives Struct

/** The first rows of a struct file are read without SQL, and shown as SQL shows them. */
class HeadTest extends CliSuite:

  private def file(folder: Path, query: String, options: String*): Unit =
    val parquet = folder.resolve("t.parquet")
    done(run(folder)("sql", s"copy ($query) to '$parquet'")): Unit
    done(run(folder)(Seq("convert", "./t.parquet", "./t.cols", "--overwrite") ++ options*)): Unit

  private val extremes =
    """select a::tinyint as a, b::smallint as b, c::integer as c, d::bigint as d, e::utinyint as e,
      |  f::double as f, g::float as g, h::boolean as h, i, j::enum('near', 'far') as j,
      |  k::date as k, l::timestamp as l, m::integer as m, n, o::interval as o from (values
      |('-128', '-32768', '-2147483648', '-9223372036854775808', '255', '1.5e300', '0.1', 'true',
      |  'é, "x"', 'far', '5881580-07-10', '294247-01-10 04:00:54.775806', null, null, '1 second'),
      |('127', '32767', '2147483647', '9223372036854775807', '0', '-inf', 'nan', 'false',
      |  '', 'near', '5877642-06-25 (BC)', '290309-12-22 (BC) 00:00:00', '7', 'text', '3 days'),
      |(null, '0', '0', '0', '0', '-0.0', '16777216', null, null, null, null, null, null, chr(10),
      |  null)) v(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)""".stripMargin

  for layout <- Seq("columns", "rows", "packed") do
    inFolder(s"head shows the values of a struct file as SQL shows them: $layout"): folder =>
      file(folder, extremes, "--layout", layout)
      for format <- Seq("--csv", "--json") do
        val shown = done(run(folder)("head", "./t.cols", format)).out
        assertEquals(shown, done(run(folder)("sql", "from t", "./t.cols", format)).out)
        assert(shown.contains("290309-12-22 (BC)"), shown)
      assertEquals(
        done(run(folder)("head", "./t.cols", "--rows", "2")).out,
        done(run(folder)("sql", "from t limit 2", "./t.cols")).out
      )
      assertEquals(
        done(run(folder)("head", "./t.cols", "--columns", "n,A", "--csv", "--rows", "2")).out,
        "n,a\n,-128\ntext,127\n"
      )

  inFolder("head shows columns that need SQL, and rows of an empty file"): folder =>
    file(folder, "select 1 as a, {'x': 2, 'y': 'z'} as b, time '01:02:03' as c, uuid() as d")
    assertEquals(
      done(run(folder)("head", "./t.cols", "--json")).out,
      done(run(folder)("sql", "from t", "./t.cols", "--json")).out
    )
    file(folder, "select 1 as a limit 0")
    assertEquals(done(run(folder)("head", "./t.cols", "--csv")).out, "a\n")
    val unknown = run(folder)("head", "./t.cols", "--columns", "b")
    assertEquals(
      (unknown.code, unknown.err),
      (2, "undercroft: ./t.cols has no column b; its columns are a\n")
    )

  private def dateTime(micros: Long): LocalDateTime =
    val nanos = Math.floorMod(micros, 1_000_000L).toInt * 1000
    LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), nanos, ZoneOffset.UTC)

  for
    (day, micros) <- Seq(
      (Int.MinValue, 0L),
      (-Int.MaxValue, 0L),
      (Int.MaxValue, 0L),
      (0, Long.MinValue),
      (0, -9_223_372_022_400_000_001L),
      (0, -9_223_372_022_400_000_000L),
      (0, Long.MaxValue)
    )
  do
    inFolder(s"head treats a date and a time at SQL's limits as SQL does: $day, $micros"): folder =>
      import Moment.given
      val file = Rows.create[Moment](folder.resolve("t.rows"))
      try
        file += Moment(LocalDate.ofEpochDay(day), dateTime(micros))
        file.seal()
      finally file.close()
      assertEquals(
        run(folder)("head", "./t.rows", "--csv"),
        run(folder)("sql", "from t", "./t.rows", "--csv")
      )
  end for

  inFolder("head of a file whose bytes have changed is refused"): folder =>
    file(folder, "select i as a, 'text' as b from range(1000) r(i)")
    val bytes = Files.readAllBytes(folder.resolve("t.cols"))
    val text = bytes.indexOfSlice("texttext".getBytes)
    assert(text > 0)
    bytes(text) = 'T'
    Files.write(folder.resolve("t.cols"), bytes)
    val outcome = run(folder)("head", "./t.cols")
    assertEquals((outcome.code, outcome.out), (2, ""))
    assert(outcome.err.contains("./t.cols"), outcome.err)
end HeadTest
