package undercroft.duckdb
package internal.scan

import java.lang.foreign.ValueLayout
import undercroft.file.format.Type
import undercroft.file.{ColumnKind, FieldSlices, given}

/** A condition on one column, as a range of keys: Longs whose order is SQL's.
  *
  * @param path
  *   the path of the field, by which a file has its statistics
  * @param text
  *   the condition on a text, which has no keys
  * @param textSize
  *   the bytes of a text's field; 0 for a text in the name of a folder
  */
private[duckdb] final case class ColumnFilter(
    column: Int,
    key: FilterKey,
    offset: Int,
    path: Vector[String],
    minKey: Long,
    maxKey: Long,
    isNegated: Boolean = false,
    among: Option[Array[Long]] = None,
    text: Option[TextCondition] = None,
    textSize: Int = 0
) derives CanEqual:

  /** Whether a value with this key fulfils the condition. */
  def holds(key: Long): Boolean =
    among.fold((key >= minKey && key <= maxKey) != isNegated)(_.contains(key))

  /** Whether a text fulfils the condition. */
  def holds(value: String): Boolean = text.exists(_.holds(value) != isNegated)

  /** Whether a row with a key in the range `[from, to]` can fulfil the condition. */
  def meets(from: Long, to: Long): Boolean =
    isNegated || among.fold(from <= maxKey && to >= minKey)(_.exists(k => from <= k && k <= to))

  /** Whether keys equal the numbers in the block statistics of a file. */
  def hasStatistics: Boolean = key match
    case FilterKey.Int8 | FilterKey.Int16 | FilterKey.Int32 | FilterKey.Int64 | FilterKey.Char =>
      true
    case _ => false
end ColumnFilter

/** Filters of which a row must fulfil all those of at least one alternative. */
private[duckdb] final case class FilterChoice(alternatives: Vector[Vector[ColumnFilter]])
    derives CanEqual

/** The conversion of values to keys. */
private[duckdb] enum FilterKey(val size: Int) derives CanEqual:
  case Int8 extends FilterKey(1)
  case Int16 extends FilterKey(2)
  case Int32 extends FilterKey(4)
  case Int64 extends FilterKey(8)
  case UInt8 extends FilterKey(1)
  case UInt16 extends FilterKey(2)
  case UInt32 extends FilterKey(4)
  case Char extends FilterKey(2)
  case Bool extends FilterKey(1)
  case Real32 extends FilterKey(4)
  case Real64 extends FilterKey(8)

  /** A text, which has no key. */
  case Text extends FilterKey(0)

  /** Whether keys are integers of SQL. */
  def isWhole: Boolean = this match
    case Bool | Real32 | Real64 | Text => false
    case _                             => true

  def isSigned: Boolean = this match
    case UInt8 | UInt16 | UInt32 | Char => false
    case _                              => true
end FilterKey

private[duckdb] object FilterKey:
  /** The key of a column's values, if it has one, and the offset of the value. */
  def of(column: ColumnKind): Option[(FilterKey, Int)] = column match
    case ColumnKind.Value(_, offset, kind, unsigned, false) =>
      val key = kind match
        case Type.Primitive.BOOLEAN => Bool
        case Type.Primitive.BYTE    => if unsigned then UInt8 else Int8
        case Type.Primitive.SHORT   => if unsigned then UInt16 else Int16
        case Type.Primitive.CHAR    => Char
        case Type.Primitive.INT     => if unsigned then UInt32 else Int32
        case Type.Primitive.LONG    => Int64
        case Type.Primitive.FLOAT   => Real32
        case Type.Primitive.DOUBLE  => Real64
      Some((key, offset))
    case ColumnKind.Logical(_, _, value: ColumnKind.Value) => of(value)
    case ColumnKind.Enumerated(_, offset, size, _) if size < 8 =>
      Some((if size == 1 then UInt8 else if size == 2 then UInt16 else UInt32, offset))
    case _ => None

  /** The key of a floating-point number, in SQL's order: NaN equals itself and is the largest
    * value, and -0 equals 0.
    */
  def of(value: Double): Long =
    val bits =
      if value == 0 then 0L
      else java.lang.Double.doubleToLongBits(value)
    bits ^ (bits >> 63 & Long.MaxValue)
end FilterKey

