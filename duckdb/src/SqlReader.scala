package undercroft.duckdb

import internal.result.ResultColumn
import internal.sql.{SqlDates, SqlInterval}
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

  /** The value in a row of a column, without an object for it in between if it has one's type. */
  @publicInBinary private[duckdb] def read(column: ResultColumn, row: Int): T =
    read(column.value(row))

object SqlReader:
  import SqlValue.{Bool, Decimal, Integer}

  private class Of[T](val name: String, from: PartialFunction[SqlValue, T]) extends SqlReader[T]:
    private[duckdb] def read(value: SqlValue): T = from.applyOrElse(value, _ => refuse)
    protected final def refuse: Nothing = throw IllegalArgumentException(s"not $name")

  /** Reads whole numbers within a range. */
  private abstract class Whole[T](val name: String, least: Long, most: Long) extends SqlReader[T]:
    protected def of(number: Long): T
    private def refuse: Nothing = throw IllegalArgumentException(s"not $name")
    private[duckdb] def read(value: SqlValue): T = value match
      case Integer(number) if number >= least && number <= most => of(number.toLong)
      case _                                                    => refuse
    @publicInBinary private[duckdb] override def read(column: ResultColumn, row: Int): T =
      column match
        case numbers: ResultColumn.Whole if !numbers.isNull(row) =>
          val number = numbers(row)
          if number < least || number > most then refuse else of(number)
        case other => read(other.value(row))

  given SqlReader[Boolean] = new Of("a Boolean", { case Bool(value) => value }):
    @publicInBinary private[duckdb] override def read(column: ResultColumn, row: Int): Boolean =
      column match
        case bits: ResultColumn.Booleans if !bits.isNull(row) => bits(row)
        case other                                            => read(other.value(row))

  given SqlReader[Byte] = new Whole[Byte]("a Byte", Byte.MinValue, Byte.MaxValue):
    protected def of(number: Long): Byte = number.toByte
  given SqlReader[Short] = new Whole[Short]("a Short", Short.MinValue, Short.MaxValue):
    protected def of(number: Long): Short = number.toShort
  given SqlReader[Int] = new Whole[Int]("an Int", Int.MinValue, Int.MaxValue):
    protected def of(number: Long): Int = number.toInt
  given SqlReader[Long] = new Whole[Long]("a Long", Long.MinValue, Long.MaxValue):
    protected def of(number: Long): Long = number
  given SqlReader[BigInt] = Of("a BigInt", { case Integer(value) => value })
  given SqlReader[BigDecimal] = Of(
    "a BigDecimal",
    {
      case Decimal(value) => value
      case Integer(value) => BigDecimal(value)
    }
  )
  given SqlReader[Double] = new Of(
    "a Double",
    {
      case SqlValue.Double(value) => value
      case Integer(value) if value.isValidLong && value == BigDecimal(value.toDouble).toBigInt =>
        value.toDouble
    }
  ):
    @publicInBinary private[duckdb] override def read(column: ResultColumn, row: Int): Double =
      column match
        case reals: ResultColumn.Reals if !reals.isNull(row) => reals.real(row)
        case other                                           => read(other.value(row))

  given SqlReader[Float] = Of(
    "a Float",
    {
      case SqlValue.Double(value) if value.isNaN || value == value.toFloat.toDouble => value.toFloat
    }
  )
  given SqlReader[String] = textual("a String", identity)
  given SqlReader[UUID] = parsed("a UUID", uuid)
  given SqlReader[LocalDate] = parsed(
    "a LocalDate",
    SqlDates.date,
    { case (dates: ResultColumn.Dates, row) if dates.isFinite(row) => dates.date(row) }
  )
  given SqlReader[LocalTime] = parsed(
    "a LocalTime",
    LocalTime.parse(_).nn,
    { case (times: ResultColumn.Times, row) if times.isTime(row) => times.time(row) }
  )
  given SqlReader[LocalDateTime] = parsed(
    "a LocalDateTime",
    SqlDates.dateTime,
    { case (times: ResultColumn.Timestamps, row) if times.isFinite(row) => times.time(row) }
  )
  given SqlReader[Instant] = parsed("an Instant", SqlDates.instant)

  /** An INTERVAL whose days have 24 hours; one with months or years is an error. */
  given SqlReader[Duration] = textual(
    "a Duration",
    value =>
      SqlInterval.parse(value).flatMap(_.duration)
        .getOrElse(throw IllegalArgumentException(s"$value has months, or is no INTERVAL"))
  )

  /** A Text of at most `N` bytes of UTF-8. */
  given [N <: Int](using bytes: ValueOf[N]): SqlReader[Text[N]] =
    textual(s"a Text[${bytes.value}]", Text[N](_))

  /** A value that may be null. */
  given [T](using reader: SqlReader[T]): SqlReader[Option[T]] = new SqlReader[Option[T]]:
    def name: String = reader.name
    private[duckdb] def read(value: SqlValue): Option[T] = value match
      case SqlValue.Null => None
      case present       => Some(reader.read(present))
    @publicInBinary private[duckdb] override def read(column: ResultColumn, row: Int): Option[T] =
      if column.isNull(row) then None else Some(reader.read(column, row))

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
    textual(
      s"a case of $label",
      text => byName.getOrElse(text, throw IllegalArgumentException(s"not a case of $label"))
    )

  /** Java's parser accepts shorter forms, such as 1-1-1-1-1, too. */
  private def uuid(text: String): UUID =
    val value = UUID.fromString(text).nn
    if value.toString.equalsIgnoreCase(text) then value
    else throw IllegalArgumentException(s"$text is not a UUID of 36 characters")

  /** Reads texts, and other values as DuckDB writes them. */
  private def textual[T](
      name: String,
      from: String => T,
      direct: PartialFunction[(ResultColumn, Int), T] = PartialFunction.empty
  ): SqlReader[T] = new Of[T](name, { case SqlValue.Text(value) => from(value) }):
    @publicInBinary private[duckdb] override def read(column: ResultColumn, row: Int): T =
      column match
        case texts: ResultColumn.Texts if !texts.isNull(row) => from(texts.text(row))
        case cases: ResultColumn.Cases if !cases.isNull(row) => from(cases.name(row))
        case numbers: ResultColumn.Numbers if !numbers.isNull(row) =>
          direct.applyOrElse((numbers, row), _ => read(numbers.value(row)))
        case other => read(other.value(row))

  private def parsed[T](
      name: String,
      parse: String => T,
      direct: PartialFunction[(ResultColumn, Int), T] = PartialFunction.empty
  ): SqlReader[T] = textual(
    name,
    value =>
      try parse(value)
      catch case cause: DateTimeParseException => throw IllegalArgumentException(cause),
    direct
  )
end SqlReader
