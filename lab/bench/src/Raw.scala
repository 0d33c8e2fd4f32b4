package undercroft.lab.bench

import java.lang.foreign.{MemorySegment, ValueLayout}
import sun.misc.Unsafe

/** The rivals' ways to memory: Unsafe, and FFM over all of memory. */
object Raw:
  val unsafe: Unsafe =
    val field = classOf[Unsafe].getDeclaredField("theUnsafe").nn
    field.setAccessible(true)
    field.get(null).asInstanceOf[Unsafe]

  /** All of memory as one segment: an address is an offset. */
  val memory: MemorySegment = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

  /** Unaligned, which costs less than aligned at a raw address: FFM skips the alignment check. */
  val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  val alignedInt: ValueLayout.OfInt = ValueLayout.JAVA_INT.nn
  val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
end Raw
