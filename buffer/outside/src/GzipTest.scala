package outside.buffer

import java.io.{ByteArrayOutputStream, EOFException, IOException}
import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.{CRC32, Deflater, GZIPOutputStream, Inflater, ZipException}
import undercroft.buffer.*

class GzipTest extends undercroft.tools.Suite:
  private def member(text: String): Array[Byte] =
    val bytes = ByteArrayOutputStream()
    val stream = GZIPOutputStream(bytes)
    stream.write(text.getBytes)
    stream.close()
    bytes.toByteArray

  /** A member with every optional part of the header. */
  private def decorated(text: String): Array[Byte] =
    val plain = member(text)
    val header = Array[Byte](0x1f, 0x8b.toByte, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3) ++
      Array[Byte](5, 0) ++ "extra".getBytes ++ "name".getBytes ++ Array[Byte](0) ++
      "comment".getBytes ++ Array[Byte](0)
    val checksum = CRC32()
    checksum.update(header)
    val value = checksum.getValue.toInt
    header ++ Array(value.toByte, (value >> 8).toByte) ++ plain.drop(10)

  /** A source that returns one array per read, as a network does. */
  private def pieces(chunks: Array[Byte]*): Source = new Source:
    private val rest = chunks.iterator
    def read(sink: Buffer, byteCount: Long): Long =
      if !rest.hasNext then -1
      else
        val bytes = rest.next()
        sink.write(bytes)
        bytes.length
    def close(): Unit = ()

  /** The same, but every second read fails, as if a network were late. */
  private def failing(chunks: Array[Byte]*): Source = new Source:
    private val source = pieces(chunks*)
    private var isReady = true
    def read(sink: Buffer, byteCount: Long): Long =
      isReady = !isReady
      if isReady then source.read(sink, byteCount) else throw IOException("late")
    def close(): Unit = ()

  private def text(chunks: Array[Byte]*): String =
    Compression.gunzip(pieces(chunks*)).buffered.readUtf8()

  private val first = member("first ")
  private val second = member("second")
  private def changed(at: Int, value: Int): Array[Byte] =
    val copy = second.clone()
    copy(at) = value.toByte
    copy

  test("gunzip reads all members of a gzip stream, however the bytes are split into reads"):
    assertEquals(text(first ++ second), "first second")
    assertEquals(text(first, second), "first second")
    assertEquals(text((first ++ second).map(Array(_)).toSeq*), "first second")
    assertEquals(text(decorated("first "), decorated("second")), "first second")

  test("gunzip of a member truncated at any byte throws EOFException"):
    for size <- 1 until second.length do
      intercept[EOFException](text(first ++ second.take(size))): Unit
      intercept[EOFException](text(first, second.take(size))): Unit
    for size <- 0 until first.length do intercept[EOFException](text(first.take(size))): Unit

  test("gunzip of a member with a flipped bit throws IOException or returns the correct bytes"):
    for at <- second.indices; bit <- 0 until 8 do
      val corrupt = changed(at, second(at) ^ (1 << bit))
      // gzip checks neither the time, the level and the system, nor flags that change the header's
      // format.
      val isChecked = at < 4 || at > 9
      try
        assertEquals(text(first ++ corrupt), "first second", s"byte $at, bit $bit")
        val isIgnored = at == 3 || at == second.length - 9 // a flag; the bits after the last block
        assert(!isChecked || isIgnored, s"byte $at, bit $bit")
      catch case _: IOException => assert(isChecked, s"byte $at, bit $bit")

  test("gunzip errors name the member and the values"):
    def error(corrupt: Array[Byte]) = intercept[ZipException](text(first ++ corrupt)).getMessage
    assertEquals(
      error(changed(0, 0x1e)),
      "gzip member 2 is corrupt: its first two bytes are 0x8b1e, but must be 0x8b1f"
    )
    assertEquals(
      error(changed(2, 7)),
      "gzip member 2 is corrupt: its compression method must be 8, but is 7"
    )
    assert(error(changed(second.length - 5, 1)).contains("its checksum is 0x"))
    assert(error(changed(second.length - 1, 1)).contains("its size modulo 2^32 is 0x1000006"))

  test("gunzip throws an error of the format again at every later read"):
    val damaged = Seq(0 -> 0x1e, 2 -> 7, 3 -> 0x80, second.length - 5 -> 1, second.length - 1 -> 1)
    val inputs = damaged.map((at, value) => changed(at, value)) ++
      Seq(1, 5, 12, second.length - 8, second.length - 3).map(size => second.take(size)) :+
      "garbage".getBytes :+ Array[Byte](0, 0, 1)
    for (input, i) <- inputs.zipWithIndex do
      val source = Compression.gunzip(pieces(first ++ input))
      val sink = Buffer()
      def drain(): Unit = while source.read(sink, 100) >= 0 do ()
      val errors = List.fill(3)(intercept[IOException](drain()).getClass.getName)
      assertEquals(errors.distinct.size, 1, s"input $i: $errors")

  test("gunzip continues after an error of its input, wherever that occurs"):
    val input = decorated("first ") ++ decorated("second") ++ new Array[Byte](3)
    val source = Compression.gunzip(failing(input.map(Array(_)).toSeq*))
    val result = Buffer()
    var (errors, isEnd) = (0, false)
    while !isEnd && errors <= 2 * input.length do
      try isEnd = source.read(result, 100) < 0
      catch case error: IOException if error.getMessage == "late" => errors += 1
    assertEquals(result.readUtf8(), "first second")
    assert(isEnd && errors > input.length, s"$errors errors")

  test("gunzip rejects bytes after the last member, except zero padding"):
    intercept[ZipException](text(first ++ "garbage".getBytes)): Unit
    intercept[ZipException](text(first ++ Array[Byte](0, 0, 1))): Unit
    assertEquals(text(first ++ new Array[Byte](512)), "first ")

  test("creating a gunzip source reads nothing, and closing it closes the input and leaks nothing"):
    val closed = AtomicInteger()
    given pool: SegmentPool = SegmentPool.lockFree(debug = true)
    val broken = new Source:
      private val bytes = Buffer(using SegmentPool.none()).writeUtf8("no gzip at all")
      def read(sink: Buffer, byteCount: Long): Long = bytes.read(sink, byteCount)
      def close(): Unit = closed.incrementAndGet(): Unit
    val source = Compression.gunzip(broken)
    intercept[ZipException](source.read(Buffer(using SegmentPool.none()), 1): Unit): Unit
    source.close()
    source.close()
    assertEquals(closed.get, 1)
    pool.assertNoLeaks()
    val _ = Compression.gunzip(Pipe(100).source) // over an empty pipe: it must not wait

  test("gunzip restores random bytes that gzip compressed"):
    val seed = 20260101L
    val random = scala.util.Random(seed)
    for round <- 0 until 40 do
      val bytes = random.nextBytes(random.nextInt(100_000)).map(byte => (byte & 15).toByte)
      val packed = Buffer()
      val sink = Compression.gzip(packed)
      sink.write(Buffer().write(bytes), bytes.length)
      sink.close()
      val unpacked = Compression.gunzip(packed).buffered.readByteArray()
      assert(java.util.Arrays.equals(unpacked, bytes), s"seed $seed, round $round")

  private val dictionary = ByteString.utf8("the price of the offer is ")
  private val words = "the price of the offer is 251, the price of the offer is 252"

  private def deflated(raw: Boolean): Buffer =
    val packed = Buffer()
    Compression.deflate(
      packed,
      raw = raw,
      dictionary = dictionary
    ).buffered.writeUtf8(words).close()
    packed

  for raw <- List(false, true) do
    test(
      s"deflate with a dictionary is shorter, and inflate restores it in any pieces (raw: $raw)"
    ):
      val packed = deflated(raw).readByteArray()
      val plain = Buffer()
      Compression.deflate(plain, raw = raw).buffered.writeUtf8(words).close()
      assert(packed.length < plain.size, s"${packed.length} of ${plain.size}")
      for size <- List(1, 2, 5, packed.length) do
        val source = pieces(packed.grouped(size).toSeq*)
        val restored = Compression.inflate(source, raw, dictionary).buffered
        assertEquals(restored.readUtf8(), words)
        restored.close()

  test("zlib data that needs a dictionary, or another one, is a ZipException, not the data's end"):
    val none =
      intercept[ZipException](Compression.inflate(deflated(raw = false)).buffered.readUtf8())
    assert(none.getMessage.startsWith("the data needs a dictionary, whose Adler-32 is "), none)
    val other = ByteString.utf8("another dictionary")
    val wrong = intercept[ZipException]:
      Compression.inflate(deflated(raw = false), dictionary = other).buffered.readUtf8()
    assert(wrong.getMessage.startsWith("the data needs another dictionary, "), wrong)
    val unused = Buffer()
    Compression.deflate(unused).buffered.writeUtf8(words).close()
    assertEquals(Compression.inflate(unused, dictionary = dictionary).buffered.readUtf8(), words)

  test("gzip and deflate take a level, and reject others with the value"):
    val text = words * 300
    val sizes =
      for level <- List(0, 1, 9) yield
        val packed = Buffer()
        Compression.gzip(packed, level).buffered.writeUtf8(text).close()
        val size = packed.size
        assertEquals(Compression.gunzip(packed).buffered.readUtf8(), text)
        size
    assert(
      sizes(0) > text.length && sizes(1) < text.length / 10 && sizes(2) <= sizes(1),
      sizes.toString
    )
    for level <- List(-2, 10, Int.MinValue) do
      for use <-
          List(() => Compression.gzip(Buffer(), level), () => Compression.deflate(Buffer(), level))
      do
        val error = intercept[IllegalArgumentException](use(): Unit)
        assertEquals(error.getMessage, s"the compression level must be from -1 to 9; it is $level")

  test("a Deflater and an Inflater of the caller are used, and not ended"):
    val (deflater, inflater) = (Deflater(9, true), Inflater(true))
    deflater.setStrategy(Deflater.HUFFMAN_ONLY)
    for round <- 1 to 3 do
      val packed = Buffer()
      Compression.deflate(packed, deflater).buffered.writeUtf8(words).close()
      assertEquals(deflater.getTotalIn, words.length)
      val source = Compression.inflate(packed, inflater).buffered
      assertEquals(source.readUtf8(), words, s"round $round")
      source.close()
      deflater.reset()
      inflater.reset()
    deflater.end()
    inflater.end()
end GzipTest
