import scala.util.Using
import undercroft.buffer.*

@main def snapshots(): Unit =
  given pool: SegmentPool = SegmentPool.striped()
  val buffer = Buffer().write(new Array[Byte](100_000))
  val header = Using.resource(buffer.snapshot()): bytes => // shares the segments
    buffer.clear()
    println(pool.metrics.live) // segments outside of the pool
    bytes.substring(0, 4) // stays valid
  println(pool.metrics.live)
  println(header)

  val closed = buffer.snapshot()
  closed.close()
  try println(closed.size)
  catch case error: ClosedException => println(error.getMessage)

// prints:
// 13
// 0
// [hex=00000000]
// the byte string is closed
