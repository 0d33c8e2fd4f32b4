package undercroft.duckdb

/** A value that a query answered. */
enum Cell derives CanEqual:
  case Null
  case Truth(value: Boolean)
  case Whole(value: BigInt)
  case Exact(value: BigDecimal)
  case Real(value: Double)

  /** A text, or another value as DuckDB writes it. */
  case Written(value: String)

  /** The whole number that it is, if a Long holds it; otherwise an IllegalStateException. */
  def long: Long = this match
    case Whole(value) if value.isValidLong => value.toLong
    case other                             => throw IllegalStateException(s"$other is no Long")

  /** The number that it is, as a Double; otherwise an IllegalStateException. */
  def double: Double = this match
    case Real(value)  => value
    case Whole(value) => value.toDouble
    case Exact(value) => value.toDouble
    case other        => throw IllegalStateException(s"$other is no number")

  /** As one reads it. */
  def show: String = this match
    case Null           => "null"
    case Truth(value)   => value.toString
    case Whole(value)   => value.toString
    case Exact(value)   => value.toString
    case Real(value)    => value.toString
    case Written(value) => value
end Cell

/** What a query answered: all of its rows, on the heap. */
final case class Result(columns: Vector[String], rows: Vector[Vector[Cell]]) derives CanEqual:

  /** A cell by the numbers of its row and its column; outside, an IndexOutOfBoundsException. */
  def apply(row: Int, column: Int): Cell = rows(row)(column)

object Cell:
  private[duckdb] def of(value: Long, slots: Slots): Cell =
    if Values.isNull(value, slots) then Cell.Null
    else
      Values.typeOf(value, slots) match
        case Values.Boolean               => Cell.Truth(Values.whole(value, slots) != 0)
        case tpe if Values.isWhole(tpe)   => Cell.Whole(Values.whole(value, slots))
        case Values.Float | Values.Double => Cell.Real(Values.real(value, slots))
        case Values.UBigInt | Values.HugeInt | Values.UHugeInt =>
          Cell.Whole(BigInt(Values.text(value, slots)))
        case Values.Decimal => Cell.Exact(BigDecimal(Values.text(value, slots)))
        case _              => Cell.Written(Values.text(value, slots))
end Cell
