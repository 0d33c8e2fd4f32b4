package undercroft.buffer
package internal.codec

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Searches for bytes, eight at a time.
  *
  * XOR with the byte repeated eight times yields a zero byte at each match; the test for a zero
  * byte in a word is from Henry S. Warren, "Hacker's Delight", 6-1.
  */
private[buffer] object Search:
  private inline val Ones = 0x0101010101010101L
  private inline val Highs = 0x8080808080808080L

  /** Bytes tested together before the match is located: faster from some hundred bytes on. */
  private inline val BlockBytes = 512

  /** Index of a byte in `[from, until)`, or -1. */
  def byte(array: Array[Byte], from: Int, until: Int, byte: Byte): Int =
    search(from, until, byte)(has(array, _, _))(NumberCodec.long(array, _))(array(_))

  /** Index of a byte in the range `[from, until)` of off-heap memory, or -1. */
  def byte(memory: MemorySegment, from: Int, until: Int, byte: Byte): Int =
    search(from, until, byte)(has(memory, _, _))(NumberCodec.long(memory, _))(
      memory.get(ValueLayout.JAVA_BYTE, _)
    )

  private inline def search(from: Int, until: Int, byte: Byte)(
      inline has: (Int, Long) => Boolean
  )(inline word: Int => Long)(inline single: Int => Byte): Int =
    val pattern = (byte & 0xffL) * Ones
    var at = from
    while at <= until - BlockBytes && !has(at, pattern) do at += BlockBytes
    val words = until - 8
    var zeros = 0L
    while at <= words && zeros == 0 do
      zeros = zero(word(at) ^ pattern)
      at += 8
    if zeros != 0 then at - 8 + (java.lang.Long.numberOfTrailingZeros(zeros) >>> 3)
    else
      while at < until && single(at) != byte do at += 1
      if at < until then at else -1

  /** Whether a block contains the byte; without a branch, so that the JIT vectorizes it. */
  private def has(array: Array[Byte], from: Int, pattern: Long): Boolean =
    any(pattern)(i => NumberCodec.long(array, from + i))

  private def has(memory: MemorySegment, from: Int, pattern: Long): Boolean =
    any(pattern)(i => NumberCodec.long(memory, from + i))

  private inline def any(pattern: Long)(inline word: Int => Long): Boolean =
    var zeros = 0L
    var i = 0
    while i < BlockBytes do
      zeros |= zero(word(i) ^ pattern)
      i += 8
    zeros != 0

  /** The highest bit of the first zero byte, and possibly of later bytes. */
  private inline def zero(word: Long): Long = (word - Ones) & ~word & Highs

  def checkRange(from: Long, until: Long): Unit =
    if from < 0 || until < from then
      throw IndexOutOfBoundsException(s"range [$from, $until) is negative or ends before it begins")

  def checkCount(byteCount: Long): Unit =
    if byteCount < 0 then
      throw IllegalArgumentException(s"byteCount must be at least 0, but is $byteCount")
end Search
