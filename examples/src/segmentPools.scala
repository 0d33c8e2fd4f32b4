import undercroft.buffer.*

/** Four threads write 1 000 lines to buffers of one pool each; returns the segments that were new.
  */
def newSegments(pool: SegmentPool): Long =
  val writers = Seq.fill(4):
    Thread.ofPlatform.start: () =>
      for line <- 1 to 1000 do
        val buffer = Buffer(using pool)
        buffer.writeUtf8("line ").writeDecimalLong(line)
        buffer.clear() // its segment returns to the pool
  writers.foreach(_.join())
  pool.metrics.misses

@main def segmentPools(): Unit =
  val pools = Seq(
    "none" -> SegmentPool.none(),
    "synchronized" -> SegmentPool.synchronizedPool(),
    "lock-free" -> SegmentPool.lockFree(),
    "striped" -> SegmentPool.striped(stripes = 16),
    "per processor" -> SegmentPool.perCpu()
  )
  for (name, pool) <- pools do
    val isPooled = newSegments(pool) < 1000 // a segment per thread would do
    println(
      s"$name: ${if isPooled then "segments are reused" else "each buffer has a new segment"}"
    )

// prints:
// none: each buffer has a new segment
// synchronized: segments are reused
// lock-free: segments are reused
// striped: segments are reused
// per processor: segments are reused
