package outside.buffer

import java.io.{ByteArrayOutputStream, IOException, ObjectOutputStream, OutputStream}
import java.util.concurrent.{CompletableFuture, CountDownLatch, CyclicBarrier, TimeUnit}
import scala.util.Using
import undercroft.buffer.*

/** Snapshots that are closed, and the byte strings and buffers made from them. */
class SnapshotCloseTest extends undercroft.tools.Suite:
  private val seed = 20260712
  private val sizes = Seq(1, 100, 65_535, 65_536, 300_000)

  private def bytes(size: Int): Array[Byte] =
    val array = new Array[Byte](size)
    scala.util.Random(seed + size).nextBytes(array)
    array

  private def started[A](body: => A): CompletableFuture[A] =
    val result = CompletableFuture[A]()
    Thread.ofPlatform.start: () =>
      try result.complete(body): Unit
      catch case e: Throwable => result.completeExceptionally(e): Unit
    result

  /** Writes other bytes to all segments that are in the pool. */
  private def overwrite(size: Int)(using SegmentPool): Unit =
    val buffer = Buffer().write(Array.fill[Byte](size)(-1))
    buffer.clear()

  test("options select the same byte strings after those were closed"):
    val strings = Seq("GET", "a long option, of another text", "a long option").map(ByteString.utf8)
    val options = Options(strings*)
    strings.foreach(_.close())
    for chunk <- Seq(1L, 5L, 100L) do
      val content = Buffer().writeUtf8("a long option, and more")
      val source = new Source:
        def read(sink: Buffer, byteCount: Long): Long =
          content.read(sink, Math.min(byteCount, chunk))
        def close(): Unit = ()
      assertEquals(source.buffered.select(options), 2, s"$chunk bytes at a time")

  private val pools = Seq(
    "heap" -> (() => SegmentPool.lockFree(idleLimitBytes = 1 << 20)),
    "debug" -> (() => SegmentPool.lockFree(idleLimitBytes = 1 << 20, debug = true)),
    "native" -> (() => SegmentPool.striped(memory = SegmentMemory.Native, debug = true))
  )

  for (name, create) <- pools do
    test(s"closing a snapshot returns its segments to the pool at once ($name)"):
      given pool: SegmentPool = create()
      for size <- sizes do
        val buffer = Buffer().write(bytes(size))
        val snapshot = buffer.snapshot()
        buffer.clear()
        assertEquals(pool.metrics.live > 0, size >= 65_536, size)
        assertEquals(snapshot, ByteString(bytes(size)))
        snapshot.close()
        snapshot.close()
        assertEquals(pool.metrics.live, 0L, size)
        pool.assertNoLeaks()

    test(s"a buffer that got all bytes of a snapshot, by their range, retains nothing ($name)"):
      given pool: SegmentPool = create()
      for size <- sizes do
        val content = bytes(size)
        val buffer = Buffer().write(content)
        val snapshot = buffer.snapshot()
        buffer.clear()
        val target = Buffer().write(snapshot, 0, size)
        snapshot.close()
        assert(java.util.Arrays.equals(target.readByteArray(), content), s"$size bytes")
        assertEquals(pool.metrics.live, 0L, size)
      pool.assertNoLeaks()

    test(s"what was made from a snapshot keeps its bytes after the snapshot's close ($name)"):
      given pool: SegmentPool = create()
      for size <- sizes do
        val content = bytes(size)
        val plain = ByteString(content)
        val source = Buffer().write(content)
        val snapshot = source.snapshot()
        val target = Buffer().write(snapshot)
        val strings = Seq(
          source.snapshot() -> plain,
          snapshot.substring(0) -> plain,
          snapshot.substring(size / 3) -> plain.substring(size / 3),
          (snapshot ++ ByteString.empty) -> plain,
          (ByteString.empty ++ snapshot) -> plain,
          (snapshot ++ snapshot) -> (plain ++ plain)
        )
        val (view, array) = (snapshot.asByteBuffer, snapshot.toByteArray)
        val hash = snapshot.hashCode
        snapshot.close()
        overwrite(1 << 20)
        for (string, expected) <- strings do
          assertEquals(string, expected)
          assertEquals(string.sha256, expected.sha256)
        assertEquals(strings.head(0).hashCode, hash)
        assertEquals(ByteString.of(view), plain)
        assertEquals(ByteString(array), plain)
        assertEquals(target.readByteString(), plain)
        assertEquals(source.readByteString(), plain)
        for (string, _) <- strings do string.close()
        pool.assertNoLeaks()
      end for

    test(s"a read of another thread is correct or throws while a snapshot is closed ($name)"):
      given pool: SegmentPool = create()
      var reads = 0
      for round <- 1 to 100 do
        val content = bytes(100_000)
        val buffer = Buffer().write(content)
        val snapshot = buffer.snapshot()
        buffer.clear()
        val first = CountDownLatch(2)
        val readers =
          for kind <- 0 to 1 yield started:
            val copy = new Array[Byte](30_000)
            var (count, isOpen) = (0, true)
            while isOpen && count < 1_000_000 do
              try
                if kind == 0 then
                  snapshot.copyInto(20_000, copy, 0, copy.length)
                  assert(java.util.Arrays.equals(copy, content.slice(20_000, 50_000)))
                else assertEquals(snapshot(count % 100_000), content(count % 100_000))
                count += 1
              catch case _: ClosedException => isOpen = false
              first.countDown()
            assert(!isOpen, s"seed $seed, round $round")
            count
        first.await(60, TimeUnit.SECONDS): Unit
        snapshot.close()
        overwrite(200_000)
        reads += readers.map(_.get(60, TimeUnit.SECONDS)).sum
      end for
      assert(reads >= 100, reads)
      pool.assertNoLeaks()

    test(s"threads that close one snapshot at a time return its segments once ($name)"):
      given pool: SegmentPool = create()
      for _ <- 1 to 50 do
        val buffer = Buffer().write(bytes(100_000))
        val snapshot = buffer.snapshot()
        buffer.clear()
        val barrier = CyclicBarrier(3)
        val closes =
          for _ <- 1 to 3 yield started:
            barrier.await(60, TimeUnit.SECONDS)
            snapshot.close()
        closes.foreach(_.get(60, TimeUnit.SECONDS))
        pool.assertNoLeaks()
        assertEquals(pool.metrics.live, 0L)
  end for

  test("every use of a closed snapshot throws, whatever its size"):
    for size <- sizes do
      val buffer = Buffer().write(bytes(size))
      val closed = buffer.snapshot()
      val other = ByteString(bytes(size))
      val cached = closed.hashCode
      closed.close()
      val uses = Seq[(String, () => Any)](
        "size" -> (() => closed.size),
        "isEmpty" -> (() => closed.isEmpty),
        "apply" -> (() => closed(0)),
        "utf8" -> (() => closed.utf8),
        "hex" -> (() => closed.hex),
        "base64" -> (() => closed.base64),
        "sha256" -> (() => closed.sha256),
        "hmacSha1" -> (() => closed.hmacSha1(other)),
        "toAsciiLowercase" -> (() => closed.toAsciiLowercase),
        "substring" -> (() => closed.substring(0)),
        "substring of a part" -> (() => closed.substring(0, 1)),
        "++" -> (() => closed ++ other),
        "++ on the right" -> (() => other ++ closed),
        "startsWith" -> (() => closed.startsWith(other)),
        "startsWith on the right" -> (() => other.startsWith(closed)),
        "rangeEquals" -> (() => closed.rangeEquals(0, other, 0, 1)),
        "indexOf" -> (() => closed.indexOf(other)),
        "lastIndexOf" -> (() => closed.lastIndexOf(other)),
        "toByteArray" -> (() => closed.toByteArray),
        "asByteBuffer" -> (() => closed.asByteBuffer),
        "copyInto" -> (() => closed.copyInto(0, new Array[Byte](1), 0, 1)),
        "write to a stream" -> (() => closed.write(ByteArrayOutputStream())),
        "write to a buffer" -> (() => Buffer().write(closed)),
        "compareTo" -> (() => closed.compareTo(other)),
        "equals" -> (() => closed == other),
        "equals on the right" -> (() => other == closed),
        "equalsInConstantTime" -> (() => other.equalsInConstantTime(closed)),
        "hashCode" -> (() => closed.hashCode)
      )
      for (name, use) <- uses do
        val error = intercept[ClosedException](use(): Unit)
        assertEquals(error.getMessage, "the byte string is closed", s"$name, size $size")
      val stream = ObjectOutputStream(ByteArrayOutputStream())
      val error = intercept[IOException](stream.writeObject(closed))
      assert(error.getCause.isInstanceOf[ClosedException], error)
      assert(closed == closed)
      assertEquals(closed.toString, "[closed]")
      closed.close()
      assertEquals(buffer.snapshot().hashCode, cached)
      buffer.clear()

  test("the empty byte string stays open, and other empty ones are closed"):
    ByteString.empty.close()
    assertEquals(ByteString.empty.size, 0)
    val snapshot = Buffer().snapshot()
    snapshot.close()
    intercept[ClosedException](snapshot.size): Unit
    assertEquals(ByteString.empty, ByteString.utf8(""))

  test("a snapshot that is closed by the stream it is written to is written whole"):
    given pool: SegmentPool = SegmentPool.lockFree(debug = true)
    val content = bytes(300_000)
    val buffer = Buffer().write(content)
    val snapshot = buffer.snapshot()
    buffer.clear()
    val target = ByteArrayOutputStream()
    snapshot.write(new OutputStream:
      def write(byte: Int): Unit = target.write(byte)
      override def write(array: Array[Byte], from: Int, count: Int): Unit =
        snapshot.close()
        overwrite(1 << 20)
        target.write(array, from, count))
    assertEquals(ByteString(target.toByteArray), ByteString(content))
    pool.assertNoLeaks()
    intercept[ClosedException](snapshot.write(target)): Unit

  test("closed snapshots return to a budget without a garbage collection"):
    val budget = undercroft.memory.Budget("requests", 40 * 8192)
    given pool: SegmentPool = SegmentPool.lockFree(idleLimitBytes = 1 << 20, budget = Some(budget))
    val content = bytes(100_000)
    for _ <- 1 to 1000 do
      val buffer = Buffer().write(content)
      val size = Using.resource(buffer.snapshot()): snapshot =>
        buffer.clear()
        snapshot.size
      assertEquals(size, 100_000)
      assertEquals(pool.metrics.live, 0L)
    assertEquals(pool.metrics.misses, 13L) // the segments of the first round serve all others
end SnapshotCloseTest
