package undercroft.cli
package internal.csv

import java.nio.charset.StandardCharsets.UTF_8
import java.time.{DateTimeException, LocalDate, LocalDateTime, LocalTime}

/** The forms of texts that are rare: with blanks around them, years before 1 or after 9999, and
  * moments at the limits of a type. DuckDB casts these texts to the types of their forms.
  */
private object RareTexts:
  import TextForms.*

  /** A text without the blanks around it, of any language. */
  def trimmed(text: String): String =
    def isBlank(char: Char) = Character.getType(char) == Character.SPACE_SEPARATOR
    text.dropWhile(isBlank).reverse.dropWhile(isBlank).reverse

  /** The form of a text that is not empty, and has no blanks around it. */
  def formOf(text: String): Long =
    val bytes = text.getBytes(UTF_8).nn
    val common = TextForms.formOf(TextBytes(bytes, 0, bytes.length))
    if common != Rare then common
    else
      text match
        case moment(year: String, date: String, era, clock, fraction, offset) =>
          ofMoment(
            year,
            date,
            Option(era).isDefined,
            Option(clock),
            Option(fraction),
            Option(offset)
          )
        case _ => Other

  private val moment =
    (raw"([0-9]{4,7})-([0-9]{2}-[0-9]{2})( \(BC\))?(?:[ T]((?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2})" +
      raw"(\.[0-9]{1,9})?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?").r

  private def ofMoment(
      year: String,
      monthDay: String,
      isBeforeChrist: Boolean,
      clock: Option[String],
      fraction: Option[String],
      offset: Option[String]
  ): Long =
    val number = if isBeforeChrist then 1 - year.toInt else year.toInt
    val day =
      try
        Option.when(!isBeforeChrist || number < 1):
          LocalDate.of(number, monthDay.take(2).toInt, monthDay.drop(3).toInt).nn
      catch case _: DateTimeException => None
    (day, clock) match
      case (None, _)          => Other
      case (Some(date), None) => if isWithin(date, FirstDay, LastDay) then Date else Other
      case (Some(date), Some(time)) =>
        val isNanos = fraction.exists(_.length > 7)
        val local = LocalDateTime.of(date, LocalTime.parse(time + fraction.getOrElse(""))).nn
        val moments = offset.fold(Vector(local)): text =>
          Vector(local, local.minusSeconds(seconds(text)).nn)
        if moments.forall(isWithin(_, FirstNanos, LastNanos)) then
          if offset.isEmpty then if isNanos then TimestampNanos else Timestamp
          else if isNanos then InstantNanos
          else Instant
        else if isNanos || !moments.forall(isWithin(_, FirstMicros, LastMicros)) then Other
        else if offset.isEmpty then FarTimestamp
        else FarInstant
  end ofMoment

  private def isWithin[A <: Comparable[? >: A]](value: A, first: A, last: A): Boolean =
    value.compareTo(first) >= 0 && value.compareTo(last) <= 0

  private def seconds(offset: String): Long =
    if offset == "Z" then 0
    else
      val digits = offset.filter(_.isDigit).padTo(4, '0')
      val size = digits.take(2).toInt * 3600 + digits.drop(2).toInt * 60
      if offset.head == '-' then -size else size

  // The values that DuckDB's types have.
  private val FirstDay = LocalDate.of(-5877641, 6, 25).nn
  private val LastDay = LocalDate.of(5881580, 7, 10).nn
  private val FirstMicros = LocalDateTime.of(-290308, 12, 22, 0, 0).nn
  private val LastMicros = LocalDateTime.of(294247, 1, 10, 4, 0, 54, 775_806_000).nn
  private val FirstNanos = LocalDateTime.of(1677, 9, 21, 0, 12, 43, 145_224_194).nn
  private val LastNanos = LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_806).nn
end RareTexts
