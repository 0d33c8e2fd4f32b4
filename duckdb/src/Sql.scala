package undercroft.duckdb

import internal.sql.{SqlDates, SqlInterval}
import java.time.temporal.ChronoUnit
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime, ZoneOffset}
import java.util.UUID

/** A value that `sql` binds.
  *
  *   - Numbers, Booleans, texts, dates, times, durations and UUIDs have SQL's types. A BigInt is a
  *     HUGEINT, a BigDecimal a DECIMAL of at most 38 digits, a Duration an INTERVAL, truncated to
  *     microseconds.
  *   - A LocalTime is a TIME_NS and an Instant a TIMESTAMPTZ_NS, the types of fields with their
  *     default storage; a LocalDateTime is a TIMESTAMP, or a TIMESTAMP_NS if it has digits below a
  *     microsecond. SQL does not order a TIMESTAMPTZ_NS and a TIMESTAMPTZ, nor a TIME_NS and a
  *     TIME: compare with a column of these as `ts >= $instant::timestamptz`. Beyond the range of
  *     nanoseconds, which is from 1677 to 2262, an Instant is a TIMESTAMPTZ, and a value with
  *     digits below a microsecond is an IllegalArgumentException, as is an Instant beyond the range
  *     of TIMESTAMPTZ.
  *   - A Text is passed as its `string`, and a case of an enum as its name. `None` is NULL, and an
  *     Iterable is a list: `sql"... where ticket in $tickets"`.
  *   - [[Sql]] is inserted as a part of the statement, with its own values.
  */
type SqlParameter = Boolean | Byte | Short | Int | Long | Float | Double | BigInt | BigDecimal |
  String | LocalDate | LocalTime | LocalDateTime | Instant | Duration | UUID | scala.reflect.Enum |
  Sql | Option[Any] | Iterable[Any]

/** A statement with values, made by the interpolator `sql`.
  *
  * The values are not parts of the text: DuckDB receives them beside it, so no value can change the
  * statement. A value can only stand for a value: names of tables and columns are text.
  *
  * {{{
  * def large(db: DuckDb, price: Int, names: List[String]): QueryResult =
  *   val named = if names.isEmpty then sql"true" else sql"name in $names"
  *   db.query(sql"select * from bills where price > $price and $named")
  * }}}
  */
final class Sql private (private val pieces: Vector[Sql.Piece]):

  /** The text that DuckDB parses, in which `$1` is the first value. */
  def text: String =
    val text = StringBuilder()
    var count = 0
    for piece <- pieces do
      piece match
        case Sql.Piece.Verbatim(part) => text.append(part)
        case Sql.Piece.Bound(_, tpe) =>
          count += 1
          text.append(if tpe.isEmpty then s"$$$count" else s"CAST($$$count AS $tpe)")
    text.toString

  private[duckdb] def values: Vector[Sql.Value] =
    pieces.collect { case Sql.Piece.Bound(value, _) => value }

  /** The text, without the values, which may be confidential. */
  override def toString: String = text
end Sql

