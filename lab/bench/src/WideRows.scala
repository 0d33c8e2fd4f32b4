package undercroft.lab.bench

// How much does a row of 8 to 64 Int fields cost, one field of it or all, and does it allocate?

import undercroft.memory.Region
import undercroft.struct.*
import org.openjdk.jmh.annotations.*

/** 256 structs in L1 and L2; field `f` of struct `i` is `i + f`. */
@State(Scope.Thread)
@OperationsPerInvocation(WideRows.count)
class WideRows extends Measured:
  import WideRows.*
  import WideStructs.*
  private var base = 0L

  private val region = Region.shared()
  private given Region = region
  private val rows8 = Rows[Wide8](count)
  private val rows16 = Rows[Wide16](count)
  private val rows32 = Rows[Wide32](count)
  private val rows48 = Rows[Wide48](count)
  private val rows64 = Rows[Wide64](count)

  @Setup def open(): Unit =
    base = LibC.map(5 * areaBytes, huge = false)
    fill(base, 8)
    fill(base, 16)
    fill(base, 32)
    fill(base, 48)
    fill(base, 64)
    storeRows8(): Unit
    storeRows16(): Unit
    storeRows32(): Unit
    storeRows48(): Unit
    storeRows64(): Unit

  @TearDown def close(): Unit =
    LibC.unmap(base, 5 * areaBytes)
    region.close()

  @Benchmark def oneUnsafe8(): Long = one(base, 8)
  @Benchmark def oneUnsafe16(): Long = one(base, 16)
  @Benchmark def oneUnsafe32(): Long = one(base, 32)
  @Benchmark def oneUnsafe48(): Long = one(base, 48)
  @Benchmark def oneUnsafe64(): Long = one(base, 64)

  @Benchmark def wholeUnsafe8(): Long = whole(base, 8)
  @Benchmark def wholeUnsafe16(): Long = whole(base, 16)
  @Benchmark def wholeUnsafe32(): Long = whole(base, 32)
  @Benchmark def wholeUnsafe48(): Long = whole(base, 48)
  @Benchmark def wholeUnsafe64(): Long = whole(base, 64)

  @Benchmark def storeUnsafe8(): Int = store(base, 8)
  @Benchmark def storeUnsafe16(): Int = store(base, 16)
  @Benchmark def storeUnsafe32(): Int = store(base, 32)
  @Benchmark def storeUnsafe48(): Int = store(base, 48)
  @Benchmark def storeUnsafe64(): Int = store(base, 64)

  @Benchmark def oneRows8(): Long =
    val rows = rows8
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).f3
      i += 1
    sum

  @Benchmark def wholeRows8(): Long =
    val rows = rows8
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).sum
      i += 1
    sum

  // format: off
  @Benchmark def storeRows8(): Int =
    val rows = rows8
    var i = 0
    while i < count do
      rows(i) = Wide8(
        i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7
      )
      i += 1
    rows.ref(count - 1)(_.f7)
  // format: on

  @Benchmark def oneRows16(): Long =
    val rows = rows16
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).f3
      i += 1
    sum

  @Benchmark def wholeRows16(): Long =
    val rows = rows16
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).sum
      i += 1
    sum

  // format: off
  @Benchmark def storeRows16(): Int =
    val rows = rows16
    var i = 0
    while i < count do
      rows(i) = Wide16(
        i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12,
        i + 13, i + 14, i + 15
      )
      i += 1
    rows.ref(count - 1)(_.f15)
  // format: on

  @Benchmark def oneRows32(): Long =
    val rows = rows32
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).f3
      i += 1
    sum

  @Benchmark def wholeRows32(): Long =
    val rows = rows32
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).sum
      i += 1
    sum

  // format: off
  @Benchmark def storeRows32(): Int =
    val rows = rows32
    var i = 0
    while i < count do
      rows(i) = Wide32(
        i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12,
        i + 13, i + 14, i + 15, i + 16, i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23,
        i + 24, i + 25, i + 26, i + 27, i + 28, i + 29, i + 30, i + 31
      )
      i += 1
    rows.ref(count - 1)(_.f31)
  // format: on

  @Benchmark def oneRows48(): Long =
    val rows = rows48
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).f3
      i += 1
    sum

  @Benchmark def wholeRows48(): Long =
    val rows = rows48
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).sum
      i += 1
    sum

  // format: off
  @Benchmark def storeRows48(): Int =
    val rows = rows48
    var i = 0
    while i < count do
      rows(i) = Wide48(
        i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12,
        i + 13, i + 14, i + 15, i + 16, i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23,
        i + 24, i + 25, i + 26, i + 27, i + 28, i + 29, i + 30, i + 31, i + 32, i + 33, i + 34,
        i + 35, i + 36, i + 37, i + 38, i + 39, i + 40, i + 41, i + 42, i + 43, i + 44, i + 45,
        i + 46, i + 47
      )
      i += 1
    rows.ref(count - 1)(_.f47)
  // format: on

  @Benchmark def oneRows64(): Long =
    val rows = rows64
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).f3
      i += 1
    sum

  @Benchmark def wholeRows64(): Long =
    val rows = rows64
    var i = 0
    var sum = 0L
    while i < count do
      sum += rows(i).sum
      i += 1
    sum

  // format: off
  @Benchmark def storeRows64(): Int =
    val rows = rows64
    var i = 0
    while i < count do
      rows(i) = Wide64(
        i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12,
        i + 13, i + 14, i + 15, i + 16, i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23,
        i + 24, i + 25, i + 26, i + 27, i + 28, i + 29, i + 30, i + 31, i + 32, i + 33, i + 34,
        i + 35, i + 36, i + 37, i + 38, i + 39, i + 40, i + 41, i + 42, i + 43, i + 44, i + 45,
        i + 46, i + 47, i + 48, i + 49, i + 50, i + 51, i + 52, i + 53, i + 54, i + 55, i + 56,
        i + 57, i + 58, i + 59, i + 60, i + 61, i + 62, i + 63
      )
      i += 1
    rows.ref(count - 1)(_.f63)
  // format: on
