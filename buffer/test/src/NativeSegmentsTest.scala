package undercroft.buffer

import java.lang.foreign.{Arena, MemorySegment}
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.net.{InetAddress, InetSocketAddress}
import java.nio.ByteBuffer
import java.nio.channels.{FileChannel, ReadableByteChannel, ServerSocketChannel, SocketChannel}
import java.nio.channels.{GatheringByteChannel, WritableByteChannel}
import java.nio.file.{Files, StandardOpenOption}
import undercroft.memory.{Budget, MemoryLimitException}

/** Native code and channels get a buffer's bytes in place, and no operation moves them meanwhile.
  */
class NativeSegmentsTest extends undercroft.tools.Suite:
  private val bytes = Array.tabulate(100_000)(i => (i * 31 + (i >> 8)).toByte)
  private def outside() = SegmentPool.lockFree(1 << 20, debug = true, memory = SegmentMemory.Native)
  private def addresses(vectors: MemorySegment): Seq[Long] =
    (0L until vectors.byteSize by 16).map(vectors.get(JAVA_LONG, _))

  test("SegmentPool.memory reports whether segments are native or on the heap"):
    assertEquals(SegmentPool.none().memory, SegmentMemory.Heap)
    val pool = SegmentPool.striped(memory = SegmentMemory.Native)
    assertEquals(pool.memory, SegmentMemory.Native)
    assertEquals(pool.toString, "the striped pool outside the heap of 8192-byte segments")
    assert(pool.take().memory.isNative)

  test("withIovecs passes native segments to native code without a copy"):
    given pool: SegmentPool = outside()
    val buffer = Buffer().write(bytes)
    buffer.skip(10)
    val lie =
      (0 until buffer.segmentCount)
        .map(buffer.segment)
        .map(segment => segment.memory.address + segment.pos)
    buffer.withIovecs: vectors =>
      assertEquals(addresses(vectors), lie)
      assertEquals(ByteString(Iovec.bytes(vectors)), ByteString(bytes.drop(10)))
    assertEquals(buffer.copiedBytes, 0L)
    assertEquals(buffer.position, 10L)
    assertEquals(buffer.readByteString(), ByteString(bytes.drop(10)))
    pool.assertNoLeaks()

  test("writev writes a buffer into an operating system pipe without a copy"):
    undercroft.tools.Requirement.LINUX.require() // for writev
    given pool: SegmentPool = outside()
    val buffer = Buffer().write(bytes)
    assertEquals(ByteString(buffer.withIovecs(Iovec.throughPipe)), ByteString(bytes))
    assertEquals(buffer.copiedBytes, 0L)
    buffer.clear()
    pool.assertNoLeaks()

  test(
    "withIovecs copies heap segments once to the native pool and recycles them to their own pool"
  ):
    given pool: SegmentPool = SegmentPool.lockFree(segmentBytes = 5000, wipe = true, debug = true)
    val buffer = Buffer().write(bytes)
    val cursor = buffer.cursor()
    cursor.seek(77_777): Unit
    assertEquals(ByteString(buffer.withIovecs(Iovec.bytes)), ByteString(bytes))
    assertEquals(buffer.copiedBytes, bytes.length.toLong)
    pool.assertNoLeaks()
    assertEquals(pool.native.metrics.live, 20L)
    assertEquals((pool.native.segmentBytes, pool.native.memory), (5000, SegmentMemory.Native))
    assertEquals(cursor(0), bytes(77_777))
    assertEquals(ByteString(buffer.withIovecs(Iovec.bytes)), ByteString(bytes))
    assertEquals(buffer.copiedBytes, bytes.length.toLong)
    // Later writes use heap segments of its pool again.
    buffer.writeInt(7)
    assertEquals(buffer.readByteString(bytes.length), ByteString(bytes))
    assertEquals(buffer.readInt(), 7)
    pool.assertNoLeaks()
    pool.native.assertNoLeaks()
    val again = pool.native.take()
    assert((0 until again.capacity).forall(again.byte(_) == 0), "wiped, as their pool's are")

  for (name, make) <- Pools.all do
    test(s"every pool has a native pool of its kind with separate segments (pool: $name)"):
      given pool: SegmentPool = make()
      val sample = bytes.take(pool.segmentBytes * 3)
      val buffer = Buffer().write(sample)
      for _ <- 1 to 2 do
        assertEquals(ByteString(buffer.withIovecs(Iovec.bytes)), ByteString(sample))
      assertEquals(
        (pool.native.memory, pool.native.segmentBytes),
        (SegmentMemory.Native, pool.segmentBytes)
      )
      assertEquals(pool.native eq pool, pool.memory == SegmentMemory.Native)
      assertEquals(buffer.readByteString(), ByteString(sample))
      pool.assertNoLeaks()
      pool.native.assertNoLeaks()
      val (segment, twin) = (pool.take(), pool.native.take())
      assert(twin.data == null && twin.memory.isNative)
      if pool.memory == SegmentMemory.Heap then assert(segment.storage ne twin.storage)

  test("withIovecs leaves copies and snapshots that share segments unchanged"):
    for memory <- SegmentMemory.values do
      given pool: SegmentPool = SegmentPool.lockFree(1 << 20, debug = true, memory = memory)
      val buffer = Buffer().write(bytes)
      val (copy, string) = (buffer.copy(), buffer.snapshot())
      buffer.withIovecs: vectors =>
        copy.writeUtf8("more")
        assertEquals(copy.readByteString(50_000), ByteString(bytes.take(50_000)))
        val cursor = copy.cursor(writable = true)
        cursor.seek(0): Unit
        cursor(0) = (bytes(50_000) + 1).toByte
        assertEquals(string, ByteString(bytes))
        assertEquals(ByteString(Iovec.bytes(vectors)), ByteString(bytes))
      assertEquals(buffer.copiedBytes, if memory == SegmentMemory.Heap then 100_000L else 0L)
      assertEquals(buffer.readByteString(), ByteString(bytes))
      copy.skip(49_996 + 4)
      assertEquals(copy.readUtf8(), "more")
      java.lang.ref.Reference.reachabilityFence(string)

  test("withIovecs throws and leaves all bytes unchanged if native memory exceeds the budget"):
    val budget = Budget("no room outside", 25 * 8192)
    given pool: SegmentPool = SegmentPool.lockFree(budget = Some(budget))
    val buffer = Buffer().write(bytes) // 13 segments, which leaves room for 12 more
    val copy = buffer.copy()
    intercept[MemoryLimitException](buffer.withIovecs(_.byteSize)): Unit
    assertEquals(buffer.copiedBytes, 12L * 8192)
    assertEquals(buffer.size, bytes.length.toLong)
    assertEquals(buffer.readByteString(), ByteString(bytes))
    assertEquals(copy.readByteString(), ByteString(bytes))

  for memory <- SegmentMemory.values do
    test(s"a buffer throws while native code reads it and is usable afterwards ($memory)"):
      for size <- Seq(0, 100, 100_000) do
        given pool: SegmentPool = SegmentPool.lockFree(1 << 20, debug = true, memory = memory)
        val content = bytes.take(size)
        val buffer = Buffer().write(content)
        val (peer, single) = (Buffer().write(content), Buffer().writeByte(1))
        val (looking, writing) = (buffer.cursor(), buffer.cursor(writable = true))
        looking.seek(size / 2): Unit
        writing.seek(size / 2): Unit
        val array = new Array[Byte](10)
        val uses = Seq[Buffer => Any](
          _.size,
          _.isEmpty,
          _.exhausted,
          _.request(0),
          _.readByte(),
          _.readLongLe(),
          _.readUtf8(1),
          _.readUtf8(),
          _.readUtf8Line(),
          _.readByteArray(1),
          _.readByteArray(),
          _.readFully(array),
          _.read(array),
          _.read(MemorySegment.ofArray(array)),
          _.readDecimalLong(),
          _.readUtf8CodePoint(),
          _.skip(0),
          _.clear(),
          _.apply(0),
          _.writeByte(1),
          _.writeLong(1),
          _.write(array),
          _.write(MemorySegment.ofArray(array)),
          _.write(ByteBuffer.wrap(array)),
          _.write(ByteString(array)),
          _.write(ByteString(bytes.take(5000))),
          _.writeUtf8("text"),
          _.writeDecimalLong(-251),
          _.write(single, 1),
          single.readAll(_),
          peer.write(_, 0),
          peer.write(_, size),
          _.read(peer, 1),
          _.readAll(peer),
          _.copyTo(peer),
          _.copyTo(java.io.OutputStream.nullOutputStream, 0, 0),
          single.copyTo(_),
          _.copy(),
          _.snapshot(),
          _.snapshot(0),
          _.indexOf(1.toByte),
          _.indexOf(ByteString(array)),
          _.indexOfElement(ByteString(array)),
          _.rangeEquals(0, ByteString(array)),
          _.select(Options(ByteString.utf8("text"))),
          _.peek().readByte(),
          _.completeSegmentByteCount,
          _.mismatch(peer),
          peer.mismatch(_),
          _ == peer,
          peer == _,
          _.hashCode,
          _.sha256,
          _.readFrom(java.io.ByteArrayInputStream(array)),
          _.writeTo(java.io.OutputStream.nullOutputStream, 0),
          _.inputStream().available,
          _.cursor().seek(0),
          _.cursor(writable = true).resize(0),
          _.cursor(writable = true).expand(1),
          _ => looking(0),
          _ => looking.next(),
          _ => looking.read(array, 0, 1),
          _ => writing(0) = 1,
          _ => writing.write(array, 0, 1),
          _.withIovecs(_.byteSize),
          _.iovecs(Arena.global)
        )
        buffer.withIovecs: vectors =>
          for (use, i) <- uses.zipWithIndex do
            val e = intercept[IllegalStateException](use(buffer))
            assertEquals(e.getMessage, s"native code reads the buffer, its $size bytes", s"use $i")
          assertEquals(buffer.toString, "[lent to native code]")
          assertEquals(buffer.position, 0L)
          assertEquals(ByteString(Iovec.bytes(vectors)), ByteString(content))
        assertEquals(peer.readByteString(), ByteString(content))
        assertEquals(single.readByteString(), ByteString.of(1))
        if size > 0 then assertEquals(looking(0), content(size / 2))
        buffer.writeInt(0x01020304)
        assertEquals(buffer.size, size + 4L)
        // An error ends the loan as well, and the loan's end frees the array.
        var loan = MemorySegment.NULL
        intercept[ArithmeticException](buffer.withIovecs { vectors =>
          loan = vectors
          throw ArithmeticException()
        }): Unit
        intercept[IllegalStateException](loan.get(JAVA_LONG, 0)): Unit
        assertEquals(
          buffer.readByteString(),
          ByteString(content ++ Array[Byte](1, 2, 3, 4))
        )
        pool.assertNoLeaks()
        pool.native.assertNoLeaks()
      end for

    test(s"a buffer is written to a file and a socket and read back ($memory)"):
      given pool: SegmentPool = SegmentPool.lockFree(1 << 20, debug = true, memory = memory)
      val path = Files.createTempFile("undercroft", ".bytes")
      try
        val out = FileChannel.open(path, StandardOpenOption.WRITE).sink()
        out.write(Buffer().write(bytes), bytes.length)
        out.close()
        val in = FileChannel.open(path).source().buffered
        assertEquals(in.readByteString(), ByteString(bytes))
        in.close()
      finally Files.delete(path)
      val server = ServerSocketChannel.open()
      try
        server.bind(InetSocketAddress(InetAddress.getLoopbackAddress, 0))
        val echo = Thread.ofPlatform.start: () =>
          val peer = server.accept()
          val (source, sink) = (peer.source().buffered, peer.sink())
          source.readAll(sink): Unit
          source.close()
          sink.close()
        val client = SocketChannel.open(server.getLocalAddress)
        val sender = Thread.ofPlatform.start: () =>
          client.sink().write(Buffer().write(bytes), bytes.length)
          client.shutdownOutput(): Unit
        assertEquals(client.source().buffered.readByteString(), ByteString(bytes))
        sender.join()
        client.close()
        echo.join()
      finally server.close()
      pool.assertNoLeaks()

    test(s"channels read and write segments in place ($memory)"):
      given pool: SegmentPool = SegmentPool.lockFree(1 << 20, debug = true, memory = memory)
      val isNative = memory == SegmentMemory.Native
      val buffer = Buffer().write(bytes)
      val channel = Direct(MemorySegment.ofArray(bytes))
      channel.sink().write(buffer.copy(), bytes.length)
      val gathering = Gathering()
      gathering.sink().write(buffer, bytes.length)
      val read = Buffer()
      val source = channel.source()
      while source.read(read, 50_000) != -1 do ()
      assertEquals(read.readByteString(), ByteString(bytes))
      assertEquals(channel.kinds, Set(isNative))
      assertEquals(gathering.kinds, Set(isNative))
      pool.assertNoLeaks()
  end for

  test("a buffer beyond 4 GiB of native segments is passed to native code without a copy"):
    given pool: SegmentPool = outside()
    val block = Array.tabulate(1 << 20)(i => (i * 31 + (i >> 8)).toByte)
    val buffer = Buffer().write(block)
    for _ <- 1 to 12 do buffer.copyTo(buffer)
    buffer.write(Array[Byte](101, 102, 103))
    val size = (4096L << 20) + 3
    assertEquals(buffer.size, size)
    val far = (3L << 30) + 5
    assertEquals(buffer(far), block(5))
    assertEquals(buffer.indexOf(ByteString.of(101, 102, 103), size - 100), size - 3)
    assert(buffer.rangeEquals(far, ByteString(block.slice(5, 500_000))))
    val copy = buffer.copy()
    assertEquals(buffer.mismatch(copy), -1L)
    copy.clear()
    buffer.withIovecs: vectors =>
      val sizes = (8L until vectors.byteSize by 16).map(vectors.get(JAVA_LONG, _))
      assertEquals(sizes.sum, size)
    assertEquals(buffer.copiedBytes, 0L)
    buffer.skip(size - 4)
    assertEquals(buffer.readInt(), (block.last << 24) | 0x656667)
    pool.assertNoLeaks()

  /** A channel that records whether it gets direct ByteBuffers; a read returns `give`. */
  private final class Direct(give: MemorySegment) extends ReadableByteChannel, WritableByteChannel:
    var kinds = Set.empty[Boolean]
    private val rest = give.asByteBuffer
    def read(into: ByteBuffer): Int =
      kinds += into.isDirect
      if !rest.hasRemaining then -1
      else
        val count = Math.min(into.remaining, rest.remaining)
        into.put(rest.slice(rest.position, count))
        rest.position(rest.position + count)
        count
    def write(from: ByteBuffer): Int =
      kinds += from.isDirect
      val count = from.remaining
      from.position(from.limit)
      count
    def isOpen: Boolean = true
    def close(): Unit = ()
  end Direct

  private final class Gathering extends GatheringByteChannel:
    var kinds = Set.empty[Boolean]
    def write(buffers: Array[ByteBuffer], from: Int, count: Int): Long =
      (from until from + count).map(i => write(buffers(i)).toLong).sum
    def write(buffers: Array[ByteBuffer]): Long = write(buffers, 0, buffers.length)
    def write(from: ByteBuffer): Int =
      kinds += from.isDirect
      val count = from.remaining
      from.position(from.limit)
      count
    def isOpen: Boolean = true
    def close(): Unit = ()
  end Gathering
end NativeSegmentsTest
