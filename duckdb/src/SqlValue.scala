package undercroft.duckdb

/** A value in the result of a query. */
enum SqlValue derives CanEqual:
  case Null
  case Bool(value: Boolean)
  case Integer(value: BigInt)
  case Decimal(value: BigDecimal)
  case Double(value: scala.Double)

  /** A text, or another value as DuckDB writes it. */
  case Text(value: String)

  /** The whole number that it is, if a Long holds it; otherwise an IllegalStateException. */
  def long: Long = this match
    case Integer(value) if value.isValidLong => value.toLong
    case _                                   => throw IllegalStateException(s"$this is not a Long")

  /** The number that it is, as a Double; otherwise an IllegalStateException. */
  def double: scala.Double = this match
    case Double(value)  => value
    case Integer(value) => value.toDouble
    case Decimal(value) => value.toDouble
    case _              => throw IllegalStateException(s"$this is not a number")

  /** As one reads it. */
  def show: String = this match
    case Null           => "null"
    case Bool(value)    => value.toString
    case Integer(value) => value.toString
    case Decimal(value) => value.toString
    case Double(value)  => value.toString
    case Text(value)    => value
end SqlValue

/** The result of a query: all of its rows, on the heap. */
final case class QueryResult(columns: Vector[String], rows: Vector[Vector[SqlValue]])
    derives CanEqual:

  /** A cell by the numbers of its row and its column; outside, an IndexOutOfBoundsException. */
  def apply(row: Int, column: Int): SqlValue = rows(row)(column)

object SqlValue:
  private[duckdb] def of(value: Long, slots: OutParams): SqlValue =
    if DuckDbValues.isNull(value, slots) then SqlValue.Null
    else
      DuckDbValues.typeOf(value, slots) match
        case DuckDbValues.Boolean => SqlValue.Bool(DuckDbValues.whole(value, slots) != 0)
        case tpe if DuckDbValues.isWhole(tpe) => SqlValue.Integer(DuckDbValues.whole(value, slots))
        case DuckDbValues.Float | DuckDbValues.Double =>
          SqlValue.Double(DuckDbValues.real(value, slots))
        case DuckDbValues.UBigInt | DuckDbValues.HugeInt | DuckDbValues.UHugeInt =>
          SqlValue.Integer(BigInt(DuckDbValues.text(value, slots)))
        case DuckDbValues.Decimal => SqlValue.Decimal(BigDecimal(DuckDbValues.text(value, slots)))
        case _                    => SqlValue.Text(DuckDbValues.text(value, slots))
end SqlValue
