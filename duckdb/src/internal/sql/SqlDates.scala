package undercroft.duckdb
package internal.sql

import java.time.format.DateTimeFormatter.{ISO_LOCAL_DATE, ISO_LOCAL_TIME}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.time.{Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, ZoneOffset}

/** DuckDB's notation of dates and timestamps. It is that of ISO 8601, with a space before the time,
  * but years after 9999 have no sign, and years before 1 are counted back from it: the year 0 is
  * `0001-01-01 (BC)`.
  */
private[undercroft] object SqlDates:
  private val local: DateTimeFormatter = DateTimeFormatterBuilder()
    .append(ISO_LOCAL_DATE).nn
    .appendLiteral(' ').nn
    .append(ISO_LOCAL_TIME).nn
    .toFormatter.nn

  /** With an offset, in the time zone of the session. */
  private val zoned: DateTimeFormatter =
    DateTimeFormatterBuilder().append(local).nn.appendOffset("+HH:mm:ss", "+00").nn.toFormatter.nn

  private val Notation = raw"(\d{4,})(-\d\d-\d\d)( \(BC\))?(.*)".r

  def text(date: LocalDate): String =
    val year = date.getYear
    val shown = if year > 0 then year else 1 - year
    val era = if year > 0 then "" else " (BC)"
    val month = padded(date.getMonthValue, 2)
    s"${padded(shown, 4)}-$month-${padded(date.getDayOfMonth, 2)}$era"

  def text(time: LocalDateTime): String =
    s"${text(time.toLocalDate.nn)} ${text(time.toLocalTime.nn)}"

  def text(time: LocalTime): String = ISO_LOCAL_TIME.nn.format(time).nn

  def text(moment: Instant): String =
    s"${text(LocalDateTime.ofInstant(moment, ZoneOffset.UTC).nn)}+00"

  /** The following throw DateTimeParseException, also for `infinity`. */
  def date(text: String): LocalDate = LocalDate.parse(iso(text)).nn
  def dateTime(text: String): LocalDateTime = LocalDateTime.parse(iso(text), local).nn
  def instant(text: String): Instant = OffsetDateTime.parse(iso(text), zoned).nn.toInstant.nn

  /** The year as ISO 8601 has it. */
  private def iso(text: String): String = text match
    case Notation(digits, day, era, time) =>
      val written = digits.nn.toLong
      val year = if era == null then written else 1 - written
      val sign = if year < 0 then "-" else if year > 9999 then "+" else ""
      s"$sign${padded(year.abs, 4)}$day$time"
    case other => other

  private def padded(number: Long, digits: Int): String =
    "0" * (digits - number.toString.length).max(0) + number
end SqlDates
