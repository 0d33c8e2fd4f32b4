package undercroft.lab.bench

// How much does it cost to sum one field, or a product of fields, over an array of structs?

import java.lang.foreign.MemorySegment
import undercroft.memory.Region
import undercroft.struct.*
import org.openjdk.jmh.annotations.*

/** `trades` structs {ticket, amount, price, buy} of 16 bytes; trade `i` has amount i and price 2i.
  */
@State(Scope.Thread)
class AosSum extends Measured:
  @Param(Array("1000", "20000000")) var trades = 0

  private var objects = new Array[Trade](0)
  private var base = 0L
  private var bytes = 0L
  private var segment = MemorySegment.NULL.nn

  private val region = Region.shared()
  private given Region = region
  private var rows = Rows[Trade](0)
  private var packed = PackedRows[Trade](0)
  private var columns = Columns[Trade](0)

  @Setup def open(): Unit =
    bytes = trades * 16L
    base = LibC.map(bytes, huge = false)
    segment = LibC.segment(base, bytes)
    for i <- 0 until trades do
      val at = base + i * 16L
      Raw.unsafe.putInt(at, i)
      Raw.unsafe.putInt(at + 4, i)
      Raw.unsafe.putInt(at + 8, 2 * i)
      Raw.unsafe.putByte(at + 12, (1 - (i & 1)).toByte)
    objects = Array.tabulate(trades)(i => Trade(i, i, 2 * i, (i & 1) == 0))
    rows = Rows[Trade](trades)
    packed = PackedRows[Trade](trades)
    columns = Columns[Trade](trades)
    for i <- 0 until trades do
      rows(i) = Trade(i, i, 2 * i, (i & 1) == 0)
      packed(i) = Trade(i, i, 2 * i, (i & 1) == 0)
      columns(i) = Trade(i, i, 2 * i, (i & 1) == 0)

  @TearDown def close(): Unit =
    LibC.unmap(base, bytes)
    region.close()

  @Benchmark def fieldHeap(): Long =
    val (in, n) = (objects, trades)
    var i = 0
    var sum = 0L
    while i < n do
      sum += in(i).price
      i += 1
    sum

  @Benchmark def fieldUnsafe(): Long =
    val (start, n) = (base, trades)
    var i = 0
    var sum = 0L
    while i < n do
      sum += Raw.unsafe.getInt(start + i * 16L + 8L)
      i += 1
    sum

  @Benchmark def fieldFfm(): Long =
    val (in, n) = (segment, trades)
    var i = 0
    var sum = 0L
    while i < n do
      sum += in.get(Raw.int, i * 16L + 8L)
      i += 1
    sum

  @Benchmark def fieldRows(): Long = rows.sumOf(_.price)

  @Benchmark def fieldRowsByIndex(): Long =
    val (in, n) = (rows, trades)
    var i = 0
    var sum = 0L
    while i < n do
      sum += in(i).price
      i += 1
    sum

  @Benchmark def fieldPackedRows(): Long = packed.sumOf(_.price)

  @Benchmark def fieldColumns(): Long = columns.sumOf(_.price)

  @Benchmark def balanceHeap(): Long =
    val (in, n) = (objects, trades)
    var i = 0
    var sum = 0L
    while i < n do
      sum += in(i).balance
      i += 1
    sum

  @Benchmark def balanceUnsafe(): Long =
    val (start, n) = (base, trades)
    var i = 0
    var sum = 0L
    while i < n do
      val at = start + i * 16L
      val value = Raw.unsafe.getInt(at + 4).toLong * Raw.unsafe.getInt(at + 8)
      sum += (if Raw.unsafe.getByte(at + 12) != 0 then value else -value)
      i += 1
    sum

  @Benchmark def balanceFfm(): Long =
    val (in, n) = (segment, trades)
    var i = 0
    var sum = 0L
    while i < n do
      val at = i * 16L
      val value = in.get(Raw.int, at + 4).toLong * in.get(Raw.int, at + 8)
      sum += (if in.get(Raw.byte, at + 12) != 0 then value else -value)
      i += 1
    sum

  @Benchmark def balanceRows(): Long = rows.sumOf(_.balance)

  @Benchmark def balancePackedRows(): Long = packed.sumOf(_.balance)

  @Benchmark def balanceColumns(): Long = columns.sumOf(_.balance)
end AosSum
