package outside.buffer

import undercroft.buffer.*

class ByteStringTest extends undercroft.tools.Suite:
  private def naive(bytes: Array[Byte], sought: Array[Byte], from: Int): Int =
    var at = Math.min(from, bytes.length - sought.length)
    while at >= 0 && !bytes.startsWith(sought, at) do at -= 1
    Math.max(at, -1)

  test("lastIndexOf returns -1 for a longer or absent string and for a negative start"):
    val text = ByteString.utf8("abc")
    assertEquals(ByteString.utf8("a").lastIndexOf(ByteString.utf8("abcde")), -1)
    assertEquals(text.lastIndexOf(ByteString.utf8("b"), -7), -1)
    assertEquals(text.lastIndexOf(ByteString.utf8("zz")), -1)
    assertEquals(text.lastIndexOf(ByteString.empty), 3)
    assertEquals(text.lastIndexOf(ByteString.empty, -1), -1)

  test("lastIndexOf agrees with a naive search, in copied and in shared byte strings"):
    val seed = 7L
    val random = scala.util.Random(seed)
    for round <- 0 until 300 do
      val bytes = Array.fill(random.nextInt(200))((random.nextInt(3) + 'a').toByte)
      val sought = Array.fill(random.nextInt(4))((random.nextInt(3) + 'a').toByte)
      val from = random.nextInt(220) - 10
      assertEquals(
        ByteString(bytes).lastIndexOf(ByteString(sought), from),
        naive(bytes, sought, from),
        s"seed $seed, round $round"
      )
    val large = new Array[Byte](200_000)
    large(70_001) = 7
    val shared = Buffer().write(large).snapshot()
    assertEquals(shared.lastIndexOf(ByteString.of(7)), 70_001)
    assertEquals(shared.lastIndexOf(ByteString.of(7, 7)), -1)
    assertEquals(shared.hashCode, ByteString(large).hashCode)
    assertEquals(shared.hashCode, shared.hashCode)

  test("base64 ignores blanks and line breaks, and rejects other characters"):
    val bytes = Some(ByteString.utf8("hello"))
    for text <- List("aGVsbG8=", "aGVs bG8=", "aGVs\r\nbG8=\n", "\taGVsbG8") do
      assertEquals(ByteString.base64(text), bytes, text)
    for text <- List("aGVs!bG8=", "a", "aGVsbG8=x") do
      assertEquals(ByteString.base64(text), None, text)

  test("a negative count is an IllegalArgumentException with the range and the value"):
    val buffer = Buffer().writeUtf8("hello")
    val uses = List[(() => Unit, String)](
      (() => buffer.snapshot(-1): Unit) -> "byteCount must be at least 0, but is -1",
      (() => buffer.copyTo(Buffer(), 0, -1): Unit) -> "byteCount must be at least 0, but is -1",
      (() => ByteOutput(-1): Unit) -> "maxBytes must be at least 0, but is -1",
      (() => Throttler(-1): Unit) -> "bytesPerSecond must be at least 0, but is -1"
    )
    for (use, text) <- uses do
      assertEquals(intercept[IllegalArgumentException](use()).getMessage, text)
    assertEquals(buffer.readUtf8(), "hello")

  test("toString shows text if the bytes are text, and hexadecimal digits otherwise"):
    def shown(bytes: Array[Byte]): String = ByteString(bytes).toString
    assertEquals(ByteString.empty.toString, "[text=]")
    assertEquals(ByteString.utf8("5 €, \uD83D\uDE00").toString, "[text=5 €, \uD83D\uDE00]")
    assertEquals(ByteString.utf8("a\r\n\tb\\").toString, "[text=a\\r\\n\\tb\\\\]")
    assertEquals(ByteString.utf8("a\u0000").toString, "[hex=6100]")
    assertEquals(ByteString.utf8("\u009b1m").toString, "[hex=c29b316d]")
    assertEquals(shown("€".getBytes.take(2)), "[hex=e282]")
    assertEquals(shown(Array[Byte](-1)), "[hex=ff]")
    assertEquals(ByteString.utf8("a" * 64).toString, s"[text=${"a" * 64}]")
    assertEquals(ByteString.utf8("a" * 65).toString, s"[size=65 text=${"a" * 64}…]")
    // The cut may be inside a character, which is left out.
    assertEquals(ByteString.utf8("a" + "€" * 30).toString, s"[size=91 text=a${"€" * 21}…]")
    assertEquals(ByteString.utf8("ab" + "€" * 30).toString, s"[size=92 text=ab${"€" * 20}…]")
    assertEquals(shown(new Array[Byte](65)), s"[size=65 hex=${"00" * 64}…]")

  test("++ joins copied and shared byte strings"):
    val large = ByteString(Array.tabulate(100_000)(i => (i * 7).toByte))
    val shared = Buffer().write(large.toByteArray).snapshot()
    val strings = List(ByteString.empty, ByteString.of(1, 2), large, shared)
    for a <- strings; b <- strings do
      val joined = a ++ b
      assertEquals(joined, ByteString(a.toByteArray ++ b.toByteArray))
      assertEquals(joined.hashCode, ByteString(a.toByteArray ++ b.toByteArray).hashCode)
    assertEquals(large ++ ByteString.empty, large)
    assertEquals(ByteString.empty ++ shared, shared)

  test("base64Mime has lines of at most 76 characters and is decoded again"):
    for size <- List(0, 1, 57, 58, 1000) do
      val bytes = ByteString(Array.tabulate(size)(_.toByte))
      val text = bytes.base64Mime
      assert(text.split("\r\n").forall(_.length <= 76), text)
      assertEquals(text.replace("\r\n", ""), bytes.base64)
      assertEquals(ByteString.base64(text), Some(bytes))

  test("writing a range that a byte string does not have is an error with the range and the size"):
    val (bytes, buffer) = (ByteString.utf8("abcd"), Buffer())
    for (from, count) <- List(1 -> Int.MaxValue, 1 -> 4, -1 -> 2, 0 -> -1, 5 -> 0) do
      val error = intercept[IndexOutOfBoundsException](buffer.write(bytes, from, count))
      val expected = s"Range [$from, $from + $count) out of bounds for length 4"
      assertEquals(error.getMessage, expected)
    assert(buffer.isEmpty)
end ByteStringTest
