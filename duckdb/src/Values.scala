package undercroft.duckdb

import java.lang.foreign.Arena

/** Single values of DuckDB's, by their handles. */
private[duckdb] object Values:
  /** DuckDB's numbers of types. */
  final val Boolean = 10
  final val TinyInt = 11
  final val SmallInt = 12
  final val Integer = 13
  final val BigInt = 14
  final val Decimal = 21
  final val Float = 22
  final val Double = 23
  final val VarChar = 25
  final val UTinyInt = 28
  final val USmallInt = 29
  final val UInteger = 30
  final val UBigInt = 31
  final val UHugeInt = 49
  final val HugeInt = 50
  final val Enum = 104

  def typeOf(value: Long, slots: Slots): Int =
    val tpe = slots.answer(
      Native.valueGetLogicalType.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      slots.check(
        Native.logicalTypeGetId.invokeExact(tpe, slots.out, slots.error).asInstanceOf[Int]
      )
      slots.int
    finally
      Native.done(Native.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int])

  def isNull(value: Long, slots: Slots): scala.Boolean =
    slots.check(
      Native.valueIsNull.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
    )
    slots.byte != 0

  /** Whether values of a type are numbers that a Long holds. */
  def isWhole(tpe: Int): scala.Boolean = tpe match
    case TinyInt | SmallInt | Integer | BigInt | UTinyInt | USmallInt | UInteger => true
    case _                                                                       => false

  /** Bytes of a number. */
  def sizeOf(tpe: Int): Int = tpe match
    case TinyInt | UTinyInt   => 1
    case SmallInt | USmallInt => 2
    case Integer | UInteger   => 4
    case _                    => 8

  /** A number that a Long holds, or a Boolean as 1 or 0. */
  def whole(value: Long, slots: Slots): Long =
    val (out, error) = (slots.out, slots.error)
    def answered(code: Int): Long = slots.answer(code)
    typeOf(value, slots) match
      case Boolean =>
        slots.check(Native.valueGetBool.invokeExact(value, out, error).asInstanceOf[Int])
        if slots.byte != 0 then 1 else 0
      case TinyInt =>
        answered(Native.valueGetTinyint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]).toByte.toLong
      case SmallInt =>
        answered(Native.valueGetSmallint.invokeExact(
          value,
          out,
          error
        ).asInstanceOf[Int]).toShort.toLong
      case Integer =>
        answered(Native.valueGetInt.invokeExact(value, out, error).asInstanceOf[Int]).toInt.toLong
      case UTinyInt =>
        answered(Native.valueGetUtinyint.invokeExact(value, out, error).asInstanceOf[Int]) & 0xff
      case USmallInt =>
        answered(Native.valueGetUsmallint.invokeExact(value, out, error).asInstanceOf[Int]) & 0xffff
      case UInteger =>
        answered(Native.valueGetUint.invokeExact(value, out, error).asInstanceOf[Int]) & 0xffffffffL
      case _ => answered(Native.valueGetBigint.invokeExact(value, out, error).asInstanceOf[Int])
    end match
  end whole

  def real(value: Long, slots: Slots): scala.Double =
    if typeOf(value, slots) == Float then
      slots.check(
        Native.valueGetFloat.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
      )
      java.lang.Float.intBitsToFloat(slots.int).toDouble
    else
      java.lang.Double.longBitsToDouble(
        slots.answer(
          Native.valueGetDouble.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
        )
      )

  /** A value as DuckDB writes it. */
  def text(value: Long, slots: Slots): String =
    if typeOf(value, slots) == VarChar then
      slots.check(
        Native.valueGetVarchar.invokeExact(value, slots.out, slots.error).asInstanceOf[Int]
      )
      Text.at(slots.word, slots.second)
    else
      val length = slots.answer(
        Native.valueToString.invokeExact(value, 0L, 0L, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val arena = Arena.ofConfined.nn
      try
        val bytes = arena.allocate(length + 1, 1).nn
        slots.check(
          Native.valueToString.invokeExact(value, bytes.address, length + 1, slots.out, slots.error)
            .asInstanceOf[Int]
        )
        Text.at(bytes.address, length)
      finally arena.close()

  def destroy(value: Long, slots: Slots): Unit =
    Native.done(Native.valueDestroy.invokeExact(slots.holding(value)).asInstanceOf[Int])
end Values
