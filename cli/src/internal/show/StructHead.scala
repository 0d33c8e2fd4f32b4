package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.sql.ResultFormat
import java.lang.foreign.ValueLayout
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{LocalDate, LocalDateTime, ZoneOffset}
import java.util.Locale
import undercroft.duckdb.internal.sql.SqlDates
import undercroft.duckdb.{QueryResult, SqlValue}
import undercroft.file.format.LogicalKind.Unit as Ticks
import undercroft.file.format.{LogicalKind, StructFile, Type}
import undercroft.file.{ColumnKind, FieldSlices, TextSlice, given}

/** The first rows of a struct file, as SQL returns them, without SQL: its library takes longer to
  * load than the rows to read.
  */
private[cli] object StructHead:
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn

  /** The least timestamp of SQL, in microseconds from 1970. */
  private inline val LeastMicros = -9_223_372_022_400_000_000L

  /** The values of a column by their rows; None for a value that SQL refuses. */
  private type Values = Long => Option[SqlValue]

  /** None if a column or a value needs SQL, or if SQL refuses the file.
    *
    * @param columns
    *   the names of the columns, with commas between them; all without it
    */
  def read(
      file: StructFile,
      path: String,
      rows: Long,
      columns: Option[String]
  ): Option[QueryResult] =
    val slices = FieldSlices.of(file)
    val names = slices.columns.map(_.name)
    val isRefused = names.map(_.toLowerCase(Locale.ROOT)).distinct.size < names.size
    if isRefused || rows > ResultFormat.MostRows then None
    else
      val all = names.indices.toVector
      val selected = columns.fold(all)(Inputs.selected(names, path, _))
      val values = selected.flatMap(i => valuesOf(slices, slices.columns(i)))
      if values.size < selected.size then None
      else
        val count = Math.min(rows, slices.rows)
        slices.compare(0, count, selected.flatMap(i => slices.columns(i).offsets).toArray)
        val cells =
          try Vector.tabulate(count.toInt)(row => values.flatMap(_(row)))
          catch case fault: InternalError => throw slices.translate(fault)
        slices.confirm()
        Option.when(cells.forall(_.size == selected.size)):
          QueryResult(selected.map(names), cells)
  end read

  private def valuesOf(slices: FieldSlices, column: ColumnKind): Option[Values] =
    column match
      case ColumnKind.Logical(_, _: (LogicalKind.Named | LogicalKind.Duration), stored) =>
        valuesOf(slices, stored)
      case ColumnKind.Logical(_, _: LogicalKind.Date, ColumnKind.Value(_, offset, _, _, false)) =>
        val days = at(slices, offset, 4)
        Some: row =>
          val day = slices.memory.get(int, days(row))
          Option.when(day.toLong.abs < Int.MaxValue - 1):
            text(SqlDates.text(LocalDate.ofEpochDay(day).nn))
      case ColumnKind.Logical(
            _,
            timestamp: LogicalKind.Timestamp,
            ColumnKind.Value(_, offset, _, _, false)
          ) if !timestamp.isUtc && timestamp.unit.perSecond == Ticks.MICROS.perSecond =>
        val micros = at(slices, offset, 8)
        Some: row =>
          val time = slices.memory.get(long, micros(row))
          Option.when(time >= LeastMicros && time < Long.MaxValue - 1):
            text(SqlDates.text(moment(time)))
      case ColumnKind.Value(_, offset, kind, isUnsigned, false) =>
        number(slices, offset, kind, isUnsigned)
      case ColumnKind.Text(_, offset, size) =>
        val slice = TextSlice(slices.memory, slices.start(offset, size), slices.step(size), size)
        Some: row =>
          val length = slice.load(row)
          Some(text(String(slice.bytes, 0, length, UTF_8)))
      case ColumnKind.Enumerated(_, offset, size, cases) if size < 8 =>
        val kind = if size == 1 then Type.Primitive.BYTE
        else if size == 2 then Type.Primitive.CHAR
        else Type.Primitive.INT
        number(slices, offset, kind, isUnsigned = true).map: values =>
          row => values(row).flatMap(value => cases.lift(value.long.toInt)).map(text)
      case ColumnKind.Optional(_, _, _: ColumnKind.Optional) => None
      case ColumnKind.Optional(_, isDefined, value) =>
        val flags = at(slices, isDefined, 1)
        valuesOf(slices, value).map: values =>
          row =>
            if slices.memory.get(ValueLayout.JAVA_BYTE, flags(row)) == 0 then Some(SqlValue.Null)
            else values(row)
      case _ => None
  end valuesOf

  private def number(
      slices: FieldSlices,
      offset: Int,
      kind: Type.Primitive,
      isUnsigned: Boolean
  ): Option[Values] =
    val memory = slices.memory
    val place = at(slices, offset, kind.size)
    def byteAt(row: Long) = memory.get(ValueLayout.JAVA_BYTE, place(row))
    def shortAt(row: Long) = memory.get(short, place(row))
    def intAt(row: Long) = memory.get(int, place(row))
    def longAt(row: Long) = memory.get(long, place(row))
    def whole(value: Long) = SqlValue.Integer(BigInt(value))
    val values: Option[Long => SqlValue] = kind match
      case Type.Primitive.BOOLEAN => Some(row => SqlValue.Bool(byteAt(row) != 0))
      case Type.Primitive.FLOAT =>
        Some(row => SqlValue.real(java.lang.Float.intBitsToFloat(intAt(row)), isFloat = true))
      case Type.Primitive.DOUBLE =>
        Some(row => SqlValue.Double(java.lang.Double.longBitsToDouble(longAt(row))))
      case Type.Primitive.CHAR => Some(row => whole(shortAt(row) & 0xffff))
      case Type.Primitive.BYTE =>
        Some(row => whole(if isUnsigned then byteAt(row) & 0xff else byteAt(row)))
      case Type.Primitive.SHORT =>
        Some(row => whole(if isUnsigned then shortAt(row) & 0xffff else shortAt(row)))
      case Type.Primitive.INT =>
        Some(row => whole(if isUnsigned then intAt(row) & 0xffffffffL else intAt(row)))
      case Type.Primitive.LONG => Option.when(!isUnsigned)(row => whole(longAt(row)))
    values.map(value => row => Some(value(row)))
  end number

  private def at(slices: FieldSlices, offset: Int, size: Int): Long => Long =
    val (start, step) = (slices.start(offset, size), slices.step(size))
    row => start + row * step

  private def text(value: String): SqlValue = SqlValue.Text(value)

  private def moment(micros: Long): LocalDateTime =
    val second = 1_000_000L
    val nanos = Math.floorMod(micros, second).toInt * 1000
    LocalDateTime.ofEpochSecond(Math.floorDiv(micros, second), nanos, ZoneOffset.UTC).nn
end StructHead
