package undercroft.file

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Strided copies: from values at one distance to values at another. Distances and sizes are in
  * bytes. Throws IndexOutOfBoundsException outside of a segment. A call may allocate two small
  * objects, independent of the number of values.
  */
private[undercroft] object StridedCopy:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val short: ValueLayout.OfShort = ValueLayout.JAVA_SHORT_UNALIGNED.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn

  /** Copies `count` values of `size` bytes: value `i` from `start + i * step` to `at + i * next`.
    */
  def copy(
      from: MemorySegment,
      start: Long,
      step: Long,
      to: MemorySegment,
      at: Long,
      next: Long,
      size: Int,
      count: Int
  ): Unit =
    if count > 0 then
      if step == size && next == size then
        MemorySegment.copy(from, start, to, at, count.toLong * size)
      else
        // Slices with the exact length of the loop, so that bounds are checked once.
        val source = from.asSlice(start, (count - 1) * step + size).nn
        val target = to.asSlice(at, (count - 1) * next + size).nn
        size match
          case 1 => bytes(source, step, target, next, count)
          case 2 => shorts(source, step, target, next, count)
          case 4 => ints(source, step, target, next, count)
          case 8 => longs(source, step, target, next, count)
          case _ =>
            each(count)(i => MemorySegment.copy(source, i * step, target, i * next, size))
  end copy

  /** Copies the values of selected rows contiguously: value `i` from `start + rows(i) * step`. */
  def copyChosen(
      from: MemorySegment,
      start: Long,
      step: Long,
      to: MemorySegment,
      at: Long,
      size: Int,
      rows: Array[Int],
      count: Int
  ): Unit =
    val target = to.asSlice(at, count.toLong * size).nn
    size match
      case 1 =>
        picked(rows, count, start, step)((i, at) => target.set(byte, i, from.get(byte, at)))
      case 2 =>
        picked(rows, count, start, step)((i, at) =>
          target.set(short, i * 2L, from.get(short, at))
        )
      case 4 =>
        picked(rows, count, start, step)((i, at) => target.set(int, i * 4L, from.get(int, at)))
      case 8 =>
        picked(rows, count, start, step)((i, at) => target.set(long, i * 8L, from.get(long, at)))
      case _ =>
        picked(rows, count, start, step): (i, at) =>
          MemorySegment.copy(from, at, target, i.toLong * size, size)
  end copyChosen

  private def bytes(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit = along(1, step, next, count)((of, at) => to.set(byte, at, from.get(byte, of)))

  private def shorts(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit = along(2, step, next, count)((of, at) => to.set(short, at, from.get(short, of)))

  private def ints(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit = along(4, step, next, count)((of, at) => to.set(int, at, from.get(int, of)))

  private def longs(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit = along(8, step, next, count)((of, at) => to.set(long, at, from.get(long, of)))

  /** A loop over the source and target positions of values of `size` bytes. With constant strides,
    * the JIT checks the bounds once for the loop instead of for each value, so contiguous targets
    * have separate loops for common row sizes.
    */
  private inline def along(inline size: Long, step: Long, next: Long, count: Int)(
      inline copyAt: (Long, Long) => Unit
  ): Unit =
    if next == size then
      step match
        case 8  => each(count)(i => copyAt(i * 8L, i * size))
        case 12 => each(count)(i => copyAt(i * 12L, i * size))
        case 16 => each(count)(i => copyAt(i * 16L, i * size))
        case 24 => each(count)(i => copyAt(i * 24L, i * size))
        case 32 => each(count)(i => copyAt(i * 32L, i * size))
        case _  => each(count)(i => copyAt(i * step, i * size))
    else each(count)(i => copyAt(i * step, i * next))

  /** A loop over selected rows: the index and the source position of each. */
  private inline def picked(rows: Array[Int], count: Int, start: Long, step: Long)(
      inline copyAt: (Int, Long) => Unit
  ): Unit = each(count)(i => copyAt(i, start + rows(i) * step))

  private inline def each(count: Int)(inline body: Int => Unit): Unit =
    var i = 0
    while i < count do
      body(i)
      i += 1
end StridedCopy
