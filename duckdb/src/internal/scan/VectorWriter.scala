package undercroft.duckdb
package internal.scan

import internal.api.{Addresses, DuckDbApi, OutParams}
import internal.sql.{SqlMeaning, SqlType}
import undercroft.struct.internal.bytes.MappedReads
import java.lang.foreign.{Arena, MemorySegment, ValueLayout}
import undercroft.file.format.{LogicalKind, Type}
import undercroft.file.{ColumnKind, FieldSlices, StridedCopy, TextSlice, given}

/** The rows of a vector: `count` consecutive rows from row `from` on, or, if `chosen` is not null,
  * the rows at these distances from `from`.
  */
private[duckdb] final class RowSelection:
  var from: Long = 0
  var count: Int = 0
  var distances: Array[Int] | Null = null

  /** The rows whose arrays have these rows as elements, `perArray` each; null for rows of a table.
    */
  var arrays: RowSelection | Null = null
  var perArray: Int = 1

  def row(i: Int): Long =
    val numbers = distances
    if numbers == null then from + i else from + numbers(i)

  /** Names a row in errors. */
  def place(i: Int): String =
    val outer = arrays
    if outer == null then s"row ${row(i)}"
    else s"${outer.place(i / perArray)}, element ${i % perArray}"

/** Writes the values of a column to a DuckDB vector. Confined to one thread. */
private[duckdb] abstract class VectorWriter:

  /** @param there
    *   validity bits of the enclosing values, one per row, or null if all are valid; there may be
    *   more bits than rows
    */
  def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit

