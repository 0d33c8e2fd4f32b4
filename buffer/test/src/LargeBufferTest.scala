package undercroft.buffer

/** A buffer of more than 4 GiB, made of copies of itself: every operation is right there. */
class LargeBufferTest extends munit.FunSuite:
  /** For a machine that is busy with other things. */
  override val munitTimeout = scala.concurrent.duration.Duration(10, "min")

  private val block = Array.tabulate(1 << 20)(i => (i * 31 + (i >> 8)).toByte)
  private val size = (4096L << 20) + 3

  private def at(offset: Long): Byte = block((offset & (block.length - 1)).toInt)

  private def large(): Buffer =
    val buffer = Buffer().write(block)
    for _ <- 1 to 12 do buffer.copyTo(buffer)
    buffer.write(Array[Byte](101, 102, 103))

  private val places =
    Seq(0L, 1L << 20, Int.MaxValue - 1L, Int.MaxValue + 1L, 0xffffffffL, (1L << 32) - 1)

  test("size, random access and search"):
    val buffer = large()
    assertEquals(buffer.size, size)
    for place <- places do assertEquals(buffer(place), at(place), s"at $place")
    assertEquals(buffer(size - 1), 103.toByte)
    val last = ByteString.of(101, 102, 103)
    assertEquals(buffer.indexOf(last, 4000L << 20), size - 3)
    assertEquals(buffer.indexOf(103.toByte, size - 1), size - 1)
    assertEquals(buffer.indexOf(at(5L + (3L << 30)), (3L << 30) + 5), (3L << 30) + 5)
    assert(buffer.rangeEquals(size - 3, last))
    assertEquals(buffer.indexOfElement(last, size - 2), size - 2)
    buffer.clear()

  test("equality, hash and mismatch"):
    val (buffer, other) = (large(), large())
    assert(buffer == other)
    assertEquals(buffer.hashCode, other.hashCode)
    other.writeByte(1): Unit
    assertEquals(buffer.mismatch(other), size)
    buffer.writeByte(2): Unit
    assertEquals(buffer.mismatch(other), size)
    assert(buffer != other)

  test("moving, copying, skipping and peeking"):
    val buffer = large()
    val other = Buffer()
    buffer.copyTo(other, (3L << 30) + 7, (1L << 30) - 10)
    assertEquals(other.size, (1L << 30) - 10)
    for place <- places if place < other.size do assertEquals(other(place), at(place + 7))
    other.clear()
    other.write(buffer, (3L << 30) + 5)
    assertEquals(other.size, (3L << 30) + 5)
    assertEquals(buffer.size, size - (3L << 30) - 5)
    assertEquals(buffer(0), at(5))
    assertEquals(other(other.size - 1), at(4))
    buffer.write(other, other.size)
    assertEquals(buffer.size, size)
    assertEquals(buffer.read(other, Long.MaxValue), size)
    val peek = other.peek()
    peek.skip((3L << 30) + 1)
    assertEquals(peek.readByte(), other((3L << 30) + 1))
    val position = other.position
    other.skip(Int.MaxValue + 10L)
    assertEquals(other.position - position, Int.MaxValue + 10L)
    val counted = Counted()
    assertEquals(other.readAll(counted.sink()), size - Int.MaxValue - 10)
    assertEquals(counted.written, size - Int.MaxValue - 10)

  test("what does not fit an array is refused, and nothing is consumed"):
    val buffer = large()
    for read <- Seq[Buffer => Any](
        _.readByteArray(),
        _.readByteString(),
        _.readUtf8(),
        _.snapshot(),
        _.readByteArray(3L << 30)
      )
    do
      val e = intercept[TooLargeException](read(buffer))
      assert(e.getMessage.contains(s"exceed the ${Int.MaxValue - 8} bytes"), e.getMessage)
    assertEquals(buffer.size, size)
    assert(buffer.toString.startsWith(s"[size=$size hex="))
end LargeBufferTest
