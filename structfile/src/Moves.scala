package undercroft.structfile

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Copies values that lie at one distance to where they lie at another. Distances and sizes are in
  * bytes; whatever is outside of a segment is an IndexOutOfBoundsException. A call may make two
  * small objects, however many values it copies.
  */
private[undercroft] object Moves:
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
        // Segments that are as long as the loop is: its bounds are checked once.
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

  /** Copies the values of chosen rows, one after the other: value `i` from `start + chosen(i) *
    * step`.
    */
  def copyChosen(
      from: MemorySegment,
      start: Long,
      step: Long,
      to: MemorySegment,
      at: Long,
      size: Int,
      chosen: Array[Int],
      count: Int
  ): Unit =
    val target = to.asSlice(at, count.toLong * size).nn
    size match
      case 1 =>
        picked(chosen, count, start, step)((i, at) => target.set(byte, i, from.get(byte, at)))
      case 2 =>
        picked(chosen, count, start, step)((i, at) =>
          target.set(short, i * 2L, from.get(short, at))
        )
      case 4 =>
        picked(chosen, count, start, step)((i, at) => target.set(int, i * 4L, from.get(int, at)))
      case 8 =>
        picked(chosen, count, start, step)((i, at) => target.set(long, i * 8L, from.get(long, at)))
      case _ =>
        picked(chosen, count, start, step): (i, at) =>
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

  /** A loop over values of `size` bytes: from where to where each goes. Where the compiler knows
    * the distances it checks the bounds once for the loop, and not at each value: so values that
    * end up side by side have loops of their own for rows of usual sizes.
    */
  private inline def along(inline size: Long, step: Long, next: Long, count: Int)(
      inline one: (Long, Long) => Unit
  ): Unit =
    if next == size then
      step match
        case 8  => each(count)(i => one(i * 8L, i * size))
        case 12 => each(count)(i => one(i * 12L, i * size))
        case 16 => each(count)(i => one(i * 16L, i * size))
        case 24 => each(count)(i => one(i * 24L, i * size))
        case 32 => each(count)(i => one(i * 32L, i * size))
        case _  => each(count)(i => one(i * step, i * size))
    else each(count)(i => one(i * step, i * next))

  /** A loop over chosen rows: the number of each, and where it is. */
  private inline def picked(chosen: Array[Int], count: Int, start: Long, step: Long)(
      inline one: (Int, Long) => Unit
  ): Unit = each(count)(i => one(i, start + chosen(i) * step))

  private inline def each(count: Int)(inline one: Int => Unit): Unit =
    var i = 0
    while i < count do
      one(i)
      i += 1
end Moves
