package undercroft.lab.bench

// What does a segment cost that one thread takes and another gives back?

import java.util.concurrent.ArrayBlockingQueue
import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Segment, SegmentPool}

/** Half of the threads take segments, the others give them back; a queue of 64 lies between the two
  * of a pair, and its cost is in every result alike. One thread alone does both.
  */
@OperationsPerInvocation(HandedOver.segments)
class HandedOver extends Crew:
  private val locked = SegmentPool.synchronizedPool()
  private val free = SegmentPool.lockFree()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perProcessor()
  private val wholeInOne = SegmentPool.lockFree(idleLimitBytes = 16 * SegmentPool.StripeBytes)
  private val fresh = SegmentPool.none()

  @Benchmark def none(): Long = handed(fresh)
  @Benchmark def synchronizedPool(): Long = handed(locked)
  @Benchmark def lockFree(): Long = handed(free)
  @Benchmark def striped(): Long = handed(byThread)
  @Benchmark def perProcessor(): Long = handed(byProcessor)

  /** As many bytes in one stack as the striped pool has in all of its stripes. */
  @Benchmark def lockFreeOfSameBytes(): Long = handed(wholeInOne)

  @Benchmark def okio(): Long =
    inPairs[_root_.okio.Segment](
      () => _root_.okio.SegmentPool.take(),
      segment => _root_.okio.SegmentPool.recycle(segment)
    )

  private def handed(pool: SegmentPool): Long = inPairs[Segment](() => pool.take(), pool.recycle(_))

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
