package outside.buffer

import java.io.IOException
import undercroft.buffer.*

/** A lookup or a read returns as soon as further bytes cannot change its result. */
class CertainResultTest extends undercroft.tools.Suite:

  /** The bytes of `text`, one for each read; a read of more is an error instead of a wait. */
  private def peer(text: String, reads: Int): BufferedSource =
    val bytes = ByteString.utf8(text)
    var at = 0
    val source = new Source:
      def read(sink: Buffer, byteCount: Long): Long =
        if at == Math.min(reads, bytes.size) then throw IOException("a wait")
        sink.writeByte(bytes(at))
        at += 1
        1
      def close(): Unit = ()
    source.buffered

  /** Whether an index is certain after `size` bytes of any text over a small alphabet. */
  private def certain(text: String, size: Int, bytes: String, from: Int, until: Int): Option[Int] =
    val known = text.take(size)
    val index = known.indexOf(bytes, from)
    if index >= 0 && index < until then Some(index)
    else
      val mayFollow = (from until until).exists: at =>
        at >= size && at < until || at < size && at + bytes.length > size &&
          bytes.startsWith(known.drop(at))
      Option.when(!mayFollow)(-1)

  test("indexOf of bytes in a range returns once its result is certain"):
    val random = scala.util.Random(48)
    def word(max: Int) = Seq.fill(random.nextInt(max) + 1)("AXYZ" (random.nextInt(3))).mkString
    var early = 0
    for _ <- 1 to 20_000 do
      val (text, bytes) = (word(12), word(4))
      val from = random.nextInt(4)
      val until = from + random.nextInt(8)
      val needed = (0 to text.length).find(certain(text, _, bytes, from, until).nonEmpty)
      for size <- needed do
        val index = peer(text, size).indexOf(ByteString.utf8(bytes), from, until)
        assertEquals(Some(index.toInt), certain(text, size, bytes, from, until))
        if index == -1 then early += 1
        if size > 0 then
          val message =
            try peer(text, size - 1).indexOf(ByteString.utf8(bytes), from, until).toString
            catch case e: IOException => e.getMessage
          assertEquals(message, "a wait", s"$text, $bytes in [$from, $until)")
    assert(early > 1000, s"$early")

  test("other lookups and reads return once their result is certain"):
    assertEquals(peer("A", 1).indexOf(ByteString.utf8("XYZ"), 0, 1), -1L)
    assert(!peer("XA", 2).rangeEquals(0, ByteString.utf8("XYZ")))
    assertEquals(peer("PA", 2).select(Options(ByteString.utf8("PUT"), ByteString.utf8("GET"))), -1)
    assertEquals(peer("ab", 2).indexOf('c'.toByte, 0, 2), -1L)
    assertEquals(peer("", 0).indexOf('c'.toByte, 5, 5), -1L)
    assertEquals(peer("", 0).indexOfElement(ByteString.empty), -1L)
    assertEquals(peer("12;", 3).readDecimalLong(), 12L)
end CertainResultTest
