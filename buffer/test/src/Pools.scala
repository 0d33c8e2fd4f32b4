package undercroft.buffer

import java.lang.foreign.Arena
import undercroft.buffer.SegmentMemory.Native

/** Every kind of pool, and some adversarial ones. Each test gets new pools. */
object Pools:
  val all: Vector[(String, () => SegmentPool)] = Vector(
    "no pool" -> (() => SegmentPool.none()),
    "synchronized" -> (() => SegmentPool.synchronizedPool()),
    "lock-free" -> (() => SegmentPool.lockFree()),
    "striped" -> (() => SegmentPool.striped()),
    "per processor" -> (() => SegmentPool.perCpu()),
    "wiped" -> (() => SegmentPool.perCpu(wipe = true)),
    "in debug mode" -> (() => SegmentPool.lockFree(debug = true)),
    "of one-byte segments" -> (() => SegmentPool.none(segmentBytes = 1)),
    "of one-byte segments in debug mode" ->
      (() => SegmentPool.synchronizedPool(idleLimitBytes = 100, segmentBytes = 1, debug = true)),
    "of seven-byte segments in debug mode" ->
      (() => SegmentPool.striped(bytesPerStripe = 70, segmentBytes = 7, debug = true)),
    "none, off-heap" -> (() => SegmentPool.none(memory = Native)),
    "per processor, off-heap" -> (() => SegmentPool.perCpu(memory = Native)),
    "wiped, off-heap" -> (() => SegmentPool.lockFree(wipe = true, memory = Native)),
    "in debug mode, off-heap" ->
      (() => SegmentPool.striped(debug = true, memory = Native)),
    "of off-heap one-byte segments" -> (() =>
      SegmentPool.synchronizedPool(idleLimitBytes = 30_000, segmentBytes = 1, memory = Native)
    ),
    "of seven-byte segments in debug mode, off-heap" ->
      (() => SegmentPool.lockFree(70, segmentBytes = 7, debug = true, memory = Native)),
    "of segments of both kinds" -> (() => mixed())
  )

  /** A pool that keeps 64 segments, alternately on the heap and off-heap. */
  private def mixed(): SegmentPool =
    val pool = SegmentPool.lockFree(idleLimitBytes = 64 * SegmentPool.SegmentBytes)
    val segments = Vector.fill(64)(pool.take())
    for i <- 0 until 64 by 2 do
      segments(i).outside = Arena.ofAuto.allocate(SegmentPool.SegmentBytes)
      segments(i).data = null
    segments.foreach(pool.recycle)
    pool
end Pools
