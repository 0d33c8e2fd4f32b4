package undercroft.memory

import internal.cage.Cage

/** Checks of sizes and alignments, which every allocation makes first. */
private[memory] object Sizes:
  /** The largest alignment in bytes; less if the address space aligns its segments less. */
  inline val LargestAlignment = 0x40000000L

  def check(byteSize: Long, byteAlignment: Long): Unit =
    if byteSize < 0 || byteSize > Cage.space.range then
      throw InvalidSizeException(byteSize, Cage.space.range)
    val power = byteAlignment > 0 && (byteAlignment & (byteAlignment - 1)) == 0
    if !power || byteAlignment > Cage.space.largestAlignment then
      throw InvalidAlignmentException(byteAlignment, Cage.space.largestAlignment)

  /** The number of pages for `bytes` bytes. */
  def pages(bytes: Long): Long = (bytes + Cage.PageBytes - 1) >>> Cage.PageShift

extension (count: Int)
  /** `count` times 1 024 bytes.
    *
    * {{{
    * println((64.KiB, 1.MiB)) // (65536,1048576)
    * }}}
    */
  def KiB: Long = count * 1024L

  /** `count` times 1 024 KiB. */
  def MiB: Long = count * 1024L * 1024

  /** `count` times 1 024 MiB. */
  def GiB: Long = count * 1024L * 1024 * 1024

  /** `count` times 1 024 GiB; throws ArithmeticException above 8 388 607 TiB, the most that a Long
    * can count in bytes.
    */
  def TiB: Long =
    if count > 8388607 || count < -8388608 then
      throw ArithmeticException(s"$count TiB are not in [-8388608, 8388607] TiB")
    count * 1024L * 1024 * 1024 * 1024
end extension
