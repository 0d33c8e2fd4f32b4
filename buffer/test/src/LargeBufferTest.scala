package undercroft.buffer

/** Tests every operation on a buffer of more than 4 GiB, made of copies of itself. */
class LargeBufferTest extends undercroft.tools.Suite:
  private val block = Array.tabulate(1 << 20)(i => (i * 31 + (i >> 8)).toByte)
  private val size = (4096L << 20) + 3

  private def at(offset: Long): Byte = block((offset & (block.length - 1)).toInt)

  private def large(): Buffer =
    val buffer = Buffer().write(block)
    for _ <- 1 to 12 do buffer.copyTo(buffer)
    buffer.write(Array[Byte](101, 102, 103))

  private val places =
    Seq(0L, 1L << 20, Int.MaxValue - 1L, Int.MaxValue + 1L, 0xffffffffL, (1L << 32) - 1)

  test("a buffer beyond 4 GiB has the right size, bytes and search results"):
    val buffer = large()
    assertEquals(buffer.size, size)
    for place <- places do assertEquals(buffer(place), at(place), s"at $place")
    assertEquals(buffer(size - 1), 103.toByte)
    val last = ByteString.of(101, 102, 103)
    assertEquals(buffer.indexOf(last, 4000L << 20), size - 3)
    assertEquals(buffer.indexOf(103.toByte, size - 1), size - 1)
    assertEquals(buffer.indexOf(at(5L + (3L << 30)), (3L << 30) + 5), (3L << 30) + 5)
    assert(buffer.rangeEquals(size - 3, last))
    assertEquals(buffer.indexOfElement(last, size - 2), size - 2)
    buffer.clear()

  test("a snapshot just below 2 GiB after a part of the first segment was read has all bytes"):
    val bytes = block.take(8192)
    val buffer = Buffer().write(bytes)
    for _ <- 1 to 18 do buffer.copyTo(buffer)
    buffer.skip(100)
    val snapshot = buffer.snapshot()
    buffer.clear()
    assertEquals(snapshot.size, Int.MaxValue - 99)
    for i <- Seq(0, 8091, 8092, 10_000, snapshot.size - 1) do
      assertEquals(snapshot(i), bytes((i + 100) & 8191), s"at $i")
    snapshot.close()

  /** 2 GiB and 3 bytes. */
  private def overTwoGiB(): Buffer =
    val buffer = Buffer().write(block)
    for _ <- 1 to 11 do buffer.copyTo(buffer)
    buffer.write(Array[Byte](101, 102, 103))

  /** Asserts that a source returns exactly those bytes. */
  private def assertOverTwoGiB(source: BufferedSource): Unit =
    val content = new Array[Byte](block.length)
    for i <- 1 to 2048 do
      source.readFully(content)
      assertEquals(java.util.Arrays.mismatch(content, block), -1, s"mebibyte $i")
    assertEquals(source.readByteString(), ByteString.of(101, 102, 103))

  test("gzip and gunzip restore more than 2 GiB".tag(LongTest)):
    val packed = Buffer()
    val gzip = Compression.gzip(packed)
    val buffer = overTwoGiB()
    gzip.write(buffer, buffer.size)
    gzip.close()
    assertOverTwoGiB(Compression.gunzip(packed).buffered)

  test("CipherSource encrypts and decrypts more than 2 GiB"):
    def cipher(mode: Int) =
      val cipher = javax.crypto.Cipher.getInstance("AES/CTR/NoPadding").nn
      val key = javax.crypto.spec.SecretKeySpec(new Array[Byte](16), "AES")
      cipher.init(mode, key, javax.crypto.spec.IvParameterSpec(new Array[Byte](16)))
      cipher
    val encrypted = CipherSource(overTwoGiB(), cipher(javax.crypto.Cipher.ENCRYPT_MODE)).buffered
    val first = encrypted.peek().readByteArray(16)
    assert(!java.util.Arrays.equals(first, block.take(16)), "nothing was encrypted")
    assertOverTwoGiB(CipherSource(encrypted, cipher(javax.crypto.Cipher.DECRYPT_MODE)).buffered)

  test(
    "a memory segment beyond 2 GiB is written to a sink in parts and read as a source".tag(LongTest)
  ):
    import java.nio.channels.FileChannel
    import java.nio.file.{Files, StandardOpenOption}
    val file = Files.createTempFile("undercroft", "sparse").nn
    try
      val size = (2048L << 20) + 3
      val options = Seq(StandardOpenOption.READ, StandardOpenOption.WRITE)
      scala.util.Using.resource(FileChannel.open(file, options*)): channel =>
        channel.write(java.nio.ByteBuffer.wrap(Array[Byte](101, 102, 103)), size - 3): Unit
        scala.util.Using.resource(java.lang.foreign.Arena.ofConfined()): arena =>
          val segment = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena)
          val counting = Counting()
          val sink = counting.buffered
          sink.write(segment)
          sink.flush()
          assertEquals((counting.bytes, counting.last), (size, 103.toByte))
          val largest = counting.largest
          assert(sink.buffer.isEmpty && largest <= (2L << 20), s"$largest at once")
          val source = segment.source().buffered
          source.skip(size - 3)
          assertEquals(source.readByteString(), ByteString.of(101, 102, 103))
    finally Files.delete(file)

  /** Counts and discards the bytes written to it. */
  private final class Counting extends Sink:
    var bytes = 0L
    var largest = 0L
    var last: Byte = 0
    def write(source: Buffer, byteCount: Long): Unit =
      bytes += byteCount
      largest = largest.max(byteCount)
      if byteCount > 0 then last = source(byteCount - 1)
      source.skip(byteCount)
    def flush(): Unit = ()
    def close(): Unit = ()

  test("buffers beyond 4 GiB compare, hash and find a mismatch".tag(LongTest)):
    val (buffer, twin) = (large(), large())
    assert(buffer == twin)
    assertEquals(buffer.hashCode, twin.hashCode)
    twin.writeByte(1): Unit
    assertEquals(buffer.mismatch(twin), size)
    buffer.writeByte(2): Unit
    assertEquals(buffer.mismatch(twin), size)
    assert(buffer != twin)

  test("a buffer beyond 4 GiB is moved, copied, skipped and peeked"):
    val buffer = large()
    val target = Buffer()
    buffer.copyTo(target, (3L << 30) + 7, (1L << 30) - 10)
    assertEquals(target.size, (1L << 30) - 10)
    for place <- places if place < target.size do assertEquals(target(place), at(place + 7))
    target.clear()
    target.write(buffer, (3L << 30) + 5)
    assertEquals(target.size, (3L << 30) + 5)
    assertEquals(buffer.size, size - (3L << 30) - 5)
    assertEquals(buffer(0), at(5))
    assertEquals(target(target.size - 1), at(4))
    buffer.write(target, target.size)
    assertEquals(buffer.size, size)
    assertEquals(buffer.read(target, Long.MaxValue), size)
    val peek = target.peek()
    peek.skip((3L << 30) + 1)
    assertEquals(peek.readByte(), target((3L << 30) + 1))
    val position = target.position
    target.skip(Int.MaxValue + 10L)
    assertEquals(target.position - position, Int.MaxValue + 10L)
    val counted = Counted()
    assertEquals(target.readAll(counted.sink()), size - Int.MaxValue - 10)
    assertEquals(counted.written, size - Int.MaxValue - 10)

  test("reading more bytes than an array can have throws TooLargeException and consumes nothing"):
    val buffer = large()
    for read <- Seq[Buffer => Any](
        _.readByteArray(),
        _.readByteString(),
        _.readUtf8(),
        _.snapshot(),
        _.readByteArray(3L << 30)
      )
    do
      val e = intercept[TooLargeException](read(buffer))
      assert(e.getMessage.contains(s"exceed the ${Int.MaxValue - 8} bytes"), e.getMessage)
    assertEquals(buffer.size, size)
    assert(buffer.toString.startsWith(s"[size=$size hex="))

  /** The large buffer without its first bytes: the following reads are beyond 2 GiB and 4 GiB. */
  private def beyond(position: Long): Buffer =
    val buffer = large()
    buffer.skip(position)
    buffer

  test("numbers, text and options are written and read at positions beyond 2 GiB"):
    val end = size
    val buffer = large()
    val options = Options(ByteString.utf8("GET "), ByteString.utf8("PUT "))
    buffer.writeByte(1).writeShort(2).writeShortLe(3).writeInt(4).writeIntLe(5).writeLong(6)
    buffer.writeLongLe(7).writeFloat(8).writeFloatLe(9).writeDouble(10).writeDoubleLe(11)
    buffer.writeDecimalLong(-251).writeByte(' ').writeHexadecimalUnsignedLong(0xfbL)
    buffer.writeUtf8(" žluťoučký \ud83d\ude00").writeUtf8CodePoint(0x20ac).writeUtf8("PUT line\r\n")
    buffer.writeString("é", java.nio.charset.StandardCharsets.UTF_16BE).writeUtf8("strict\nlast")
    buffer.write(ByteString.of(1, 2)).write(java.nio.ByteBuffer.wrap(Array[Byte](3)))
    assertEquals(buffer.completeSegmentByteCount >= end - 8192, true)
    buffer.skip(end)
    assertEquals(buffer.position, end)
    assertEquals(buffer.readByte(), 1.toByte)
    assertEquals((buffer.readShort(), buffer.readShortLe()), (2.toShort, 3.toShort))
    assertEquals((buffer.readInt(), buffer.readIntLe()), (4, 5))
    assertEquals((buffer.readLong(), buffer.readLongLe()), (6L, 7L))
    assertEquals((buffer.readFloat(), buffer.readFloatLe()), (8f, 9f))
    assertEquals((buffer.readDouble(), buffer.readDoubleLe()), (10d, 11d))
    assertEquals(buffer.readDecimalLong(), -251L)
    assertEquals(buffer.readByte(), ' '.toByte)
    assertEquals(buffer.readHexadecimalUnsignedLong(), 0xfbL)
    assertEquals(buffer.readUtf8(14), " žluťoučký")
    assertEquals(buffer.readByte(), ' '.toByte)
    assertEquals((buffer.readUtf8CodePoint(), buffer.readUtf8CodePoint()), (0x1f600, 0x20ac))
    assertEquals(buffer.select(options), 1)
    assertEquals(buffer.readUtf8Line(), "line")
    assertEquals(buffer.readString(2, java.nio.charset.StandardCharsets.UTF_16BE), "é")
    assertEquals(buffer.readUtf8LineStrict(6), "strict")
    assertEquals(buffer.readUtf8(4), "last")
    assertEquals(buffer.readByteString(2), ByteString.of(1, 2))
    assertEquals(buffer.read(new Array[Byte](9)), 1)
    val e = intercept[EndOfInputException](buffer.readInt())
    assert(e.position > end, e.getMessage)

  test("ranges beyond 2 GiB are read into arrays, ByteBuffers, segments and other buffers".tag(
    LongTest
  )):
    val from = (3L << 30) + 5
    val buffer = beyond(from)
    val array = new Array[Byte](10_000)
    buffer.readFully(array)
    assertEquals(ByteString(array), ByteString(Array.tabulate(10_000)(i => at(from + i))))
    assertEquals(buffer.read(java.nio.ByteBuffer.allocate(77)), 77)
    assertEquals(buffer.read(java.lang.foreign.MemorySegment.ofArray(array)), 10_000L)
    assertEquals(array(0), at(from + 10_077))
    val target = Buffer()
    buffer.readFully(target, 1000)
    assertEquals(target.readByteArray().last, at(from + 21_076))
    assertEquals(buffer.snapshot(100_000)(99_999), at(from + 121_076))
    assertEquals(buffer.inputStream().available, (size - from - 21_077).toInt)
    buffer.clear()
    assert(large().inputStream().available == Int.MaxValue)
    val bytes = (2L << 30) + 5
    val arena = java.lang.foreign.Arena.ofConfined()
    try
      val memory = arena.allocate(bytes)
      val source = beyond(7)
      source.readFully(memory)
      for place <- Seq(0L, 1L << 30, Int.MaxValue + 1L, bytes - 1) do
        assertEquals(memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, place), at(place + 7))
    finally arena.close()

  test("streams, channels, sources, sinks and pipes move more than 4 GiB"):
    val (stream, channel) = (Counted(), Counted())
    val buffer = large()
    buffer.copyTo(stream, 1, size - 1)
    assertEquals(stream.written, size - 1)
    buffer.copy().writeTo(channel, size)
    assertEquals(channel.written, size)
    val gathered = GatheredCount()
    gathered.sink().write(buffer.copy(), size)
    assertEquals(gathered.written, size)
    val target = Buffer()
    assertEquals(target.writeAll(buffer.copy()), size)
    target.clear()
    assertEquals(target.write(buffer.copy(): Source, size - 1).size, size - 1)
    target.clear()
    val pipe = Pipe(Long.MaxValue)
    pipe.sink.write(buffer.copy(), size)
    pipe.sink.close()
    assertEquals(pipe.source.buffered.readAll(Sink.blackhole()), size)
    val hashing = HashingSink(Sink.blackhole(), java.security.MessageDigest.getInstance("MD5"))
    val tail =
      beyond(size - (3L << 20) - 3) // hashes only the end: a digest of 4 GiB takes long
    val tailCopy = tail.copy()
    hashing.write(tail, tail.size)
    assertEquals(hashing.hash, tailCopy.md5)
    buffer.skip(size)
    assertEquals(buffer.read(target, 1), -1L)

  test("a cursor seeks, changes and cuts beyond 2 GiB"):
    val buffer = large()
    val cursor = buffer.cursor(writable = true)
    for place <- places do
      cursor.seek(place): Unit
      assertEquals(cursor(0), at(place), s"at $place")
    cursor.seek((3L << 30) + 1): Unit
    cursor(0) = 77
    assertEquals(buffer((3L << 30) + 1), 77.toByte)
    assertEquals(buffer((2L << 30) + 1), at((2L << 30) + 1))
    assertEquals(cursor.resize((3L << 30) + 2), size)
    assertEquals(buffer.size, (3L << 30) + 2)
    assertEquals(cursor.seek((3L << 30) + 1) >= 1, true)
    assertEquals(cursor(0), 77.toByte)
    assertEquals(buffer.byteBuffers(buffer.size, 3).length, 3)

  test("the digest and the HMAC of more than 2 GiB equal the JDK's".tag(LongTest)):
    val buffer = beyond(2047L << 20)
    buffer.cursor(writable = true).resize(2049L << 20): Unit
    // The other digests and codes use the same code; a pass over 2 GiB takes seconds each.
    val digest = java.security.MessageDigest.getInstance("SHA-256")
    val mac = javax.crypto.Mac.getInstance("HmacSHA1")
    val key = ByteString.utf8("key")
    mac.init(javax.crypto.spec.SecretKeySpec(key.toByteArray, "HmacSHA1"))
    for _ <- 1 to 2049 do
      digest.update(block)
      mac.update(block)
    assertEquals(buffer.sha256, ByteString(digest.digest()))
    assertEquals(buffer.hmacSha1(key), ByteString(mac.doFinal()))
    buffer.clear()

  test("hashing, cipher, throttler and timeout streams pass more than 2 GiB".tag(LongTest)):
    val buffer = overTwoGiB()
    val size = buffer.size
    def digest() = java.security.MessageDigest.getInstance("SHA-256")
    val whole = buffer.sha256
    val source = HashingSource(buffer.copy(), digest())
    assertEquals(source.buffered.readAll(Sink.blackhole()), size)
    assertEquals(source.hash, whole)
    val sink = HashingSink(Sink.blackhole(), digest())
    sink.write(buffer.copy(), size)
    assertEquals(sink.hash, whole)
    val cipher = javax.crypto.Cipher.getInstance("AES/CTR/NoPadding").nn
    cipher.init(
      javax.crypto.Cipher.ENCRYPT_MODE,
      javax.crypto.spec.SecretKeySpec(new Array[Byte](16), "AES"),
      javax.crypto.spec.IvParameterSpec(new Array[Byte](16))
    )
    val encrypted = Counting()
    val ciphering = CipherSink(encrypted.buffered, cipher)
    ciphering.write(buffer.copy(), size)
    ciphering.close()
    assertEquals(encrypted.bytes, size)
    val free = Throttler(bytesPerSecond = 0)
    assertEquals(free.take(size), size)
    assertEquals(free.source(buffer.copy()).buffered.readAll(Sink.blackhole()), size)
    val counting = Counting()
    free.sink(counting).write(buffer.copy(), size)
    assertEquals((counting.bytes, counting.last), (size, 103.toByte))
    val call = AsyncTimeout(() => fail("nothing is late"))
    assertEquals(call.source(buffer.copy()).buffered.readAll(Sink.blackhole()), size)
    call.sink(counting).write(buffer.copy(), size)
    assertEquals(counting.bytes, size * 2)
    buffer.clear()

  test("deflate and inflate restore more than 2 GiB".tag(LongTest)):
    val packed = Buffer()
    val deflate = Compression.deflate(packed, level = 1)
    val buffer = overTwoGiB()
    deflate.write(buffer, buffer.size)
    deflate.close()
    assertOverTwoGiB(Compression.inflate(packed).buffered)

  test("ranges, views, lines and streams work at positions beyond 2 GiB".tag(LongTest)):
    val buffer = large()
    val far = (3L << 30) + 5
    assert(buffer.request(size) && !buffer.request(size + 1) && !buffer.exhausted)
    buffer.require(size)
    val e = intercept[EndOfInputException](buffer.require(size + 1))
    assert(e.getMessage.contains(size.toString), e.getMessage)
    val sample = new Array[Byte](100)
    buffer.copyTo(far, sample)
    assertEquals(ByteString(sample), ByteString(Array.tabulate(100)(i => at(far + i))))
    assert(buffer.rangeEquals(far, ByteString(sample)))
    assert(buffer.rangeEquals(far + 9, ByteString(sample), 9, 50))
    assert(!buffer.rangeEquals(size - 99, ByteString(sample)))
    val next = far - 5 + block.indexOfSlice(sample, 6)
    assertEquals(buffer.indexOf(ByteString(sample), far), far)
    assertEquals(buffer.indexOf(ByteString(sample), far + 1), next)
    assertEquals(buffer.indexOf(ByteString(sample), far + 1, next), -1L)
    assertEquals(buffer.indexOf(at(far), far, far + 1), far)
    assertEquals(buffer.clone().size, size)
    assert(buffer.clone() == buffer)
    val typed = TypedOptions(Seq("fg", "ef"))(ByteString.utf8)
    val end = buffer.copy()
    end.skip(size - 3)
    assertEquals(end.select(typed), Some("ef")) // the last three are e, f and g
    assertEquals(end.readUtf8(), "g")
    // Bytes from a stream or a channel are copied: they are only counted here, not kept.
    val written = Counting()
    val stream = written.buffered.outputStream()
    buffer.copyTo(stream, 1, size - 1)
    stream.flush()
    assertEquals((written.bytes, written.last), (size - 1, 103.toByte))
    val channel = written.buffered.writableChannel()
    val source = buffer.copy().readableChannel()
    val chunk = java.nio.ByteBuffer.allocate(1 << 20)
    var moved = 0L
    while moved < size && source.read(chunk) > 0 do
      chunk.flip()
      moved += channel.write(chunk)
      chunk.clear(): Unit
    assertEquals(moved, size)
    channel.close()
    assertEquals((written.bytes, written.last), (size * 2 - 1, 103.toByte))
    val second = Counting()
    val sink = second.buffered
    assertEquals(sink.writeAll(buffer.copy().inputStream().source()), size)
    sink.write(buffer.copy().inputStream().source(), size - 1).flush()
    assertEquals((second.bytes, second.last), (size * 2 - 1, 102.toByte))
    val longer = large()
    longer.readFrom(java.io.ByteArrayInputStream(sample)).readFrom(
      java.io.ByteArrayInputStream(sample),
      9
    )
    assertEquals((longer.size, longer(size + 99)), (size + 109, sample(99)))
    longer.clear()
    // Finds, writes and reads lines beyond it.
    buffer.skip(far - 3)
    buffer.writeByte('\n').writeUtf8Lines(Iterator("one", "two"))
    buffer.writeUtf8("<three>", 1, 6)
    buffer.writeString("<four>", 1, 5, java.nio.charset.StandardCharsets.UTF_8)
    buffer.write(ByteString.utf8("<five>"), 1, 4): Unit
    val rest = buffer.indexOf('\n'.toByte, size - far + 3)
    assertEquals(rest, size - far + 3)
    buffer.skip(rest + 1)
    assertEquals(buffer.lines.toList, List("one", "two", "threefourfive"))
end LargeBufferTest

/** A gathering channel that only counts. */
private final class GatheredCount extends java.nio.channels.GatheringByteChannel:
  var written = 0L
  def write(bytes: java.nio.ByteBuffer): Int =
    val count = bytes.remaining
    bytes.position(bytes.limit): Unit
    written += count
    count
  def write(buffers: Array[java.nio.ByteBuffer], from: Int, count: Int): Long =
    (from until from + count).map(i => write(buffers(i)).toLong).sum
  def write(buffers: Array[java.nio.ByteBuffer]): Long = write(buffers, 0, buffers.length)
  def isOpen: Boolean = true
  def close(): Unit = ()
end GatheredCount