object Sql:
  /** A value as DuckDB's C interface creates it. */
  private[duckdb] type Value = Boolean | Int | Long | Double | String

  /** A part of the text, or a value that is cast to `tpe` unless that is empty. */
  private[duckdb] enum Piece:
    case Verbatim(text: String)
    case Bound(value: Value, tpe: String)

  /** A statement without values, from a text that is known only at run time. It must not contain
    * anything that a user of the program has typed.
    *
    * {{{
    * def count(db: DuckDb, table: String): Long =
    *   db.query(Sql.verbatim(s"select count(*) from $table"))(0, 0).long
    * }}}
    */
  def verbatim(text: String): Sql = new Sql(Vector(Piece.Verbatim(text)))

  private[duckdb] def interpolated(parts: Seq[String], values: Seq[SqlParameter]): Sql =
    val rest = parts.tail.zip(values).flatMap: (part, value) =>
      pieces(value) :+ Piece.Verbatim(part)
    new Sql(Piece.Verbatim(parts.head) +: rest.toVector)

  private def pieces(value: Any): Vector[Piece] = value match
    case sql: Sql             => sql.pieces
    case option: Option[?]    => option.fold(Vector(Piece.Verbatim("NULL")))(pieces)
    case values: Iterable[?]  => list(values)
    case value: Boolean       => bound(value)
    case value: Byte          => bound(value.toInt, "TINYINT")
    case value: Short         => bound(value.toInt, "SMALLINT")
    case value: Int           => bound(value)
    case value: Long          => bound(value)
    case value: Float         => bound(value.toDouble, "FLOAT")
    case value: Double        => bound(value)
    case value: BigInt        => bound(value.toString, "HUGEINT")
    case value: BigDecimal    => decimal(value)
    case value: String        => bound(value)
    case value: LocalDate     => bound(SqlDates.text(value), "DATE")
    case value: LocalTime     => bound(value.toString, "TIME_NS")
    case value: LocalDateTime => dateTime(value)
    case value: Instant       => instant(value)
    case value: Duration =>
      bound(s"${SqlInterval.micros(value)} microseconds", "INTERVAL")
    case value: UUID               => bound(value.toString, "UUID")
    case value: scala.reflect.Enum => enumCase(value)
    case other =>
      val kind = if other == null then "null; use None" else other.getClass.getName
      throw IllegalArgumentException(s"SQL has no parameter for $kind")
  end pieces

  private def bound(value: Value, tpe: String = ""): Vector[Piece] = Vector(Piece.Bound(value, tpe))

  private def list(values: Iterable[Any]): Vector[Piece] =
    val separated = values.toVector.flatMap(value => Piece.Verbatim(", ") +: pieces(value)).drop(1)
    Piece.Verbatim("[") +: separated :+ Piece.Verbatim("]")

  private def decimal(value: BigDecimal): Vector[Piece] =
    // Counted before the digits are written out: 1e1000000000 has a billion of them.
    val digits =
      if value.scale >= 0 then value.precision.max(value.scale).toLong
      else if value.bigDecimal.signum == 0 then 1L
      else value.precision.toLong - value.scale
    if digits > MostDigits then
      throw IllegalArgumentException(
        s"a DECIMAL of SQL must have at most $MostDigits digits; this BigDecimal has $digits"
      )
    val number = if value.scale < 0 then value.setScale(0) else value
    bound(number.bigDecimal.toPlainString.nn, s"DECIMAL($digits, ${number.scale})")

  /** SQL compares both types with both. A column that is compared with nanoseconds is converted to
    * them, which fails beyond their range, so they are used only for digits of nanoseconds.
    */
  private def dateTime(value: LocalDateTime): Vector[Piece] =
    val isInMicros = hasMicros(value.getNano)
    if !isInMicros then checkNanos(value, value.toInstant(ZoneOffset.UTC).nn)
    bound(SqlDates.text(value), if isInMicros then "TIMESTAMP" else "TIMESTAMP_NS")

  /** The type depends on the range only, so that an expression has one type in most programs. */
  private def instant(value: Instant): Vector[Piece] =
    if !hasMicros(value.getNano) then checkNanos(value, value)
    if value.isBefore(FirstInMicros) || value.isAfter(LastInMicros) then
      throw IllegalArgumentException(
        s"a TIMESTAMPTZ of SQL must be from $FirstInMicros to $LastInMicros; it is $value"
      )
    bound(SqlDates.text(value), if isInNanos(value) then "TIMESTAMPTZ_NS" else "TIMESTAMPTZ")

  private def hasMicros(nanos: Int): Boolean = nanos % 1000 == 0

  private def isInNanos(value: Instant): Boolean =
    !value.isBefore(FirstInNanos) && !value.isAfter(LastInNanos)

  private def checkNanos(value: Any, moment: Instant): Unit =
    if !isInNanos(moment) then
      throw IllegalArgumentException(
        s"a value with digits below a microsecond must be from $FirstInNanos to $LastInNanos, " +
          s"the range of SQL's nanoseconds; it is $value"
      )

  private def enumCase(value: scala.reflect.Enum): Vector[Piece] =
    value match
      case product: Product if product.productArity == 0 => bound(product.productPrefix)
      case _ =>
        throw IllegalArgumentException(s"SQL has no parameter for an enum case with fields: $value")

  private inline val MostDigits = 38

  /** SQL's nanoseconds are a Long, whose largest values and their negations are infinite. */
  private val LastInNanos = Instant.EPOCH.plusNanos(Long.MaxValue - 1).nn
  private val FirstInNanos = Instant.EPOCH.plusNanos(Long.MinValue + 2).nn

  /** SQL's microseconds are a Long, too; the earliest is the start of the first complete day. */
  private val LastInMicros = Instant.EPOCH.plus(Long.MaxValue - 1, ChronoUnit.MICROS).nn
  private val FirstInMicros = Instant.parse("-290308-12-22T00:00:00Z").nn
end Sql

extension (context: StringContext)
  /** A statement of DuckDB's SQL, whose interpolated values are bound: see [[Sql]]. A backslash in
    * the text stays a backslash.
    *
    * {{{
    * val price = 250
    * println(sql"select * from bills where price > $price") // select * from bills where price > $1
    * }}}
    */
  def sql(values: SqlParameter*): Sql =
    Sql.interpolated(context.parts, values)
