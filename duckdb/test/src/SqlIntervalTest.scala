package undercroft.duckdb

import internal.sql.SqlInterval
import java.time.Duration
import scala.util.Random

class SqlIntervalTest extends undercroft.tools.Suite:

  test("every INTERVAL that DuckDB writes is read with its parts"):
    val seed = Random.nextLong()
    val random = Random(seed)
    val database = DuckDb()
    try
      for _ <- 0 until 200 do
        def part(most: Int): Int = random.nextInt(3) match
          case 0 => 0
          case 1 => random.nextInt(2 * most + 1) - most
          case _ => random.nextInt(3) - 1
        val (months, days) = (part(30_000), part(1_000_000))
        val time = random.nextInt(3) match
          case 0 => 0L
          case 1 => random.nextLong().max(-Long.MaxValue)
          case _ => random.nextInt().toLong
        val sql = s"select to_months($months) + to_days($days) + to_microseconds($time)"
        val text = database.query(sql)(0, 0).show
        val expected = SqlInterval(months, days, time)
        assertEquals(SqlInterval.parse(text), Some(expected), s"seed $seed, $text")
    finally database.close()

  test("a text that is no INTERVAL has no parts"):
    for text <-
        Seq("", "hour", "1", "1:2:3", "00:00", "1 day 2", "00:00:00.1234567", "99999999999 days")
    do assertEquals(SqlInterval.parse(text), None, text)

  test("a Duration has the microseconds of an INTERVAL, truncated"):
    for (duration, micros) <- Seq(
        (Duration.ofNanos(1999), 1L),
        (Duration.ofNanos(-1999), -1L),
        (Duration.ofNanos(-1), 0L),
        (Duration.ofSeconds(-1, 1), -999_999L),
        (Duration.ofDays(2), 172_800_000_000L)
      )
    do assertEquals(SqlInterval.micros(duration.nn), micros, s"$duration")
end SqlIntervalTest
