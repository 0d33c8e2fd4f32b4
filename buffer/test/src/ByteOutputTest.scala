package undercroft.buffer

import internal.output.OutputCleaner
import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.channels.Channels
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.{Files, StandardOpenOption}
import undercroft.memory.*
import undercroft.tools.ForkedJvm

class ByteOutputTest extends undercroft.tools.Suite:
  private def withOutput[A](output: ByteOutput)(body: ByteOutput => A): A =
    try body(output)
    finally output.close()

  /** Varying bytes. */
  private def bytes(count: Int, seed: Int = 1): Array[Byte] =
    Array.tabulate(count)(i => (i * 31 + (i >> 8) * 7 + seed).toByte)

  private def assertBytes(actual: Array[Byte], expected: Array[Byte]): Unit =
    assertEquals(actual.length, expected.length)
    assertEquals(java.util.Arrays.mismatch(actual, expected), -1)

  test("a byte output returns the written bytes at every size around its growth steps"):
    val steps = Seq(0, 1, 255, 256, 257, 4096, 16 << 10, 64 << 10, 1 << 20, 2 << 20, 5 << 20)
    for step <- steps; size <- Seq(step - 1, step, step + 1) if size >= 0 do
      withOutput(ByteOutput()): out =>
        val expected = bytes(size)
        var from = 0
        var count = 1
        while from < size do
          val length = count.min(size - from)
          out.write(expected, from, length)
          from += length
          count = count % 5000 * 2 + 1
        assertEquals(out.size, size.toLong)
        assertBytes(out.toByteArray(), expected)
        assert(out.isContiguous)
        assertBytes(out.segment.toArray(ValueLayout.JAVA_BYTE), expected)

  test("a byte output writes numbers as DataOutputStream does, at every offset and growth step"):
    for start <- Seq(0, 250, (16 << 10) - 5, (64 << 10) - 5, (1 << 20) - 5); shift <- 0 until 9 do
      withOutput(ByteOutput()): out =>
        val expected = ByteArrayOutputStream()
        val data = DataOutputStream(expected)
        out.write(bytes(start + shift))
        data.write(bytes(start + shift))
        out.writeByte(0x1f2).writeShort(0x12345).writeInt(0x89abcdef)
        out.writeLong(0x0123456789abcdefL).writeFloat(1.5f).writeDouble(-2.5)
        data.writeByte(0x1f2)
        data.writeShort(0x12345)
        data.writeInt(0x89abcdef)
        data.writeLong(0x0123456789abcdefL)
        data.writeFloat(1.5f)
        data.writeDouble(-2.5)
        out.writeShortLe(0x3412).writeIntLe(0x78563412).writeLongLe(0xf0debc9a78563412L)
        out.writeFloatLe(1.5f).writeDoubleLe(-2.5)
        data.writeShort(0x1234)
        data.writeInt(0x12345678)
        data.writeLong(0x123456789abcdef0L)
        data.writeInt(Integer.reverseBytes(java.lang.Float.floatToIntBits(1.5f)))
        data.writeLong(java.lang.Long.reverseBytes(java.lang.Double.doubleToLongBits(-2.5)))
        assertBytes(out.toByteArray(), expected.toByteArray)

  test("a byte output writes arrays and numbers across page ends as DataOutputStream does"):
    val block = bytes(200)
    for seed <- 1 to 20 do
      val random = java.util.Random(seed)
      withOutput(ByteOutput()): out =>
        val expected = ByteArrayOutputStream()
        val data = DataOutputStream(expected)
        out.write(bytes(16 << 10))
        data.write(bytes(16 << 10))
        while out.size < 300_000 do
          val value = random.nextLong
          random.nextInt(5) match
            case 0 =>
              out.writeShort(value.toInt)
              data.writeShort(value.toInt)
            case 1 =>
              out.writeLong(value)
              data.writeLong(value)
            case _ =>
              val count = random.nextInt(71)
              val from = random.nextInt(block.length - count)
              out.write(block, from, count)
              data.write(block, from, count)
        assertEquals(out.size, expected.size.toLong, s"seed $seed")
        assertBytes(out.toByteArray(), expected.toByteArray)
    end for

  test("a wrong array range throws IndexOutOfBoundsException in an off-heap output and in a batch"):
    val wrong =
      Seq(
        (-1, 5),
        (0, -1),
        (-1, 0),
        (199, 2),
        (Int.MinValue, 1),
        (5, Int.MinValue),
        (-1, Int.MinValue)
      )
    val block = bytes(200)
    withOutput(ByteOutput()): out =>
      out.write(bytes(100_000))
      def refused(write: (Array[Byte], Int, Int) => Unit) =
        for (from, count) <- wrong do
          intercept[IndexOutOfBoundsException](write(block, from, count)): Unit
      refused(out.write(_, _, _))
      out.write(block, 5, 0)
      assertEquals(out.size, 100_000L)
      out.batch(1000): batch =>
        refused(batch.write(_, _, _))
        batch.write(block, 5, 0)
        assertEquals(batch.size, 0)
      assertEquals(out.size, 100_000L)
      assertBytes(out.toByteArray(), bytes(100_000))

  test("writeUtf8 writes UTF-8 and replaces an unpaired surrogate with a question mark"):
    val texts = Seq(
      "",
      "plain",
      "plain, but longer than sixteen chars",
      "é",
      "ascii first, then ä",
      "\u20ac\ud83d\ude00",
      "lone \ud800 high",
      "lone \udc00 low",
      "end \ud83d",
      "\ud83d\ud83d\ude00",
      "é" * 1000,
      "\ud83d\ude00" * 5000,
      "x" * 20_000
    )
    for text <- texts; before <- Seq(0, (16 << 10) - 3, 20_000) do
      withOutput(ByteOutput()): out =>
        out.write(bytes(before))
        out.writeUtf8(text)
        assertBytes(out.toByteArray(), bytes(before) ++ text.getBytes(UTF_8))

  test("patchLong and its variants overwrite their own bytes only"):
    for size <- Seq(100, 5000, 20_000, 1 << 20, 3 << 20); at <- Seq(0, 1, size / 2, size - 8) do
      withOutput(ByteOutput()): out =>
        val expected = bytes(size)
        out.write(expected)
        out.patchLong(at, 0x0102030405060708L)
        for i <- 0 until 8 do expected(at + i) = (i + 1).toByte
        assertBytes(out.toByteArray(), expected)
        out.patchIntLe(at, 0x01020304)
        for i <- 0 until 4 do expected(at + i) = (4 - i).toByte
        out.patchShort(at + 4, 0x0a0b).patchByte(at + 6, 0x77)
        expected(at + 4) = 10
        expected(at + 5) = 11
        expected(at + 6) = 0x77
        assertBytes(out.toByteArray(), expected)
        assertEquals(out(at), 4.toByte)

  test("a patch beyond the written bytes throws an exception with position and size"):
    withOutput(ByteOutput()): out =>
      out.writeInt(1)
      for at <- Seq(1L, 4L, -1L, Long.MaxValue) do
        val e = intercept[IndexOutOfBoundsException](out.patchInt(at, 2))
        assertEquals(
          e.getMessage,
          if at < 0 then s"position $at is negative; allowed: 0 to 0"
          else s"position $at + 4 exceeds size 4"
        )
      assertBytes(out.toByteArray(), Array[Byte](0, 0, 0, 1))

  test("a wrong array range throws IndexOutOfBoundsException and writes nothing"):
    withOutput(ByteOutput()): out =>
      for (from, count) <- Seq((-1, 1), (0, 5), (4, 1), (3, 2), (Int.MaxValue, Int.MaxValue)) do
        intercept[IndexOutOfBoundsException](out.write(new Array[Byte](4), from, count)): Unit
      assertEquals(out.size, 0L)

  test("ByteOutput.writeTo writes all bytes to a stream, a channel or a file"):
    for size <- Seq(0, 100, 70_000, 3 << 20) do
      withOutput(ByteOutput()): out =>
        out.write(bytes(size))
        val stream = ByteArrayOutputStream()
        out.writeTo(stream)
        assertBytes(stream.toByteArray, bytes(size))
        val channel = ByteArrayOutputStream()
        assertEquals(out.writeTo(Channels.newChannel(channel)), size.toLong)
        assertBytes(channel.toByteArray, bytes(size))
        val path = Files.createTempFile("byte-output", ".bin")
        try
          val file = FileChannel.open(path, StandardOpenOption.WRITE)
          try assertEquals(out.writeTo(file), size.toLong)
          finally file.close()
          assertBytes(Files.readAllBytes(path), bytes(size))
        finally Files.delete(path)
        assertEquals(out.toString(ISO_8859_1), String(bytes(size), ISO_8859_1))

  test("ByteOutput.writeTo with the output itself duplicates the bytes once"):
    for size <- Seq(10, 100_000) do
      withOutput(ByteOutput(1.MiB, Budget("itself", 2.MiB))): out =>
        out.write(bytes(size))
        out.writeTo(out)
        assertBytes(out.toByteArray(), bytes(size) ++ bytes(size))

  test("an empty byte output has an empty segment and uses no budget"):
    val budget = Budget("nothing", 1.MiB)
    val dropped = ByteOutput.leaked
    withOutput(ByteOutput(0, budget)): out =>
      assertEquals((out.segment.byteSize, out.segment.isReadOnly), (0L, true))
      assertEquals(out.segments.map(_.byteSize), List(0L))
      assertEquals(out.withIovecs(_.byteSize), 16L)
      intercept[TooLargeException](out.writeByte(1)): Unit
      assertEquals(budget.liveBytes, 0L)
    assertEquals(ByteOutput.leaked, dropped)

  test("ByteOutput.reset discards the bytes and keeps or frees the memory"):
    withOutput(ByteOutput(64.MiB, Budget("reset", 64.MiB))): out =>
      out.write(bytes(3 << 20))
      out.reset()
      assertEquals(out.size, 0L)
      out.write(bytes(1000, 5))
      assertBytes(out.toByteArray(), bytes(1000, 5))
      out.write(bytes(5 << 20, 6))
      assertEquals(out.size, 1000L + (5 << 20))
    val budget = Budget("returned", 64.MiB)
    withOutput(ByteOutput(64.MiB, budget)): out =>
      out.write(bytes(3 << 20))
      assert(budget.liveBytes >= 3.MiB, budget.liveBytes)
      out.reset()
      assert(budget.liveBytes >= 3.MiB, budget.liveBytes)
      out.reset(keepPages = false)
      assertEquals(budget.liveBytes, 0L)
      out.write(bytes(2 << 20, 9))
      assertBytes(out.toByteArray(), bytes(2 << 20, 9))
    assertEquals(budget.liveBytes, 0L)
    assertEquals(budget.liveCount, 0L)

  test("a write that exceeds the budget throws and keeps the bytes written before"):
    val budget = Budget("small", 2.MiB)
    withOutput(ByteOutput(1.GiB, budget)): out =>
      val block = bytes(100_000)
      var written = 0L
      val e = intercept[MemoryLimitException]:
        for _ <- 1 to 1000 do
          out.write(block)
          written += block.length
      assert(e.getMessage.contains("in the budget of small"), e.getMessage)
      assert(written >= 900_000, written)
      assertEquals(out.size, written)
      val content = out.toByteArray()
      for i <- 0 until (written / block.length).toInt do
        assertBytes(content.slice(i * block.length, (i + 1) * block.length), block)
      out.reset(keepPages = false)
      out.write(block)
      assertBytes(out.toByteArray(), block)
    assertEquals(budget.liveBytes, 0L)

  test("a write beyond the size limit throws TooLargeException with the sizes and writes nothing"):
    for upTo <- Seq(0, 3, 300, 17_000, 100_000, 3_000_000) do
      withOutput(ByteOutput(upTo.toLong)): out =>
        out.write(bytes(upTo))
        val e = intercept[TooLargeException](out.write(1))
        val beyond = if upTo == 0 then "1 byte exceeds" else s"${upTo + 1} bytes exceed"
        assertEquals(e.getMessage, s"$beyond the $upTo bytes of the byte output")
        intercept[TooLargeException](out.write(bytes(500))): Unit
        intercept[TooLargeException](out.writeUtf8("é")): Unit
        intercept[TooLargeException](out.writeLong(1)): Unit
        assertBytes(out.toByteArray(), bytes(upTo))
    intercept[IllegalArgumentException](ByteOutput(-1L)): Unit
    intercept[TooLargeException](ByteOutput(Long.MaxValue)): Unit

  test("using a closed byte output throws ClosedException, and a second close has no effect"):
    val out = ByteOutput()
    out.write(bytes(100_000))
    val segment = out.segment
    out.close()
    out.close()
    val uses = Seq[() => Any](
      () => out.write(1),
      () => out.write(bytes(10)),
      () => out.write(bytes(100_000)),
      () => out.writeLong(1),
      () => out.writeUtf8(""),
      () => out.writeUtf8("x"),
      () => out.patchInt(0, 1),
      () => out(0),
      () => out.segment,
      () => out.toByteArray(),
      () => out.writeTo(Channels.newChannel(ByteArrayOutputStream())),
      () => out.writeTo(ByteArrayOutputStream()),
      () => out.reset()
    )
    for use <- uses do
      val e = intercept[ClosedException](use())
      assertEquals(e.getMessage, "the byte output is closed")
    intercept[IllegalStateException](segment.get(ValueLayout.JAVA_BYTE, 0)): Unit
    assertEquals(out.toString, "a closed byte output")

  test("ByteOutput.segment is native, read-only and has exactly the written bytes"):
    for size <- Seq(0, 10, 5_000, 50_000, 2_000_000) do
      withOutput(ByteOutput()): out =>
        out.write(bytes(size))
        val segment = out.segment
        assert(segment.isNative)
        assert(segment.isReadOnly)
        assertEquals(segment.byteSize, size.toLong)
        assertBytes(segment.toArray(ValueLayout.JAVA_BYTE), bytes(size))
        out.write(7)
        assertEquals(out.segment.byteSize, size + 1L)

  test("ByteOutput.write writes memory segments, including its own"):
    withOutput(ByteOutput()): out =>
      val source = MemorySegment.ofArray(bytes(40_000))
      out.write(source.asSlice(0, 10)).write(source.asSlice(10, 30_000)).write(source)
      assertBytes(out.toByteArray(), bytes(40_000).take(30_010) ++ bytes(40_000))
      out.write(out.segment)
      assertEquals(out.size, 2L * 70_010)
      assertBytes(out.toByteArray().take(70_010), out.toByteArray().drop(70_010))

  test("ten thousand small byte outputs use no off-heap memory"):
    val before = Ledger.report().liveBytes
    val outputs = Vector.tabulate(10_000): i =>
      val out = ByteOutput()
      out.write(bytes(2_000, i))
      out
    assertEquals(Ledger.report().liveBytes, before)
    for (out, i) <- outputs.zipWithIndex do assertBytes(out.toByteArray(), bytes(2_000, i))
    outputs.foreach(_.close())

  test("a byte output of more than 2 GiB supports every operation".tag(LongTest)):
    undercroft.tools.Requirement.MEMORY_6G.require()
    withOutput(ByteOutput()): out =>
      val block = MemorySegment.ofArray(bytes(64 << 20))
      for _ <- 1 to 33 do out.write(block)
      val size = 33 * 64.MiB
      assertEquals(out.size, size)
      assert(out.isContiguous)
      out.write(1)
      out.writeInt(0x01020304).writeUtf8("grün").write(bytes(100))
      assertEquals(out.size, size + 1 + 4 + 5 + 100)
      val segment = out.segment
      assertEquals(segment.byteSize, out.size)
      for at <- Seq(0L, Int.MaxValue - 1L, Int.MaxValue.toLong, Int.MaxValue + 1L, size - 1) do
        assertEquals(out(at), bytes(64 << 20)((at % (64 << 20)).toInt), s"at $at")
        assertEquals(segment.get(ValueLayout.JAVA_BYTE, at), out(at))
      assertEquals(out(size), 1.toByte)
      out.patchLong(Int.MaxValue - 3L, 0x0807060504030201L)
      for i <- 0 until 8 do assertEquals(out(Int.MaxValue - 3L + i), (8 - i).toByte)
      val e = intercept[TooLargeException](out.toByteArray())
      assertEquals(
        e.getMessage,
        s"${out.size} bytes exceed the ${Int.MaxValue - 8} bytes of an array"
      )
      assertEquals(out.toString, s"a byte output of ${out.size} bytes")
      val end = new Array[Byte](105)
      assertEquals(out.copyTo(size + 5, MemorySegment.ofArray(end)), 105L)
      assertBytes(end, "grün".getBytes(UTF_8) ++ bytes(100))
      val counted = Counted()
      out.writeTo(counted)
      assertEquals(counted.written, out.size)
      val channel = Counted()
      assertEquals(out.writeTo(Channels.newChannel(channel)), out.size)
      assertEquals(channel.written, out.size)
      assertEquals(channel.last, bytes(100).last)

  test("a leaked byte output is detected, freed and counted"):
    val budget = Budget("dropped", 64.MiB)
    val before = ByteOutput.leaked
    def drop(): Unit = ByteOutput(16.MiB, budget).write(bytes(3 << 20))
    drop()
    var rounds = 0
    // The leak is counted after the memory is released to the budget.
    while ByteOutput.leaked == before && rounds < 10_000 do
      System.gc()
      Thread.`yield`()
      rounds += 1
    assertEquals(budget.liveCount, 0L)
    assertEquals(budget.liveBytes, 0L)
    assertEquals(ByteOutput.leaked, before + 1)

  test("a byte output continues in several extents if address space is short"):
    val result = ForkedJvm.run(classOf[Crowded.type], ForkedJvm.Granted :+ "-Dundercroft.range=1g")
    assert(result.output.contains("all good"), result.output)
    assertEquals(result.exit, 0, result.output)

  test("a byte output works if native access is denied"):
    val result = ForkedJvm.run(classOf[Denied.type], ForkedJvm.Denied)
    assert(result.output.contains("all good"), result.output)
    assertEquals(result.exit, 0, result.output)

  test("writing to a reset byte output allocates nothing"):
    import undercroft.testkit.assertAllocates
    withOutput(ByteOutput()): out =>
      val block = bytes(100)
      val text = "some text that is all ASCII, and some that is nöt"
      assertAllocates(0):
        out.reset()
        var i = 0
        while i < 500 do
          out.write(block)
          out.write(block, 3, 7)
          out.write(i)
          out.writeInt(i).writeLongLe(i).writeShort(i)
          out.writeUtf8(text)
          out.patchInt(i, i)
          i += 1
