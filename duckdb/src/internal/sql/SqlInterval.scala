package undercroft.duckdb
package internal.sql

import java.time.Duration

/** An INTERVAL of DuckDB: months, days and microseconds, each with a sign of its own. */
private[duckdb] final case class SqlInterval(months: Long, days: Long, time: Long)
    derives CanEqual:

  /** Its length, in the days of 24 hours and the months of 30 days by which DuckDB compares. */
  def micros: BigInt = (BigInt(months) * 30 + days) * SqlInterval.MicrosPerDay + time

  /** The amount of time; None if it has months, whose lengths differ. */
  def duration: Option[Duration] =
    Option.when(months == 0)(Duration.ofDays(days).nn.plus(SqlInterval.ofMicros(time)).nn)

private[duckdb] object SqlInterval:
  final val MicrosPerSecond = 1_000_000L
  private final val MicrosPerDay = 86_400 * MicrosPerSecond

  /** The most microseconds: DuckDB cannot write the opposite of Long.MinValue. */
  final val Most = Long.MaxValue

  private def ofMicros(micros: Long): Duration =
    Duration.ofSeconds(
      Math.floorDiv(micros, MicrosPerSecond),
      Math.floorMod(micros, MicrosPerSecond) * 1000
    ).nn

  /** The microseconds of a duration, without digits below them. Throws IllegalArgumentException if
    * there are more than an INTERVAL has.
    */
  def micros(duration: Duration): Long =
    val nanos = BigInt(duration.getSeconds) * 1_000_000_000 + duration.getNano
    val micros = nanos / 1000
    if micros.abs > Most then
      throw IllegalArgumentException(
        s"an INTERVAL of SQL must have at most $Most microseconds; this Duration is $duration"
      )
    micros.toLong

  private val written =
    raw"(?:(-?\d+) years? ?)?(?:(-?\d+) months? ?)?(?:(-?\d+) days? ?)?(?:(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?".r

  /** An INTERVAL as DuckDB writes it. */
  def parse(text: String): Option[SqlInterval] = text match
    case written(years, months, days, sign, hours, minutes, seconds, fraction) if text.nonEmpty =>
      def number(digits: String | Null): BigInt = if digits == null then 0 else BigInt(digits)
      val isNegative = sign != null && sign.nonEmpty
      val whole = (number(hours) * 60 + number(minutes)) * 60 + number(seconds)
      val rest = if fraction == null then 0 else fraction.padTo(6, '0').toInt
      val time = (whole * MicrosPerSecond + rest) * (if isNegative then -1 else 1)
      val all = number(years) * 12 + number(months)
      Option.when(all.isValidInt && number(days).isValidInt && time.isValidLong):
        SqlInterval(all.toLong, number(days).toLong, time.toLong)
    case _ => None
end SqlInterval
