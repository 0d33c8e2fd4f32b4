package undercroft.duckdb
package internal.result

import internal.api.{Addresses, DuckDbApi, DuckDbValues, OutParams}
import java.lang.foreign.ValueLayout

/** Receives the rows of a result, a chunk of at most 2048 rows at a time, on DuckDB's thread. */
private[undercroft] trait ResultSink:
  /** Begins the result of a statement, and discards the rows of the one before. */
  private[undercroft] def begin(fields: Vector[ResultField]): Unit

  /** Takes rows; `vectors` are valid during the call. */
  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit

  /** Takes the rows that follow the plan of an `explain`. */
  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit
end ResultSink

/** The values of a column in a chunk, or of a part of such values, in DuckDB's memory.
  *
  * @param handle
  *   lent by the chunk
  */
private[undercroft] final class ResultVector(
    handle: Long,
    val tpe: ResultType,
    val count: Int,
    slots: OutParams
):
  import ResultVector.*

  slots.check(DuckDbApi.vectorFlatten.invokeExact(handle, slots.error).asInstanceOf[Int])
  slots.check(DuckDbApi.vectorGetView.invokeExact(handle, slots.out, slots.error).asInstanceOf[Int])

  /** The address of the first value. */
  val data: Long = slots.word

  /** The address of the validity bits; 0 if all values are valid. */
  private val validity = slots.second

  // Value i of a flat vector is at index i.
  if slots.moreWord != 0 || slots.viewCount < count then
    throw IllegalStateException(
      s"a vector must have $count values and no selection; DuckDB's has ${slots.viewCount}"
    )

  /** Whether no value is null. */
  val isValid: Boolean = validity == 0 || (0 until count by 64).forall: first =>
    val bits = memory.get(long, validity + first / 8)
    (bits | (if count - first < 64 then -1L << (count - first) else 0L)) == -1L

  def isNull(i: Int): Boolean =
    validity != 0 && (memory.get(long, validity + 8L * (i >> 6)) >>> i & 1) == 0

  /** The elements of arrays or lists, or a field of structs, with `count` values. */
  def child(index: Int, tpe: ResultType, count: Int): ResultVector =
    val inner = slots.answer(
      DuckDbApi.vectorGetChild.invokeExact(handle, index.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    ResultVector(inner, tpe, count, slots)

  def byteAt(i: Int): Byte = memory.get(byte, data + i)
  def shortAt(i: Int): Short = memory.get(short, data + 2L * i)
  def intAt(i: Int): Int = memory.get(int, data + 4L * i)
  def longAt(i: Int): Long = memory.get(long, data + 8L * i)

  /** The bytes of a text. */
  def textBytes(i: Int): Int = memory.get(int, data + 16L * i)

  /** The address of a text. */
  def textAt(i: Int): Long =
    val at = data + 16L * i
    if memory.get(int, at) <= Inlined then at + 4 else memory.get(long, at + 8)

  /** The index of the case of an ENUM. */
  def caseAt(i: Int, cases: Int): Int =
    if cases <= 0xff then byteAt(i) & 0xff
    else if cases <= 0xffff then shortAt(i) & 0xffff
    else intAt(i)

  /** A whole number of a type that [[isWhole]]. */
  def wholeAt(i: Int, id: Int): Long = id match
    case DuckDbValues.TinyInt   => byteAt(i).toLong
    case DuckDbValues.UTinyInt  => byteAt(i) & 0xffL
    case DuckDbValues.SmallInt  => shortAt(i).toLong
    case DuckDbValues.USmallInt => shortAt(i) & 0xffffL
    case DuckDbValues.Integer   => intAt(i).toLong
    case DuckDbValues.UInteger  => intAt(i) & 0xffffffffL
    case _                      => longAt(i)

  /** The digits of a decimal of at most 18, which DuckDB stores in as few bytes as they need. */
  def unscaledAt(i: Int, width: Int): Long =
    if width <= 4 then shortAt(i).toLong
    else if width <= 9 then intAt(i).toLong
    else longAt(i)

  /** Any value, by a call of DuckDB. */
  def value(i: Int): SqlValue =
    val cell = slots.answer(
      DuckDbApi.vectorGetValue.invokeExact(handle, i.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    try SqlValue.of(cell, slots)
    finally DuckDbValues.destroy(cell, slots)
end ResultVector

private[undercroft] object ResultVector:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private def memory = Addresses.memory

  /** The most bytes of a text that is stored in the vector itself. */
  private[duckdb] inline val Inlined = 12
end ResultVector
