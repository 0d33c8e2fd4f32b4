package undercroft.lab.bench

// What does a row of 8 to 64 Int fields cost, one field of it or all, and does it allocate?

import org.openjdk.jmh.annotations.*

/** 256 structs in L1 and L2; field `f` of struct `i` is `i + f`. */
@State(Scope.Thread)
@OperationsPerInvocation(WideRows.count)
class WideRows extends Measured:
  import WideRows.*
  private var base = 0L

  @Setup def open(): Unit =
    base = LibC.map(5 * areaBytes, huge = false)
    fill(base, 8)
    fill(base, 16)
    fill(base, 32)
    fill(base, 48)
    fill(base, 64)

  @TearDown def close(): Unit = LibC.unmap(base, 5 * areaBytes)

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
end WideRows

object WideRows:
  final val count = 256

  /** What the structs of one width may take; each width has an area of its own. */
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
