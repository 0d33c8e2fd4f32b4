package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import scala.annotation.tailrec
import undercroft.memory.{Budget, MemoryLimitException}
import undercroft.memory.internal.platform.LoaderLifetime

/** The kind of memory that a pool's segments use. A buffer accepts both kinds, even mixed.
  *
  *   - `Heap`: each segment is an array. Text, streams and other APIs on arrays use it in place; a
  *     channel or native code gets a copy.
  *   - `Native`: each segment is off-heap memory, which channels and native code read and write in
  *     place; APIs on arrays get a copy.
  *
  * Native memory is freed by the garbage collector once it is unreachable, so a use-after-free is
  * impossible. It is allocated in slabs of up to 64 segments and 1 MiB, which cost the JVM about 20
  * µs each; a slab is freed when all of its segments are unreachable. Slabs count as direct memory
  * of the JVM (`-XX:MaxDirectMemorySize`), which collects garbage before it rejects an allocation,
  * and in the row `native segments` of the Ledger. In a pool with a budget each segment is a slab
  * of its own, so that the budget matches the memory in use exactly.
  *
  * {{{
  * val pool = SegmentPool.striped(memory = SegmentMemory.Native)
  * val buffer = Buffer(using pool).writeUtf8("for native code")
  * println(buffer.withIovecs(vectors => vectors.byteSize / 16)) // a call of writev would be here
  * }}}
  */
enum SegmentMemory derives CanEqual:
  case Heap, Native

/** Allocates native memory for the segments of one pool. Thread-safe; no thread waits for another's
  * slab.
  */
private[buffer] final class SegmentSlabs(segmentBytes: Int, alone: Boolean):
  private val slabSegments =
    if alone then 1 else (SegmentSlabs.MostBytes / segmentBytes).min(SegmentSlabs.Most).max(1)
  private val current = AtomicReference(SegmentSlab(MemorySegment.NULL, segmentBytes))

  /** Zeroed memory for one segment. Throws a MemoryLimitException if the JVM has no direct memory
    * left.
    */
  @tailrec
  final def next(): MemorySegment =
    val slab = current.get
    val piece = slab.next()
    if piece != null then piece
    else
      // If another thread was faster, this slab is unused and garbage collected.
      val fresh = SegmentSlab(
        SegmentSlabs.allocate(segmentBytes.toLong * slabSegments, SegmentSlabs.totalBudget),
        segmentBytes
      )
      val _ = current.compareAndSet(slab, fresh)
      next()

  /** Leaves the rest of the current slab to the garbage collector. */
  def trim(): Unit = current.set(SegmentSlab(MemorySegment.NULL, segmentBytes))
end SegmentSlabs

private[buffer] object SegmentSlabs:
  /** Most segments of a slab. More segments make each cheaper, but one segment in use keeps the
    * whole slab.
    */
  val Most = 64
  val MostBytes: Int = 1 << 20

  /** Size of a cache line in bytes. */
  private val Alignment = 64L

  private val totalBudget = Budget("native segments", Long.MaxValue)

  /** A slab, charged to the budget until the garbage collector finds it unreachable. */
  def allocate(bytes: Long, budget: Budget): MemorySegment =
    val arena = Arena.ofAuto()
    val slab =
      try arena.allocate(bytes, Alignment)
      catch
        case _: OutOfMemoryError =>
          throw MemoryLimitException("the JVM's direct memory, -XX:MaxDirectMemorySize", bytes, 0)
    budget.charge(bytes)
    // All slices of the slab refer to the scope, so it is collected after the last segment.
    LoaderLifetime.onUnreachable(arena.scope, () => budget.release(bytes)): Unit
    slab
end SegmentSlabs

private final class SegmentSlab(memory: MemorySegment, segmentBytes: Int):
  private val count = (memory.byteSize / segmentBytes).toInt
  private val cut = AtomicInteger()

  /** Memory for the next segment; null if the slab is used up. */
  def next(): MemorySegment | Null =
    if cut.get >= count then null
    else
      val i = cut.getAndIncrement()
      if i >= count then null else memory.asSlice(i.toLong * segmentBytes, segmentBytes)
