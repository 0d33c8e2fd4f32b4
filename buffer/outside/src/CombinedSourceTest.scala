package outside.buffer

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Files, StandardOpenOption}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, CountDownLatch, TimeUnit}
import scala.concurrent.duration.DurationInt
import undercroft.buffer.*

/** Sources made of other sources: limited, copied, concatenated, and of a file that grows. */
class CombinedSourceTest extends undercroft.tools.Suite:
  private def text(value: String) = Buffer().writeUtf8(value)

  private def counting(source: Source, closes: AtomicInteger): Source =
    new ForwardingSource(source):
      override def close(): Unit =
        closes.incrementAndGet()
        super.close()

  test("a limited source takes at most its bytes, and ends earlier if its source does"):
    val input = text("headbody")
    val head = input.limited(4).buffered
    assertEquals(head.readUtf8(), "head")
    assert(head.exhausted)
    assertEquals(input.readUtf8(), "body")
    assertEquals(text("abc").limited(10).buffered.readUtf8(), "abc")
    assertEquals(text("abc").limited(0).read(Buffer(), 1), -1L)
    assertEquals(text("abc").limited(0).read(Buffer(), 0), 0L)
    val error = intercept[IllegalArgumentException](text("abc").limited(-1): Unit)
    assertEquals(error.getMessage, "maxBytes must be at least 0, but is -1")
    val pipe = Pipe(100)
    pipe.sink.write(text("ab"), 2)
    assertEquals(pipe.source.limited(2).buffered.readUtf8(), "ab") // without a wait for the end

  test("a tee passes all bytes to both, and repeats a write that failed"):
    val copy = Buffer()
    val bytes = "price " * 5000
    assertEquals(text(bytes).tee(copy).buffered.readUtf8(), bytes)
    assertEquals(copy.readUtf8(), bytes)
    var failures = 3
    val failing = new ForwardingSink(copy):
      override def write(source: Buffer, byteCount: Long): Unit =
        super.write(source, 1)
        failures -= 1
        if failures >= 0 then throw IOException("full") else super.write(source, byteCount - 1)
    val source = text("abcdefgh").tee(failing)
    val target = Buffer()
    for _ <- 1 to 3 do
      assertEquals(intercept[IOException](source.read(target, 6): Unit).getMessage, "full")
      assert(target.isEmpty)
    assertEquals(source.read(target, 6), 6L)
    assertEquals(source.read(target, 6), 2L)
    assertEquals(source.read(target, 6), -1L)
    assertEquals((target.readUtf8(), copy.readUtf8()), ("abcdefgh", "abcdefgh"))

  test("a concatenation reads its sources in order and closes each"):
    val closes = AtomicInteger()
    val all = Source.concat(Seq("one ", "", "two").map(part => counting(text(part), closes))*)
    assertEquals(all.buffered.readUtf8(), "one two")
    assertEquals(closes.get, 3)
    val unread = Source.concat(counting(text("a"), closes), counting(text("b"), closes))
    assertEquals(unread.read(Buffer(), 1), 1L)
    unread.close()
    unread.close()
    assertEquals(closes.get, 5)
    intercept[ClosedException](unread.read(Buffer(), 1): Unit): Unit
    assertEquals(Source.concat().read(Buffer(), 1), -1L)

  test("a concatenation of an iterator takes each source when the one before has ended"):
    var taken = 0
    val sources = Iterator.from(1).map: i =>
      taken = i
      text(s"$i,")
    val all = Source.concat(sources).buffered
    assertEquals(all.readUtf8(4), "1,2,")
    assertEquals(taken, 2)
    all.close()
    assertEquals(taken, 2)

  test("readFully fills a ByteBuffer, or takes nothing"):
    val input = text("abcdef")
    val target = ByteBuffer.allocate(8).position(1).limit(4)
    input.readFully(target)
    assertEquals((target.position, input.size), (4, 3L))
    assertEquals(String(target.array, 1, 3), "abc")
    val rest = ByteBuffer.allocateDirect(4)
    intercept[EndOfInputException](input.readFully(rest))
    assertEquals((rest.position, input.readUtf8()), (0, "def"))

  private def grown(use: (java.nio.file.Path, Source) => Unit): Unit =
    val path = Files.writeString(Files.createTempFile("undercroft", ".log"), "one\ntw").nn
    val source = FileChannel.open(path).followingSource(interval = 1.milli)
    try use(path, source)
    finally
      source.close()
      Files.delete(path)

  test("a source that follows a file waits for the rest of a line"):
    grown: (path, source) =>
      val input = source.buffered
      assertEquals(input.readUtf8Line(), "one")
      val line = CompletableFuture.supplyAsync(() => input.readUtf8Line())
      Files.writeString(path, "o\nthree", StandardOpenOption.APPEND)
      assertEquals(line.get(60, TimeUnit.SECONDS), "two")

  test("a read of a file that does not grow times out, and the next one continues"):
    grown: (path, source) =>
      val input = source.buffered
      input.timeout.timeout(5.millis)
      val bytes = Buffer()
      intercept[TimedOutException](input.readAll(bytes): Unit)
      assertEquals(bytes.readUtf8(), "one\ntw")
      Files.writeString(path, "o\n", StandardOpenOption.APPEND)
      assertEquals(input.readUtf8Line(), "o")

  test("closing a source that follows a file ends a read that waits"):
    grown: (path, source) =>
      val begun = CountDownLatch(1)
      val error = CompletableFuture[Throwable]()
      Thread.startVirtualThread: () =>
        val target = Buffer()
        while target.size < 6 do source.read(target, 100): Unit
        begun.countDown()
        try source.read(target, 1): Unit
        catch case e: Throwable => error.complete(e): Unit
      begun.await()
      source.close()
      assert(error.get(60, TimeUnit.SECONDS).isInstanceOf[ClosedException])

  test("a followed file that is truncated is an error with both sizes"):
    grown: (path, source) =>
      assertEquals(source.read(Buffer(), 100), 6L)
      Files.writeString(path, "o")
      val error = intercept[IOException](source.read(Buffer(), 100): Unit)
      assertEquals(
        error.getMessage,
        "the file was truncated to 1 bytes after 6 bytes were read"
      )

  test("base64 is decoded with missing, complete or surplus padding"):
    def hex(text: String) = ByteString.base64(text).map(_.hex)
    for text <- Seq("AA==", "AA", "AA=", "AA===", "AA = =\n") do assertEquals(hex(text), Some("00"))
    for text <- Seq("", "=", "====", " = ") do assertEquals(hex(text), Some(""))
    for text <- Seq("AAAA", "AAAA====", "AAAA=") do assertEquals(hex(text), Some("000000"))
    for text <- Seq("AAA", "AAA=", "AAA==") do assertEquals(hex(text), Some("0000"))
    for text <- Seq("A", "A===", "AA=A", "=AA", "AAAAA", "A*A=") do assertEquals(hex(text), None)
end CombinedSourceTest
