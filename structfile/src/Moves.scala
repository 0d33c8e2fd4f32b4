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
            var i = 0
            while i < count do
              MemorySegment.copy(source, i * step, target, i * next, size)
              i += 1
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
        var i = 0
        while i < count do
          target.set(byte, i, from.get(byte, start + chosen(i) * step))
          i += 1
      case 2 =>
        var i = 0
        while i < count do
          target.set(short, i * 2L, from.get(short, start + chosen(i) * step))
          i += 1
      case 4 =>
        var i = 0
        while i < count do
          target.set(int, i * 4L, from.get(int, start + chosen(i) * step))
          i += 1
      case 8 =>
        var i = 0
        while i < count do
          target.set(long, i * 8L, from.get(long, start + chosen(i) * step))
          i += 1
      case _ =>
        var i = 0
        while i < count do
          MemorySegment.copy(from, start + chosen(i) * step, target, i.toLong * size, size)
          i += 1
    end match
  end copyChosen

  private def bytes(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit =
    if next == 1 then gathered(step, count)((i, at) => to.set(byte, i, from.get(byte, at)))
    else scattered(count)(i => to.set(byte, i * next, from.get(byte, i * step)))

  private def shorts(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit =
    if next == 2 then gathered(step, count)((i, at) => to.set(short, i * 2L, from.get(short, at)))
    else scattered(count)(i => to.set(short, i * next, from.get(short, i * step)))

  private def ints(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit =
    if next == 4 then gathered(step, count)((i, at) => to.set(int, i * 4L, from.get(int, at)))
    else scattered(count)(i => to.set(int, i * next, from.get(int, i * step)))

  private def longs(
      from: MemorySegment,
      step: Long,
      to: MemorySegment,
      next: Long,
      count: Int
  ): Unit =
    if next == 8 then gathered(step, count)((i, at) => to.set(long, i * 8L, from.get(long, at)))
    else scattered(count)(i => to.set(long, i * next, from.get(long, i * step)))

  /** A loop over values at a distance. Where the compiler knows the distance it checks the bounds
    * once for the loop, and not at each value: so rows of usual sizes have loops of their own.
    */
  private inline def gathered(step: Long, count: Int)(inline one: (Int, Long) => Unit): Unit =
    step match
      case 8  => scattered(count)(i => one(i, i * 8L))
      case 12 => scattered(count)(i => one(i, i * 12L))
      case 16 => scattered(count)(i => one(i, i * 16L))
      case 24 => scattered(count)(i => one(i, i * 24L))
      case 32 => scattered(count)(i => one(i, i * 32L))
      case _  => scattered(count)(i => one(i, i * step))

  private inline def scattered(count: Int)(inline one: Int => Unit): Unit =
    var i = 0
    while i < count do
      one(i)
      i += 1
end Moves
