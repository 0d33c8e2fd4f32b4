package outside.buffer

import java.util.ConcurrentModificationException
import java.util.concurrent.{CountDownLatch, TimeUnit}
import undercroft.buffer.*
import undercroft.tools.ForkedJvm

class SharedOutputTest extends undercroft.tools.Suite:

  for (space, flags, rounds, tags) <- Seq(
      ("native", ForkedJvm.Granted, 15, Set.empty[munit.Tag]),
      ("native", ForkedJvm.Granted, 60, Set(LongTest)),
      ("file", ForkedJvm.Denied, 60, Set(LongTest))
    )
  do
    val title = "threads that share a byte output corrupt no other output and do not crash " +
      s"($space space, $rounds rounds)"
    test(title.withTags(tags)):
      val result = ForkedJvm.run(CarelessOutputs.getClass, flags, Seq(s"$rounds"))
      assertEquals(result.exit, 0, result.output)
      assert(result.output.contains("foreign bytes: 0"), result.output)

  test("a batch write on another thread throws ConcurrentModificationException"):
    val out = ByteOutput()
    out.write(new Array[Byte](20_000))
    out.batch(100): batch =>
      var error: Throwable = null
      val thread = Thread.ofPlatform.start: () =>
        try batch.writeInt(1): Unit
        catch case e: Throwable => error = e
      thread.join()
      assert(error.isInstanceOf[ConcurrentModificationException], String.valueOf(error))
      batch.writeInt(2): Unit
    assertEquals(out.size, 20_004L)
    out.close()

  test("a write to an output that another thread closed throws"):
    for round <- 0 until 50 do
      val out = ByteOutput(256 << 20)
      val start = CountDownLatch(1)
      var error: Throwable = null
      val writer = Thread.ofPlatform.start: () =>
        try
          var i = 0L
          while i < 20_000_000 do
            out.writeLong(i)
            if i == 10_000 then start.countDown()
            i += 1
        catch case e: Throwable => error = e
        finally start.countDown()
      assert(start.await(60, TimeUnit.SECONDS))
      out.close()
      writer.join(60_000)
      assert(!writer.isAlive)
      val expected = error.isInstanceOf[ClosedException] ||
        error.isInstanceOf[ConcurrentModificationException]
      assert(expected, s"round $round: $error")

  test("ByteOutput.write accepts the output's own segment, even if its memory moves"):
    for size <- Seq(100, 10_000, 300_000, 600_000, 1_500_000) do
      val out = ByteOutput()
      val bytes = Array.tabulate(size)(i => (i * 31).toByte)
      out.write(bytes)
      out.write(out.segment): Unit
      out.write(out.segment.asSlice(size - 10, 10)): Unit
      val expected = bytes ++ bytes ++ bytes.takeRight(10)
      assert(java.util.Arrays.equals(out.toByteArray(), expected), s"$size bytes")
      out.close()

  test("a byte output accepts exactly as many bytes as its limit"):
    for limit <-
        Seq(1L, 300L, 16_384L, 16_385L, 40_000L, 65_535L, 65_536L, 65_537L, 200_001L, 1_048_577L)
    do
      val out = ByteOutput(limit)
      var written = 0L
      while written + 8 <= limit do
        out.writeLong(written)
        written += 8
      while written < limit do
        out.writeByte(written.toInt)
        written += 1
      intercept[TooLargeException](out.writeByte(1)): Unit
      assertEquals(out.size, limit)
      val copy = Buffer().write(out.toByteArray())
      var at = 0L
      while at + 8 <= limit do
        assertEquals(copy.readLong(), at)
        at += 8
      out.close()
end SharedOutputTest
