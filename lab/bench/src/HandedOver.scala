package undercroft.lab.bench

import undercroft.buffer.internal.segment.Segment

// How much does a segment cost that one thread takes and another gives back?

import io.netty.buffer.{ByteBuf, PooledByteBufAllocator}
import java.util.concurrent.ArrayBlockingQueue
import org.openjdk.jmh.annotations.*
import undercroft.buffer.SegmentPool

/** Half of the threads take segments, the others recycle them; a queue of 64 connects the two
  * threads of a pair, and every result includes its cost. A single thread does both.
  */
@OperationsPerInvocation(HandedOver.segments)
class HandedOver extends Crew:
  private val locked = SegmentPool.synchronizedPool()
  private val free = SegmentPool.lockFree()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perCpu()
  private val fresh = SegmentPool.none()

  @Benchmark def none(books: PoolCounts): Long = handed(fresh, books)
  @Benchmark def synchronizedPool(books: PoolCounts): Long = handed(locked, books)
  @Benchmark def lockFree(books: PoolCounts): Long = handed(free, books)
  @Benchmark def striped(books: PoolCounts): Long = handed(byThread, books)
  @Benchmark def perProcessor(books: PoolCounts): Long = handed(byProcessor, books)

  @Benchmark def nettyHeap(): Long =
    inPairs[ByteBuf](
      () => PooledByteBufAllocator.DEFAULT.heapBuffer(8192).nn,
      buffer => buffer.release(): Unit
    )

  @Benchmark def okio(): Long =
    inPairs[_root_.okio.Segment](
      () => _root_.okio.SegmentPool.take(),
      segment => _root_.okio.SegmentPool.recycle(segment)
    )

  private def handed(pool: SegmentPool, books: PoolCounts): Long =
    val done = inPairs[Segment](() => pool.take(), pool.recycle(_))
    books.of(pool)
    done

  private def inPairs[S <: Object](take: () => S, recycle: S => Unit): Long =
    together(HandedOver.segments): (index, count) =>
      if threads == 1 then
        for _ <- 0 until count do recycle(take())
        count
      else
        val queue = queues(index / 2)
        if index % 2 == 0 then
          for _ <- 0 until count * 2 do queue.put(take())
          0
        else
          for _ <- 0 until count * 2 do recycle(queue.take().nn.asInstanceOf[S])
          count * 2

  private lazy val queues = Vector.fill((threads + 1) / 2)(ArrayBlockingQueue[Object](64))
end HandedOver

object HandedOver:
  final val segments = 64_000
