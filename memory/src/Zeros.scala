package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment}

/** Zeroes memory of the cage by copying from a block of zeros, which the JVM does with its widest
  * instructions: `MemorySegment.fill` stores 8 bytes at a time.
  */
private[memory] object Zeros:
  /** A page of the system: it stays in the first cache while it is copied from. */
  private inline val BlockBytes = 4096L

  private val block: MemorySegment = Arena.global.allocate(BlockBytes, 64)

  def write(offset: Long, bytes: Long): Unit =
    var at = offset
    val end = offset + bytes
    while at < end do
      val step = Math.min(BlockBytes, end - at)
      MemorySegment.copy(block, 0, Cage.segment, at, step)
      at += step
end Zeros
