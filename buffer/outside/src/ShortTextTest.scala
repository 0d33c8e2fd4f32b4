package outside.buffer

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import undercroft.buffer.*

/** Texts of each short length between bytes that are not ASCII, compared with the JDK's decoder. */
class ShortTextTest extends undercroft.tools.Suite:
  private val segmentBytes = 192
  private val longest = 140

  private val pools = SegmentMemory.values.toSeq.map: memory =>
    s"$memory segments" -> SegmentPool.lockFree(segmentBytes = segmentBytes, memory = memory)

  private def letters(count: Int): Array[Byte] =
    Array.tabulate(count)(i => ('a' + i % 26).toByte)

  /** Reads `text` as a number of bytes and as a line, behind `gap` bytes and before others. */
  private def check(text: Array[Byte], gap: Int): Unit =
    val expected = String(text, UTF_8)
    for (kind, pool) <- pools do
      val clue = s"${text.length} bytes behind $gap, $kind"
      val before = new Array[Byte](gap)
      Arrays.fill(before, 0xff.toByte)
      val buffer = Buffer(using pool).write(before).write(text).writeUtf8("\né\r\n")
      buffer.skip(gap)
      val copy = buffer.copy()
      assertEquals(buffer.readUtf8(text.length), expected, clue)
      assertEquals(buffer.readUtf8Line(), "", clue)
      assertEquals(buffer.readUtf8Line(), "é", clue)
      assertEquals(copy.readUtf8Line(), expected, clue)
      assertEquals(copy.readUtf8(), "é\r\n", clue)

  test("ASCII of each length is read at each distance from the end of a segment"):
    for count <- 0 to longest; distance <- -2 to 10 do
      val gap = segmentBytes - count - distance
      check(letters(count), gap.max(0))

  test("a byte that is not ASCII is decoded at each place of a text"):
    for count <- 1 to longest; at <- 0 until count do
      val text = letters(count)
      text(at) = 0x80.toByte // malformed: the decoder replaces it
      check(text, gap = at % 11)
      if at + 1 < count then
        text(at) = 0xc3.toByte
        text(at + 1) = 0xa9.toByte
        check(text, segmentBytes - count - 7)
end ShortTextTest
