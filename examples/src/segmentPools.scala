import undercroft.buffer.*

/** Writes 1 000 lines to a buffer of the pool each; returns the segments that were new. */
def newSegments(pool: SegmentPool): Long =
  for line <- 1 to 1000 do
    val buffer = Buffer(using pool)
    buffer.writeUtf8("line ").writeDecimalLong(line)
    buffer.clear() // its segment returns to the pool
  pool.metrics.misses

@main def segmentPools(): Unit =
  val pools = Seq(
    "none" -> SegmentPool.none(),
    "synchronized" -> SegmentPool.synchronizedPool(),
    "lock-free" -> SegmentPool.lockFree(),
    "striped" -> SegmentPool.striped(stripes = 16),
    "per processor" -> SegmentPool.perCpu()
  )
  for (name, pool) <- pools do println(s"$name: ${newSegments(pool)} new")

// prints:
// none: 1000 new
// synchronized: 1 new
// lock-free: 1 new
// striped: 1 new
// per processor: 1 new
