package undercroft.lab.bench

// How much does copying 16, 64 or 256 fields in one method cost, if each access inlines frames?

import java.lang.foreign.MemorySegment
import org.openjdk.jmh.annotations.*

/** Two structs of Int fields; a call copies every field of one to the other, in one method without
  * a loop. The bulk copy is the alternative for a library. Returns the last field.
  */
@State(Scope.Thread)
class InliningCliff extends Measured:
  import InliningCliff.*
  private var source = 0L
  private var target = 0L
  private var from = MemorySegment.NULL.nn
  private var to = MemorySegment.NULL.nn

  @Setup def open(): Unit =
    source = LibC.map(bytes, huge = false)
    target = LibC.map(bytes, huge = false)
    from = LibC.segment(source, bytes)
    to = LibC.segment(target, bytes)
    for i <- 0 until ints do Raw.unsafe.putInt(source + i * 4L, i)

  @TearDown def close(): Unit =
    LibC.unmap(source, bytes)
    LibC.unmap(target, bytes)

  @Benchmark def unsafe16(): Int =
    byUnsafe(source, target, 0, 16)
    Raw.unsafe.getInt(target + 15 * 4)

  @Benchmark def unsafe64(): Int =
    byUnsafe(source, target, 0, 64)
    Raw.unsafe.getInt(target + 63 * 4)

  @Benchmark def unsafe256(): Int =
    byUnsafe(source, target, 0, 256)
    Raw.unsafe.getInt(target + 255 * 4)

  @Benchmark def ffm16(): Int =
    byFfm(from, to, 0, 16)
    to.get(Raw.int, 15 * 4)

  @Benchmark def ffm64(): Int =
    byFfm(from, to, 0, 64)
    to.get(Raw.int, 63 * 4)

  @Benchmark def ffm256(): Int =
    byFfm(from, to, 0, 256)
    to.get(Raw.int, 255 * 4)

  @Benchmark def ffmBulk256(): Int =
    MemorySegment.copy(from, 0, to, 0, bytes)
    to.get(Raw.int, 255 * 4)
end InliningCliff

object InliningCliff:
  final val ints = 256
  final val bytes = ints * 4L

  // Halves instead of one after another: the compiler inlines some tens of levels only.
  inline def byUnsafe(source: Long, target: Long, inline first: Int, inline until: Int): Unit =
    inline if until - first == 1 then
      Raw.unsafe.putInt(target + first * 4L, Raw.unsafe.getInt(source + first * 4L))
    else
      byUnsafe(source, target, first, (first + until) / 2)
      byUnsafe(source, target, (first + until) / 2, until)

  inline def byFfm(
      source: MemorySegment,
      target: MemorySegment,
      inline first: Int,
      inline until: Int
  ): Unit =
    inline if until - first == 1 then
      target.set(Raw.int, first * 4L, source.get(Raw.int, first * 4L))
    else
      byFfm(source, target, first, (first + until) / 2)
      byFfm(source, target, (first + until) / 2, until)
end InliningCliff
