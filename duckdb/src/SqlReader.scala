package undercroft.duckdb

import java.time.format.DateTimeParseException
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.annotation.{implicitNotFound, publicInBinary}
import scala.compiletime.{constValue, constValueTuple, erasedValue, error, summonInline}
import scala.deriving.Mirror
import undercroft.struct.Text

/** Reads a value of a result as a type.
  *
  * {{{
  * println(summon[SqlReader[Int]].name) // an Int
  * }}}
  */
@implicitNotFound(
  "a column of a query can be read as a number, Boolean, text, date, time, duration, UUID, an enum without " +
    "fields, or an Option of these; not as ${T}"
)
trait SqlReader[T]:
  /** The type with its article, for error messages. */
  def name: String

  /** The value; throws IllegalArgumentException if the type does not have it. */
  private[duckdb] def read(value: SqlValue): T

object SqlReader:
  import SqlValue.{Bool, Decimal, Integer}

  private final class Of[T](val name: String, from: PartialFunction[SqlValue, T])
      extends SqlReader[T]:
    private[duckdb] def read(value: SqlValue): T =
      from.applyOrElse(value, _ => throw IllegalArgumentException(s"not $name"))

  given SqlReader[Boolean] = Of("a Boolean", { case Bool(value) => value })
  given SqlReader[Byte] = Of("a Byte", { case Integer(value) if value.isValidByte => value.toByte })
  given SqlReader[Short] =
    Of("a Short", { case Integer(value) if value.isValidShort => value.toShort })
  given SqlReader[Int] = Of("an Int", { case Integer(value) if value.isValidInt => value.toInt })
  given SqlReader[Long] = Of("a Long", { case Integer(value) if value.isValidLong => value.toLong })
  given SqlReader[BigInt] = Of("a BigInt", { case Integer(value) => value })
  given SqlReader[BigDecimal] = Of(
    "a BigDecimal",
    {
      case Decimal(value) => value
      case Integer(value) => BigDecimal(value)
    }
  )
  given SqlReader[Double] = Of(
    "a Double",
    {
      case SqlValue.Double(value) => value
      case Integer(value) if value.isValidLong && value == BigDecimal(value.toDouble).toBigInt =>
        value.toDouble
    }
  )
  given SqlReader[Float] = Of(
    "a Float",
    {
      case SqlValue.Double(value) if value.isNaN || value == value.toFloat.toDouble => value.toFloat
    }
  )
  given SqlReader[String] = Of("a String", { case SqlValue.Text(value) => value })
  given SqlReader[UUID] = parsed("a UUID", uuid)
  given SqlReader[LocalDate] = parsed("a LocalDate", SqlDates.date)
  given SqlReader[LocalTime] = parsed("a LocalTime", LocalTime.parse(_).nn)
  given SqlReader[LocalDateTime] = parsed("a LocalDateTime", SqlDates.dateTime)
  given SqlReader[Instant] = parsed("an Instant", SqlDates.instant)

  /** An INTERVAL whose days have 24 hours; one with months or years is an error. */
  given SqlReader[Duration] = text(
    "a Duration",
    value =>
      SqlInterval.parse(value).flatMap(_.duration)
        .getOrElse(throw IllegalArgumentException(s"$value has months, or is no INTERVAL"))
  )

  /** A Text of at most `N` bytes of UTF-8. */
  given [N <: Int](using bytes: ValueOf[N]): SqlReader[Text[N]] =
    text(s"a Text[${bytes.value}]", Text[N](_))

  /** A value that may be null. */
  given [T](using reader: SqlReader[T]): SqlReader[Option[T]] = Of(
    reader.name,
    {
      case SqlValue.Null => None
      case value         => Some(reader.read(value))
    }
  )

  /** An enum whose cases have no fields, by the names of its cases. */
  inline given [T <: scala.reflect.Enum](using mirror: Mirror.SumOf[T]): SqlReader[T] =
    cases[T](
      constValue[mirror.MirroredLabel],
      constValueTuple[mirror.MirroredElemLabels].toList.asInstanceOf[List[String]],
      values[mirror.MirroredElemTypes].asInstanceOf[List[T]]
    )

  private inline def values[Types <: Tuple]: List[Any] = inline erasedValue[Types] match
    case _: EmptyTuple => Nil
    case _: (head *: tail) =>
      inline erasedValue[head] match
        case _: scala.reflect.Enum =>
          inline summonInline[Mirror.Of[head]] match
            case single: Mirror.Singleton => single.fromProduct(EmptyTuple) :: values[tail]
            case _ => error("a column of a query cannot be read as an enum with fields")

  @publicInBinary private[duckdb] def cases[T](
      label: String,
      names: List[String],
      values: List[T]
  ): SqlReader[T] =
    val byName = names.zip(values).toMap
    Of(s"a case of $label", { case SqlValue.Text(byName(value)) => value })

  /** Java's parser accepts shorter forms, such as 1-1-1-1-1, too. */
  private def uuid(text: String): UUID =
    val value = UUID.fromString(text).nn
    if value.toString.equalsIgnoreCase(text) then value
    else throw IllegalArgumentException(s"$text is not a UUID of 36 characters")

  private[duckdb] def text[T](name: String, from: String => T): SqlReader[T] =
    Of(name, { case SqlValue.Text(value) => from(value) })

  private def parsed[T](name: String, parse: String => T): SqlReader[T] = text(
    name,
    value =>
      try parse(value)
      catch case cause: DateTimeParseException => throw IllegalArgumentException(cause)
  )
end SqlReader
