package undercroft.memory
package internal.cage

import java.lang.foreign.{Arena, MemorySegment}

/** Zeroes memory of the cage by copying from a block of zeros, for which the JVM uses its widest
  * instructions: `MemorySegment.fill` stores 8 bytes at a time.
  */
private[memory] object ZeroFill:
  /** Size of the block of zeros in bytes: it stays in L1 while it is copied. */
  private inline val BlockBytes = 4096L

  private val block: MemorySegment = Arena.global.allocate(BlockBytes, 64)

  def write(offset: Long, bytes: Long): Unit =
    var at = offset
    val end = offset + bytes
    while at < end do
      val step = Math.min(BlockBytes, end - at)
      MemorySegment.copy(block, 0, Cage.segment, at, step)
      at += step
end ZeroFill
