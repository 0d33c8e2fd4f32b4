package undercroft.lab.bench

// What does the first touch of memory cost, by the size of its pages, beside a reused page?

import org.openjdk.jmh.annotations.*

/** 64 MiB, of which one byte in each 4 KiB is written: mapped for the call and given back after it,
  * or mapped once and written again. Huge pages are advised before the first touch.
  */
@State(Scope.Thread)
class FirstTouch extends Measured:
  import FirstTouch.*
  @Param(Array("small", "huge")) var pages = "small"

  private var kept = 0L
  private def huge = pages == "huge"

  @Setup def open(): Unit =
    kept = LibC.map(bytes, huge)
    touched(kept): Unit

  @TearDown def close(): Unit = LibC.unmap(kept, bytes)

  @Benchmark def fresh(): Long =
    val base = LibC.map(bytes, huge)
    val pages = touched(base)
    LibC.unmap(base, bytes)
    pages

  @Benchmark def reused(): Long = touched(kept)
end FirstTouch

object FirstTouch:
  final val bytes = 64L << 20
  final val page = 4096L

  /** Writes to each page; how many there are. */
  private def touched(base: Long): Long =
    var at = base
    while at < base + bytes do
      Raw.unsafe.putByte(at, 1)
      at += page
    bytes / page
end FirstTouch
