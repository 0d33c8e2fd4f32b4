package undercroft.duckdb
package internal.result

import internal.api.{CString, DuckDbApi, DuckDbValues, OutParams}

/** A column of a result: its name and its type. */
private[undercroft] final case class ResultField(name: String, tpe: ResultType) derives CanEqual

/** The type of the values of a result, as DuckDB states it. */
private[undercroft] enum ResultType derives CanEqual:
  /** A type without parameters, or with parameters that are not read, by DuckDB's number. */
  case Plain(id: Int)
  case Decimal(width: Int, scale: Int)
  case Enumerated(cases: Vector[String])
  case Struct(fields: Vector[ResultField])
  case Listed(element: ResultType)
  case Fixed(element: ResultType, size: Int)

private[undercroft] object ResultType:
  /** The type with this name in SQL, of those that the texts of a CSV file are stored as. */
  def named(sqlType: String): ResultType = Plain(sqlType match
    case "BOOLEAN"   => DuckDbValues.Boolean
    case "BIGINT"    => DuckDbValues.BigInt
    case "DOUBLE"    => DuckDbValues.Double
    case "DATE"      => DuckDbValues.Date
    case "TIMESTAMP" => DuckDbValues.Timestamp
    case _           => DuckDbValues.VarChar)

  /** The type with a handle that the caller owns. */
  private[duckdb] def of(handle: Long, slots: OutParams): ResultType =
    slots.check(
      DuckDbApi.logicalTypeGetId.invokeExact(handle, slots.out, slots.error).asInstanceOf[Int]
    )
    slots.int match
      case DuckDbValues.Decimal =>
        Decimal(text(handle, 0, slots).toInt, text(handle, 1, slots).toInt)
      case DuckDbValues.Enum =>
        Enumerated(Vector.tabulate(paramCount(handle, slots))(text(handle, _, slots)))
      case DuckDbValues.Struct =>
        Struct(Vector.tabulate(paramCount(handle, slots))(field(handle, _, slots)))
      case DuckDbValues.List  => Listed(field(handle, 0, slots).tpe)
      case DuckDbValues.Array => Fixed(field(handle, 0, slots).tpe, text(handle, 1, slots).toInt)
      case id                 => Plain(id)

  private def paramCount(handle: Long, slots: OutParams): Int =
    Math.toIntExact(slots.answer(
      DuckDbApi.logicalTypeGetParamCount.invokeExact(handle, slots.out, slots.error)
        .asInstanceOf[Int]
    ))

  /** Runs the body with the name and the value of a parameter. */
  private def param[A](handle: Long, index: Int, slots: OutParams)(body: (String, Long) => A): A =
    slots.check(
      DuckDbApi.logicalTypeGetParam
        .invokeExact(handle, index.toLong, slots.out, slots.secondOut, slots.error)
        .asInstanceOf[Int]
    )
    val (name, value) = (CString.at(slots.word, slots.second), slots.moreWord)
    try body(name, value)
    finally DuckDbValues.destroy(value, slots)

  private def text(handle: Long, index: Int, slots: OutParams): String =
    param(handle, index, slots)((_, value) => DuckDbValues.text(value, slots))

  private def field(handle: Long, index: Int, slots: OutParams): ResultField =
    param(handle, index, slots): (name, value) =>
      val inner = slots.answer(
        DuckDbApi.valueGetType.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
      )
      try ResultField(name, of(inner, slots))
      finally
        DuckDbApi.done(
          DuckDbApi.logicalTypeDestroy.invokeExact(slots.holding(inner)).asInstanceOf[Int]
        )
end ResultType
