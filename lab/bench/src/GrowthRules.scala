package undercroft.lab.bench

// How much does twice the output cost beyond the size at which an array can double?

import java.io.OutputStream
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.buffer.ByteOutput

/** The article's load: two-byte numbers, for half of a structure and for all of it. The whole
  * structure is slightly larger than an array can become by doubling; that limit is 16 MiB here
  * instead of 1 GiB, because at 1 GiB the rule of JDK 6 takes hours.
  */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class GrowthRules extends Measured:
  @Param(Array("half", "whole")) var structure = ""

  private def bytes: Int =
    if structure == "half" then GrowthRules.doubledBytes / 2
    else GrowthRules.doubledBytes + GrowthRules.beyondBytes

  /** JDK 6: doubled, and past 1 GiB grown to exactly what is needed. */
  @Benchmark def exactNeed(copies: CopyCounts): Long = byRule(GrowthRules.exactNeed, copies)

  /** JDK 7 and later: doubled, then the maximum length of an array. */
  @Benchmark def largestArray(copies: CopyCounts): Long =
    byRule(GrowthRules.largestArray, copies)

  @Benchmark def byteOutput(copies: CopyCounts): Long =
    val out = ByteOutput()
    written(out): Unit
    val size = out.size
    copies.of(out.copiedBytes, size)
    out.close()
    size

  private def byRule(rule: GrowthRules.Rule, copies: CopyCounts): Long =
    val copied = written(GrowingArray(rule)).copied
    copies.of(copied, bytes)
    copied

  private def written[O <: OutputStream](out: O): O =
    var i = 0
    while i < bytes / 2 do
      out.write(i >> 8)
      out.write(i)
      i += 1
    out
end GrowthRules

object GrowthRules:
  /** The largest size that doubling reaches. */
  val doubledBytes: Int = 16 << 20

  /** How much more the whole structure has. */
  val beyondBytes: Int = 1024

  /** The next length of an array of `length` bytes that needs `needed`. */
  type Rule = (length: Int, needed: Int) => Int

  val exactNeed: Rule = (length, needed) =>
    if length < doubledBytes then Math.max(length * 2, needed) else needed

  val largestArray: Rule = (length, needed) =>
    if length < doubledBytes then Math.max(length * 2, needed)
    else if needed <= doubledBytes * 2 then doubledBytes * 2
    else throw OutOfMemoryError(s"$needed bytes")
end GrowthRules

/** A ByteArrayOutputStream with a rule of growth to choose, which counts the bytes it copies. */
final class GrowingArray(rule: GrowthRules.Rule) extends OutputStream:
  private var array = new Array[Byte](32)
  private var size = 0
  var copied: Long = 0

  def write(value: Int): Unit = synchronized:
    if size == array.length then
      array = java.util.Arrays.copyOf(array, rule(array.length, size + 1))
      copied += size
    array(size) = value.toByte
    size += 1
end GrowingArray
