package undercroft.buffer

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class CursorTest extends undercroft.tools.PropertySuite:
  for (name, pool) <- Pools.all do
    test(s"a cursor reads every byte forwards, backwards and by segment (pool: $name)"):
      given home: SegmentPool = pool()
      val bytes =
        Array.tabulate(if home.segmentBytes < 100 then 500 else 30_000)(i => (i * 7).toByte)
      val buffer = Buffer().write(bytes)
      buffer.skip(5)
      val cursor = buffer.cursor()
      val steps = (0 until bytes.length - 5).by(Math.max(1, bytes.length / 1000))
      for i <- steps ++ steps.reverse do
        assert(cursor.seek(i) > 0)
        assertEquals(cursor(0), bytes(i + 5), s"at $i")
        assertEquals(cursor.offset, i.toLong)
      assertEquals(cursor.seek(buffer.size), -1)
      assertEquals(cursor.offset, -1L)
      var index = 5
      var count = cursor.next()
      while count > 0 do
        val piece = new Array[Byte](count)
        cursor.read(piece, 0, count)
        assertEquals(ByteString(piece), ByteString(bytes.slice(index, index + count)))
        index += count
        count = cursor.next()
      assertEquals(index, bytes.length)
      buffer.clear()
      home.assertNoLeaks()

    test(s"a cursor write changes its buffer but no copy that shares segments (pool: $name)"):
      given home: SegmentPool = pool()
      val bytes =
        Array.tabulate(if home.segmentBytes < 100 then 500 else 30_000)(i => (i * 7).toByte)
      val buffer = Buffer().write(bytes)
      val copy = buffer.copy()
      val cursor = buffer.cursor(writable = true)
      for i <- Seq(0, 1, 7, bytes.length / 2, bytes.length - 1) do
        cursor.seek(i): Unit
        cursor(0) = 99
        assertEquals(buffer(i), 99.toByte)
        assertEquals(copy(i), bytes(i))
      cursor.seek(3): Unit
      val four = Math.min(4, cursor.remaining)
      cursor.write(Array[Byte](1, 2, 3, 4), 0, four)
      assertEquals(buffer(3), 1.toByte)
      assertEquals(copy(3), bytes(3))
      buffer.writeUtf8("more"): Unit
      copy.writeUtf8("less"): Unit
      assertEquals(copy.readByteString(bytes.length), ByteString(bytes))
      assertEquals(copy.readUtf8(), "less")
      assertEquals(buffer.size, bytes.length + 4L)
      buffer.clear()
      home.assertNoLeaks()

    property(s"Cursor.resize grows a buffer by zeros and shrinks it to any size (pool: $name)"):
      forAll(Gen.listOf(Gen.choose(0, 20_000))): sizes =>
        given home: SegmentPool = pool()
        val buffer = Buffer()
        var model = Array.empty[Byte]
        val copies = collection.mutable.ListBuffer[(Buffer, Array[Byte])]()
        for target <- sizes.take(6) do
          val size = if home.segmentBytes < 100 then target / 40 else target
          buffer.writeUtf8("abc"): Unit
          model ++= "abc".getBytes
          copies += buffer.copy() -> model
          assertEquals(buffer.cursor(writable = true).resize(size), model.length.toLong)
          model = java.util.Arrays.copyOf(model, size)
          for (copy, was) <- (buffer -> model) :: copies.toList do
            val content = new Array[Byte](copy.size.toInt)
            copy.copyTo(0, content)
            assertEquals(ByteString(content), ByteString(was))
        copies.foreach(_(0).clear())
        buffer.clear()
        home.assertNoLeaks()
        true
    test(s"Cursor.expand adds at least the requested number of zero bytes (pool: $name)"):
      given home: SegmentPool = pool()
      val buffer = Buffer().writeUtf8("abc")
      val cursor = buffer.cursor(writable = true)
      for least <- Seq(1, home.segmentBytes / 2 + 1, home.segmentBytes, 1) do
        val before = buffer.size
        val count = cursor.expand(least)
        assert(count >= least && count <= home.segmentBytes, s"$count of $least")
        assertEquals((buffer.size, cursor.offset), (before + count, before))
        assertEquals(cursor.remaining, count)
        for i <- 0 until count do assertEquals(cursor(i), 0.toByte)
        cursor.write(Array.fill[Byte](count)(least.toByte), 0, count)
        assertEquals(buffer(before + count - 1), least.toByte)
      assertEquals(buffer.readUtf8(3), "abc")
      for wrong <- Seq(0, -1, home.segmentBytes + 1) do
        val e = intercept[IllegalArgumentException](cursor.expand(wrong))
        assertEquals(
          e.getMessage,
          s"least must be in [1, ${home.segmentBytes}], but is $wrong bytes"
        )
      val looking = buffer.cursor()
      intercept[UnsupportedOperationException](looking.expand(1)): Unit
      buffer.clear()
      home.assertNoLeaks()
  end for

  test("a cursor at a consumed or truncated position throws IllegalStateException"):
    given SegmentPool = SegmentPool.lockFree(debug = true)
    val buffer = Buffer().write(new Array[Byte](20_000))
    val (cursor, writer) = (buffer.cursor(), buffer.cursor(writable = true))
    assertEquals(
      intercept[IllegalStateException](cursor(0)).getMessage,
      "the cursor has no current byte; call seek first"
    )
    cursor.seek(10): Unit
    buffer.skip(10)
    assertEquals(cursor(0), 0.toByte)
    assertEquals(cursor.offset, 0L)
    buffer.readByte(): Unit
    assertEquals(
      intercept[IllegalStateException](cursor(0)).getMessage,
      "the byte at position 10, the cursor's, was consumed or cut off"
    )
    intercept[IllegalStateException](cursor.next()): Unit
    cursor.seek(19_000 - 20): Unit
    Buffer().write(buffer, 5)
    writer.resize(100): Unit
    buffer.write(new Array[Byte](20_000)): Unit
    intercept[IllegalStateException](cursor(0)): Unit
    assert(cursor.seek(19_000) > 0)

  test("an invalid cursor operation throws an exception with the values"):
    val buffer = Buffer().write(new Array[Byte](10))
    val cursor = buffer.cursor()
    assertEquals(
      intercept[IndexOutOfBoundsException](cursor.seek(11)).getMessage,
      "offset 11 exceeds size 10"
    )
    assertEquals(cursor.seek(4), 6)
    assertEquals(
      intercept[IndexOutOfBoundsException](cursor(6)).getMessage,
      "index 6 + 1 exceeds the 6 bytes of the piece"
    )
    assertEquals(
      intercept[IndexOutOfBoundsException](cursor(-1)).getMessage,
      "index -1 is negative; allowed: 0 to 5"
    )
    assertEquals(
      intercept[IndexOutOfBoundsException](cursor.seek(-1)).getMessage,
      "offset -1 is negative; allowed: 0 to 10"
    )
    intercept[IndexOutOfBoundsException](cursor.read(new Array[Byte](7), 0, 7)): Unit
    def refused(use: => Any) = intercept[UnsupportedOperationException](use).getMessage
    cursor.seek(2): Unit
    val prefix = "the cursor at position 2 is read-only"
    assertEquals(refused(cursor(0) = 1), s"$prefix: byte 1 cannot be stored")
    assertEquals(refused(cursor.write(new Array(3), 0, 2)), s"$prefix: 2 bytes cannot be stored")
    assertEquals(refused(cursor.resize(0)), s"$prefix: ${buffer.size} bytes cannot become 0")
    intercept[IllegalArgumentException](buffer.cursor(writable = true).resize(-1)): Unit
    assertEquals(buffer.size, 10L)

  test("seeking and reading with a cursor allocates nothing"):
    val buffer = Buffer().write(new Array[Byte](100_000))
    val cursor = buffer.cursor(writable = true)
    undercroft.testkit.assertAllocates(0):
      var sum = 0L
      var at = 0
      while at < 100_000 do
        cursor.seek(at): Unit
        sum += cursor(0)
        cursor(0) = 1
        at += 997
      sum
end CursorTest