private[duckdb] object VectorWriter:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private def memory = Addresses.memory

  def of(lanes: FieldSlices, column: ColumnKind, slots: OutParams): VectorWriter =
    SqlMeaning.of(column) match
      case ColumnKind.Logical(name, kind, stored) => logical(lanes, name, kind, stored, slots)
      case plain                                  => physical(lanes, plain, slots)

  private def logical(
      lanes: FieldSlices,
      name: String,
      kind: LogicalKind,
      stored: ColumnKind,
      slots: OutParams
  ): VectorWriter = stored match
    case ColumnKind.Record(_, Vector(high: ColumnKind.Value, low: ColumnKind.Value)) =>
      val isUuid = kind match
        case _: LogicalKind.Uuid => true
        case _                   => false
      LogicalWriter.Pairs(lanes, name, high.offset, low.offset, isUuid, slots)
    case ColumnKind.Value(_, offset, number, _, turned) =>
      val values = Values(lanes, offset, number.size, slots, false, turned)
      kind match
        case duration: LogicalKind.Duration =>
          LogicalWriter.Intervals(values, name, duration.unit, slots)
        case _ =>
          LogicalWriter.Numbers(values, name, number.size, SqlMeaning.range(kind), slots)
    case other => throw IllegalStateException(other.name)

  private def physical(lanes: FieldSlices, column: ColumnKind, slots: OutParams): VectorWriter =
    column match
      case ColumnKind.Value(_, offset, kind, _, turned) =>
        Values(lanes, offset, kind.size, slots, kind == Type.Primitive.BOOLEAN, turned)
      case number: ColumnKind.Enumerated      => Cases(lanes, number, slots)
      case ColumnKind.Text(_, offset, size)   => Texts(lanes, offset, size, slots, true)
      case ColumnKind.Opaque(_, offset, size) => Texts(lanes, offset, size, slots, false)
      case items: ColumnKind.Items if SqlType.isArray(items.dimensions) =>
        Items(lanes, items, slots)
      case ColumnKind.Items(_, offset, dimensions, bytes, _) =>
        Texts(lanes, offset, bytes * dimensions.product, slots, false)
      case ColumnKind.Elements(_, offset, kind, dimensions) if !SqlType.isArray(dimensions) =>
        Texts(lanes, offset, kind.size * dimensions.product, slots, false)
      case ColumnKind.Elements(name, offset, kind, dimensions) =>
        val isBoolean = kind == Type.Primitive.BOOLEAN
        val bytes = kind.size * dimensions.product
        val values = Values(lanes, offset, bytes, slots, isBoolean, false)
        Arrays(values, name, dimensions.toArray, slots)
      case ColumnKind.Record(_, fields) => Record(fields.map(of(lanes, _, slots)), slots)
      case ColumnKind.Optional(_, isDefined, value) =>
        val inner = value match
          case nested: ColumnKind.Optional => Record(Vector(of(lanes, nested, slots)), slots)
          case plain                       => of(lanes, plain, slots)
        Optional(ifSet(lanes, isDefined), inner)
      case ColumnKind.Logical(_, _, stored) => physical(lanes, stored, slots)
      case ColumnKind.OneOf(_, tag, members) =>
        val number = of(lanes, tag, slots)
        val cases = SqlType.shown(members).map: member =>
          Optional(ifCase(lanes, tag, members.indexOf(member)), of(lanes, member, slots))
        Record(number +: cases, slots)
      case ColumnKind.OutOfLine(name, _, _) => throw IllegalStateException(name)

  /** Resizes a vector and returns the address of its values. */
  def data(vector: Long, count: Int, slots: OutParams): Long =
    resize(vector, count, slots)
    slots.answer(
      DuckDbApi.vectorGetDataMutable.invokeExact(vector, slots.out, slots.error).asInstanceOf[Int]
    )

  def resize(vector: Long, count: Int, slots: OutParams): Unit =
    slots.check(
      DuckDbApi.vectorSetSize.invokeExact(vector, count.toLong, slots.error).asInstanceOf[Int]
    )

  private def child(vector: Long, index: Int, slots: OutParams): Long =
    slots.answer(
      DuckDbApi.vectorGetChild.invokeExact(vector, index.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )

  def isThere(there: Array[Long] | Null, i: Int): Boolean =
    there == null || (there(i >> 6) >>> i & 1) != 0

  /** Stores the validity mask, unless all values are valid. */
  def mark(vector: Long, there: Array[Long] | Null, count: Int, slots: OutParams): Unit =
    if there != null then
      val at = slots.answer(
        DuckDbApi.vectorFlatGetValidityMutable.invokeExact(vector, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      for k <- 0 to (count - 1) / 64 do memory.set(long, at + 8L * k, there(k))

  final class Values(
      lanes: FieldSlices,
      offset: Int,
      size: Int,
      slots: OutParams,
      isBoolean: Boolean,
      isTurned: Boolean
  ) extends VectorWriter:
    private val (start, step) = (lanes.start(offset, size), lanes.step(size))

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      val at = data(vector, window.count, slots)
      into(at, window)
      mark(vector, there, window.count, slots)

    def into(at: Long, window: RowSelection): Unit =
      val (count, distances) = (window.count, window.distances)
      val from = start + window.from * step
      if distances == null then
        StridedCopy.copy(lanes.memory, from, step, memory, at, size, size, count)
      else StridedCopy.copyChosen(lanes.memory, from, step, memory, at, size, distances, count)
      if isBoolean then booleans(at, count * size)
      if isTurned then turn(at, count)

    /** Replaces every non-zero byte by 1, the only value that DuckDB accepts for true. Works on
      * eight bytes at a time; a vector of 2048 values has room for a multiple of eight.
      */
    private def booleans(at: Long, count: Int): Unit =
      val whole = count & -8
      var i = 0
      while i < whole do
        val word = memory.get(long, at + i)
        val low = word & 0x7f7f7f7f7f7f7f7fL
        val truths = (low + 0x7f7f7f7f7f7f7f7fL | word) >>> 7 & 0x0101010101010101L
        memory.set(long, at + i, truths)
        i += 8
      while i < count do
        if memory.get(byte, at + i) != 0 then memory.set(byte, at + i, 1.toByte)
        i += 1

    private def turn(at: Long, count: Int): Unit =
      for i <- 0 until count; k <- 0 until size / 2 do
        val (a, b) = (at + i * size + k, at + i * size + size - 1 - k)
        val first = memory.get(byte, a)
        memory.set(byte, a, memory.get(byte, b))
        memory.set(byte, b, first)
  end Values

  /** Numbers of enum cases; throws if one is invalid. */
  private final class Cases(lanes: FieldSlices, column: ColumnKind.Enumerated, slots: OutParams)
      extends VectorWriter:
    private val values = Values(lanes, column.offset, column.size, slots, false, false)
    private val (start, step) = (lanes.start(column.offset, column.size), lanes.step(column.size))
    private val count = column.cases.size

    /** The size of DuckDB's enum indices in bytes, which depends on the number of cases. */
    private val width = if count <= 0xff then 1 else if count <= 0xffff then 2 else 4

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      val at = data(vector, window.count, slots)
      var i = 0
      if width == 1 && column.size == 1 && there == null then
        values.into(at, window)
        while i < window.count do
          val number = memory.get(byte, at + i) & 0xff
          if number >= count then throw wrong(window.place(i), number)
          i += 1
      else
        while i < window.count do
          val number = if isThere(there, i) then read(window.row(i)) else 0
          if number < 0 || number >= count then throw wrong(window.place(i), number)
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
        case 4 => lanes.memory.get(int, at) + MappedReads.zeroOf(isMapped = true)
        case _ =>
          val number = lanes.memory.get(long, at)
          if number == number.toInt then number.toInt else -1

    private def wrong(place: String, number: Int): RuntimeException =
      java.util.NoSuchElementException(
        s"$place of `${column.name}` is case $number, but the enum has $count cases"
      )
  end Cases

  /** Strings, or byte sequences that are not text. */
  private final class Texts(
      lanes: FieldSlices,
      offset: Int,
      size: Int,
      slots: OutParams,
      isText: Boolean
  ) extends VectorWriter:
    private val (start, step) = (lanes.start(offset, size), lanes.step(size))
    private val lane = TextSlice(lanes.memory, start, step, size)

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
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

    /** Stores up to 12 bytes inline in the vector, longer values in the vector's arena. */
    private def store(vector: Long, at: Long, length: Int): Unit =
      memory.set(int, at, length)
      if length <= Inlined then
        memory.set(int, at + 4, 0)
        memory.set(long, at + 8, 0L)
        MemorySegment.copy(lane.bytes, 0, memory, byte, at + 4, length)
      else
        val arena = slots.answer(
          DuckDbApi.vectorGetArena.invokeExact(vector, slots.out, slots.error).asInstanceOf[Int]
        )
        val place = slots.answer(
          DuckDbApi.arenaAllocate.invokeExact(arena, length.toLong, slots.out, slots.error)
            .asInstanceOf[Int]
        )
        MemorySegment.copy(lane.bytes, 0, memory, byte, place, length)
        MemorySegment.copy(lane.bytes, 0, memory, byte, at + 4, 4)
        memory.set(long, at + 8, place)
  end Texts

  /** The most bytes stored inline in the vector. */
  private inline val Inlined = 12

  /** The number of elements of arrays; throws if it is not an Int. */
  private def elementCount(arrays: Int, size: Int, name: String): Int =
    val count = arrays.toLong * size
    if count > Int.MaxValue then
      throw ArithmeticException(
        s"$arrays arrays of `$name` must have at most ${Int.MaxValue} elements, but have $count"
      )
    count.toInt

  /** Arrays, whose elements are in a child vector; for several dimensions, its elements are arrays.
    */
  private final class Arrays(
      values: Values,
      name: String,
      dimensions: Array[Int],
      slots: OutParams
  ) extends VectorWriter:
    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      resize(vector, window.count, slots)
      var inner = vector
      var count = window.count
      for k <- dimensions.indices do
        inner = child(inner, 0, slots)
        count = elementCount(count, dimensions(k), name)
        if k < dimensions.length - 1 then resize(inner, count, slots)
      values.into(data(inner, count, slots), window)
      mark(vector, there, window.count, slots)

  /** Arrays of structs, Options, texts or values with a meaning. The items are copied to memory, in
    * which they are rows of `itemBytes` bytes.
    */
  private final class Items(lanes: FieldSlices, column: ColumnKind.Items, slots: OutParams)
      extends VectorWriter:
    private val dimensions = column.dimensions.toArray
    private val perRow = dimensions.product
    private val bytes = column.itemBytes * perRow
    private val (start, step) = (lanes.start(column.offset, bytes), lanes.step(bytes))
    private val item = ColumnKind.named(column.item, column.name)
    private val elements = RowSelection()
    private var bits = new Array[Long](0)

    private var copiedRows = 0
    private var copies = MemorySegment.NULL.nn
    private var writer: VectorWriter | Null = null

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      resize(vector, window.count, slots)
      mark(vector, there, window.count, slots)
      var inner = vector
      var count = window.count
      for k <- dimensions.indices do
        inner = child(inner, 0, slots)
        count = elementCount(count, dimensions(k), column.name)
        if k < dimensions.length - 1 then
          resize(inner, count, slots)
          if there != null then mark(inner, expanded(there, count, window), count, slots)
      val items = copied(window)
      elements.count = count
      elements.arrays = window
      elements.perArray = perRow
      items(inner, elements, if there == null then null else expanded(there, count, window))

    /** Copies the arrays of rows; returns the writer of their items. */
    private def copied(window: RowSelection): VectorWriter =
      var current = writer
      if current == null || copiedRows < window.count then
        // Freed by the garbage collector, as the writer: DuckDB may end a scan at any time.
        copies = Arena.ofAuto.nn.allocate(Math.multiplyExact(window.count.toLong, bytes), 8)
        copiedRows = window.count
        current = of(FieldSlices.ofItems(copies, column.itemBytes), item, slots)
        writer = current
      val from = start + window.from * step
      val distances = window.distances
      if distances == null then
        StridedCopy.copy(lanes.memory, from, step, copies, 0, bytes, bytes, window.count)
      else
        StridedCopy.copyChosen(lanes.memory, from, step, copies, 0, bytes, distances, window.count)
      current

    /** The validity of `count` parts of the arrays, from that of the arrays. */
    private def expanded(there: Array[Long], count: Int, window: RowSelection): Array[Long] =
      val perArray = if window.count == 0 then 1 else count / window.count
      if bits.length < Math.ceilDiv(count, 64) then bits = new Array[Long](Math.ceilDiv(count, 64))
      else java.util.Arrays.fill(bits, 0L)
      var i = 0
      while i < count do
        if isThere(there, i / perArray) then bits(i >> 6) |= 1L << i
        i += 1
      bits
  end Items

  private final class Record(fields: Vector[VectorWriter], slots: OutParams) extends VectorWriter:
    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      resize(vector, window.count, slots)
      mark(vector, there, window.count, slots)
      for k <- fields.indices do fields(k)(child(vector, k, slots), window, there)

  /** A value that is present in some rows only; the values nested in an absent one are absent. */
  private final class Optional(present: Long => Boolean, value: VectorWriter) extends VectorWriter:
    private var bits = new Array[Long](64)

    def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
      if bits.length < Math.ceilDiv(window.count, 64) then
        bits = new Array[Long](Math.ceilDiv(window.count, 64))
      java.util.Arrays.fill(bits, -1L)
      var isWhole = there == null
      for i <- 0 until window.count do
        if !(isThere(there, i) && present(window.row(i))) then
          bits(i >> 6) &= ~(1L << i)
          isWhole = false
      value(vector, window, if isWhole then null else bits)

  private def ifSet(lanes: FieldSlices, offset: Int): Long => Boolean =
    val (start, step) = (lanes.start(offset, 1), lanes.step(1))
    row => lanes.memory.get(byte, start + row * step) != 0

  private def ifCase(lanes: FieldSlices, tag: ColumnKind.Enumerated, number: Int): Long => Boolean =
    val (start, step) = (lanes.start(tag.offset, tag.size), lanes.step(tag.size))
    tag.size match
      case 1 => row => (lanes.memory.get(byte, start + row * step) & 0xff) == number
      case 2 => row => (lanes.memory.get(short, start + row * step) & 0xffff) == number
      case _ => row => lanes.memory.get(int, start + row * step) == number
end VectorWriter