end WideRows

object WideRows:
  final val count = 256

  /** The bytes reserved for the structs of one width; each width has an area of its own. */
  final val areaBytes = count * 64 * 4L

  private inline def area(base: Long, inline width: Int): Long = base + areaBytes * (width / 16)

  /** Writes `count` structs of `width` fields. */
  inline def fill(base: Long, inline width: Int): Unit =
    val start = area(base, width)
    var i = 0
    while i < count do
      put(start + i * (width * 4L), i, 0, width)
      i += 1

  private inline def store(base: Long, inline width: Int): Int =
    fill(base, width)
    Raw.unsafe.getInt(area(base, width) + (count * width - 1) * 4L)

  /** The sum of field 3 of each struct. */
  private inline def one(base: Long, inline width: Int): Long =
    val start = area(base, width)
    var i = 0
    var sum = 0L
    while i < count do
      sum += Raw.unsafe.getInt(start + i * (width * 4L) + 12)
      i += 1
    sum

  /** The sum of all fields of each struct. */
  private inline def whole(base: Long, inline width: Int): Long =
    val start = area(base, width)
    var i = 0
    var sum = 0L
    while i < count do
      sum += total(start + i * (width * 4L), 0, width)
      i += 1
    sum

  // By halves, so that 64 fields unroll within the compiler's limit of nested inlining.
  private inline def total(at: Long, inline from: Int, inline until: Int): Int =
    inline if until - from == 1 then Raw.unsafe.getInt(at + from * 4L)
    else total(at, from, (from + until) / 2) + total(at, (from + until) / 2, until)

  private inline def put(at: Long, value: Int, inline from: Int, inline until: Int): Unit =
    inline if until - from == 1 then Raw.unsafe.putInt(at + from * 4L, value + from)
    else
      put(at, value, from, (from + until) / 2)
      put(at, value, (from + until) / 2, until)
end WideRows
