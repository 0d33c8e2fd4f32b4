package undercroft.lab.bench

// What do volatile reads, compare-and-set and get-and-add cost outside the heap, uncontended?

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import org.openjdk.jmh.annotations.*

/** One Long in L1, by Unsafe and by FFM's VarHandle of an aligned layout: unaligned ones refuse. */
@State(Scope.Thread)
class AtomicAccess extends Measured:
  import AtomicAccess.*
  private var base = 0L
  private var segment = MemorySegment.NULL.nn

  @Setup def open(): Unit =
    base = LibC.map(bytes, huge = false)
    segment = LibC.segment(base, bytes)
    Raw.unsafe.putLong(base, 41)

  @TearDown def close(): Unit = LibC.unmap(base, bytes)

  @Benchmark def readUnsafe(): Long = Raw.unsafe.getLongVolatile(null, base)

  @Benchmark def readFfm(): Long = volatileOf(segment)

  @Benchmark def setUnsafe(): Boolean =
    val old = Raw.unsafe.getLong(base)
    Raw.unsafe.compareAndSwapLong(null, base, old, old + 1)

  @Benchmark def setFfm(): Boolean =
    val old = segment.get(Raw.long, 0)
    swapped(segment, old, old + 1)

  @Benchmark def addUnsafe(): Long = Raw.unsafe.getAndAddLong(null, base, 1)

  @Benchmark def addFfm(): Long = added(segment, 1)
end AtomicAccess

object AtomicAccess:
  final val bytes = 4096L
  private val long: VarHandle = ValueLayout.JAVA_LONG.nn.varHandle().nn

  // One call a method, its cast right behind: what Scala needs to compile an exact invocation.
  private def volatileOf(in: MemorySegment): Long = long.getVolatile(in, 0L).asInstanceOf[Long]
  private def swapped(in: MemorySegment, old: Long, next: Long): Boolean =
    long.compareAndSet(in, 0L, old, next)
  private def added(in: MemorySegment, by: Long): Long =
    long.getAndAdd(in, 0L, by).asInstanceOf[Long]
end AtomicAccess