/** Selects rows. Confined to one thread. */
private[duckdb] trait RowSelector:
  /** Keeps the rows that fulfil the condition, as distances from row `from`; returns how many
    * remain.
    *
    * @param rows
    *   the distances, stored from index `at` on
    * @param first
    *   whether this is the first selector: then all of `[base, base + count)` are candidates
    */
  def choose(
      from: Long,
      rows: Array[Int],
      at: Int,
      base: Int,
      count: Int,
      first: Boolean
  ): Int =
    var selected = 0
    var i = 0
    while i < count do
      val row = if first then base + i else rows(at + i)
      rows(at + selected) = row
      if fits(from + row) then selected += 1
      i += 1
    selected
  end choose

  /** Whether a row fulfils the condition. */
  def fits(row: Long): Boolean
end RowSelector

private[duckdb] object RowSelector:
  def of(lanes: FieldSlices, filter: ColumnFilter): RowSelector = filter.text match
    case Some(condition) => TextFilter(lanes, filter, condition)
    case None            => RowFilter(lanes, filter)

/** Selects rows by a filter. Confined to one thread. */
private[duckdb] final class RowFilter(lanes: FieldSlices, filter: ColumnFilter)
    extends RowSelector:
  private val memory = lanes.memory
  private val start = lanes.start(filter.offset, filter.key.size)
  private val step = lanes.step(filter.key.size)
  private val (minKey, maxKey, negated) = (filter.minKey, filter.maxKey, filter.isNegated)

  override def choose(
      from: Long,
      rows: Array[Int],
      at: Int,
      base: Int,
      count: Int,
      first: Boolean
  ): Int =
    val origin = start + from * step
    filter.among match
      case Some(keys) =>
        choosing(origin, rows, at, base, count, first)(at => keys.contains(read(at)))
      case None =>
        filter.key match
          case FilterKey.Int32 =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(RowFilter.int, place))
          case FilterKey.Int64 =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(RowFilter.long, place))
          case FilterKey.UInt8 | FilterKey.Bool =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(RowFilter.byte, place) & 0xff)
          case _ =>
            choosing(origin, rows, at, base, count, first)(place => within(read(place)))
  end choose

  private inline def choosing(
      origin: Long,
      rows: Array[Int],
      at: Int,
      base: Int,
      count: Int,
      first: Boolean
  )(inline fits: Long => Boolean): Int =
    var selected = 0
    var i = 0
    // Stored in either case, which avoids a branch that is hard to predict.
    if first then
      while i < count do
        rows(at + selected) = base + i
        if fits(origin + (base + i) * step) then selected += 1
        i += 1
    else
      while i < count do
        val row = rows(at + i)
        rows(at + selected) = row
        if fits(origin + row * step) then selected += 1
        i += 1
    selected
  end choosing

  def fits(row: Long): Boolean =
    val key = read(start + row * step)
    filter.among match
      case Some(keys) => keys.contains(key)
      case None       => within(key)

  private def within(key: Long): Boolean = (key >= minKey && key <= maxKey) != negated

  private def read(at: Long): Long = filter.key match
    case FilterKey.Int8                    => memory.get(RowFilter.byte, at).toLong
    case FilterKey.UInt8 | FilterKey.Bool  => memory.get(RowFilter.byte, at) & 0xffL
    case FilterKey.Int16                   => memory.get(RowFilter.short, at).toLong
    case FilterKey.UInt16 | FilterKey.Char => memory.get(RowFilter.short, at) & 0xffffL
    case FilterKey.Int32                   => memory.get(RowFilter.int, at).toLong
    case FilterKey.UInt32                  => memory.get(RowFilter.int, at) & 0xffffffffL
    case FilterKey.Int64                   => memory.get(RowFilter.long, at)
    case FilterKey.Real32 =>
      FilterKey.of(java.lang.Float.intBitsToFloat(memory.get(RowFilter.int, at)).toDouble)
    case FilterKey.Real64 =>
      FilterKey.of(java.lang.Double.longBitsToDouble(memory.get(RowFilter.long, at)))
    case FilterKey.Text => throw IllegalStateException("a text has no key")
end RowFilter

/** Selects rows by a choice of filters, row by row. Confined to one thread. */
private[duckdb] final class RowChoice(lanes: FieldSlices, choice: FilterChoice)
    extends RowSelector:
  private val alternatives =
    choice.alternatives.map(_.map(RowSelector.of(lanes, _)).toArray).toArray

  def fits(row: Long): Boolean =
    var k = 0
    while k < alternatives.length && !fitsAll(alternatives(k), row) do k += 1
    k < alternatives.length

  private def fitsAll(filters: Array[RowSelector], row: Long): Boolean =
    var k = 0
    while k < filters.length && filters(k).fits(row) do k += 1
    k == filters.length
end RowChoice

private[duckdb] object RowFilter:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
end RowFilter
