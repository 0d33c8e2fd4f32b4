package outside.buffer

import scala.util.Random
import undercroft.buffer.*

/** Searches and text numbers across segments, compared with the plain loop over an array. */
class SearchTest extends undercroft.tools.Suite:

  private val pools = List(
    "heap" -> SegmentPool.striped(segmentBytes = 1024),
    "off-heap" -> SegmentPool.striped(segmentBytes = 1024, memory = SegmentMemory.Native)
  )

  /** A source that returns at most `chunk` bytes at a time. */
  private def inChunks(bytes: Array[Byte], chunk: Int): BufferedSource =
    val content = Buffer().write(bytes)
    val source = new Source:
      def read(sink: Buffer, byteCount: Long): Long =
        content.read(sink, Math.min(byteCount, chunk.toLong))
      def close(): Unit = ()
    source.buffered

  private def plain(bytes: Array[Byte], part: Array[Byte], from: Int, until: Int): Long =
    (from until Math.min(until, bytes.length - part.length + 1))
      .find(at => part.indices.forall(i => bytes(at + i) == part(i)))
      .fold(-1L)(_.toLong)

  for (name, pool) <- pools do
    test(s"indexOf and indexOfElement find what a plain loop finds, in $name segments"):
      val seed = Random.nextLong()
      val random = Random(seed)
      for round <- 1 to 2000 do
        // Few different bytes make many places where a part of a match begins.
        val letters = 1 + random.nextInt(3)
        def draw(size: Int) = Array.fill(size)(('a' + random.nextInt(letters)).toByte)
        val bytes = draw(random.nextInt(6000))
        if bytes.nonEmpty && random.nextBoolean() then bytes(random.nextInt(bytes.length)) = 'z'
        val size = 1 + random.nextInt(if random.nextInt(8) == 0 then 1500 else 20)
        val part =
          if random.nextBoolean() && bytes.length > size then
            val begin = random.nextInt(bytes.length - size)
            bytes.slice(begin, begin + size)
          else draw(size)
        val from = random.nextInt(bytes.length + 2)
        val until = from + random.nextInt(bytes.length + 2)
        val buffer = Buffer(using pool).write(bytes)
        val streamed = inChunks(bytes, 1 + random.nextInt(3000))
        val clue = s"seed $seed, round $round"
        val expected = plain(bytes, part, from, until)
        assertEquals(buffer.indexOf(ByteString(part), from, until), expected, clue)
        assertEquals(streamed.indexOf(ByteString(part), from, until), expected, clue)
        val chosen = Array[Byte]('z', 'b', 'y', 'x', 'c').take(1 + random.nextInt(5))
        val element = bytes.indexWhere(byte => chosen.contains(byte), from).toLong
        assertEquals(buffer.indexOfElement(ByteString(chosen), from), element, clue)
        assertEquals(streamed.indexOfElement(ByteString(chosen), from), element, clue)
        buffer.clear()
      end for

    test(s"numbers of text are read across segments, in $name segments"):
      val seed = Random.nextLong()
      val random = Random(seed)
      for round <- 1 to 1000 do
        val clue = s"seed $seed, round $round"
        val gap = random.nextInt(1100)
        val number = random.nextLong() >> random.nextInt(64)
        val text = s"$number ${java.lang.Long.toHexString(number)};"
        val buffer = Buffer(using pool).write(new Array[Byte](gap)).writeUtf8(text)
        val streamed = inChunks(text.getBytes, 1 + random.nextInt(4))
        buffer.skip(gap)
        for source <- List[BufferedSource](buffer, streamed) do
          assertEquals(source.readDecimalLong(), number, clue)
          assertEquals(source.readByte(), ' '.toByte, clue)
          assertEquals(source.readHexadecimalUnsignedLong(), number, clue)
          assertEquals(source.readByte(), ';'.toByte, clue)

    test(
      s"decimal numbers are read with their sign and scale, as BigDecimal reads them, in $name segments"
    ):
      val seed = Random.nextLong()
      val random = Random(seed)
      for round <- 1 to 1000 do
        val clue = s"seed $seed, round $round"
        val scale = random.nextInt(19)
        val digits = random.nextInt(scale + 1)
        val number = BigDecimal(BigInt(random.nextLong() >> random.nextInt(64)), digits)
        val text = number.bigDecimal.toPlainString.nn + ";"
        val gap = random.nextInt(1100)
        val buffer = Buffer(using pool).write(new Array[Byte](gap)).writeUtf8(text)
        buffer.skip(gap)
        val expected = number.bigDecimal.setScale(scale).nn.unscaledValue.nn
        for source <- List[BufferedSource](buffer, inChunks(text.getBytes, 1 + random.nextInt(4)))
        do
          if expected.bitLength < 64 then
            assertEquals(source.readDecimalLong(scale), expected.longValue, clue)
            assertEquals(source.indexOf(';'), 0L, clue)
          else
            intercept[MalformedInputException](source.readDecimalLong(scale)): Unit
            assertEquals(source.readUtf8(), text, clue)

    test(s"a text that is no number consumes nothing, in $name segments"):
      val tooLarge = List("9223372036854775808", "-9223372036854775809", "9" * 23)
      for
        text <- List("", "-", "x", "-x") ++ tooLarge
        gap <- List(0, 1015)
      do
        val buffer = Buffer(using pool).write(new Array[Byte](gap)).writeUtf8(text)
        buffer.skip(gap)
        intercept[java.io.IOException](buffer.readDecimalLong()): Unit
        assertEquals(buffer.readUtf8(), text, s"behind $gap bytes")
  end for

  test("errors of decimal numbers state the fault, the text and the position"):
    def fault(text: String, scale: Int): String =
      val buffer = Buffer().writeUtf8(text)
      val error = intercept[java.io.IOException](buffer.readDecimalLong(scale))
      assertEquals(buffer.readUtf8(), text)
      error.getMessage.nn
    val tooFine = fault("-0.25;", 1)
    assert(tooFine.contains("at most 1 digit after the point"), tooFine)
    assert(tooFine.contains("-0.25"), tooFine)
    assert(fault("x", 1).contains("a digit"))
    assert(fault("5.;", 1).contains("a digit"))
    assert(fault("5.", 1).contains("a digit"))
    assert(fault("92233720368547758.08;", 2).contains("a number of 64 bits"))
    assert(fault("9223372036854775807;", 1).contains("a number of 64 bits"))

  test("indexOf finds characters by their UTF-8 bytes and rejects surrogates"):
    val buffer = Buffer().writeUtf8("aé;é;")
    assertEquals(buffer.indexOf(';'), 3L)
    assertEquals(buffer.indexOf(';', 4), 6L)
    assertEquals(buffer.indexOf(';', 0, 3), -1L)
    assertEquals(buffer.indexOf('é'), 1L)
    assertEquals(buffer.indexOf('é', 2, 4), -1L)
    assertEquals(buffer.indexOf('é', 2), 4L)
    val error = intercept[IllegalArgumentException](buffer.indexOf('\ud800'))
    assertEquals(error.getMessage, "char must not be a surrogate, but is 0xd800")

  test("lines of a source are read one by one, and none behind its end"):
    val lines = inChunks("one\r\ntwo\n\nlast".getBytes, 3).lines
    assertEquals(lines.next(), "one")
    assert(lines.hasNext && lines.hasNext)
    assertEquals(lines.toList, List("two", "", "last"))
    assert(!lines.hasNext)
    intercept[NoSuchElementException](lines.next()): Unit

  test("indexOf finds the empty string up to the end of a stream"):
    val bytes = "abcde".getBytes
    for
      from <- 0L to 6L
      until <- Seq(from, from + 1, Long.MaxValue)
    do
      val index = inChunks(bytes, 2).indexOf(ByteString.empty, from, until)
      assertEquals(index, if from <= 5 && from < until then from else -1L, s"in [$from, $until)")
end SearchTest
