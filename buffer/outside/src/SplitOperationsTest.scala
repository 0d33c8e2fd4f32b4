package outside.buffer

import java.io.{ByteArrayInputStream, IOException}
import undercroft.buffer.*

/** Small reads and writes at each distance from the end of a segment. */
class SplitOperationsTest extends undercroft.tools.Suite:
  private val segmentBytes = 32
  private val sixteen = Array.tabulate(16)(i => (i * 17).toByte)

  /** A buffer whose next byte is at `gap` in its segment. */
  private def emptyBehind(gap: Int)(using SegmentPool): Buffer =
    val buffer = Buffer().write(new Array[Byte](gap))
    buffer.skip(gap)
    buffer

  private def stream(buffer: Buffer)(using SegmentPool): BufferedSource =
    ByteArrayInputStream(buffer.copy().readByteArray()).source().buffered

  for memory <- SegmentMemory.values do
    given SegmentPool = SegmentPool.lockFree(segmentBytes = segmentBytes, memory = memory)

    test(s"small values are read as they were written at each place of a segment: $memory"):
      for gap <- 0 until segmentBytes; number <- Seq(0L, -7, 12345678, Long.MinValue) do
        val hex = java.lang.Long.toHexString(number)
        val buffer = emptyBehind(gap)
        buffer.writeDecimalLong(number).writeByte(';').writeHexadecimalUnsignedLong(number)
        buffer.writeUtf8(";8 chars.").writeUtf8("žluť\n").writeUtf8("a line\r\n")
        buffer.writeInt(-2).writeLongLe(3).write(sixteen): Unit
        for source <- Seq(stream(buffer), buffer) do
          val clue = s"$number behind $gap bytes"
          assertEquals(source.indexOf(';'), number.toString.length.toLong, clue)
          assertEquals(source.readDecimalLong(), number, clue)
          assertEquals(source.readByte(), ';'.toByte, clue)
          assertEquals(source.indexOf(';'), hex.length.toLong, clue)
          assertEquals(source.readHexadecimalUnsignedLong(), number, clue)
          source.skip(1)
          assertEquals(source.readUtf8(8), "8 chars.", clue)
          assertEquals(source.readUtf8Line(), "žluť", clue)
          assertEquals(source.readUtf8Line(), "a line", clue)
          assertEquals(source.readInt(), -2, clue)
          assertEquals(source.readLongLe(), 3L, clue)
          assertEquals(source.readByteArray(16).toSeq, sixteen.toSeq, clue)
          assert(source.exhausted, clue)
      end for

    test(s"a read that fails consumes nothing at each place of a segment: $memory"):
      val reads = Seq[(String, BufferedSource => Any)](
        "9223372036854775808;" -> (_.readDecimalLong()),
        "-9223372036854775809" -> (_.readDecimalLong()),
        ";1" -> (_.readDecimalLong()),
        "-" -> (_.readDecimalLong()),
        "" -> (_.readDecimalLong()),
        "0.12;" -> (_.readDecimalLong(scale = 1)),
        "10000000000000000;" -> (_.readHexadecimalUnsignedLong()),
        "g" -> (_.readHexadecimalUnsignedLong()),
        "abc" -> (_.readInt()),
        "abcdefg" -> (_.readLong()),
        "seven!!" -> (_.readUtf8(8)),
        "seven!!" -> (_.readByteArray(8)),
        "no end" -> (_.readUtf8LineStrict()),
        "a long line\n" -> (_.readUtf8LineStrict(limit = 10))
      )
      for gap <- 0 until segmentBytes; (text, read) <- reads do
        val buffer = emptyBehind(gap).writeUtf8(text)
        for source <- Seq(stream(buffer), buffer) do
          intercept[IOException](read(source)): Unit
          assertEquals(source.readUtf8(), text, s"behind $gap bytes")
  end for
end SplitOperationsTest
