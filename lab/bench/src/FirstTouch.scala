package undercroft.lab.bench

// How much does the first touch of memory cost, by the size of its pages, beside a reused page?

import org.openjdk.jmh.annotations.*

/** 64 MiB, with one byte written in each 4 KiB: mapped for the call and unmapped after it, or
  * mapped once and written again. Huge pages are advised before the first touch.
  */
@State(Scope.Thread)
class FirstTouch extends Measured:
  import FirstTouch.*
  @Param(Array("small", "huge")) var pages = "small"

  private var mapped = 0L
  private def huge = pages == "huge"

  @Setup def open(): Unit =
    mapped = LibC.map(bytes, huge)
    touched(mapped): Unit

  @TearDown def close(): Unit = LibC.unmap(mapped, bytes)

  @Benchmark def fresh(): Long =
    val base = LibC.map(bytes, huge)
    val pages = touched(base)
    LibC.unmap(base, bytes)
    pages

  @Benchmark def reused(): Long = touched(mapped)
end FirstTouch

object FirstTouch:
  final val bytes = 64L << 20
  final val page = 4096L

  /** Writes to each page; returns the number of pages. */
  private def touched(base: Long): Long =
    var at = base
    while at < base + bytes do
      Raw.unsafe.putByte(at, 1)
      at += page
    bytes / page
end FirstTouch
