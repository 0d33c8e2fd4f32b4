package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}
import scala.annotation.tailrec
import undercroft.memory.{Budget, MemoryLimitException}

/** Where the segments of a pool lie. A buffer does the same with either, and with both at once.
  *
  *   - `Heap`: each is an array. Text, streams and whatever else takes arrays only get it as it is;
  *     a channel or native code gets a copy.
  *   - `Native`: each is memory outside the heap, which channels and native code read and write in
  *     place; what takes arrays only gets a copy.
  *
  * Native memory is freed by the garbage collector, when nothing shows it any more: so no use of a
  * segment, however late, can reach memory that was freed. It is cut from slabs of up to 64
  * segments and 1 MiB, which costs the JVM some 20 µs each; a slab is freed when the last of its
  * segments is found dropped. Slabs count as direct memory of the JVM (`-XX:MaxDirectMemorySize`),
  * which collects garbage before it refuses, and in the row `native segments` of the Ledger. In a
  * pool with a budget each segment is a slab of its own, so that the budget holds just what there
  * is.
  */
enum SegmentMemory derives CanEqual:
  case Heap, Native

/** Native memory for the segments of one pool. Any thread; nobody waits for another's slab. */
private[buffer] final class SegmentSlabs(segmentBytes: Int, alone: Boolean):
  private val most =
    if alone then 1 else (SegmentSlabs.MostBytes / segmentBytes).min(SegmentSlabs.Most).max(1)
  private val current = AtomicReference(SegmentSlab(MemorySegment.NULL, segmentBytes))

  /** Zeros, for one segment; where the JVM has no direct memory left a MemoryLimitException. */
  @tailrec
  final def next(): MemorySegment =
    val slab = current.get
    val piece = slab.next()
    if piece != null then piece
    else
      // Where another thread was faster this one's slab is for nobody, and is collected.
      val fresh = SegmentSlab(
        SegmentSlabs.allocate(segmentBytes.toLong * most, SegmentSlabs.all),
        segmentBytes
      )
      val _ = current.compareAndSet(slab, fresh)
      next()

  /** Leaves the rest of the current slab to the garbage collector. */
  def trim(): Unit = current.set(SegmentSlab(MemorySegment.NULL, segmentBytes))
end SegmentSlabs

private[buffer] object SegmentSlabs:
  /** A slab has so many segments at most: the more, the less each costs, and the longer one that is
    * kept keeps the others.
    */
  val Most = 64
  val MostBytes: Int = 1 << 20

  /** A line of the cache. */
  private val Alignment = 64L

  private val all = Budget("native segments", Long.MaxValue)

  /** A slab, charged until the garbage collector found that nothing shows any of it. */
  def allocate(bytes: Long, budget: Budget): MemorySegment =
    val arena = Arena.ofAuto()
    val slab =
      try arena.allocate(bytes, Alignment)
      catch
        case _: OutOfMemoryError =>
          throw MemoryLimitException("the JVM's direct memory, -XX:MaxDirectMemorySize", bytes, 0)
    budget.charge(bytes)
    // The scope is what keeps the memory: it is dropped when its last segment is.
    Held.cleaner.register(arena.scope, () => budget.release(bytes)): Unit
    slab
end SegmentSlabs

private final class SegmentSlab(memory: MemorySegment, segmentBytes: Int):
  private val count = (memory.byteSize / segmentBytes).toInt
  private val cut = AtomicInteger()

  /** Null when all of it is given out. */
  def next(): MemorySegment | Null =
    if cut.get >= count then null
    else
      val i = cut.getAndIncrement()
      if i >= count then null else memory.asSlice(i.toLong * segmentBytes, segmentBytes)
