package undercroft.lab.fuzz

import java.nio.charset.StandardCharsets.UTF_8
import undercroft.buffer.*

/** Text in buffers, against the JDK's decoder and encoder. */
object Utf8Target extends Target:
  def name: String = "utf8"

  def samples: Seq[Array[Byte]] =
    Seq("", "plain\r\n", "nöt ASCII\n", "日本\u0000", "🂡🂡", "x" * 40).map(_.getBytes(UTF_8).nn) :+
      Array(0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xff, 0xe2, 0x82).map(_.toByte)

  private val pool = SegmentPool.synchronizedPool(segmentBytes = 16, debug = true)
  private given SegmentPool = pool

  def run(input: Array[Byte]): Unit =
    val expected = String(input, UTF_8)
    val bytes = ByteString(input)
    check(bytes.utf8 == expected, "ByteString.utf8")
    val buffer = Buffer()
    buffer.write(input)
    check(buffer.copy().readUtf8() == expected, "readUtf8")
    // The decoded text is encoded as by the JDK.
    val written = Buffer()
    written.writeUtf8(expected)
    check(java.util.Arrays.equals(written.readByteArray(), expected.getBytes(UTF_8)), "writeUtf8")
    // Code points and lines end, and skip nothing.
    val points = buffer.copy()
    try
      while !points.exhausted do
        val before = points.size
        val point = points.readUtf8CodePoint()
        check(points.size < before && before - points.size <= 4, s"code point $point")
    catch case _: EndOfInputException => () // the last character is cut off
    points.clear()
    val lines = buffer.copy()
    val text =
      Iterator.continually(Option(lines.readUtf8Line())).takeWhile(_.isDefined).flatten.mkString
    val breaks = Set('\n', '\r')
    check(text.filterNot(breaks) == expected.filterNot(breaks), "lines")
    for count <- Seq(0, input.length / 2, input.length) do
      val half = buffer.copy()
      check(half.readUtf8(count) == String(input, 0, count, UTF_8), s"readUtf8($count)")
      half.clear()
    buffer.clear()
    pool.assertNoLeaks()
  end run

  private def check(condition: Boolean, what: String): Unit =
    if !condition then throw AssertionError(s"$what differs from the JDK")
end Utf8Target
