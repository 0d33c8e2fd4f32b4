package undercroft.duckdb
package internal.scan

import internal.api.{Addresses, OutParams}
import internal.sql.{SqlInterval, SqlMeaning}
import java.lang.foreign.ValueLayout
import undercroft.file.FieldSlices
import undercroft.file.format.LogicalKind

/** Writes values with a logical type to DuckDB vectors. A stored number that is no value of
  * DuckDB's type, or that DuckDB takes for infinity, throws ArithmeticException with its row:
  * DuckDB trusts the numbers in a vector, and a forged file has any number. Confined to one thread.
  */
private[duckdb] object LogicalWriter:
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private def memory = Addresses.memory

  private def wrong(place: String, name: String, number: String): RuntimeException =
    ArithmeticException(
      s"$place of `$name` is stored as $number, which is out of the range of DuckDB's type"
    )

  /** Dates, times and decimals of up to 64 bits. */
  final class Numbers(
      values: VectorWriter.Values,
      name: String,
      size: Int,
      range: SqlMeaning.StoredRange,
      slots: OutParams
  ) extends VectorWriter:
    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      val at = VectorWriter.data(vector, window.count, slots)
      values.into(at, window)
      val (least, most, factor) = (range.least, range.most, range.factor)
      var i = 0
      while i < window.count do
        val place = at + size.toLong * i
        val number = if size == 4 then memory.get(int, place).toLong else memory.get(long, place)
        val isValid = number >= least && number <= most
        if !isValid && VectorWriter.isThere(there, i) then
          throw wrong(window.place(i), name, number.toString)
        // The bytes of an absent value are undefined.
        if size == 4 then
          if !isValid then memory.set(int, place, 0)
        else if !isValid || factor != 1 then
          memory.set(long, place, if isValid then number * factor else 0L)
        i += 1
      VectorWriter.mark(vector, there, window.count, slots)
    end apply
  end Numbers

  /** Durations as INTERVALs: a vector has an Int of months, an Int of days and a Long of
    * microseconds for each. A duration that is not a number of microseconds is an error.
    */
  final class Intervals(
      values: VectorWriter.Values,
      name: String,
      unit: LogicalKind.Unit,
      slots: OutParams
  ) extends VectorWriter:
    private val perMicro = (unit.perSecond / SqlInterval.MicrosPerSecond).max(1)
    private val microsEach = (SqlInterval.MicrosPerSecond / unit.perSecond).max(1)
    private val most = SqlInterval.Most / microsEach

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      val at = VectorWriter.data(vector, window.count, slots)
      values.into(at, window)
      var i = 0
      while i < window.count do
        val place = at + 8L * i
        val number = memory.get(long, place)
        val isValid = number >= -most && number <= most && number % perMicro == 0
        if !isValid && VectorWriter.isThere(there, i) then
          throw ArithmeticException(
            s"${window.place(i)} of `$name` is stored as $number $unit, which an INTERVAL, of " +
              "microseconds, does not have: DuckDb(DurationColumns.Numbers) reads the stored number"
          )
        memory.set(long, place, if isValid then number / perMicro * microsEach else 0L)
        i += 1
      // From the end, because an INTERVAL has the room of two stored numbers.
      i = window.count - 1
      while i >= 0 do
        val micros = memory.get(long, at + 8L * i)
        memory.set(long, at + 16L * i, 0L)
        memory.set(long, at + 16L * i + 8, micros)
        i -= 1
      VectorWriter.mark(vector, there, window.count, slots)
    end apply
  end Intervals

  /** 128 bits of two Longs: decimals, or UUIDs, whose highest bit is inverted in DuckDB. */
  final class Pairs(
      lanes: FieldSlices,
      name: String,
      high: Int,
      low: Int,
      isUuid: Boolean,
      slots: OutParams
  ) extends VectorWriter:
    private val step = lanes.step(8)
    private val (highStart, lowStart) = (lanes.start(high, 8), lanes.start(low, 8))
    private val mask = if isUuid then Long.MinValue else 0L

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      val at = VectorWriter.data(vector, window.count, slots)
      var i = 0
      while i < window.count do
        val place = window.row(i) * step
        val upper = lanes.memory.get(long, highStart + place)
        val lower = lanes.memory.get(long, lowStart + place)
        val isValid = isUuid || SqlMeaning.isDecimal(upper, lower)
        if !isValid && VectorWriter.isThere(there, i) then
          throw wrong(window.place(i), name, s"the Longs $upper and $lower")
        memory.set(long, at + 16L * i, if isValid then lower else 0L)
        memory.set(long, at + 16L * i + 8, if isValid then upper ^ mask else 0L)
        i += 1
      VectorWriter.mark(vector, there, window.count, slots)
  end Pairs
end LogicalWriter