end ByteOutputTest

/** Counts the bytes written to it. */
final class Counted extends java.io.OutputStream:
  var written: Long = 0
  var last: Byte = 0
  def write(value: Int): Unit =
    written += 1
    last = value.toByte
  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    written += count
    if count > 0 then last = bytes(from + count - 1)

/** An output in a cage of 1 GiB whose address space is nearly used up. */
object Crowded:
  def main(args: Array[String]): Unit =
    val rest = Vector.fill(8)(Reservation(100.MiB)) // leaves 222 MiB, and 2 at each end
    val out = ByteOutput()
    val block = Array.tabulate(1_000_003)(i => (i * 31 + (i >> 8)).toByte)
    var blocks = 0
    while blocks < 150 do
      out.write(block)
      blocks += 1
    assert(!out.isContiguous)
    assert(out.segments.size > 1 && out.segments.size < 20, out.segments.size.toString)
    assert(out.segments.map(_.byteSize).sum == out.size)
    val e =
      try out.segment.toString
      catch case e: NotContiguousException => e.getMessage
    assert(e.startsWith(s"${out.size} bytes are in ${out.segments.size} extents"), e)
    val edge = out.segments.head.byteSize
    for at <- edge - 9 until edge + 2 do
      out.patchLong(at, 0x0102030405060708L)
      for i <- 0 until 8 do assert(out(at + i) == i + 1)
    for at <- edge - 9 until edge + 9 do
      out.patchByte(at, block((at % block.length).toInt))
    val bytes = out.toByteArray()
    for i <- 0 until blocks do
      val from = i * block.length
      assert(java.util.Arrays.equals(bytes, from, from + block.length, block, 0, block.length))
    val sum = java.util.zip.CRC32()
    val summed = java.util.zip.CheckedOutputStream(java.io.OutputStream.nullOutputStream, sum)
    out.writeTo(java.nio.channels.Channels.newChannel(summed))
    val expected = java.util.zip.CRC32()
    expected.update(bytes)
    assert(sum.getValue == expected.getValue)
    assert(out.withIovecs(_.byteSize) == 16L * out.segments.size)
    val file = java.nio.file.Files.createTempFile("undercroft", ".bytes").nn
    try
      val channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
      scala.util.Using.resource(channel): gathering =>
        assert(out.writeTo(gathering) == out.size && gathering.size == out.size)
        val written = gathering.map(FileChannel.MapMode.READ_ONLY, 0, out.size)
        val copySum = java.util.zip.CRC32()
        copySum.update(written)
        assert(copySum.getValue == expected.getValue)
    finally java.nio.file.Files.delete(file)
    val size = out.size
    val full =
      try
        while true do out.write(block)
        ""
      catch case e: MemoryLimitException => e.getMessage
    assert(full.contains("the cage's address space"), full)
    assert((out.size - size) % block.length == 0, "something was half written")
    out.reset()
    for first <- 0 until 25_000_000 by 50_000 do
      // Every second block of fifty thousand is a batch; some batches span two extents.
      if first / 50_000 % 2 == 0 then
        out.batch(400_000)(batch => for i <- 0 until 50_000 do batch.writeLong(first + i): Unit)
      else for i <- 0 until 50_000 do out.writeLong(first + i)
    assert(!out.isContiguous)
    for i <- 0 until 25_000_000 by 12_345; k <- 0 until 8 do
      assert(out(i * 8L + k) == (i.toLong >>> (56 - 8 * k)).toByte, s"number $i")
    // Native code uses the first extent: the close changes nothing. When it uses the second one,
    // the first is freed and the output is closed.
    assert(refusal(out, 0).nonEmpty)
    out.writeLong(1)
    assert(out.size == 200_000_008L)
    assert(refusal(out, 1).nonEmpty)
    assert(OutputCleaner.reservedBytes > 0)
    val message =
      try out.writeLong(1).toString
      catch case e: ClosedException => e.getMessage
    assert(message == "the byte output is closed", message)
    out.close()
    resetInUse(block)
    assert(OutputCleaner.reservedBytes == 0)
    assert(ByteOutput.leaked == 0)
    rest.foreach(_.close())
    println("all good")
  end main

  /** Native code uses the second extent during a reset: the first is freed, the output is empty. */
  private def resetInUse(block: Array[Byte]): Unit =
    val out = ByteOutput()
    var blocks = 0
    while out.isContiguous && blocks < 1000 do
      out.write(block)
      blocks += 1
    var refused = false
    Iovec.during(out.segments(1)): () =>
      try out.reset(keepPages = false)
      catch case _: IllegalStateException => refused = true
    assert(refused)
    assert(out.size == 0 && out.isContiguous, s"${out.size} bytes")
    out.write(block)
    assert(java.util.Arrays.equals(out.toByteArray(), block))
    out.close()

  /** The message of a close while native code uses an extent. */
  private def refusal(out: ByteOutput, piece: Int): String =
    var answer = ""
    Iovec.during(out.segments(piece)): () =>
      try out.close()
      catch case e: IllegalStateException => answer = e.getMessage
    answer
end Crowded

/** An output over the file that provides address space, and a buffer of the default pool. */
object Denied:
  def main(args: Array[String]): Unit =
    val out = ByteOutput()
    for i <- 0 until 2_000_000 do out.writeLong(i.toLong)
    assert(out.segment.byteSize == 16_000_000)
    for i <- 0 until 2_000_000 by 777 do assert(out(i * 8L + 7) == i.toByte)
    out.close()
    val buffer = Buffer().writeInt(7)
    assert(buffer.readInt() == 7)
    SegmentPool.default.assertNoLeaks()
    println("all good")
