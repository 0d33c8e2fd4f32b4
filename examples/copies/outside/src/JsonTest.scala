package outside.bufferjson

import bufferjson.*
import com.github.plokhotnyuk.jsoniter_scala.core.*
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker
import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.nio.channels.FileChannel
import java.nio.file.{Files, StandardOpenOption}
import undercroft.buffer.*
import undercroft.memory.{Budget, MemoryLimitException}
import undercroft.testkit.Allocation

final case class Order(id: Long, item: String, price: Double, tags: List[String])

/** JSON of derived codecs through buffers, sources and sinks. */
class JsonTest extends undercroft.tools.Suite:
  private given JsonValueCodec[Order] = JsonCodecMaker.make
  private given orders: JsonValueCodec[Vector[Order]] = JsonCodecMaker.make
  private given strings: JsonValueCodec[String] = JsonCodecMaker.make
  private given doubles: JsonValueCodec[List[Double]] = JsonCodecMaker.make

  private def order(i: Int): Order =
    Order(i, s"item ${"é" * (i % 50)}\n", i * 0.5, List.tabulate(i % 4)(_.toString))
  private def many(count: Int): Vector[Order] = Vector.tabulate(count)(order)

  /** A source that yields at most `step` bytes at a time, and cannot be read again. */
  private final class Steps(bytes: Array[Byte], step: Int) extends Source:
    private val input = ByteArrayInputStream(bytes)
    def read(sink: Buffer, byteCount: Long): Long =
      val piece = input.readNBytes(Math.min(step, byteCount).toInt)
      if piece.isEmpty then -1
      else
        sink.write(piece)
        piece.length
    def close(): Unit = ()

  for
    memory <- SegmentMemory.values.toSeq
    count <- Seq(0, 1, 100, 20_000)
  do
    test(s"$count orders are equal after their way through a buffer in $memory memory"):
      given pool: SegmentPool = SegmentPool.synchronizedPool(debug = true, memory = memory)
      val values = many(count)
      val buffer = Buffer().writeByte(7).writeJson(values).writeByte(8)
      assertEquals(buffer.readByte(), 7.toByte)
      val json = new Array[Byte]((buffer.size - 1).toInt)
      buffer.copyTo(0, json)
      assert(java.util.Arrays.equals(json, writeToArray(values)))
      assertEquals(buffer.readJsonFrame[Vector[Order]](buffer.size - 1), values)
      assertEquals(buffer.readByte(), 8.toByte)
      pool.assertNoLeaks()

  test("a source of any step is parsed to its end"):
    val values = many(2000)
    for step <- Seq(1, 7, 8192, 1_000_000) do
      val source = Steps(writeToArray(values), step).buffered
      assertEquals(source.readJson[Vector[Order]](), values)
      assert(source.exhausted)

  test("a sink gets the same bytes as an array"):
    val values = many(20_000)
    val stream = ByteArrayOutputStream()
    val sink = stream.sink().buffered
    sink.writeJson(values).writeUtf8("\n").flush()
    assertEquals(
      ByteString(stream.toByteArray),
      ByteString(writeToArray(values)) ++ ByteString.utf8("\n")
    )

  test("frames of JSON are read one by one, and a malformed frame can be skipped"):
    val buffer = Buffer()
    val frames =
      Seq("""{"id":1,"item":"a","price":1.5,"tags":[]}""", """{"id":}""", """ {"id":3} """)
    for frame <- frames do buffer.writeInt(frame.length).writeUtf8(frame)
    val source = (buffer: Source).buffered
    assertEquals(source.readJsonFrame[Order](source.readInt()), Order(1, "a", 1.5, Nil))
    val length = source.readInt()
    val error = intercept[JsonReaderException](source.readJsonFrame[Order](length))
    assert(error.getMessage.startsWith("illegal number, offset: 0x00000006"), error.getMessage)
    assertEquals(source.peek().readUtf8(length), frames(1))
    source.skip(length)
    intercept[JsonReaderException](source.readJsonFrame[Order](source.readInt())): Unit

  test("a frame with two values, an empty frame and a cut-off frame consume nothing"):
    val buffer = Buffer().writeUtf8("1.5 2.5")
    given JsonValueCodec[Double] = JsonCodecMaker.make
    val two = intercept[JsonReaderException](buffer.readJson[Double]())
    assert(two.getMessage.startsWith("expected end of input"), two.getMessage)
    val none = intercept[JsonReaderException](buffer.readJsonFrame[Double](0))
    assert(none.getMessage.startsWith("unexpected end of input"), none.getMessage)
    val cut = intercept[EndOfInputException](buffer.readJsonFrame[Double](8))
    assertEquals(cut.available, 7L)
    intercept[IllegalArgumentException](buffer.readJsonFrame[Double](-1)): Unit
    assertEquals(buffer.readJsonFrame[Double](3), 1.5)
    assertEquals(buffer.readUtf8(), " 2.5")

  test("a cut-off value does not see the bytes after its frame"):
    val buffer = Buffer().writeUtf8("[1,2,3,4,5]")
    intercept[JsonReaderException](buffer.readJsonFrame[List[Double]](8)): Unit
    assertEquals(buffer.readUtf8(), "[1,2,3,4,5]")

  test("a codec that fails leaves a buffer unchanged, also after more than a segment"):
    val buffer = Buffer().writeUtf8("kept")
    val numbers = List.fill(100_000)(0.5) :+ Double.NaN
    val error = intercept[JsonWriterException](buffer.writeJson(numbers))
    assertEquals(error.getMessage, "illegal number: NaN")
    assertEquals(buffer.readUtf8(), "kept")

  test("a sink that fails while a value is written throws its own error"):
    val failing = new Sink:
      def write(source: Buffer, byteCount: Long): Unit = throw IOException("the disk is full")
      def flush(): Unit = ()
      def close(): Unit = ()
    val error = intercept[IOException](failing.buffered.writeJson(many(10_000)))
    assertEquals(error.getMessage, "the disk is full")

  test("a pool's budget that a value exceeds leaves the buffer unchanged"):
    given SegmentPool = SegmentPool.lockFree(budget = Some(Budget("request", 50_000)))
    val buffer = Buffer().writeUtf8("kept")
    intercept[MemoryLimitException](buffer.writeJson(many(20_000))): Unit
    assertEquals(buffer.readUtf8(), "kept")

  test("an error's text has no bytes of a value that the same thread parsed before"):
    val secret = "s3cr3t-" * 200
    assertEquals(Buffer().writeJson(secret).readJson[String](), secret)
    val error = intercept[JsonReaderException](Buffer().writeUtf8("[1,x]").readJson[List[Double]]())
    assert(!error.getMessage.contains("s3cr3t"), error.getMessage)

  test("JSON lines are read on demand, and blank lines are skipped"):
    val text = "\n{\"id\":1,\"item\":\"a\",\"price\":1,\"tags\":[]}\r\n\n \t\n" +
      "{\"id\":2,\"item\":\"b\",\"price\":2,\"tags\":[\"x\"]}"
    for step <- Seq(1, 1000) do
      val lines = Steps(text.getBytes, step).buffered.jsonLines[Order]()
      assertEquals(lines.toList.map(_.id), List(1L, 2L))
      val error = intercept[NoSuchElementException](lines.next())
      assertEquals(error.getMessage, "the source has no more lines of JSON")

  test("a malformed line is consumed, and the iterator continues with the next line"):
    val lines = Buffer().writeUtf8("[1]\n[2\n[3]\n").jsonLines[List[Double]]()
    assertEquals(lines.next(), List(1.0))
    intercept[JsonReaderException](lines.next()): Unit
    assertEquals(lines.next(), List(3.0))
    assert(!lines.hasNext)

  test("a line is read without memory of the pool, and a line that fails is skipped"):
    given JsonValueCodec[Long] = JsonCodecMaker.make
    given SegmentPool = SegmentPool.lockFree(budget = Some(Budget("lines", 2 * 8192)))
    val blanks = " " * 8500
    for first <- Seq("7", "x"); text <- Seq(s"$first$blanks\n8\n", s"$first\n${blanks}8\n") do
      val buffer = Buffer().writeUtf8(text) // both segments
      val lines = buffer.jsonLines[Long]()
      if first == "7" then assertEquals(lines.next(), 7L)
      else intercept[JsonReaderException](lines.next()): Unit
      assertEquals(lines.next(), 8L)
      assert(!lines.hasNext)
      buffer.clear()

  /** A file to which another program appends. */
  private def growing(use: (String => Unit, BufferedSource) => Unit): Unit =
    val file = Files.createTempFile("app", ".log")
    val source = FileChannel.open(file).source().buffered
    try use(text => Files.writeString(file, text, StandardOpenOption.APPEND): Unit, source)
    finally
      source.close()
      Files.delete(file)

  test("the half of a line at the end of a growing file is read when it is complete"):
    growing: (append, source) =>
      val lines = source.jsonLines[String]()
      append("\"first\"\n\"sec")
      assertEquals(lines.next(), "first")
      intercept[JsonReaderException](lines.next()): Unit
      assert(!lines.hasNext)
      append("o")
      intercept[JsonReaderException](lines.next()): Unit
      append("nd\"\n\"third\"\n[1\n\"last\"\n")
      assertEquals(List.fill(2)(lines.next()), List("second", "third"))
      intercept[JsonReaderException](lines.next()): Unit // a whole line, which is malformed
      assertEquals(lines.next(), "last")
      assert(!lines.hasNext)

  test("only a line feed ends a line of a source that is growing"):
    given JsonValueCodec[Long] = JsonCodecMaker.make
    growing: (append, source) =>
      val lines = source.jsonLines[Long](isGrowing = true)
      for (text, values) <-
          Seq("1\n2" -> List(1L), "3" -> Nil, "4\n\n" -> List(234L), "5\n" -> List(5L))
      do
        append(text)
        assertEquals(lines.toList, values)
      append("6")
      intercept[NoSuchElementException](lines.next()): Unit
      assertEquals(source.readUtf8(), "6")

  test("an iteration over lines of which the last is malformed ends"):
    val lines = Buffer().writeUtf8("[1]\n[2").jsonLines[List[Double]]()
    var (values, errors) = (0, 0)
    while lines.hasNext do
      try values += lines.next().size
      catch case _: JsonReaderException => errors += 1
    assertEquals((values, errors), (1, 1))

  test("a byte order mark before JSON is skipped, and an incomplete one is an error"):
    assertEquals(Buffer().writeUtf8("\ufeff\"a\"\n").jsonLines[String]().toList, List("a"))
    assertEquals(Buffer().writeUtf8("\ufeff\"a\"").readJson[String](), "a")
    assertEquals(
      Steps("\ufeff[1]".getBytes("UTF-8"), 1).buffered.readJson[List[Double]](),
      List(1.0)
    )
    val half = Buffer().write(Array[Byte](-17, -69)).writeUtf8("[1]\n")
    intercept[JsonReaderException](half.jsonLines[List[Double]]().next()): Unit

  test("a line beyond its limit throws, and the source reads no further"):
    var supplied = 0L
    val endless = new Source:
      def read(sink: Buffer, byteCount: Long): Long =
        sink.write(Array.fill[Byte](byteCount.toInt)('1'))
        supplied += byteCount
        byteCount
      def close(): Unit = ()
    val source = endless.buffered
    val error = intercept[TooLargeException](source.jsonLines[List[Double]](100_000).next())
    assertEquals(error.getMessage, "100001 bytes exceed the 100000 bytes of a line of JSON")
    assert(supplied < 200_000, s"$supplied bytes were read")
    assertEquals(source.readByte(), '1'.toByte)
    val limit = intercept[IllegalArgumentException](source.jsonLines[List[Double]](0))
    assertEquals(limit.getMessage, "maxLineBytes must be at least 1, but is 0")
    val exact = Buffer().writeUtf8("[1,2]\n[3]").jsonLines[List[Double]](5)
    assertEquals(exact.toList, List(List(1.0, 2.0), List(3.0)))

  test("a line may have any number of bytes if its limit is the largest Long"):
    for limit <- Seq(Long.MaxValue, Long.MaxValue - 1); step <- Seq(1, 1000) do
      val lines = Steps("[1]\n[2,3]\r\n\n[4]".getBytes, step).buffered
      assertEquals(
        lines.jsonLines[List[Double]](limit).toList,
        List(List(1.0), List(2.0, 3.0), List(4.0))
      )

  test("writing and reading 1 MB of JSON allocates no array of the message"):
    // a codec that keeps nothing: the allocation is that of the bridge
    final class Numbers(count: Int) extends JsonValueCodec[Long]:
      def decodeValue(in: JsonReader, default: Long): Long =
        var sum = 0L
        if !in.isNextToken('[') then in.decodeError("expected [")
        var isMore = true
        while isMore do
          sum += in.readLong()
          isMore = in.isNextToken(',')
        sum
      def encodeValue(value: Long, out: JsonWriter): Unit =
        out.writeArrayStart()
        var i = 0
        while i < count do
          out.writeVal(value)
          i += 1
        out.writeArrayEnd()
      def nullValue: Long = 0
    given JsonValueCodec[Long] = Numbers(100_000)
    given SegmentPool = SegmentPool.synchronizedPool(idleLimitBytes = 4L << 20)
    val buffer = Buffer()
    def exchange(): Unit =
      buffer.writeJson(1_000_000_000L)
      assert(buffer.size > 1_000_000)
      assertEquals(buffer.readJson[Long](), 100_000_000_000_000L)
    exchange() // fills the pool
    assert(Allocation.least(() => exchange()) < 10_000, Allocation.least(() => exchange()))
    // the canary: an array of the message
    assert(Allocation.least(() => writeToArray(1_000_000_000L)) > 1_000_000)
end JsonTest
