package undercroft.lab.bench

// How much do volatile reads, compare-and-set and get-and-add cost off-heap, uncontended?

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Region}
import undercroft.struct.*

/** One Long in L1, by Unsafe, by FFM's VarHandle of an aligned layout (unaligned layouts reject
  * atomic access), and by a checked Ref.
  */
@State(Scope.Thread)
class AtomicAccess extends Measured:
  import AtomicAccess.*
  private var base = 0L
  private var segment = MemorySegment.NULL.nn
  private val region = Region.shared()
  private given Region = region
  private val rows = Rows[OneLong](1)
  private var place = 0L

  @Setup def open(): Unit =
    base = LibC.map(bytes, huge = false)
    segment = LibC.segment(base, bytes)
    Raw.unsafe.putLong(base, 41)
    rows(0) = OneLong(41)
    place = Ref.address(rows.ref(0)).bits

  @TearDown def close(): Unit =
    LibC.unmap(base, bytes)
    region.close()

  @Benchmark def readUnsafe(): Long = Raw.unsafe.getLongVolatile(null, base)

  @Benchmark def readFfm(): Long = volatileOf(segment)

  @Benchmark def setUnsafe(): Boolean =
    val old = Raw.unsafe.getLong(base)
    Raw.unsafe.compareAndSwapLong(null, base, old, old + 1)

  @Benchmark def setFfm(): Boolean =
    val old = segment.get(Raw.long, 0)
    swapped(segment, old, old + 1)

  @Benchmark def readRef(): Long =
    Ref.at[OneLong](Address.ofBits(place)).atomic(_.value).getVolatile

  @Benchmark def setRef(): Boolean =
    val old = Ref.at[OneLong](Address.ofBits(place)).value
    Ref.at[OneLong](Address.ofBits(place)).atomic(_.value).compareAndSet(old, old + 1)

  @Benchmark def addRef(): Long =
    Ref.at[OneLong](Address.ofBits(place)).atomic(_.value).getAndAdd(1)

  @Benchmark def addUnsafe(): Long = Raw.unsafe.getAndAddLong(null, base, 1)

  @Benchmark def addFfm(): Long = added(segment, 1)
end AtomicAccess

object AtomicAccess:
  final val bytes = 4096L
  private val long: VarHandle = ValueLayout.JAVA_LONG.nn.varHandle().nn

  // One call in each method, directly followed by its cast: Scala needs both to compile an exact invocation.
  private def volatileOf(in: MemorySegment): Long = long.getVolatile(in, 0L).asInstanceOf[Long]
  private def swapped(in: MemorySegment, old: Long, next: Long): Boolean =
    long.compareAndSet(in, 0L, old, next)
  private def added(in: MemorySegment, by: Long): Long =
    long.getAndAdd(in, 0L, by).asInstanceOf[Long]
end AtomicAccess
