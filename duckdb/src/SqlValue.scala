package undercroft.duckdb

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

  /** As one reads it.
    *
    * {{{
    * println(SqlValue.Bool(true).show) // true
    * }}}
    */
  def show: String = this match
    case Null           => "null"
    case Bool(value)    => value.toString
    case Integer(value) => value.toString
    case Decimal(value) => value.toString
    case Double(value)  => value.toString
    case Text(value)    => value
end SqlValue

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
