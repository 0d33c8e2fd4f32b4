package undercroft.buffer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.nio.charset.StandardCharsets.{UTF_16, UTF_8}

/** Single operations of a buffer, with segments of every pool. */
class BufferTest extends undercroft.tools.Suite:
  for (name, pool) <- Pools.all do
    def check(title: String)(body: SegmentPool ?=> Unit): Unit =
      test(s"$title (pool: $name)"):
        val home = pool()
        body(using home)
        home.assertNoLeaks()

    check("reading a truncated number throws EndOfInputException and consumes nothing"):
      val buffer = Buffer()
      buffer.write(Array[Byte](1, 2, 3)).readByte(): Unit
      for
        (read, bytes) <- Seq[(Buffer => Any, Int)](
          (_.readInt(), 4),
          (_.readLongLe(), 8),
          (_.readDouble(), 8)
        )
      do
        val e = intercept[EndOfInputException](read(buffer))
        assertEquals(
          e.getMessage,
          s"expected a number of $bytes bytes at position 1, but only 2 bytes follow"
        )
        assertEquals(e.position, 1L)
      val e = intercept[EndOfInputException](buffer.readByteArray(3))
      assertEquals(e.getMessage, "expected 3 bytes at position 1, but only 2 bytes follow")
      intercept[EndOfInputException](buffer.skip(3)): Unit
      intercept[EndOfInputException](buffer.readUtf8(3)): Unit
      intercept[EndOfInputException](buffer.readFully(new Array[Byte](3))): Unit
      intercept[EndOfInputException](Buffer().write(buffer, 3)): Unit
      assertEquals(buffer.readShort(), 0x0203.toShort)
      assert(buffer.exhausted)

    check("readUtf8CodePoint decodes malformed UTF-8 as replacement characters"):
      val cases = Seq(
        "41" -> Seq(0x41),
        "c3a9" -> Seq(0xe9),
        "e282ac" -> Seq(0x20ac),
        "f09f9880" -> Seq(0x1f600),
        "f48fbfbf" -> Seq(0x10ffff),
        "80" -> Seq(0xfffd),
        "c341" -> Seq(0xfffd, 0x41),
        "e28241" -> Seq(0xfffd, 0x41),
        "f09f9841" -> Seq(0xfffd, 0x41),
        "c0af" -> Seq(0xfffd), // overlong
        "e080af" -> Seq(0xfffd),
        "f08080af" -> Seq(0xfffd),
        "eda080" -> Seq(0xfffd), // a surrogate
        "f4908080" -> Seq(0xfffd), // beyond the last code point
        "f8" -> Seq(0xfffd),
        "ff" -> Seq(0xfffd)
      )
      for (hex, points) <- cases do
        val buffer = Buffer().write(ByteString.hex(hex))
        val okios = okio.Buffer().write(okio.ByteString.decodeHex(hex))
        for point <- points do
          assertEquals(buffer.readUtf8CodePoint(), point, hex)
          assertEquals(okios.readUtf8CodePoint(), point, hex)
        assertEquals(buffer.size, okios.size, hex)
        buffer.clear()
      for hex <- Seq("c3", "e282", "f09f98") do
        val buffer = Buffer().write(ByteString.hex(hex))
        val e = intercept[EndOfInputException](buffer.readUtf8CodePoint())
        assert(e.getMessage.contains("bytes of a character that begins with 0x"), e.getMessage)
        assertEquals(buffer.snapshot().hex, hex)
        buffer.clear()

    check("readUtf8Line accepts LF and CR LF, and a line over its limit is not consumed"):
      val buffer = Buffer().writeUtf8("one\r\ntwo\n\nthree\rx\nlast")
      assertEquals(buffer.readUtf8LineStrict(3), "one")
      assertEquals(buffer.readUtf8LineStrict(), "two")
      assertEquals(buffer.readUtf8LineStrict(0), "")
      val e = intercept[EndOfInputException](buffer.readUtf8LineStrict(6))
      assertEquals(
        e.getMessage,
        "expected the end of a line within 6 bytes at position 10, but the line is longer"
      )
      assertEquals(buffer.readUtf8LineStrict(7), "three\rx")
      val last = intercept[EndOfInputException](buffer.readUtf8LineStrict(100))
      assertEquals(
        last.getMessage,
        "expected the end of a line at position 18, but only 4 bytes follow"
      )
      intercept[EndOfInputException](buffer.readUtf8LineStrict()): Unit
      assertEquals(buffer.readUtf8Line(), "last")
      assertEquals(buffer.readUtf8Line(), null)
      buffer.writeUtf8("a\r\nb\n\nc")
      assertEquals(buffer.lines.toList, List("a", "b", "", "c"))

    check("readDecimalLong reads to the last digit, and invalid digits throw with the found text"):
      val buffer = Buffer()
      for number <- Seq(0L, 1L, -1L, 9L, 10L, -10L, 251L, Long.MaxValue, Long.MinValue) do
        buffer.writeDecimalLong(number).writeUtf8(",").writeHexadecimalUnsignedLong(number)
        buffer.writeUtf8(";")
        assertEquals(buffer.readDecimalLong(), number)
        assertEquals(buffer.readByte(), ','.toByte)
        assertEquals(buffer.readHexadecimalUnsignedLong(), number)
        assertEquals(buffer.readByte(), ';'.toByte)
      def refused(text: String, message: String)(read: Buffer => Any): Unit =
        val input = Buffer().writeUtf8(text)
        val e = intercept[java.io.IOException](read(input))
        assertEquals(e.getMessage, message)
        assertEquals(input.readUtf8(), text)
      refused("x", "expected a digit at position 0, but found 0x78")(_.readDecimalLong())
      refused("-", "expected a digit at position 1, but only 0 bytes follow")(_.readDecimalLong())
      refused(
        "9223372036854775808",
        "expected a number of 64 bits at position 0, but found 9223372036854775808"
      )(_.readDecimalLong())
      refused(
        "-9223372036854775809",
        "expected a number of 64 bits at position 0, but found -9223372036854775809"
      )(_.readDecimalLong())
      refused("g", "expected a hexadecimal digit at position 0, but found 0x67"):
        _.readHexadecimalUnsignedLong()
      refused(
        "10000000000000000",
        "expected a number of 16 hexadecimal digits at position 0, but found 10000000000000000"
      )(_.readHexadecimalUnsignedLong())

    check("select returns the first matching option in order, and no match consumes nothing"):
      val buffer = Buffer().writeUtf8("abcd")
      def options(texts: String*) = Options(texts.map(ByteString.utf8)*)
      assertEquals(buffer.select(options("abx", "b", "ab", "abc")), 2)
      assertEquals(buffer.select(options("cde", "x")), -1)
      assertEquals(buffer.select(options("x", "", "c")), 1)
      assertEquals(buffer.select(options("cd", "c")), 0)
      assertEquals(buffer.select(options("a")), -1)
      assertEquals(buffer.select(options("a", "")), 1)

    check("a source and a sink of streams and channels transfer the same bytes"):
      val count = if summon[SegmentPool].segmentBytes < 100 then 2_000 else 50_000
      val bytes = Array.tabulate(count)(i => (i * 7).toByte)
      for source <- Seq(
          ByteArrayInputStream(bytes).source(),
          Channels.newChannel(ByteArrayInputStream(bytes)).source()
        )
      do
        val out = ByteArrayOutputStream()
        val sink = out.sink().buffered
        val input = source.buffered
        assertEquals(input.readByte(), bytes(0))
        assertEquals(input.indexOf(bytes(1_000), 0), bytes.indexOf(bytes(1_000), 1) - 1L)
        val peek = input.peek()
        assertEquals(peek.readByteString(count / 2), ByteString(bytes.slice(1, count / 2 + 1)))
        peek.close()
        sink.writeByte(bytes(0)).writeAll(input): Unit
        assert(input.exhausted)
        sink.close()
        input.close()
        assertEquals(ByteString(out.toByteArray), ByteString(bytes))
        intercept[ClosedException](input.readByte()): Unit
        intercept[ClosedException](sink.writeByte(1)): Unit
      end for
      val buffer = Buffer()
      ByteArrayInputStream(bytes).transferTo(buffer.outputStream()): Unit
      assertEquals(ByteString(buffer.copy().inputStream().readAllBytes()), ByteString(bytes))
      val direct = ByteBuffer.allocateDirect(count + 1)
      val read = buffer.read(direct)
      assertEquals(read, count)
      assertEquals(buffer.read(direct), -1)
      buffer.write(direct.flip())
      assertEquals(direct.remaining, 0)
      assertEquals(buffer.snapshot(), ByteString(bytes))
      buffer.clear()
      buffer.write(MemorySegment.ofArray(bytes)).writeString("é", UTF_16)
      assertEquals(buffer.readByteString(count), ByteString(bytes))
      assertEquals(buffer.readString(UTF_16), "é")
      val channel = Channels.newChannel(ByteArrayOutputStream()).sink()
      buffer.write(bytes)
      channel.write(buffer, count)
      assert(buffer.isEmpty)

    check("a copy and its original keep their bytes after the other is cleared"):
      val bytes = ByteString(Array.tabulate(20_000)(i => (i * 7).toByte))
      val buffer = Buffer().write(bytes)
      val copy = buffer.copy()
      val copyOfCopy = copy.copy()
      buffer.skip(10_000)
      buffer.writeUtf8("other")
      copy.writeUtf8("more")
      assertEquals(copyOfCopy.snapshot(), bytes)
      copyOfCopy.clear()
      buffer.clear()
      Buffer().write(new Array[Byte](30_000)).clear()
      assertEquals(copy.readByteString(20_000), bytes)
      assertEquals(copy.readUtf8(), "more")

    check("a peek throws IllegalStateException after its source is read"):
      val buffer = Buffer().writeUtf8("x" * 20_000)
      val peek = buffer.peek()
      assertEquals(peek.readUtf8(3), "xxx")
      buffer.readByte(): Unit
      intercept[IllegalStateException](peek.readUtf8(19_000)): Unit
      buffer.clear()
      peek.close()
  end for

  test("select requests no more bytes than an option needs"):
    val input = new Source:
      private val bytes = "abc".getBytes(UTF_8)
      private var at = 0
      def read(sink: Buffer, byteCount: Long): Long =
        if at == 2 then throw AssertionError("asked for a third byte")
        sink.writeByte(bytes(at)): Unit
        at += 1
        1
      def close(): Unit = ()
    assertEquals(
      input.buffered.select(Options(ByteString.utf8("xyz"), ByteString.utf8("ab"))),
      1
    )

  test("skipping beyond the end of a stream throws an exception with the number of missing bytes"):
    val input = ByteArrayInputStream(new Array[Byte](10_000)).source().buffered
    input.skip(9_000)
    val e = intercept[EndOfInputException](input.skip(1_001))
    assertEquals(
      e.getMessage,
      "expected 1 more byte to skip at position 10000, but only 0 bytes follow"
    )

  test("searches at positions near Long.MaxValue find nothing and do not wait"):
    for source <- Seq[BufferedSource](Buffer().writeUtf8("rest"), endless()) do
      val text = ByteString.utf8("secret")
      for from <- Seq(Long.MaxValue - 5, Long.MaxValue) do
        assert(!source.rangeEquals(from, text))
        assert(!source.rangeEquals(from, text, 0, 6))
      assertEquals(source.indexOf('x'.toByte, Long.MaxValue), -1L)
      assertEquals(source.indexOf('x'.toByte, 9, 9), -1L)
      assertEquals(source.indexOf(text, Long.MaxValue), -1L)
      assertEquals(source.indexOfElement(text, Long.MaxValue), -1L)
      val e = intercept[IllegalArgumentException](source.request(-1))
      assertEquals(e.getMessage, "byteCount must be at least 0, but is -1")
      intercept[IllegalArgumentException](source.require(Long.MinValue)): Unit

  /** A source that fails if too many bytes are read. */
  private def endless(): BufferedSource =
    val source = new Source:
      private var gave = 0L
      def read(sink: Buffer, byteCount: Long): Long =
        gave += byteCount
        assert(gave < 1_000_000)
        sink.write(new Array[Byte](byteCount.toInt)): Unit
        byteCount
      def close(): Unit = ()
    source.buffered

  test("writing to a closed sink throws ClosedException and consumes nothing"):
    val out = ByteArrayOutputStream()
    val sink = out.sink().buffered
    sink.writeUtf8("all ").flush()
    sink.close()
    val source = Buffer().writeUtf8("ten bytes!")
    val bytes = ByteBuffer.wrap(new Array[Byte](3))
    val uses = Seq[() => Any](
      () => (sink: Sink).write(source, 10),
      () => sink.write(source: Source, 10),
      () => sink.writeAll(source),
      () => sink.write(bytes),
      () => sink.writeLong(1),
      () => sink.writeUtf8(""),
      () => sink.writeDecimalLong(1),
      () => sink.buffer,
      () => sink.emit(),
      () => sink.emitCompleteSegments(),
      () => sink.flush()
    )
    for use <- uses do
      assertEquals(intercept[ClosedException](use()).getMessage, "the sink is closed")
    assertEquals((source.readUtf8(), bytes.position), ("ten bytes!", 0))
    sink.close()
    assertEquals(out.toString, "all ")

  test("an invalid argument throws an exception with its value"):
    val buffer = Buffer().writeUtf8("abc")
    val at = intercept[IndexOutOfBoundsException](buffer(3))
    assertEquals(at.getMessage, "offset 3 + 1 exceeds size 3")
    val before = intercept[IndexOutOfBoundsException](buffer(-1))
    assertEquals(before.getMessage, "offset -1 is negative; allowed: 0 to 2")
    val empty = intercept[IndexOutOfBoundsException](Buffer()(-1))
    assertEquals(empty.getMessage, "offset -1 is negative, and a count of 1 exceeds size 0")
    val copy = intercept[IndexOutOfBoundsException](buffer.copyTo(Buffer(), -1, 2))
    assertEquals(copy.getMessage, "offset -1 is negative; allowed: 0 to 1")
    val range = intercept[IndexOutOfBoundsException](buffer.copyTo(Buffer(), 1, 3))
    assertEquals(range.getMessage, "offset 1 + 3 exceeds size 3")
    intercept[IllegalArgumentException](buffer.write(buffer, 1)): Unit
    intercept[IllegalArgumentException](buffer.skip(-1)): Unit
    val from = intercept[IndexOutOfBoundsException](buffer.indexOf(1.toByte, -1))
    assertEquals(from.getMessage, "from must be at least 0, but is -1")
    val end = intercept[EndOfInputException](Buffer().writeByte(1).require(2))
    assertEquals(end.getMessage, "expected 2 bytes at position 0, but only 1 byte follows")
    val one = intercept[EndOfInputException](Buffer().require(1))
    assertEquals(one.getMessage, "expected 1 byte at position 0, but only 0 bytes follow")
    intercept[TooLargeException](buffer.readByteArray(Int.MaxValue.toLong)): Unit
    intercept[IllegalArgumentException](buffer.writeUtf8CodePoint(0x110000)): Unit
    assertEquals(buffer.readUtf8(), "abc")
end BufferTest
