package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary

/** Protects generated reads of a memory-mapped file against SIGBUS when another process truncates
  * the file (mapped faults).
  *
  * HotSpot then skips the access, continues with the old content of the register, and throws an
  * InternalError a little later. To skip an instruction it must know its length, and on x86-64 it
  * knows the length of some instructions only. The JVM crashes if C2 has fused a load and its use
  * into an instruction that is not among them. C2 does so for an Int that is widened to a Long
  * (`movslq`), a Byte whose bits are tested, a bit that is set in memory, and vectors of bits.
  * Therefore every integer that is read from a file is added to a zero that is not a constant for
  * the compiler. Then the load has one use, an addition, which HotSpot can skip with or without
  * vectors; and a type narrower than Int is narrowed again, whatever was in the register. A Float
  * or a Double, whose bits may be used as an integer, is multiplied by a one of the same type.
  *
  * In a loop over rows that are in a file by their type, an Int is half of a word of 8 bytes
  * instead. C2 does not shorten the load for half a word, so the word is loaded into a register,
  * which HotSpot can skip, and two adjacent Ints are one load.
  *
  * For memory that is not mapped the compiler knows that the zero is 0, and adds nothing: see
  * [[TableLoops.guarded]].
  */
@publicInBinary private[undercroft] object MappedReads:
  private var hidden = 1
  hidden = 0

  /** The zero for reads of a segment: of a mapped one not a constant for the compiler. */
  def zeroOf(isMapped: Boolean): Int = if isMapped then hidden else 0

  // A number that was read, with the zero of its segment.
  def ofByte(read: Byte, zero: Int): Byte = (read + zero).toByte
  def ofShort(read: Short, zero: Int): Short = (read + zero).toShort
  def ofChar(read: Char, zero: Int): Char = (read + zero).toChar
  def ofInt(read: Int, zero: Int): Int = read + zero
  def ofLong(read: Long, zero: Int): Long = read + zero

  // A signalling NaN in a file becomes quiet.
  def ofFloat(read: Float, isMapped: Boolean, zero: Int): Float =
    if isMapped then read * (zero + 1).toFloat else read
  def ofDouble(read: Double, isMapped: Boolean, zero: Int): Double =
    if isMapped then read * (zero + 1).toDouble else read

  /** If an earlier access failed, throws the pending InternalError of the JVM. The JVM throws it
    * when a method returns; the recursion is deep enough that at least one call is not inlined.
    * Costs about one call.
    */
  def rethrow(): Unit =
    val _ = down(3)

  private def down(depth: Int): Int = if depth == 0 then hidden else down(depth - 1) + 1
end MappedReads
