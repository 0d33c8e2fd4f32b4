package undercroft.buffer

import scala.util.Random

/** Reads and writes that process a segment in place, compared with the same on segments of one
  * byte, which are processed byte by byte, at each distance from the end of a segment.
  */
class InPlaceTest extends undercroft.tools.Suite:
  private val segmentBytes = 64

  /** Pools whose segments contain digits and line feeds of earlier uses. */
  private val pools = SegmentMemory.values.toSeq.map: memory =>
    val pool = SegmentPool.lockFree(
      idleLimitBytes = 32 * segmentBytes,
      segmentBytes = segmentBytes,
      memory = memory
    )
    val stale = Buffer(using pool).writeUtf8("7\n79" * (8 * segmentBytes))
    stale.clear()
    s"$memory segments" -> pool

  private val plain = SegmentPool.none(segmentBytes = 1)

  private val decimals = Seq("0", "7", "-0", "00", "000000012", "251", "-251", "1234567") ++
    Seq("12345678", "-12345678", "123456789", "123456789012345", "1234567890123456") ++
    Seq("12345678901234567", "-123456789012345678", "1234567890123456789") ++
    Seq(Long.MaxValue.toString, Long.MinValue.toString, "9223372036854775808") ++
    Seq("-9223372036854775809", "9223372036854775799", "9223372036854775800") ++
    Seq("92233720368547758000", "0" * 30 + "5", "9" * 23)

  private val fractions = Seq("0.5", "-0.5", "-0.0", "12.3", "-99.9", "1.25", "1.234", "00.50") ++
    Seq("1234.56", "12345.6", "-1234.5", "-1.2345", "123456.7", "123456.", "1234567.8") ++
    Seq("1234567.1234567", "12345678.5", "1.12345678", "92233720368547758.07") ++
    Seq("92233720368547758.08", "-92233720368547758.08", "0.123456789012345678") ++
    Seq("9.223372036854775807", "9.223372036854775808", "5.", ".5", "-.5", "1.2.3", "-", "--1")

  private val hexadecimals =
    Seq("0", "a", "F", "fB", "1234abcd", "1234abcde", "ffffffffffffffff") ++
      Seq("7FFFFFFFFFFFFFFF", "10000000000000000", "0000000000000000ff", "g", "/0", ":", "`", "@a")

  private val others = Seq("", " ", "+5", "/", ":", "x", "é1", "1é", "\u00b2", "\ufffd")

  private val lines =
    Seq("\n", "\r\n", "a\n", "a\r\n", "\r\r\n", "a\rb\n", "a\r", "é\r\n", "\n\n") ++
      Seq("a line of 20 chars, \n", "x" * 63 + "\n", "x" * 64 + "\r\n", "x" * 70, "ž" * 40 + "\n")

  /** The value, or the error with its text, and the remaining bytes. */
  private def outcome(source: BufferedSource)(read: BufferedSource => Any): (String, String) =
    val result =
      try
        read(source) match
          case bytes: Array[Byte] => bytes.toSeq.toString
          case value              => String.valueOf(value)
      catch case error: (java.io.IOException | RuntimeException) => error.toString
    (result, source.readByteString().hex)

  private def filled(pool: SegmentPool, gap: Int, text: String): Buffer =
    val buffer = Buffer(using pool).write(new Array[Byte](gap)).writeUtf8(text)
    buffer.skip(gap)
    buffer

  /** A buffered source that gets `chunk` bytes at a time. */
  private def inChunks(content: Buffer, chunk: Int)(using SegmentPool): BufferedSource =
    val source = new Source:
      def read(sink: Buffer, byteCount: Long): Long =
        content.read(sink, Math.min(byteCount, chunk.toLong))
      def close(): Unit = ()
    source.buffered

  /** Compares a read of each text at each distance from the segment's end. */
  private def compare(texts: Seq[String])(reads: (String, BufferedSource => Any)*): Unit =
    for text <- texts; gap <- 0 until segmentBytes; (name, read) <- reads do
      val expected = outcome(filled(plain, gap, text))(read)
      for (kind, pool) <- pools do
        val clue = s"$name of \"$text\" after $gap bytes, $kind"
        val buffer = filled(pool, gap, text)
        assertEquals(outcome(buffer)(read), expected, clue)
        buffer.clear()

  private def terminated(texts: Seq[String]): Seq[String] =
    texts.flatMap(text => Seq(text, text + ";", text + "\nabcdefghijklmnopqrstuvwxyz123456"))

  test("decimal numbers are read in place as byte by byte, with the same errors"):
    compare(terminated(decimals ++ others ++ fractions))("a decimal" -> (_.readDecimalLong()))

  test("decimal numbers with a scale are read in place as byte by byte, with the same errors"):
    compare(terminated(fractions ++ decimals ++ others))(
      Seq(0, 1, 2, 7, 11, 12, 18).map(scale =>
        s"scale $scale" -> ((source: BufferedSource) => source.readDecimalLong(scale))
      )*
    )

  test("hexadecimal numbers are read in place as byte by byte, with the same errors"):
    compare(terminated(hexadecimals ++ decimals.take(9) ++ others))(
      "a hexadecimal" -> (_.readHexadecimalUnsignedLong())
    )

  test("lines are read in place as byte by byte, with the same errors"):
    compare(lines ++ lines.map(_ + "next\n"))(
      Seq[(String, BufferedSource => Any)]("a line" -> (_.readUtf8Line())) ++
        Seq(0, 1, 2, 3, 20, 63, 64, 65).map(limit =>
          s"a line within $limit" -> ((source: BufferedSource) => source.readUtf8LineStrict(limit))
        )*
    )

  test("bytes are found, skipped and taken in place as byte by byte"):
    val texts = Seq("", ";", "a;", "0123456;", "01234567;", "x" * 20 + ";;", "x" * 70 + ";x;", "é;")
    compare(texts)(
      Seq[(String, BufferedSource => Any)](
        "a char" -> (_.indexOf(';')),
        "a char of two bytes" -> (_.indexOf('é')),
        "skip(1)" -> (_.skip(1)),
        "skip(20)" -> (_.skip(20)),
        "skip(-1)" -> (_.skip(-1)),
        "readByteArray(2)" -> (_.readByteArray(2)),
        "readByteArray(0)" -> (_.readByteArray(0)),
        "readByteArray(-1)" -> (_.readByteArray(-1)),
        "readUtf8(2)" -> (_.readUtf8(2)),
        "readUtf8(0)" -> (_.readUtf8(0)),
        "readUtf8(-1)" -> (_.readUtf8(-1)),
        "readUtf8(71)" -> (_.readUtf8(71)),
        "request(20)" -> (_.request(20))
      ) ++ (for from <- Seq(0, 1, 7, 21, 70); until <- Seq(0, 1, 8, 22, 71) if from <= until
      yield s"[$from, $until)" -> ((source: BufferedSource) => source.indexOf(';', from, until)))*
    )

  test("numbers and texts are written in place as the JDK formats them"):
    val random = Random(51)
    val values = (Seq(0L, -1, 9, 10, 99_999_999, 100_000_000, -100_000_000) ++
      Seq(9_999_999_999_999_999L, 10_000_000_000_000_000L, Long.MaxValue, Long.MinValue) ++
      Iterator.iterate(1L)(_ * 10).take(19).flatMap(power => Seq(power - 1, power, -power)) ++
      Seq.fill(200)(random.nextLong() >> random.nextInt(64))).distinct
    val texts = Seq("", "8 chars.", "ž", "8 chars\u0080", "x" * 64, "x" * 65, "x" * 63 + "\u20ac")
    for gap <- 0 until segmentBytes; (kind, pool) <- pools do
      def written(write: Buffer => Buffer): String =
        val buffer = Buffer(using pool).write(new Array[Byte](gap))
        val result = write(buffer).writeByte('!').readUtf8()
        result.drop(gap)
      for value <- values do
        assertEquals(written(_.writeDecimalLong(value)), s"$value!", s"$kind, $gap")
        val hex = java.lang.Long.toHexString(value)
        assertEquals(written(_.writeHexadecimalUnsignedLong(value)), s"$hex!", s"$kind, $gap")
      for text <- texts do assertEquals(written(_.writeUtf8(text)), text + "!", s"$kind, $gap")

  test("numbers in a row are read from buffers and in chunks, as they were written"):
    val random = Random(3)
    val values = Seq.fill(3000)(random.nextLong() >> random.nextInt(64))
    for (kind, pool) <- pools :+ ("the default" -> SegmentPool.default); chunk <- Seq(1, 13, 9000)
    do
      given SegmentPool = pool
      val content = Buffer()
      for value <- values do
        content.writeDecimalLong(value).writeByte(';').writeHexadecimalUnsignedLong(value)
        content.writeUtf8(";-0.5\n")
      val sources = Seq(content.copy(), inChunks(content, chunk))
      for source <- sources do
        for value <- values do
          assertEquals(source.readDecimalLong(), value, kind)
          source.skip(1)
          assertEquals(source.indexOf(';'), java.lang.Long.toHexString(value).nn.length.toLong)
          assertEquals(source.readHexadecimalUnsignedLong(), value, kind)
          source.skip(1)
          assertEquals(source.readDecimalLong(1), -5L)
          assertEquals(source.readUtf8Line(), "")
        assert(source.exhausted)

  test("a copy does not read digits that are appended to the shared segment behind its end"):
    val pool = SegmentPool.none(segmentBytes = 4096)
    for text <- Seq("25", "12345678", "1234567812345678") do
      val buffer = filled(pool, 2000, "x" * 1500 + text)
      val copy = buffer.copy()
      buffer.writeUtf8("99999999999;")
      for source <- Seq(copy, copy.copy()) do
        source.skip(1500)
        assertEquals(source.readDecimalLong(), text.toLong)
        assertEquals(source.size, 0L)
      buffer.writeDecimalLong(1)
      assertEquals(buffer.readUtf8().drop(1500), text + "99999999999;1")

  test("a scale outside of [0, 18] is rejected"):
    for scale <- Seq(-1, 19) do
      val buffer = Buffer().writeUtf8("1.5;")
      val error = intercept[IllegalArgumentException](buffer.readDecimalLong(scale))
      assertEquals(error.getMessage, s"scale must be in [0, 18], but is $scale")
      assertEquals(buffer.size, 4L)

  test("a closed source rejects reads that are otherwise made in place"):
    val source = inChunks(Buffer().writeUtf8("251;12\n"), 100)(using SegmentPool.default)
    assertEquals(source.readDecimalLong(), 251L)
    source.close()
    for read <- Seq[BufferedSource => Any](
        _.readDecimalLong(),
        _.readDecimalLong(1),
        _.readHexadecimalUnsignedLong(),
        _.readUtf8Line(),
        _.readUtf8(1),
        _.readByteArray(1),
        _.skip(1),
        _.request(1),
        _.indexOf(';')
      )
    do intercept[ClosedException](read(source)): Unit

  test("a buffer that native code reads rejects reads and writes that are otherwise made in place"):
    val buffer = Buffer().writeUtf8("251;12\n" * 100)
    buffer.withIovecs: _ =>
      for use <- Seq[Buffer => Any](
          _.readDecimalLong(),
          _.readDecimalLong(1),
          _.readHexadecimalUnsignedLong(),
          _.readUtf8Line(),
          _.readUtf8(1),
          _.readByteArray(1),
          _.skip(1),
          _.request(1),
          _.indexOf(';'),
          _.writeDecimalLong(1),
          _.writeHexadecimalUnsignedLong(1),
          _.writeUtf8("a")
        )
      do intercept[IllegalStateException](use(buffer)): Unit
    assertEquals(buffer.readDecimalLong(), 251L)
end InPlaceTest
