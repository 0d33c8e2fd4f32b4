package undercroft.arrow
package internal.columns

import internal.io.FileInput
import internal.ipc.FileRange
import internal.rows.{Chunk, TableWriter}
import internal.schema.{ArrowSchema, TextualType}
import java.math.{BigDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}
import undercroft.file.ColumnKind
import undercroft.file.format.LogicalKind

/** Readers of values with a logical type. A value that the column cannot store exactly is an error
  * with its row. Confined to one thread.
  */
private[arrow] object LogicalReader:

  /** The bytes of a chunk of fixed-size values. */
  private def content(input: FileInput, buffer: FileRange, size: Int, chunk: Chunk): ByteBuffer =
    input.numbers(buffer.at + chunk.from * size, chunk.count * size)

  /** A buffer for the stored values of a chunk. */
  private def stored(value: ColumnKind.Value, chunk: Chunk): ByteBuffer =
    val order = if value.isBigEndian then ByteOrder.BIG_ENDIAN else ByteOrder.LITTLE_ENDIAN
    ByteBuffer.allocate(chunk.count * value.kind.size).nn.order(order).nn

  private def put(
      target: TableWriter,
      value: ColumnKind.Value,
      values: ByteBuffer,
      chunk: Chunk,
      there: Array[Boolean]
  ): Unit = target.put(values.array.nn, value.offset, value.kind.size, chunk, there)

  /** The words for the units of times in a file and in a column.
    *
    * @param advice
    *   ends the error of a value that is between two stored ones
    */
  final case class Units(from: String, to: String, advice: String)

  object Units:
    def days(bytes: Int): Units =
      if bytes == 4 then Units("days", "days", "")
      else Units("ms of a date64", "days", ": write a time of day in it as a timestamp")

    def of(from: Long, to: Long): Units =
      val advice = if from > to then s": declare the field in ${name(from)}" else ""
      Units(name(from), name(to), advice)

    private def name(perSecond: Long): String = perSecond match
      case 1L         => "s"
      case 1_000L     => "ms"
      case 1_000_000L => "us"
      case _          => "ns"

  /** Times, in `to` ticks of the stored unit for each `from` ticks of the file. The stored numbers
    * are from `least` to `most`.
    *
    * @param bytes
    *   bytes of a value in the file
    */
  final class Times(
      input: FileInput,
      path: String,
      buffer: FileRange,
      bytes: Int,
      value: ColumnKind.Value,
      from: Long,
      to: Long,
      least: Long,
      most: Long,
      units: Units
  ) extends ColumnReader:
    private val (factor, divisor) = if to >= from then (to / from, 1L) else (1L, from / to)

    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val read = content(input, buffer, bytes, chunk)
      val values = stored(value, chunk)
      for i <- 0 until chunk.count if there(i) do
        val time = if bytes == 4 then read.getInt(i * 4).toLong else read.getLong(i * 8)
        val high = Math.multiplyHigh(time, factor)
        val product = time * factor
        val number = product / divisor
        val fits = high == product >> 63 && number * divisor == product
        if !fits || number < least || number > most then
          throw input.error(
            buffer.at + (chunk.from + i) * bytes,
            ArrowErrorKind.WrongValue,
            s"${chunk.place(i)} of `$path` is $time ${units.from}, which must be a whole number of " +
              s"${units.to} from $least to $most${units.advice}"
          )
        if value.kind.size == 4 then values.putInt(i * 4, number.toInt): Unit
        else values.putLong(i * 8, number): Unit
      put(target, value, values, chunk, there)
    end store
  end Times

  /** Decimals of 32 to 256 bits. */
  final class Decimals(
      input: FileInput,
      path: String,
      buffer: FileRange,
      tpe: TextualType.Decimal,
      of: ColumnKind,
      kind: LogicalKind.Decimal
  ) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val read = content(input, buffer, tpe.bytes, chunk)
      val parts = valuesOf(of)
      val values = parts.map(stored(_, chunk))
      for i <- 0 until chunk.count if there(i) do
        val unscaled = BigInteger(
          Array.tabulate(tpe.bytes)(k => read.get(i * tpe.bytes + tpe.bytes - 1 - k))
        )
        val decimal = BigDecimal(unscaled, tpe.scale)
        val digits =
          try decimal.setScale(kind.scale).nn.unscaledValue.nn
          catch case _: ArithmeticException => throw wrong(chunk, i, decimal)
        if BigDecimal(digits).precision > kind.precision then throw wrong(chunk, i, decimal)
        if parts.length == 2 then
          values(0).putLong(i * 8, digits.shiftRight(64).nn.longValue): Unit
        values.last.putLong(i * 8, digits.longValue): Unit
      for (part, bytes) <- parts.zip(values) do put(target, part, bytes, chunk, there)

    private def wrong(chunk: Chunk, i: Int, decimal: BigDecimal): ArrowException =
      input.error(
        buffer.at + (chunk.from + i) * tpe.bytes,
        ArrowErrorKind.WrongValue,
        s"${chunk.place(i)} of `$path` is $decimal, which is not ${kind.description}"
      )
  end Decimals

  /** UUIDs, big-endian. */
  final class Uuids(input: FileInput, buffer: FileRange, of: ColumnKind) extends ColumnReader:
    def store(target: TableWriter, chunk: Chunk, there: Array[Boolean]): Unit =
      val read = content(input, buffer, ArrowSchema.UuidBytes, chunk).order(ByteOrder.BIG_ENDIAN).nn
      val parts = valuesOf(of)
      for (part, k) <- parts.zipWithIndex do
        val values = stored(part, chunk)
        for i <- 0 until chunk.count do
          values.putLong(i * 8, read.getLong(i * ArrowSchema.UuidBytes + 8 * k)): Unit
        put(target, part, values, chunk, there)
  end Uuids

  /** The Longs of a column, the upper one first. */
  private def valuesOf(of: ColumnKind): Vector[ColumnKind.Value] = of match
    case ColumnKind.Record(_, fields) => fields.collect { case value: ColumnKind.Value => value }
    case value: ColumnKind.Value      => Vector(value)
    case other                        => throw IllegalStateException(other.name)
end LogicalReader
