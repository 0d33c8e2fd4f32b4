package outside.pekko.streams

import java.lang.management.ManagementFactory
import org.apache.pekko.util.ByteString as PekkoByteString
import undercroft.buffer.{Buffer, ByteString, SegmentPool}
import undercroft.pekko.*

/** Byte strings of both libraries, from one library to the other. */
class ByteStringsTest extends StreamSuite:

  test("bytes are equal after each conversion, for every kind of byte string"):
    for size <- Seq(0, 1, 100, 100_000) do
      val content = bytes(size, seed = size)
      val string = ByteString(content)
      assertEquals(string.toPekko, PekkoByteString(content))
      assertEquals(string.toPekko.toUndercroft, string)
      val pekkoString = PekkoByteString(content)
      val parts = Seq(
        pekkoString,
        pekkoString ++ PekkoByteString("more"),
        pekkoString.drop(size / 3).dropRight(size / 3),
        pekkoString.compact
      )
      for part <- parts do
        assertEquals(part.toUndercroft.toByteArray.toList, part.toArray.toList)

  test("a conversion shares the array, whatever its length"):
    val string = ByteString(bytes(1_000_000, seed = 1))
    val pekkoString = PekkoByteString(bytes(1_000_000, seed = 2))
    assert(allocated(string.toPekko) < 100_000)
    assert(allocated(pekkoString.toUndercroft) < 100_000)
    // the canary: a part is copied
    assert(allocated(pekkoString.drop(1).toUndercroft) > 900_000)
    assert(string.toPekko.toArrayUnsafe() eq string.toPekko.toArrayUnsafe())

  @volatile private var result: Any = null

  /** The bytes that the second call of `body` allocates: the first one loads its classes. */
  private def allocated(body: => Any): Long =
    result = body
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val before = threads.getCurrentThreadAllocatedBytes
    result = body
    threads.getCurrentThreadAllocatedBytes - before

  test("a large snapshot keeps its bytes after its segments have returned to the pool"):
    given pool: SegmentPool = SegmentPool.synchronizedPool()
    val content = bytes(200_000, seed = 3)
    def snapshot: PekkoByteString =
      val buffer = Buffer().write(content)
      val shared = buffer.snapshot()
      buffer.clear()
      shared.toPekko
    val pekkoString = snapshot
    val end = System.nanoTime + patience.toNanos
    // the segments return when the collector has found that the snapshot is unreachable
    while pool.metrics.idleBytes == 0 && System.nanoTime < end do
      System.gc()
      java.util.concurrent.locks.LockSupport.parkNanos(10_000_000)
    assert(pool.metrics.idleBytes > 0, "no segment returned to the pool")
    val reused = Buffer().write(new Array[Byte](400_000))
    assert(java.util.Arrays.equals(pekkoString.toArray, content))
    assertEquals(reused.size, 400_000L)
end ByteStringsTest
