package undercroft.buffer

import undercroft.memory.*
import undercroft.testkit.assertAllocates

class OutputBatchTest extends undercroft.tools.Suite:
  private def withOutput[A](output: ByteOutput)(body: ByteOutput => A): A =
    try body(output)
    finally output.close()

  private def message[E <: Throwable](body: => Any)(using reflect.ClassTag[E]): String =
    intercept[E](body).getMessage.nn

  test("a batch writes the same bytes as its output, at every size around the growth steps"):
    val block = Array.tabulate(300)(i => (i * 7).toByte)
    for
      before <- Seq(0, 100, 255, 256, 16370, 16384, 65530, (1 << 20) - 20, 1 << 20)
      room <- Seq(0, 20, 400, 70_000)
    do
      withOutput(ByteOutput()): expected =>
        withOutput(ByteOutput()): actual =>
          for out <- Seq(expected, actual) do out.write(new Array[Byte](before))
          val steps = room / 20
          actual.batch(room): batch =>
            for i <- 0 until steps do
              batch.writeShort(i).writeIntLe(i * 3).writeLong(i * 5L).writeByte(i): Unit
              if i % 15 == 14 then batch.write(block, i % 220, 73)
            assertEquals(batch.size, steps * 15 + steps / 15 * 73)
          for i <- 0 until steps do
            expected.writeShort(i).writeIntLe(i * 3).writeLong(i * 5L).writeByte(i): Unit
            if i % 15 == 14 then expected.write(block, i % 220, 73)
          actual.writeInt(251)
          expected.writeInt(251)
          assertEquals(actual.size, expected.size)
          assertEquals(actual.segment.mismatch(expected.segment), -1L, s"$before bytes, then $room")
    end for

  test("a batch writes array ranges of every length and offset exactly"):
    val block = Array.tabulate(200)(i => (i + 1).toByte)
    for before <- Seq(0, 20_000); count <- 0 to 130; from <- Seq(0, 1, 200 - count) do
      withOutput(ByteOutput()): out =>
        out.write(new Array[Byte](before))
        out.batch(count)(_.write(block, from, count))
        out.write(block, from, count)
        val expected =
          new Array[Byte](before) ++ block.slice(from, from + count) ++ block.slice(
            from,
            from + count
          )
        assertEquals(out.toByteArray().toSeq, expected.toSeq, s"$count bytes from $from")

  test("a batch accepts at most the requested number of bytes"):
    withOutput(ByteOutput()): out =>
      out.writeByte(1)
      val full = message[TooLargeException]:
        out.batch(10): batch =>
          batch.writeLong(2)
          batch.writeInt(3)
      assertEquals(full, TooLargeException("the batch", 12, 10).getMessage)
      assertEquals(out.size, 9L)
      assertEquals(out.writeByte(4).size, 10L)
      assertEquals(
        message[IllegalArgumentException](out.batch(-1)(_ => ())),
        "maxBytes must be at least 0, but is -1"
      )

  test("a batch that exceeds the output's limit or its budget does not begin"):
    withOutput(ByteOutput(1000)): out =>
      out.write(new Array[Byte](600))
      val refused = message[TooLargeException](out.batch(401)(_ => fail("it began")))
      assertEquals(refused, TooLargeException("the byte output", 1001, 1000).getMessage)
      assertEquals(out.batch(400)(_.write(new Array[Byte](400))).size, 1000L)
    withOutput(ByteOutput(1L << 30, Budget("small", 1 << 20))): out =>
      out.writeLong(1)
      intercept[MemoryLimitException](out.batch(8 << 20)(_ => fail("it began")))
      assertEquals(out.writeLong(2).size, 16L)

  test("a batch whose body throws keeps the bytes written before"):
    for before <- Seq(0, 50_000) do
      withOutput(ByteOutput()): out =>
        out.write(new Array[Byte](before))
        val failed = message[IllegalStateException]:
          out.batch(100): batch =>
            batch.writeInt(1)
            throw IllegalStateException("mine")
        assertEquals(failed, "mine")
        assertEquals(out.size, before + 4L)
        assertEquals(out.writeByte(5)(before + 3L), 1.toByte)

  test("using or closing a byte output during a batch throws IllegalStateException"):
    for before <- Seq(8, 50_000) do
      withOutput(ByteOutput()): out =>
        out.write(new Array[Byte](before))
        val expected = s"a batch writes the byte output, after $before bytes"
        out.batch(100): batch =>
          batch.writeInt(1)
          val uses = Seq[() => Any](
            () => out.writeInt(1),
            () => out.write(7),
            () => out.write(new Array[Byte](3)),
            () => out.writeUtf8("text"),
            () => out.patchInt(0, 1),
            () => out(0),
            () => out.segment,
            () => out.toByteArray(),
            () => out.reset(),
            () => out.close(),
            () => out.batch(1)(_ => ())
          )
          for use <- uses do assertEquals(message[IllegalStateException](use()), expected)
          assertEquals(out.size, before.toLong)
          assertEquals(out.toString, s"a byte output of $before bytes, which a batch writes")
        assertEquals(out.size, before + 4L)

  test("writing to an ended batch throws IllegalStateException"):
    val out = ByteOutput()
    out.write(new Array[Byte](50_000))
    var lastBatch: Option[OutputBatch] = None
    out.batch(100)(batch => lastBatch = Some(batch))
    for use <- Seq(() => (), () => out.reset(), () => out.close()) do
      use()
      val uses = Seq(
        () => lastBatch.get.writeInt(1): Unit,
        () => lastBatch.get.write(new Array[Byte](1))
      )
      for use <- uses do
        assertEquals(message[IllegalStateException](use()), "the batch has ended")

  test("writing in batches allocates nothing"):
    withOutput(ByteOutput()): out =>
      out.write(new Array[Byte](50_000))
      val block = new Array[Byte](40)
      assertAllocates(0):
        out.reset()
        var i = 0
        while i < 100 do
          write(out, block)
          i += 1

  private def write(out: ByteOutput, block: Array[Byte]): Unit =
    out.batch(20_000): batch =>
      var i = 0
      while i < 300 do
        batch.writeShort(i).writeLong(i): Unit
        batch.write(block, 0, i % 40)
        i += 1
end OutputBatchTest
