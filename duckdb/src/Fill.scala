package undercroft.duckdb

import java.lang.foreign.{MemorySegment, ValueLayout}
import undercroft.file.Type
import undercroft.struct.internal.Mapping
import undercroft.structfile.{Column, Lanes, Moves, TextLane, given}

/** Rows that go into a vector: `count` rows from row `from` on, or those of them that were chosen,
  * by their distance from it.
  */
private[duckdb] final class Window:
  var from: Long = 0
  var count: Int = 0
  var chosen: Array[Int] | Null = null

  def row(i: Int): Long =
    val numbers = chosen
    if numbers == null then from + i else from + numbers(i)

/** Writes a column's values into one of DuckDB's vectors. For one thread. */
private[duckdb] abstract class Fill:

  /** @param there
    *   a bit for each row that what is around is there for, or null for all
    */
  def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit

private[duckdb] object Fill:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private def memory = Addresses.memory

  def of(lanes: Lanes, column: Column, slots: Slots): Fill = column match
    case Column.Value(_, offset, kind, _, turned) =>
      Values(lanes, offset, kind.size, slots, kind == Type.Primitive.BOOLEAN, turned)
    case number: Column.Enumerated      => Cases(lanes, number, slots)
    case Column.Text(_, offset, size)   => Texts(lanes, offset, size, slots, true)
    case Column.Opaque(_, offset, size) => Texts(lanes, offset, size, slots, false)
    case Column.Elements(_, offset, kind, count) =>
      val isBoolean = kind == Type.Primitive.BOOLEAN
      Arrays(Values(lanes, offset, kind.size * count, slots, isBoolean, false), count, slots)
    case Column.Record(_, fields) => Record(fields.map(of(lanes, _, slots)), slots)
    case Column.Optional(_, isDefined, value) =>
      val inner = value match
        case nested: Column.Optional => Record(Vector(of(lanes, nested, slots)), slots)
        case other                   => of(lanes, other, slots)
      Optional(ifSet(lanes, isDefined), inner)
    case Column.OneOf(_, tag, members) =>
      val number = of(lanes, tag, slots)
      val cases = SqlType.shown(members).map: member =>
        Optional(ifCase(lanes, tag, members.indexOf(member)), of(lanes, member, slots))
      Record(number +: cases, slots)

  /** Where the values of a vector are, which has room for them. */
  private def data(vector: Long, count: Int, slots: Slots): Long =
    resize(vector, count, slots)
    slots.answer(
      Native.vectorGetDataMutable.invokeExact(vector, slots.out, slots.error).asInstanceOf[Int]
    )

  def resize(vector: Long, count: Int, slots: Slots): Unit =
    slots.check(
      Native.vectorSetSize.invokeExact(vector, count.toLong, slots.error).asInstanceOf[Int]
    )

  private def child(vector: Long, index: Int, slots: Slots): Long =
    slots.answer(
      Native.vectorGetChild.invokeExact(vector, index.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )

  private def isThere(there: Array[Long] | Null, i: Int): Boolean =
    there == null || (there(i >> 6) >>> i & 1) != 0

  /** Stores which values are there, unless all are. */
  private def mark(vector: Long, there: Array[Long] | Null, count: Int, slots: Slots): Unit =
    if there != null then
      val at = slots.answer(
        Native.vectorFlatGetValidityMutable.invokeExact(vector, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      for k <- 0 to (count - 1) / 64 do memory.set(long, at + 8L * k, there(k))

  private final class Values(
      lanes: Lanes,
      offset: Int,
      size: Int,
      slots: Slots,
      isBoolean: Boolean,
      isTurned: Boolean
  ) extends Fill:
    private val (start, step) = (lanes.start(offset, size), lanes.step(size))

    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      val at = data(vector, window.count, slots)
      into(at, window)
      mark(vector, there, window.count, slots)

    def into(at: Long, window: Window): Unit =
      val (count, chosen) = (window.count, window.chosen)
      val from = start + window.from * step
      if chosen == null then Moves.copy(lanes.memory, from, step, memory, at, size, size, count)
      else Moves.copyChosen(lanes.memory, from, step, memory, at, size, chosen, count)
      if isBoolean then booleans(at, count * size)
      if isTurned then turn(at, count)

    /** Makes every byte that is not 0 a 1, which is all that DuckDB knows. Eight at a time, with
      * room for as many in a vector of 2048.
      */
    private def booleans(at: Long, count: Int): Unit =
      val whole = count & -8
      var i = 0
      while i < whole do
        val word = memory.get(long, at + i)
        val low = word & 0x7f7f7f7f7f7f7f7fL
        val ones = (low + 0x7f7f7f7f7f7f7f7fL | word) >>> 7 & 0x0101010101010101L
        memory.set(long, at + i, ones)
        i += 8
      while i < count do
        if memory.get(byte, at + i) != 0 then memory.set(byte, at + i, 1.toByte)
        i += 1

    private def turn(at: Long, count: Int): Unit =
      for i <- 0 until count; k <- 0 until size / 2 do
        val (a, b) = (at + i * size + k, at + i * size + size - 1 - k)
        val kept = memory.get(byte, a)
        memory.set(byte, a, memory.get(byte, b))
        memory.set(byte, b, kept)
  end Values

  /** Numbers of cases, each of which has to name one. */
  private final class Cases(lanes: Lanes, column: Column.Enumerated, slots: Slots) extends Fill:
    private val values = Values(lanes, column.offset, column.size, slots, false, false)
    private val (start, step) = (lanes.start(column.offset, column.size), lanes.step(column.size))
    private val count = column.cases.size

    /** What DuckDB has an enum's numbers in: a size that is chosen by the number of its cases. */
    private val width = if count <= 0xff then 1 else if count <= 0xffff then 2 else 4

    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      val at = data(vector, window.count, slots)
      var i = 0
      if width == 1 && column.size == 1 && there == null then
        values.into(at, window)
        while i < window.count do
          val number = memory.get(byte, at + i) & 0xff
          if number >= count then throw wrong(window.row(i), number)
          i += 1
      else
        while i < window.count do
          val number = if isThere(there, i) then read(window.row(i)) else 0
          if number < 0 || number >= count then throw wrong(window.row(i), number)
          width match
            case 1 => memory.set(byte, at + i, number.toByte)
            case 2 => memory.set(short, at + 2L * i, number.toShort)
            case _ => memory.set(int, at + 4L * i, number)
          i += 1
        mark(vector, there, window.count, slots)

    private def read(row: Long): Int =
      val at = start + row * step
      column.size match
        case 1 => lanes.memory.get(byte, at) & 0xff
        case 2 => lanes.memory.get(short, at) & 0xffff
        case 4 => lanes.memory.get(int, at) + Mapping.zero
        case _ =>
          val number = lanes.memory.get(long, at)
          if number == number.toInt then number.toInt else -1

    private def wrong(row: Long, number: Int): RuntimeException =
      java.util.NoSuchElementException(
        s"row $row of `${column.name}` is case $number, and there are $count"
      )
  end Cases

  /** Texts, or bytes that are none. */
  private final class Texts(lanes: Lanes, offset: Int, size: Int, slots: Slots, isText: Boolean)
      extends Fill:
    private val (start, step) = (lanes.start(offset, size), lanes.step(size))
    private val lane = TextLane(lanes.memory, start, step, size)

    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      val at = data(vector, window.count, slots)
      var i = 0
      while i < window.count do
        val length =
          if !isThere(there, i) then 0
          else if isText then lane.load(window.row(i))
          else lane.loadBytes(window.row(i))
        store(vector, at + 16L * i, length)
        i += 1
      mark(vector, there, window.count, slots)

    /** Stores up to 12 bytes in the vector, more elsewhere in its memory. */
    private def store(vector: Long, at: Long, length: Int): Unit =
      memory.set(int, at, length)
      if length <= Inlined then
        memory.set(int, at + 4, 0)
        memory.set(long, at + 8, 0L)
        MemorySegment.copy(lane.bytes, 0, memory, byte, at + 4, length)
      else
        val arena = slots.answer(
          Native.vectorGetArena.invokeExact(vector, slots.out, slots.error).asInstanceOf[Int]
        )
        val place = slots.answer(
          Native.arenaAllocate.invokeExact(arena, length.toLong, slots.out, slots.error)
            .asInstanceOf[Int]
        )
        MemorySegment.copy(lane.bytes, 0, memory, byte, place, length)
        MemorySegment.copy(lane.bytes, 0, memory, byte, at + 4, 4)
        memory.set(long, at + 8, place)
  end Texts

  /** Bytes of a text in the vector itself. */
  private inline val Inlined = 12

  private final class Arrays(values: Values, count: Int, slots: Slots) extends Fill:
    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      resize(vector, window.count, slots)
      values.into(data(child(vector, 0, slots), window.count * count, slots), window)
      mark(vector, there, window.count, slots)

  private final class Record(fields: Vector[Fill], slots: Slots) extends Fill:
    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      resize(vector, window.count, slots)
      mark(vector, there, window.count, slots)
      for k <- fields.indices do fields(k)(child(vector, k, slots), window, there)

  /** What is there in some rows only; inside of what is not, nothing is. */
  private final class Optional(present: Long => Boolean, value: Fill) extends Fill:
    private val bits = new Array[Long](64)

    def apply(vector: Long, window: Window, there: Array[Long] | Null): Unit =
      java.util.Arrays.fill(bits, -1L)
      var isWhole = there == null
      for i <- 0 until window.count do
        if !(isThere(there, i) && present(window.row(i))) then
          bits(i >> 6) &= ~(1L << i)
          isWhole = false
      value(vector, window, if isWhole then null else bits)

  private def ifSet(lanes: Lanes, offset: Int): Long => Boolean =
    val (start, step) = (lanes.start(offset, 1), lanes.step(1))
    row => lanes.memory.get(byte, start + row * step) != 0

  private def ifCase(lanes: Lanes, tag: Column.Enumerated, number: Int): Long => Boolean =
    val (start, step) = (lanes.start(tag.offset, tag.size), lanes.step(tag.size))
    tag.size match
      case 1 => row => (lanes.memory.get(byte, start + row * step) & 0xff) == number
      case 2 => row => (lanes.memory.get(short, start + row * step) & 0xffff) == number
      case _ => row => lanes.memory.get(int, start + row * step) == number
end Fill
