package undercroft.buffer

/** Every kind of pool, and some that are built to hurt. Each is made anew for a test. */
object Pools:
  val all: Vector[(String, () => SegmentPool)] = Vector(
    "no pool" -> (() => SegmentPool.none()),
    "synchronized" -> (() => SegmentPool.synchronizedPool()),
    "lock-free" -> (() => SegmentPool.lockFree()),
    "striped" -> (() => SegmentPool.striped()),
    "per processor" -> (() => SegmentPool.perProcessor()),
    "wiped" -> (() => SegmentPool.perProcessor(wipe = true)),
    "in debug mode" -> (() => SegmentPool.lockFree(debug = true)),
    "of one-byte segments" -> (() => SegmentPool.none(segmentBytes = 1)),
    "of one-byte segments in debug mode" ->
      (() => SegmentPool.synchronizedPool(idleLimitBytes = 100, segmentBytes = 1, debug = true)),
    "of seven-byte segments in debug mode" ->
      (() => SegmentPool.striped(bytesPerStripe = 70, segmentBytes = 7, debug = true))
  )
end Pools
