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

  /** Bytes at the beginning that are searched by words, because most matches are near. */
  private inline val NearBytes = 128

  /** Index of a byte in `[from, until)`, or -1. */
  def byte(array: Array[Byte], from: Int, until: Int, byte: Byte): Int =
    val pattern = repeated(byte)
    search(from, until)(hasByte(array, _, pattern))(at =>
      zero(NumberCodec.long(array, at) ^ pattern)
    )(array(_) == byte)

  /** Index of a line feed in `[from, until)`, or -1; its complement if one of the bytes before it
    * may not be ASCII. Index 0 has no byte before it, so a complement is not -1.
    */
  def lineFeed(array: Array[Byte], from: Int, until: Int): Int =
    val pattern = repeated('\n')
    val near = Math.min(until, from + NearBytes) - 8
    var at = from
    var word = 0L
    var found = 0L
    var before = 0L // all words without a line feed, combined
    while at <= near && {
        word = NumberCodec.long(array, at)
        found = zero(word ^ pattern)
        found == 0
      }
    do
      before |= word
      at += 8
    if found != 0 then
      val index = at + (java.lang.Long.numberOfTrailingZeros(found) >>> 3)
      if ((before | word & (found - 1 & ~found)) & Highs) == 0 then index else ~index
    else
      val index = byte(array, at, until, BufferedSource.LineFeed)
      if index <= from then index else ~index
  end lineFeed

  /** Index of a byte in the range `[from, until)` of off-heap memory, or -1. */
  def byte(memory: MemorySegment, from: Int, until: Int, byte: Byte): Int =
    val pattern = repeated(byte)
    search(from, until)(hasByte(memory, _, pattern))(at =>
      zero(OffHeapNumberCodec.long(memory, at) ^ pattern)
    )(memory.get(ValueLayout.JAVA_BYTE, _) == byte)

  /** Index in `[from, until)` of the first place where `bytes` may begin, or -1: candidates are
    * compared by their first and last byte, and some match neither. The array has at least
    * `until + bytes.length - 1` bytes. The comparison of both ends, eight places at a time, is from
    * Wojciech Muła, "SIMD-friendly algorithms for substring searching".
    */
  def bothEnds(array: Array[Byte], from: Int, until: Int, bytes: Array[Byte]): Int =
    val distance = bytes.length - 1
    val first = repeated(bytes(0))
    val last = repeated(bytes(distance))
    search(from, until)(hasEnds(array, _, distance, first, last))(at =>
      ends(NumberCodec.long(array, at), NumberCodec.long(array, at + distance), first, last)
    )(at => array(at) == bytes(0) && array(at + distance) == bytes(distance))

  def bothEnds(memory: MemorySegment, from: Int, until: Int, bytes: Array[Byte]): Int =
    val distance = bytes.length - 1
    val first = repeated(bytes(0))
    val last = repeated(bytes(distance))
    search(from, until)(hasEnds(memory, _, distance, first, last))(at =>
      ends(
        OffHeapNumberCodec.long(memory, at),
        OffHeapNumberCodec.long(memory, at + distance),
        first,
        last
      )
    )(at =>
      memory.get(ValueLayout.JAVA_BYTE, at) == bytes(0) &&
        memory.get(ValueLayout.JAVA_BYTE, at + distance) == bytes(distance)
    )

  /** Index in `[from, until)` of the first byte that is one of `bytes`, or -1. */
  def element(array: Array[Byte], from: Int, until: Int, bytes: Array[Byte]): Int =
    search(from, until)(_ => true)(at => elements(NumberCodec.long(array, at), bytes))(at =>
      contains(bytes, array(at))
    )

  def element(memory: MemorySegment, from: Int, until: Int, bytes: Array[Byte]): Int =
    search(from, until)(_ => true)(at => elements(OffHeapNumberCodec.long(memory, at), bytes))(at =>
      contains(bytes, memory.get(ValueLayout.JAVA_BYTE, at))
    )

  /** Index of a byte in the 16 bytes of two words, or 16. */
  def firstOf(low: Long, high: Long, byte: Byte): Int =
    val pattern = repeated(byte)
    val first = java.lang.Long.numberOfTrailingZeros(zero(low ^ pattern)) >>> 3
    val second = java.lang.Long.numberOfTrailingZeros(zero(high ^ pattern)) >>> 3
    first + (second & -(first >>> 3))

  private inline def repeated(byte: Byte): Long = (byte & 0xffL) * Ones

  /** The first index in `[from, until)` that matches, or -1. `has` tests a block; `matches` tests
    * eight bytes, and sets the highest bit of the first byte that matches; `single` tests one byte.
    */
  private inline def search(from: Int, until: Int)(inline has: Int => Boolean)(
      inline matches: Int => Long
  )(inline single: Int => Boolean): Int =
    var at = from
    val words = until - 8
    val near = Math.min(words, from + NearBytes - 8)
    var found = 0L
    while at <= near && found == 0 do
      found = matches(at)
      at += 8
    if found == 0 then
      while at <= until - BlockBytes && !has(at) do at += BlockBytes
      while at <= words && found == 0 do
        found = matches(at)
        at += 8
    if found != 0 then at - 8 + (java.lang.Long.numberOfTrailingZeros(found) >>> 3)
    else
      while at < until && !single(at) do at += 1
      if at < until then at else -1

  /** Whether a block contains the byte; without a branch, so that the JIT vectorizes it. */
  private def hasByte(array: Array[Byte], from: Int, pattern: Long): Boolean =
    any(i => zero(NumberCodec.long(array, from + i) ^ pattern))

  private def hasByte(memory: MemorySegment, from: Int, pattern: Long): Boolean =
    any(i => zero(OffHeapNumberCodec.long(memory, from + i) ^ pattern))

  /** Whether a block may contain both ends. */
  private def hasEnds(
      array: Array[Byte],
      from: Int,
      distance: Int,
      first: Long,
      last: Long
  ): Boolean =
    any: i =>
      val at = from + i
      ends(NumberCodec.long(array, at), NumberCodec.long(array, at + distance), first, last)

  private def hasEnds(
      memory: MemorySegment,
      from: Int,
      distance: Int,
      first: Long,
      last: Long
  ): Boolean =
    any: i =>
      val at = from + i
      ends(
        OffHeapNumberCodec.long(memory, at),
        OffHeapNumberCodec.long(memory, at + distance),
        first,
        last
      )

  private inline def any(inline matches: Int => Long): Boolean =
    var found = 0L
    var i = 0
    while i < BlockBytes do
      found |= matches(i)
      i += 8
    found != 0

  private inline def ends(left: Long, right: Long, first: Long, last: Long): Long =
    zero(left ^ first) & zero(right ^ last)

  /** The highest bit of the first byte of `word` that is one of `bytes`. */
  private def elements(word: Long, bytes: Array[Byte]): Long =
    var found = 0L
    var i = 0
    while i < bytes.length do
      found |= zero(word ^ repeated(bytes(i)))
      i += 1
    found

  private def contains(bytes: Array[Byte], byte: Byte): Boolean =
    var i = 0
    while i < bytes.length && bytes(i) != byte do i += 1
    i < bytes.length

  /** The highest bit of the first zero byte, and possibly of later bytes. */
  private inline def zero(word: Long): Long = (word - Ones) & ~word & Highs

  def checkRange(from: Long, until: Long): Unit =
    if from < 0 then
      throw IndexOutOfBoundsException(s"from must be at least 0, but is $from")
    if until < from then
      throw IndexOutOfBoundsException(s"range [$from, $until) ends before it begins")

  def checkCount(byteCount: Long): Unit =
    if byteCount < 0 then
      throw IllegalArgumentException(s"byteCount must be at least 0, but is $byteCount")
end Search
