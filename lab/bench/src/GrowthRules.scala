package undercroft.lab.bench

// How much does twice the output cost beyond the size at which an array can double?

import java.io.OutputStream
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.buffer.ByteOutput

/** The article's load: two-byte numbers, for half of a structure and for all of it. The whole
  * structure is slightly larger than an array can become by doubling.
  *
  * @param doubledBytes
  *   the largest size that doubling reaches
  * @param beyondBytes
  *   how much more the whole structure has
  */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
abstract class GrowthScene(doubledBytes: Int, beyondBytes: Int) extends Measured:
  @Param(Array("half", "whole")) var structure = ""

  private def bytes: Int =
    if structure == "half" then doubledBytes / 2 else doubledBytes + beyondBytes

  /** JDK 6: doubled, and past 1 GiB grown to exactly what is needed. */
  @Benchmark def exactNeed(copies: CopyCounts): Long =
    byRule(GrowthRules.exactNeed(doubledBytes), copies)

  /** JDK 7 and later: doubled, then the maximum length of an array. */
  @Benchmark def largestArray(copies: CopyCounts): Long =
    byRule(GrowthRules.largestArray(doubledBytes), copies)

  @Benchmark def byteOutput(copies: CopyCounts): Long =
    val out = ByteOutput()
    GrowthRules.written(out, bytes): Unit
    val size = out.size
    copies.of(out.copiedBytes, size)
    out.close()
    size

  private def byRule(rule: GrowthRules.Rule, copies: CopyCounts): Long =
    val copied = GrowthRules.written(GrowingArray(rule), bytes).copied
    copies.of(copied, bytes)
    copied
end GrowthScene

/** As if arrays could be doubled up to 16 MiB only, which takes a second instead of minutes. */
class GrowthRules extends GrowthScene(GrowthRules.doubledBytes, GrowthRules.beyondBytes)

/** The article's own sizes. */
@Fork(
  value = 3,
  jvmArgs = Array("-Xms5g", "-Xmx5g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED")
)
class GrowthRulesOfGibibyte extends GrowthScene(1 << 30, 256)

/** One byte more than the largest array has, which is the end of every rule for arrays. */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
  value = 3,
  jvmArgs = Array("-Xms5g", "-Xmx5g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED")
)
class GrowthEnd extends Measured:
  /** The largest size that doubling reaches. */
  @Param(Array("16", "1024")) var mebibytes = 0

  private def doubledBytes: Int = mebibytes << 20
  private def bytes: Long = GrowthRules.largest(doubledBytes) + 1L

  /** Returns the number of bytes that were written before the error. */
  @Benchmark def largestArray(): Long =
    val out = GrowingArray(GrowthRules.largestArray(doubledBytes))
    try
      GrowthRules.written(out, bytes): Unit
      throw IllegalStateException(s"an array took $bytes bytes")
    catch case _: OutOfMemoryError => out.size

  @Benchmark def byteOutput(): Long =
    val out = ByteOutput()
    GrowthRules.written(out, bytes): Unit
    val size = out.size
    out.close()
    size
end GrowthEnd

object GrowthRules:
  /** The largest size that doubling reaches in a short run. */
  val doubledBytes: Int = 16 << 20

  /** How much more the whole structure of a short run has. */
  val beyondBytes: Int = 1024

  /** The next length of an array of `length` bytes that needs `needed`. */
  type Rule = (length: Int, needed: Int) => Int

  def exactNeed(doubledBytes: Int): Rule = (length, needed) =>
    if length < doubledBytes then Math.max(length * 2, needed) else needed

  def largestArray(doubledBytes: Int): Rule = (length, needed) =>
    if length < doubledBytes then Math.max(length * 2, needed)
    else if length < largest(doubledBytes) then largest(doubledBytes)
    else throw OutOfMemoryError(s"$needed bytes")

  /** The length of the largest array, where doubling ends at `doubledBytes`. */
  def largest(doubledBytes: Int): Int =
    Math.min(doubledBytes * 2L, Int.MaxValue - 8L).toInt

  /** Writes two-byte numbers, and a last byte if `bytes` is odd. */
  def written[O <: OutputStream](out: O, bytes: Long): O =
    var i = 0L
    while i < bytes / 2 do
      out.write((i >> 8).toInt)
      out.write(i.toInt)
      i += 1
    if bytes % 2 == 1 then out.write(0)
    out
end GrowthRules

/** A ByteArrayOutputStream with a rule of growth to choose, which counts the bytes it copies. */
final class GrowingArray(rule: GrowthRules.Rule) extends OutputStream:
  private var array = new Array[Byte](32)
  private var written = 0
  var copied: Long = 0

  /** The number of bytes that were written. */
  def size: Int = written

  def write(value: Int): Unit = synchronized:
    if written == array.length then
      array = java.util.Arrays.copyOf(array, rule(array.length, written + 1))
      copied += written
    array(written) = value.toByte
    written += 1
end GrowingArray
