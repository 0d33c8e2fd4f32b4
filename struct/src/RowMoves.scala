package undercroft.struct

import java.lang.foreign.MemorySegment
import undercroft.struct.internal.{Places, Unaligned}

/** Moves whole rows as bytes: within a table, and from one to another of the same layout. */
private[struct] final class RowMoves(table: Table[?, ?]):
  private val columnar = table.kind == Table.Kind.Columnar
  private val stride = table.stride
  private val memory = table.memory

  /** A leaf of each column: those of several cases share one. */
  private val columns = table.struct.columns
  private val sizes: Array[Long] = columns.map(_.kind.size.toLong)

  /** Where the first row of each column is. */
  private val starts: Array[Long] = startsOf(table)

  private def startsOf(table: Table[?, ?]): Array[Long] =
    columns.map(leaf => table.capacity * leaf.column + table.first * leaf.kind.size)

  /** Rows `a` and `b` change places. */
  def swap(a: Long, b: Long): Unit =
    if columnar then
      var k = 0
      while k < sizes.length do
        Places.swapBytes(memory, starts(k) + a * sizes(k), starts(k) + b * sizes(k), sizes(k))
        k += 1
    else Places.swapBytes(memory, a * stride, b * stride, stride)

  /** Puts rows from `from` on in the order of `count` numbers. Up to some words a row goes word by
    * word, by way of the spare ones, so that no load waits for the one before; a wider one is moved
    * along the cycles of that order.
    */
  def arrange(from: Long, count: Int, order: SortWords): Unit =
    if columnar then
      var k = 0
      while k < sizes.length do
        arrangeBytes(starts(k) + from * sizes(k), sizes(k), sizes(k), count, order)
        k += 1
    else if stride <= RowMoves.Narrow then
      arrangeBytes(from * stride, stride, stride, count, order)
    else arrangeByCycles(from, count, order)

  /** Puts `bytes` bytes of each of the rows in order, of which row `k` is at `start + k * step`. */
  private def arrangeBytes(
      start: Long,
      step: Long,
      bytes: Long,
      count: Int,
      order: SortWords
  ): Unit =
    var at = 0L
    while at + 8 <= bytes do
      arrangeLongs(start + at, step, count, order)
      at += 8
    if at + 4 <= bytes then
      arrangeInts(start + at, step, count, order)
      at += 4
    while at < bytes do
      arrangeSingles(start + at, step, count, order)
      at += 1

  private def arrangeLongs(start: Long, step: Long, count: Int, order: SortWords): Unit =
    val (memory, spare) = (this.memory, order.spare)
    var k = 0
    while k < count do
      spare(k) = memory.get(Unaligned.long, start + order.row(k) * step)
      k += 1
    k = 0
    while k < count do
      memory.set(Unaligned.long, start + k * step, spare(k))
      k += 1

  private def arrangeInts(start: Long, step: Long, count: Int, order: SortWords): Unit =
    val (memory, spare) = (this.memory, order.spare)
    var k = 0
    while k < count do
      // Without a sign, because `movslq` is none of the loads that a file may have: see Mapping.
      spare(k) = memory.get(Unaligned.int, start + order.row(k) * step) & 0xffffffffL
      k += 1
    k = 0
    while k < count do
      memory.set(Unaligned.int, start + k * step, spare(k).toInt)
      k += 1

  private def arrangeSingles(start: Long, step: Long, count: Int, order: SortWords): Unit =
    val (memory, spare) = (this.memory, order.spare)
    var k = 0
    while k < count do
      spare(k) = memory.get(Unaligned.byte, start + order.row(k) * step)
      k += 1
    k = 0
    while k < count do
      memory.set(Unaligned.byte, start + k * step, spare(k).toByte)
      k += 1

  private def arrangeByCycles(from: Long, count: Int, order: SortWords): Unit =
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

  /** Rows `[from, until)` end up in the opposite order. */
  def reverse(from: Long, until: Long): Unit =
    var low = from
    var high = until - 1
    while low < high do
      swap(low, high)
      low += 1
      high -= 1

  /** Copies the rows that `order` names, one after the other, to the beginning of `target`. */
  def gather(order: RowOrder, target: Table[?, ?]): Unit =
    if columnar then
      val into = startsOf(target)
      var k = 0
      while k < sizes.length do
        gatherBytes(order, starts(k), target.memory, into(k), sizes(k))
        k += 1
    else gatherBytes(order, 0, target.memory, 0, stride)

  private def gatherBytes(
      order: RowOrder,
      from: Long,
      target: MemorySegment,
      into: Long,
      bytes: Long
  ): Unit =
    val count = order.size
    var i = 0L
    if bytes == 4 then
      while i < count do
        val word = memory.get(Unaligned.int, from + order.row(i) * 4)
        target.set(Unaligned.int, into + i * 4, word)
        i += 1
    else if bytes == 8 then
      while i < count do
        val word = memory.get(Unaligned.long, from + order.row(i) * 8)
        target.set(Unaligned.long, into + i * 8, word)
        i += 1
    else if bytes <= 64 then
      while i < count do
        copyBytes(from + order.row(i) * bytes, target, into + i * bytes, bytes)
        i += 1
    else
      while i < count do
        MemorySegment.copy(memory, from + order.row(i) * bytes, target, into + i * bytes, bytes)
        i += 1
  end gatherBytes

  private def copyBytes(from: Long, target: MemorySegment, into: Long, bytes: Long): Unit =
    var at = 0L
    while at + 8 <= bytes do
      target.set(Unaligned.long, into + at, memory.get(Unaligned.long, from + at))
      at += 8
    if at + 4 <= bytes then
      target.set(Unaligned.int, into + at, memory.get(Unaligned.int, from + at))
      at += 4
    while at < bytes do
      target.set(Unaligned.byte, into + at, memory.get(Unaligned.byte, from + at))
      at += 1
end RowMoves

private[struct] object RowMoves:
  /** Bytes of a row up to which it is moved word by word. */
  private inline val Narrow = 64
end RowMoves

/** Rows of a table, in some order. */
private[struct] trait RowOrder:
  def size: Long
  def row(position: Long): Long
