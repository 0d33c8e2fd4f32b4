package undercroft.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, EOFException, IOException}
import java.io.InterruptedIOException
import java.security.MessageDigest
import java.util.concurrent.CompletableFuture
import java.util.zip.{GZIPInputStream, GZIPOutputStream, ZipException}

/** Digests, compression and pipes. */
class FilterStreamTest extends undercroft.tools.Suite:
  private val bytes = Array.tabulate(100_000)(i => (i % 251 * (i / 1000)).toByte)
  private def digest(name: String) = ByteString(MessageDigest.getInstance(name).digest(bytes))

  test("the digests of a buffer equal the JDK's, and its HMACs equal Okio's"):
    val buffer = Buffer().write(bytes)
    val okios = okio.Buffer().write(bytes)
    assertEquals(buffer.md5, digest("MD5"))
    assertEquals(buffer.sha1, digest("SHA-1"))
    assertEquals(buffer.sha256, digest("SHA-256"))
    assertEquals(buffer.sha512, digest("SHA-512"))
    assertEquals(buffer.snapshot().sha256, digest("SHA-256"))
    val (key, okioKey) = (ByteString.utf8("key"), okio.ByteString.encodeUtf8("key"))
    assertEquals(buffer.hmacSha1(key).hex, okios.hmacSha1(okioKey).hex)
    assertEquals(buffer.hmacSha256(key).hex, okios.hmacSha256(okioKey).hex)
    assertEquals(buffer.hmacSha512(key).hex, okios.hmacSha512(okioKey).hex)
    assertEquals(buffer.size, bytes.length.toLong)
    buffer.clear()

  test("HashingSource and HashingSink compute the digest of the passing bytes"):
    val source =
      HashingSource(ByteArrayInputStream(bytes).source(), MessageDigest.getInstance("MD5"))
    val sink = HashingSink(Sink.blackhole(), MessageDigest.getInstance("SHA-1"))
    val out = sink.buffered
    assertEquals(out.writeAll(source), bytes.length.toLong)
    out.close()
    assertEquals(source.hash, digest("MD5"))
    assertEquals(sink.hash, digest("SHA-1"))

  test("HashingSource and HashingSink compute the MAC of the passing bytes"):
    def mac() =
      val mac = javax.crypto.Mac.getInstance("HmacSHA256")
      mac.init(javax.crypto.spec.SecretKeySpec("key".getBytes, "HmacSHA256"))
      mac
    val expected = ByteString(mac().doFinal(bytes))
    val source = HashingSource(ByteArrayInputStream(bytes).source(), mac())
    val sink = HashingSink(Sink.blackhole(), mac())
    sink.buffered.writeAll(source): Unit
    assertEquals(source.hash, expected)
    val rest = Buffer().write(bytes)
    sink.hash: Unit
    sink.write(rest, rest.size)
    assertEquals(sink.hash, expected)
    assertEquals(Buffer().write(bytes).hmacSha256(ByteString.utf8("key")), expected)

  test("the JDK reads our gzip output, and gunzip reads the JDK's"):
    val written = ByteArrayOutputStream()
    val sink = Compression.gzip(written.sink()).buffered
    sink.write(bytes)
    sink.close()
    val read = GZIPInputStream(ByteArrayInputStream(written.toByteArray)).readAllBytes()
    assertEquals(ByteString(read), ByteString(bytes))
    val jdks = ByteArrayOutputStream()
    val stream = GZIPOutputStream(jdks)
    stream.write(bytes)
    stream.close()
    val source = Compression.gunzip(ByteArrayInputStream(jdks.toByteArray).source()).buffered
    assertEquals(source.readByteString(), ByteString(bytes))
    assert(source.exhausted)
    source.close()

  for raw <- Seq(false, true) do
    test(s"inflate restores bytes that deflate compressed (raw: $raw)"):
      val written = Buffer()
      val sink = Compression.deflate(written, level = 9, raw = raw).buffered
      sink.write(bytes)
      sink.close()
      assert(written.size < bytes.length)
      val source = Compression.inflate(written, raw).buffered
      assertEquals(source.readByteString(), ByteString(bytes))
      source.close()

  test("gunzip of truncated, corrupt or uncompressed input throws"):
    val written = Buffer()
    val sink = Compression.gzip(written).buffered
    sink.write(bytes)
    sink.close()
    val good = written.readByteArray()
    def read(input: Array[Byte]) =
      Compression.gunzip(ByteArrayInputStream(input).source()).buffered.readByteArray()
    intercept[EOFException](read(good.take(good.length / 2))): Unit
    intercept[EOFException](read(good.dropRight(1))): Unit
    intercept[ZipException](read("this is no gzip".getBytes)): Unit
    val changed = good.clone()
    changed(good.length - 6) = (changed(good.length - 6) + 1).toByte // in the checksum
    intercept[ZipException](read(changed)): Unit

  for (kind, threads) <- Seq("platform" -> Thread.ofPlatform, "virtual" -> Thread.ofVirtual) do
    def started(body: => Unit): (Thread, CompletableFuture[Unit]) =
      val done = CompletableFuture[Unit]()
      val thread = threads.start: () =>
        try
          body
          done.complete(()): Unit
        catch case e: Throwable => done.completeExceptionally(e): Unit
      (thread, done)

    def failure(done: CompletableFuture[Unit]): Throwable =
      intercept[java.util.concurrent.ExecutionException](done.get(): Unit).getCause.nn

    test(s"a pipe transfers bytes in order with a bounded capacity ($kind threads)"):
      val pipe = Pipe(1000)
      val (_, writing) = started:
        val sink = pipe.sink.buffered
        for i <- 0 until 20_000 do sink.writeInt(i): Unit
        sink.close()
      val source = pipe.source.buffered
      for i <- 0 until 20_000 do assertEquals(source.readInt(), i)
      assert(source.exhausted)
      writing.get(): Unit
      source.close()

    test(s"canceling a pipe ends waiting writers and fails later reads ($kind threads)"):
      val pipe = Pipe(10)
      val (_, writing) = started(pipe.sink.write(Buffer().write(bytes), bytes.length.toLong))
      val (_, flushing) = started(pipe.sink.flush())
      pipe.cancel()
      assertEquals(failure(writing).getMessage, "the pipe was canceled")
      flushing.handle((_, _) => ()).get(): Unit
      val e = intercept[IOException](pipe.source.read(Buffer(), 1): Unit)
      assertEquals(e.getMessage, "the pipe was canceled")

    test(s"an interrupted pipe reader throws and stays interrupted ($kind threads)"):
      val pipe = Pipe(10)
      val interrupted = CompletableFuture[Boolean]()
      val (thread, reading) = started:
        try pipe.source.read(Buffer(), 1): Unit
        finally interrupted.complete(Thread.currentThread.isInterrupted): Unit
      thread.interrupt()
      assert(failure(reading).isInstanceOf[InterruptedIOException])
      assert(interrupted.get)
  end for

  test("reads of a pipe report the end after the sink closes, and writes throw after a close"):
    val pipe = Pipe(10)
    pipe.sink.write(Buffer().writeInt(7), 4)
    pipe.sink.close()
    intercept[ClosedException](pipe.sink.write(Buffer().writeByte(1), 1)): Unit
    val read = Buffer()
    assertEquals(pipe.source.read(read, 100), 4L)
    assertEquals(pipe.source.read(read, 100), -1L)
    assertEquals(read.readInt(), 7)
    val second = Pipe(10)
    second.source.close()
    val e = intercept[IOException](second.sink.write(Buffer().writeByte(1), 1))
    assertEquals(e.getMessage, "the pipe's source is closed")
    intercept[ClosedException](second.source.read(Buffer(), 1): Unit): Unit
    intercept[IllegalArgumentException](Pipe(0)): Unit
end FilterStreamTest
