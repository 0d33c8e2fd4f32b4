package undercroft.buffer

import java.lang.foreign.{MemorySegment, ValueLayout}

/** Finds bytes, eight at a time.
  *
  * A word of eight bytes, exclusive-or one that repeats the byte looked for, has a zero byte where
  * it is; how to find a zero byte in a word is from Henry S. Warren, "Hacker's Delight", 6-1.
  */
private[buffer] object Search:
  private inline val Ones = 0x0101010101010101L
  private inline val Highs = 0x8080808080808080L

  /** Looked at as a whole before any of it is looked at closely: it pays from some hundred bytes
    * on.
    */
  private inline val BlockBytes = 512

  /** Where a byte is in `[from, until)`, or -1. */
  def byte(array: Array[Byte], from: Int, until: Int, byte: Byte): Int =
    search(from, until, byte)(has(array, _, _))(Numbers.long(array, _))(array(_))

  /** The same outside the heap. */
  def byte(memory: MemorySegment, from: Int, until: Int, byte: Byte): Int =
    search(from, until, byte)(has(memory, _, _))(Numbers.long(memory, _))(
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

  /** Whether a block has the byte: no branch in it, so that the JIT makes vectors of it. */
  private def has(array: Array[Byte], from: Int, pattern: Long): Boolean =
    any(pattern)(i => Numbers.long(array, from + i))

  private def has(memory: MemorySegment, from: Int, pattern: Long): Boolean =
    any(pattern)(i => Numbers.long(memory, from + i))

  private inline def any(pattern: Long)(inline word: Int => Long): Boolean =
    var zeros = 0L
    var i = 0
    while i < BlockBytes do
      zeros |= zero(word(i) ^ pattern)
      i += 8
    zeros != 0

  /** The highest bit of the first byte that is zero, and perhaps of some after it. */
  private inline def zero(word: Long): Long = (word - Ones) & ~word & Highs

  def checkRange(from: Long, until: Long): Unit =
    if from < 0 || until < from then
      throw IndexOutOfBoundsException(s"range [$from, $until) is not one")

  def checkCount(byteCount: Long): Unit =
    if byteCount < 0 then throw IllegalArgumentException(s"a count of $byteCount bytes")
end Search
