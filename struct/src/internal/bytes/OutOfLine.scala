package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder
import undercroft.memory.{Address, Allocator, Malloc}
import undercroft.struct.{BytesRef, TextRef}

/** Out-of-line bytes in the cage: a field contains the address and the length, and the bytes
  * themselves are read and then checked, as for every field. Functions on the bytes take two Longs,
  * so that nothing is allocated.
  */
@publicInBinary private[undercroft] object OutOfLine:
  /** The value, which must not be null: a null throws NullPointerException before anything is
    * stored.
    */
  def present[A](value: A): A =
    java.util.Objects.requireNonNull(value): Unit
    value

  def text(segment: MemorySegment, at: Long): TextRef =
    new TextRef(segment.get(ValueLayouts.long, at), segment.get(ValueLayouts.long, at + 8))

  def bytes(segment: MemorySegment, at: Long): BytesRef =
    new BytesRef(segment.get(ValueLayouts.long, at), segment.get(ValueLayouts.long, at + 8))

  def store(segment: MemorySegment, at: Long, address: Long, length: Long): Unit =
    segment.set(ValueLayouts.long, at, address)
    segment.set(ValueLayouts.long, at + 8, length)

  def storeChecked(bits: Long, at: Long, address: Long, length: Long): Unit =
    Cage.check(bits, at, 16)
    store(Cage.segment, Cage.offsetOf(bits) + at, address, length)

  /** The result of `read` on the bytes' offset in the cage. Empty bytes have no address to check.
    */
  private inline def reading[A](address: Long, length: Long)(inline read: Long => A): A =
    if length != 0 then Cage.check(address, 0, length)
    val result = read(Cage.offsetOf(address))
    VarHandle.loadLoadFence()
    if length != 0 then Cage.check(address, 0, length)
    result

  /** The length of a text as an Int; throws if no text can have it. */
  private def textLength(length: Long): Int =
    if length < 0 || length > Int.MaxValue then
      throw IllegalStateException(s"a text has up to ${Int.MaxValue} bytes, not $length")
    length.toInt

  def string(address: Long, length: Long): String =
    val bytes = textLength(length)
    reading(address, length)(at => FixedText.loadWhole(Cage.segment, at, bytes))

  def startsWith(address: Long, length: Long, prefix: String): Boolean =
    val bytes = textLength(length)
    reading(address, length)(at => FixedText.startsWith(Cage.segment, at, bytes, prefix))

  def contains(address: Long, length: Long, part: String): Boolean =
    val bytes = textLength(length)
    reading(address, length)(at => FixedText.contains(Cage.segment, at, bytes, part))

  def compare(address: Long, length: Long, other: String): Int =
    val bytes = textLength(length)
    reading(address, length)(at => FixedText.compare(Cage.segment, at, bytes, other))

  def byte(address: Long, length: Long, index: Long): Byte =
    Cage.getByte(address, java.util.Objects.checkIndex(index, length))

  def toArray(address: Long, length: Long): Array[Byte] =
    if length > Int.MaxValue - 8 then
      throw IllegalStateException(
        s"an array holds at most ${Int.MaxValue - 8} bytes, not $length: use a slice"
      )
    val array = new Array[Byte](Math.max(length, 0).toInt)
    reading(address, length): at =>
      MemorySegment.copy(Cage.segment, ValueLayouts.byte, at, array, 0, array.length)
    array

  def startsWith(address: Long, length: Long, prefix: Array[Byte]): Boolean =
    if prefix.length <= length then reading(address, length)(isAt(_, prefix))
    else
      checkLive(address, length)
      false

  def contains(address: Long, length: Long, part: Array[Byte]): Boolean =
    reading(address, length): from =>
      val last = length - part.length
      var start = 0L
      var isContained = part.length == 0
      if !isContained then
        val first = (part(0) & 0xffL) * 0x0101010101010101L
        while !isContained && start + 7 <= last do
          isContained = isInWord(from + start, first, part)
          start += 8
        while !isContained && start <= last do
          isContained = isAt(from + start, part)
          start += 1
      isContained

  /** Whether `part` starts at one of 8 bytes; `first` is its first byte, eight times. */
  private def isInWord(from: Long, first: Long, part: Array[Byte]): Boolean =
    // The highest bit of each byte that equals the first byte, and of some after it (H. Warren,
    // "Hacker's Delight", 6-1).
    val difference = Cage.segment.get(ValueLayouts.long, from) ^ first
    var places = (difference - 0x0101010101010101L) & ~difference & 0x8080808080808080L
    var isContained = false
    while !isContained && places != 0 do
      isContained = isAt(from + (java.lang.Long.numberOfTrailingZeros(places) >>> 3), part)
      places &= places - 1
    isContained

  private def isAt(from: Long, part: Array[Byte]): Boolean =
    var i = 0
    while i <= part.length - 8 && Cage.segment.get(ValueLayouts.long, from + i) == word(part, i) do
      i += 8
    if i > part.length - 8 then
      while i < part.length && Cage.segment.get(ValueLayouts.byte, from + i) == part(i) do i += 1
    i == part.length

  private val words: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.nativeOrder).nn

  private def word(bytes: Array[Byte], at: Int): Long = words.get(bytes, at).asInstanceOf[Long]

  def same(a: Long, aLength: Long, b: Long, bLength: Long): Boolean =
    if aLength == bLength then mismatch(a, aLength, b, bLength) < 0
    else
      checkLive(a, aLength)
      checkLive(b, bLength)
      false

  def same(address: Long, length: Long, bytes: Array[Byte]): Boolean =
    if bytes.length == length then startsWith(address, length, bytes)
    else
      checkLive(address, length)
      false

  /** Compares bytes as unsigned; a prefix is less. */
  def compare(a: Long, aLength: Long, b: Long, bLength: Long): Int =
    val at = mismatch(a, aLength, b, bLength)
    if at < 0 then 0
    else if at >= aLength then -1
    else if at >= bLength then 1
    else java.lang.Byte.compareUnsigned(Cage.getByte(a, at), Cage.getByte(b, at))

  /** The index of the first differing byte, the shorter length if one is a prefix, or -1. */
  private def mismatch(a: Long, aLength: Long, b: Long, bLength: Long): Long =
    reading(a, aLength): p =>
      reading(b, bLength): q =>
        MemorySegment.mismatch(Cage.segment, p, p + aLength, Cage.segment, q, q + bLength)

  /** As [[same]], [[compare]] and [[hash]], for the bytes that fields refer to. */
  def contentEqualsAt(a: MemorySegment, p: Long, b: MemorySegment, q: Long): Boolean =
    same(long(a, p), long(a, p + 8), long(b, q), long(b, q + 8))
  def compareAt(a: MemorySegment, p: Long, b: MemorySegment, q: Long): Int =
    compare(long(a, p), long(a, p + 8), long(b, q), long(b, q + 8))
  def hashAt(segment: MemorySegment, at: Long): Int =
    hashBytes(long(segment, at), long(segment, at + 8))

  private def long(segment: MemorySegment, at: Long): Long = segment.get(ValueLayouts.long, at)

  /** The 32-bit FNV-1a hash of Fowler, Noll and Vo, as [[FixedText.hash]]. */
  def hash(address: Long, length: Long): Int =
    reading(address, length): from =>
      var hash = 0x811c9dc5
      var i = 0L
      while i < length do
        hash = (hash ^ (Cage.segment.get(ValueLayouts.byte, from + i) & 0xff)) * 0x01000193
        i += 1
      hash

  /** A hash of bytes that are not a text, by words. */
  def hashBytes(address: Long, length: Long): Int =
    reading(address, length)(at =>
      WordHash.folded(WordHash.hash(Cage.segment, at, length, WordHash.Seed))
    )

  /** The address of a text of `size` bytes, written to memory of the allocator. */
  def written(text: String, size: Int, allocator: Allocator): Long =
    val address = allocated(size, allocator)
    FixedText.write(Cage.segment, Cage.offsetOf(address), text)
    address

  /** The address of a copy of a segment's bytes. If the segment cannot be read, a block of Malloc
    * is freed.
    */
  def copied(from: MemorySegment, allocator: Allocator): Long =
    val address = allocated(from.byteSize, allocator)
    try MemorySegment.copy(from, 0, Cage.segment, Cage.offsetOf(address), from.byteSize)
    catch
      case error: Throwable =>
        if (allocator eq Malloc) && address != 0 then Malloc.free(Address.ofBits(address))
        throw error
    address

  /** The address of a word, and of a copy of a segment's bytes after it. */
  def copiedAfter(word: Long, from: MemorySegment, allocator: Allocator): Long =
    val address = allocated(Math.addExact(8L, from.byteSize), allocator)
    val at = Cage.offsetOf(address)
    Cage.segment.set(ValueLayouts.long, at, word)
    MemorySegment.copy(from, 0, Cage.segment, at + 8, from.byteSize)
    address

  /** Throws if the memory of the bytes is freed. */
  private[undercroft] def checkLive(address: Long, length: Long): Unit =
    if length != 0 then Cage.check(address, 0, length)

  /** Copies the bytes `[from, from + count)` to a segment; if their memory is freed, throws, and
    * the segment may have bytes of another owner.
    */
  private[undercroft] def copyTo(
      address: Long,
      from: Long,
      count: Long,
      target: MemorySegment,
      at: Long
  ): Unit =
    if count > 0 then
      reading(Cage.moved(address, from), count): source =>
        MemorySegment.copy(Cage.segment, source, target, at, count)

  /** Stores bytes to memory that [[allocated]] returned, `at` bytes behind its start. */
  private[undercroft] def copyFrom(
      source: MemorySegment,
      from: Long,
      count: Long,
      address: Long,
      at: Long
  ): Unit =
    if count > 0 then
      Cage.check(address, at, count)
      MemorySegment.copy(source, from, Cage.segment, Cage.offsetOf(address) + at, count)

  /** The fault of the bytes as text, for messages; empty if they are UTF-8 without NUL. */
  private[undercroft] def textFault(address: Long, length: Long): String =
    reading(address, length)(at => Utf8Check.fault(Cage.segment, at, length))

  /** Memory of the allocator, which is not zeroed; 0 for a size of 0. */
  private[undercroft] def allocated(size: Long, allocator: Allocator): Long =
    if size == 0 then 0L
    else
      val bits = allocator.blockUninit(size, 1).bits
      Cage.check(bits, 0, size)
      bits
end OutOfLine
