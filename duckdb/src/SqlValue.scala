package undercroft.duckdb

import internal.api.{DuckDbValues, OutParams}

/** A value in the result of a query.
  *
  * {{{
  * def describe(value: SqlValue): String = value match
  *   case SqlValue.Null           => "nothing"
  *   case SqlValue.Integer(value) => s"the number $value"
  *   case other                   => other.show
  * println(describe(SqlValue.Integer(250))) // the number 250
  * }}}
  */
enum SqlValue derives CanEqual:
  case Null
  case Bool(value: Boolean)
  case Integer(value: BigInt)
  case Decimal(value: BigDecimal)
  case Double(value: scala.Double)

  /** A text, or another value as DuckDB writes it. */
  case Text(value: String)

  /** Whether it is a Double that DuckDB has as a FLOAT. It has fewer digits. Set once, by `of`. */
  private var isFloat = false

  /** The whole number that it is, if a Long holds it; otherwise an IllegalStateException.
    *
    * {{{
    * println(SqlValue.Integer(250).long) // 250
    * try println(SqlValue.Text("250").long)
    * catch case _: IllegalStateException => println("not a number") // not a number
    * }}}
    */
  def long: Long = this match
    case Integer(value) if value.isValidLong => value.toLong
    case _                                   => throw IllegalStateException(s"$this is not a Long")

  /** The number that it is, as a Double; otherwise an IllegalStateException.
    *
    * {{{
    * println(SqlValue.Decimal(BigDecimal("2.5")).double) // 2.5
    * }}}
    */
  def double: scala.Double = this match
    case Double(value)  => value
    case Integer(value) => value.toDouble
    case Decimal(value) => value.toDouble
    case _              => throw IllegalStateException(s"$this is not a number")

  /** As one reads it: a FLOAT with the digits of a Float, a decimal with all digits of its scale.
    *
    * {{{
    * println(SqlValue.Bool(true).show) // true
    * println(SqlValue.Decimal(BigDecimal("0.00000000")).show) // 0.00000000
    * }}}
    */
  def show: String = this match
    case Null                     => "null"
    case Bool(value)              => value.toString
    case Integer(value)           => value.toString
    case Decimal(value)           => SqlValue.digits(value)
    case Double(value) if isFloat => value.toFloat.toString
    case Double(value)            => value.toString
    case Text(value)              => value

  /** The number of a Double with its own digits: 0.1 for the FLOAT 0.1. */
  private[undercroft] def shownDouble: scala.Double = this match
    case Double(value) if isFloat => value.toFloat.toString.toDouble
    case other                    => other.double
end SqlValue

object SqlValue:
  /** The largest scale of SQL's decimals. */
  private inline val MostScale = 38

  /** A decimal of SQL without an exponent; others could have any number of digits. */
  private def digits(value: BigDecimal): String =
    if value.scale < 0 || value.scale > MostScale then value.toString
    else value.bigDecimal.toPlainString.nn

  /** A Double, or the value of a FLOAT. */
  private[undercroft] def real(value: scala.Double, isFloat: Boolean): SqlValue =
    val number: SqlValue = SqlValue.Double(value)
    number.isFloat = isFloat
    number

  private[duckdb] def of(value: Long, slots: OutParams): SqlValue =
    if DuckDbValues.isNull(value, slots) then SqlValue.Null
    else
      DuckDbValues.typeOf(value, slots) match
        case DuckDbValues.Boolean => SqlValue.Bool(DuckDbValues.whole(value, slots) != 0)
        case tpe if DuckDbValues.isWhole(tpe) => SqlValue.Integer(DuckDbValues.whole(value, slots))
        case tpe @ (DuckDbValues.Double | DuckDbValues.Float) =>
          real(DuckDbValues.real(value, slots), tpe == DuckDbValues.Float)
        case DuckDbValues.UBigInt | DuckDbValues.HugeInt | DuckDbValues.UHugeInt =>
          SqlValue.Integer(BigInt(DuckDbValues.text(value, slots)))
        case DuckDbValues.Decimal => SqlValue.Decimal(BigDecimal(DuckDbValues.text(value, slots)))
        case _                    => SqlValue.Text(DuckDbValues.text(value, slots))
end SqlValue
