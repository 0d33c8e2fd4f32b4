package undercroft.struct
package internal.sort

import internal.bytes.{ValueLayouts, WholeStructs}
import java.lang.foreign.MemorySegment

/** Moves whole rows as bytes, within a table or to another table of the same layout. */
private[struct] final class RowMover(table: Table[?, ?]):
  private val columnar = table.kind == Table.Kind.Columnar
  private val stride = table.stride
  private val memory = table.memory

  /** One leaf of each column: leaves of several cases share a column. */
  private val columns = table.struct.columns
  private val sizes: Array[Long] = columns.map(_.kind.size.toLong)

  /** The offset of the first row in each column. */
  private val starts: Array[Long] = startsOf(table)

  private def startsOf(table: Table[?, ?]): Array[Long] =
    columns.map(leaf => table.capacity * leaf.column + table.first * leaf.kind.size)

  /** Swaps rows `a` and `b`. */
  def swap(a: Long, b: Long): Unit =
    if columnar then
      var k = 0
      while k < sizes.length do
        WholeStructs.swapBytes(memory, starts(k) + a * sizes(k), starts(k) + b * sizes(k), sizes(k))
        k += 1
    else WholeStructs.swapBytes(memory, a * stride, b * stride, stride)

  /** Puts `count` rows starting at `from` in the order of `order`. Columns, and rows up to
    * `Narrow`, are moved word by word through the spare array, so that no load waits for the
    * previous one; wider rows are moved along the cycles of the permutation.
    */
  def arrange(from: Long, count: Int, order: SmallKeySort): Unit =
    var k = 0
    while k < count && order.row(k) == k do k += 1
    if k == count then () // All rows are in their places.
    else if isNarrow then arrangeNarrow(from, count, order, order.spare)
    else arrangeByCycles(from, count, order)

  /** Whether rows are moved word by word: columns, or rows up to `Narrow`. */
  def isNarrow: Boolean = columnar || stride <= RowMover.Narrow

  /** As [[arrange]], for a narrow table. The spare array is at least as long as `count`. */
  def arrangeNarrow(from: Long, count: Int, order: RowOrder, spare: Array[Long]): Unit =
    if columnar then
      var k = 0
      while k < sizes.length do
        arrangeBytes(starts(k) + from * sizes(k), sizes(k), count, order, spare)
        k += 1
    else arrangeBytes(from * stride, stride, count, order, spare)

  /** Puts rows of `bytes` bytes in order; row `k` is at `start + k * bytes`. */
  private def arrangeBytes(
      start: Long,
      bytes: Long,
      count: Int,
      order: RowOrder,
      spare: Array[Long]
  ): Unit =
    var at = 0L
    while at + 8 <= bytes do
      arrangeLongs(start + at, bytes, count, order, spare)
      at += 8
    if at + 4 <= bytes then
      arrangeInts(start + at, bytes, count, order, spare)
      at += 4
    while at < bytes do
      arrangeSingles(start + at, bytes, count, order, spare)
      at += 1

  private def arrangeLongs(
      start: Long,
      step: Long,
      count: Int,
      order: RowOrder,
      spare: Array[Long]
  ): Unit =
    val memory = this.memory
    var k = 0
    while k < count do
      spare(k) = memory.get(ValueLayouts.long, start + order.row(k) * step)
      k += 1
    k = 0
    while k < count do
      memory.set(ValueLayouts.long, start + k * step, spare(k))
      k += 1

  private def arrangeInts(
      start: Long,
      step: Long,
      count: Int,
      order: RowOrder,
      spare: Array[Long]
  ): Unit =
    val memory = this.memory
    var k = 0
    while k < count do
      // Zero-extended, because a load from a file must not be a `movslq`: see Mapping.
      spare(k) = memory.get(ValueLayouts.int, start + order.row(k) * step) & 0xffffffffL
      k += 1
    k = 0
    while k < count do
      memory.set(ValueLayouts.int, start + k * step, spare(k).toInt)
      k += 1

  private def arrangeSingles(
      start: Long,
      step: Long,
      count: Int,
      order: RowOrder,
      spare: Array[Long]
  ): Unit =
    val memory = this.memory
    var k = 0
    while k < count do
      spare(k) = memory.get(ValueLayouts.byte, start + order.row(k) * step)
      k += 1
    k = 0
    while k < count do
      memory.set(ValueLayouts.byte, start + k * step, spare(k).toByte)
      k += 1

  private def arrangeByCycles(from: Long, count: Int, order: SmallKeySort): Unit =
    var k = 0
    while k < count do
      var at = k
      var next = order.row(k)
      while next != k do
        swap(from + at, from + next)
        order.settle(at)
        at = next
        next = order.row(at)
      order.settle(at)
      k += 1

  /** Reverses the order of rows `[from, until)`. */
  def reverse(from: Long, until: Long): Unit =
    var low = from
    var high = until - 1
    while low < high do
      swap(low, high)
      low += 1
      high -= 1

  /** Copies the rows that `order` lists at positions `[from, until)` to the same positions of
    * `target`.
    */
  def gather(order: RowOrder, from: Long, until: Long, target: Table[?, ?]): Unit =
    if columnar then
      val into = startsOf(target)
      var k = 0
      while k < sizes.length do
        gatherBytes(order, from, until, starts(k), target.memory, into(k), sizes(k))
        k += 1
    else gatherBytes(order, from, until, 0, target.memory, 0, stride)

  /** Copies each row to the next position of its part in a target of the same layout. */
  def distribute(parts: RowParts, target: Table[?, ?]): Unit =
    if columnar then
      val into = startsOf(target)
      var k = 0
      while k < sizes.length do
        distributeBytes(parts, starts(k), target.memory, into(k), sizes(k))
        k += 1
    else distributeBytes(parts, 0, target.memory, 0, stride)

  private def distributeBytes(
      parts: RowParts,
      from: Long,
      target: MemorySegment,
      into: Long,
      bytes: Long
  ): Unit =
    val heads = parts.heads
    val count = parts.size
    var i = 0L
    while i < count do
      val part = parts.part(i)
      val head = heads(part)
      if head >= 0 then
        heads(part) = head + 1
        copyBytes(from + i * bytes, target, into + head * bytes, bytes)
      i += 1

  private def gatherBytes(
      order: RowOrder,
      start: Long,
      until: Long,
      from: Long,
      target: MemorySegment,
      into: Long,
      bytes: Long
  ): Unit =
    var i = start
    if bytes == 4 then
      while i < until do
        val word = memory.get(ValueLayouts.int, from + order.row(i) * 4)
        target.set(ValueLayouts.int, into + i * 4, word)
        i += 1
    else if bytes == 8 then
      while i < until do
        val word = memory.get(ValueLayouts.long, from + order.row(i) * 8)
        target.set(ValueLayouts.long, into + i * 8, word)
        i += 1
    else if bytes <= 64 then
      while i < until do
        copyBytes(from + order.row(i) * bytes, target, into + i * bytes, bytes)
        i += 1
    else
      while i < until do
        MemorySegment.copy(memory, from + order.row(i) * bytes, target, into + i * bytes, bytes)
        i += 1
  end gatherBytes

  private def copyBytes(from: Long, target: MemorySegment, into: Long, bytes: Long): Unit =
    var at = 0L
    while at + 8 <= bytes do
      target.set(ValueLayouts.long, into + at, memory.get(ValueLayouts.long, from + at))
      at += 8
    if at + 4 <= bytes then
      target.set(ValueLayouts.int, into + at, memory.get(ValueLayouts.int, from + at))
      at += 4
    while at < bytes do
      target.set(ValueLayouts.byte, into + at, memory.get(ValueLayouts.byte, from + at))
      at += 1
end RowMover

private[struct] object RowMover:
  /** The size of a row in bytes up to which it is moved word by word. */
  private inline val Narrow = 64
end RowMover

/** Row numbers of a table, in some order. */
private[struct] trait RowOrder:
  def row(position: Long): Long

/** Parts of the rows of a table, for copies of each part to consecutive positions. */
private[struct] trait RowParts:
  def size: Long

  /** The part of a row. */
  def part(row: Long): Int

  /** A new array of the first position of each part; negative for a part that is not copied. */
  def heads: Array[Long]
