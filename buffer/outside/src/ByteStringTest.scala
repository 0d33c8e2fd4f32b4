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
end ByteStringTest
