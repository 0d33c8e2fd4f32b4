package undercroft.duckdb
package internal.api

import java.lang.foreign.Arena

/** Access to DuckDB's scalar values by their handles. */
private[duckdb] object DuckDbValues:
  /** DuckDB's type numbers. */
  final val Boolean = 10
  final val TinyInt = 11
  final val SmallInt = 12
  final val Integer = 13
  final val BigInt = 14
  final val Date = 15
  final val Time = 16

  /** The first of four: seconds, milliseconds, microseconds, nanoseconds. */
  final val TimestampS = 17
  final val TimestampMs = 18
  final val Timestamp = 19
  final val TimestampNs = 20
  final val Decimal = 21
  final val Float = 22
  final val Double = 23
  final val VarChar = 25
  final val Blob = 26
  final val Interval = 27
  final val UTinyInt = 28
  final val USmallInt = 29
  final val UInteger = 30
  final val UBigInt = 31
  final val TimestampTz = 32
  final val TimestampTzNs = 33
  final val TimeNs = 35
  final val Bit = 36
  final val UHugeInt = 49
  final val HugeInt = 50
  final val Uuid = 54
  final val Struct = 100
  final val List = 101
  final val Map = 102
  final val Enum = 104
  final val Union = 107
  final val Array = 108

  def typeOf(value: Long, slots: OutParams): Int =
    val tpe = slots.answer(
      DuckDbApi.valueGetLogicalType.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      slots.check(
        DuckDbApi.logicalTypeGetId.invokeExact(tpe, slots.out, slots.error).asInstanceOf[Int]
      )
      slots.int
    finally
      DuckDbApi.done(DuckDbApi.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int])

  def isNull(value: Long, slots: OutParams): scala.Boolean =
    slots.check(
      DuckDbApi.valueIsNull.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
    )
    slots.byte != 0

  /** Whether a type is an integer type whose values fit a Long. */
  def isWhole(tpe: Int): scala.Boolean = tpe match
    case TinyInt | SmallInt | Integer | BigInt | UTinyInt | USmallInt | UInteger => true
    case _                                                                       => false

  /** Whether an integer type has negative values. */
  def isSigned(tpe: Int): scala.Boolean = tpe match
    case TinyInt | SmallInt | Integer | BigInt => true
    case _                                     => false

  /** Size of a number in bytes. */
  def sizeOf(tpe: Int): Int = tpe match
    case TinyInt | UTinyInt   => 1
    case SmallInt | USmallInt => 2
    case Integer | UInteger   => 4
    case _                    => 8

  /** An integer, or a Boolean as 1 or 0. */
  def whole(value: Long, slots: OutParams): Long =
    val (out, error) = (slots.out, slots.error)
    def answered(code: Int): Long = slots.answer(code)
    typeOf(value, slots) match
      case Boolean =>
        slots.check(DuckDbApi.valueGetBool.invokeExact(value, out, error).asInstanceOf[Int])
        if slots.byte != 0 then 1 else 0
      case TinyInt =>
        answered(DuckDbApi.valueGetTinyint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]).toByte.toLong
      case SmallInt =>
        answered(DuckDbApi.valueGetSmallint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]).toShort.toLong
      case Integer =>
        answered(DuckDbApi.valueGetInt.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]).toInt.toLong
      case UTinyInt =>
        answered(DuckDbApi.valueGetUtinyint.invokeExact(value, out, error).asInstanceOf[Int]) & 0xff
      case USmallInt =>
        answered(DuckDbApi.valueGetUsmallint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]) & 0xffff
      case UInteger =>
        answered(DuckDbApi.valueGetUint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]) & 0xffffffffL
      case _ => answered(DuckDbApi.valueGetBigint.invokeExact(value, out, error).asInstanceOf[Int])
    end match
  end whole

  def real(value: Long, slots: OutParams): scala.Double =
    if typeOf(value, slots) == Float then
      slots.check(
        DuckDbApi.valueGetFloat.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
      )
      java.lang.Float.intBitsToFloat(slots.int).toDouble
    else
      java.lang.Double.longBitsToDouble(
        slots.answer(
          DuckDbApi.valueGetDouble.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
        )
      )

  /** The text form of a value. */
  def text(value: Long, slots: OutParams): String =
    if typeOf(value, slots) == VarChar then
      slots.check(
        DuckDbApi.valueGetVarchar.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
      )
      CString.at(slots.word, slots.second)
    else
      val length = slots.answer(
        DuckDbApi.valueToString.invokeExact(value, 0L, 0L, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val arena = Arena.ofConfined.nn
      try
        val bytes = arena.allocate(length + 1, 1).nn
        slots.check(
          DuckDbApi.valueToString.invokeExact(
            value,
            bytes.address,
            length + 1,
            slots.out,
            slots.error
          )
            .asInstanceOf[Int]
        )
        CString.at(bytes.address, length)
      finally arena.close()

  def destroy(value: Long, slots: OutParams): Unit =
    DuckDbApi.done(DuckDbApi.valueDestroy.invokeExact(slots.holding(value)).asInstanceOf[Int])
end DuckDbValues
