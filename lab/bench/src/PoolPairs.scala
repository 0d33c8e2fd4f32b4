package undercroft.lab.bench

// How much does it cost to take a segment from a pool and recycle it, by the number of threads?

import io.netty.buffer.PooledByteBufAllocator
import java.util.concurrent.{ExecutorService, Executors}
import java.util.concurrent.atomic.AtomicReference
import org.openjdk.jmh.annotations.*
import undercroft.buffer.SegmentPool

/** Segments of 8 KiB, one at a time for each thread. */
@OperationsPerInvocation(PoolPairs.pairs)
class PoolPairs extends Crew:
  @Param(Array("platform", "virtual")) var kind = ""

  override protected def threadsOf(count: Int): ExecutorService =
    if kind == "virtual" then Executors.newVirtualThreadPerTaskExecutor().nn
    else super.threadsOf(count)

  private val locked = SegmentPool.synchronizedPool()
  private val free = SegmentPool.lockFree()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perCpu()
  private val fresh = SegmentPool.none()
  private val lockedOfSame = SegmentPool.synchronizedPool(idleLimitBytes = PoolPairs.sameBytes)
  private val freeOfSame = SegmentPool.lockFree(idleLimitBytes = PoolPairs.sameBytes)
  private val byProcessorOfSame =
    SegmentPool.perCpu(bytesPerStripe = PoolPairs.sameBytes / SegmentPool.defaultStripes)
  private val netty = PooledByteBufAllocator.DEFAULT
  private val floor = AtomicReference[Object](this)

  @Benchmark def none(books: PoolCounts): Long = pairs(fresh, books)
  @Benchmark def synchronizedPool(books: PoolCounts): Long = pairs(locked, books)
  @Benchmark def lockFree(books: PoolCounts): Long = pairs(free, books)
  @Benchmark def striped(books: PoolCounts): Long = pairs(byThread, books)
  @Benchmark def perProcessor(books: PoolCounts): Long = pairs(byProcessor, books)

  // Each with as many bytes in all as the striped pool has.
  @Benchmark def synchronizedPoolOfSameBytes(books: PoolCounts): Long = pairs(lockedOfSame, books)
  @Benchmark def lockFreeOfSameBytes(books: PoolCounts): Long = pairs(freeOfSame, books)
  @Benchmark def perProcessorOfSameBytes(books: PoolCounts): Long =
    pairs(byProcessorOfSame, books)

  @Benchmark def okioPool(): Long =
    together(PoolPairs.pairs): count =>
      var i = 0
      while i < count do
        _root_.okio.SegmentPool.recycle(_root_.okio.SegmentPool.take())
        i += 1
      i

  @Benchmark def nettyHeap(): Long =
    together(PoolPairs.pairs): count =>
      var i = 0
      while i < count do
        netty.heapBuffer(8192).nn.release(): Unit
        i += 1
      i

  /** The lower bound of a pair: two exchanges and two releases of one reference. */
  @Benchmark def bareExchanges(): Long =
    together(PoolPairs.pairs): count =>
      var i = 0
      while i < count do
        floor.setRelease(floor.getAndSet(this))
        floor.setRelease(floor.getAndSet(this))
        i += 1
      i

  private def pairs(pool: SegmentPool, books: PoolCounts): Long =
    val done = together(PoolPairs.pairs): count =>
      var i = 0
      while i < count do
        pool.recycle(pool.take())
        i += 1
      i
    books.of(pool)
    done
end PoolPairs

object PoolPairs:
  final val pairs = 640_000

  /** The capacity of the striped pools in these benchmarks. */
  val sameBytes: Long = 16 * SegmentPool.StripeBytes
