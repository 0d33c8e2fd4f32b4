package undercroft.duckdb

import java.lang.foreign.ValueLayout
import undercroft.file.Type
import undercroft.structfile.{Column, Lanes, given}

/** A condition on one column, as a range of keys: Longs in the order of SQL's. */
private[duckdb] final case class Filter(
    column: Int,
    key: Key,
    offset: Int,
    path: String,
    least: Long,
    most: Long,
    isNegated: Boolean = false,
    among: Option[Array[Long]] = None
) derives CanEqual:

  /** Whether rows whose keys are in a range can fulfil it. */
  def meets(from: Long, to: Long): Boolean =
    isNegated || among.fold(from <= most && to >= least)(_.exists(k => from <= k && k <= to))

  /** Whether keys are the numbers that a file keeps the ranges of. */
  def isWhole: Boolean = key match
    case Key.Int8 | Key.Int16 | Key.Int32 | Key.Int64 | Key.Char => true
    case _                                                       => false
end Filter

/** How a value becomes a key. */
private[duckdb] enum Key(val size: Int) derives CanEqual:
  case Int8 extends Key(1)
  case Int16 extends Key(2)
  case Int32 extends Key(4)
  case Int64 extends Key(8)
  case UInt8 extends Key(1)
  case UInt16 extends Key(2)
  case UInt32 extends Key(4)
  case Char extends Key(2)
  case Bool extends Key(1)
  case Real32 extends Key(4)
  case Real64 extends Key(8)
end Key

private[duckdb] object Key:
  /** The key of a column's values, if it has one. */
  def of(column: Column): Option[(Key, Int)] = column match
    case Column.Value(_, offset, kind, unsigned, false) =>
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
    case Column.Enumerated(_, offset, size, _) if size < 8 =>
      Some((if size == 1 then UInt8 else if size == 2 then UInt16 else UInt32, offset))
    case _ => None

  /** The key of a real number, in SQL's order: NaN is the same as itself and the largest, and 0 is
    * the same as -0.
    */
  def of(value: Double): Long =
    val bits =
      if value == 0 then 0L
      else java.lang.Double.doubleToLongBits(value)
    bits ^ (bits >> 63 & Long.MaxValue)
end Key

/** Chooses rows by a filter. For one thread. */
private[duckdb] final class Chooser(lanes: Lanes, filter: Filter):
  private val memory = lanes.memory
  private val start = lanes.start(filter.offset, filter.key.size)
  private val step = lanes.step(filter.key.size)
  private val (least, most, negated) = (filter.least, filter.most, filter.isNegated)

  /** Of rows numbered from 0 on, beginning at row `from`, keeps those that fulfil it.
    *
    * @param rows
    *   their numbers from `at` on
    * @param first
    *   whether no filter has chosen yet: then the numbers are all of `[base, base + count)`
    * @return
    *   how many are left
    */
  def choose(
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
          case Key.Int32 =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(Chooser.int, place))
          case Key.Int64 =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(Chooser.long, place))
          case Key.UInt8 | Key.Bool =>
            choosing(origin, rows, at, base, count, first): place =>
              within(memory.get(Chooser.byte, place) & 0xff)
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
    var found = 0
    var i = 0
    // Whether it fits or not it is stored, so that there is no branch to guess.
    if first then
      while i < count do
        rows(at + found) = base + i
        if fits(origin + (base + i) * step) then found += 1
        i += 1
    else
      while i < count do
        val row = rows(at + i)
        rows(at + found) = row
        if fits(origin + row * step) then found += 1
        i += 1
    found
  end choosing

  private def within(key: Long): Boolean = (key >= least && key <= most) != negated

  private def read(at: Long): Long = filter.key match
    case Key.Int8              => memory.get(Chooser.byte, at).toLong
    case Key.UInt8 | Key.Bool  => memory.get(Chooser.byte, at) & 0xffL
    case Key.Int16             => memory.get(Chooser.short, at).toLong
    case Key.UInt16 | Key.Char => memory.get(Chooser.short, at) & 0xffffL
    case Key.Int32             => memory.get(Chooser.int, at).toLong
    case Key.UInt32            => memory.get(Chooser.int, at) & 0xffffffffL
    case Key.Int64             => memory.get(Chooser.long, at)
    case Key.Real32 => Key.of(java.lang.Float.intBitsToFloat(memory.get(Chooser.int, at)).toDouble)
    case Key.Real64 => Key.of(java.lang.Double.longBitsToDouble(memory.get(Chooser.long, at)))
end Chooser

private[duckdb] object Chooser:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
end Chooser
