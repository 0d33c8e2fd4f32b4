package undercroft.struct

import internal.bytes.Utf8Check
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}
import scala.util.Random

/** The check of UTF-8, compared with the JDK's decoder. */
class Utf8CheckTest extends undercroft.tools.Suite:
  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)

  private def expected(bytes: Array[Byte]): String =
    val isText =
      try
        val _ = StandardCharsets.UTF_8.newDecoder.nn.decode(ByteBuffer.wrap(bytes))
        true
      catch case _: CharacterCodingException => false
    if !isText then "is not UTF-8" else if bytes.contains(0.toByte) then "contains a NUL" else ""

  private def check(bytes: Array[Byte], clue: => String): String =
    val padded = new Array[Byte](3) ++ bytes ++ new Array[Byte](5)
    val fault = Utf8Check.fault(MemorySegment.ofArray(padded).nn, 3, bytes.length)
    // The first fault counts, so a NUL before a malformed sequence is the NUL.
    val isEither = fault.nonEmpty && expected(bytes).nonEmpty && bytes.contains(0.toByte)
    assert(fault == expected(bytes) || isEither, s"${bytes.toVector}: $fault, $clue")
    fault

  test("all sequences of up to two bytes, and of three and four that begin a code point"):
    for a <- 0 until 256 do
      check(Array(a.toByte), ""): Unit
      for b <- 0 until 256 do check(Array(a.toByte, b.toByte), ""): Unit
    val edges = Vector(0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff)
    for a <- 0xc0 until 256; b <- edges; c <- edges do
      check(Array(a.toByte, b.toByte, c.toByte), ""): Unit
      for d <- edges do check(Array(a.toByte, b.toByte, c.toByte, d.toByte), ""): Unit

  test("random texts with a random byte have the fault that the decoder finds"):
    val random = Random(seed)
    val alphabet = Vector("a", "z", "~", "ż", "€", "𝕏", "\u07ff", "\u0800", "\uffff")
    var faults = Map[String, Int]()
    for _ <- 0 until 20_000 do
      val text = Vector.fill(random.nextInt(30))(alphabet(random.nextInt(alphabet.size))).mkString
      val bytes = text.getBytes("UTF-8").nn
      if bytes.nonEmpty && random.nextBoolean() then
        val value = Vector(0, random.nextInt(256), 0xed, 0xf4)(random.nextInt(4))
        bytes(random.nextInt(bytes.length)) = value.toByte
      val fault = check(bytes, s"seed $seed")
      faults = faults.updated(fault, faults.getOrElse(fault, 0) + 1)
    assertEquals(faults.keySet, Set("", "contains a NUL", "is not UTF-8"))
end Utf8CheckTest
