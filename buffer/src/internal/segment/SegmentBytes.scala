package undercroft.buffer
package internal.segment

import internal.codec.{NumberCodec, OffHeapNumberCodec, Search, Utf8}
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** The bytes of a [[Segment]], in a heap array or in off-heap memory, and all operations on them in
  * both forms.
  *
  * Either the array or the off-heap segment is null. Every access tests the array: if a program
  * uses segments of one kind only, the JIT removes the branch.
  */
abstract class SegmentBytes private[buffer] (
    private[buffer] final var data: Array[Byte] | Null,
    private[buffer] final var outside: MemorySegment | Null,
    private[buffer] final var pool: SegmentPool
):
  /** The off-heap bytes; only if there is no array. */
  private[buffer] final inline def memory: MemorySegment = outside.asInstanceOf[MemorySegment]

  /** Number of bytes. */
  private[buffer] final def capacity: Int =
    val array = data
    if array != null then array.length else memory.byteSize.toInt

  /** The memory itself, which several segments may share and which is tracked for budgets and
    * leaks.
    */
  private[buffer] final def storage: Object =
    val array = data
    if array != null then array else memory

  /** Detaches the bytes. */
  private[buffer] final def forget(): Unit =
    if data != null then data = SegmentBytes.NoBytes else outside = MemorySegment.NULL

  private[buffer] final def byte(at: Int): Byte =
    val array = data
    if array != null then array(at) else memory.get(JAVA_BYTE, at)

  private[buffer] final def setByte(at: Int, value: Byte): Unit =
    val array = data
    if array != null then array(at) = value else memory.set(JAVA_BYTE, at, value)

  /** Eight bytes, little-endian. */
  private[buffer] final def long(at: Int): Long =
    val array = data
    if array != null then NumberCodec.long(array, at) else OffHeapNumberCodec.long(memory, at)

  private[buffer] final def load(at: Int, bytes: Int, little: Boolean): Long =
    val array = data
    if array != null then NumberCodec.load(array, at, bytes, little)
    else OffHeapNumberCodec.load(memory, at, bytes, little)

  private[buffer] final def store(at: Int, value: Long, bytes: Int, little: Boolean): Unit =
    val array = data
    if array != null then NumberCodec.store(array, at, value, bytes, little)
    else OffHeapNumberCodec.store(memory, at, value, bytes, little)

  private[buffer] final def fill(from: Int, until: Int, value: Byte): Unit =
    val array = data
    if array != null then Arrays.fill(array, from, until, value)
    else memory.asSlice(from, until - from).fill(value): Unit

  private[buffer] final def put(at: Int, from: Array[Byte], begin: Int, count: Int): Unit =
    val array = data
    if array != null then System.arraycopy(from, begin, array, at, count)
    else MemorySegment.copy(from, begin, memory, JAVA_BYTE, at, count)

  private[buffer] final def put(at: Int, from: MemorySegment, begin: Long, count: Int): Unit =
    val array = data
    if array != null then MemorySegment.copy(from, JAVA_BYTE, begin, array, at, count)
    else MemorySegment.copy(from, begin, memory, at, count)

  private[buffer] final def get(at: Int, to: Array[Byte], begin: Int, count: Int): Unit =
    val array = data
    if array != null then System.arraycopy(array, at, to, begin, count)
    else MemorySegment.copy(memory, JAVA_BYTE, at, to, begin, count)

  private[buffer] final def get(at: Int, to: MemorySegment, begin: Long, count: Int): Unit =
    val array = data
    if array != null then MemorySegment.copy(array, at, to, JAVA_BYTE, begin, count)
    else MemorySegment.copy(memory, at, to, begin, count)

  private[buffer] final def get(at: Int, to: SegmentBytes, begin: Int, count: Int): Unit =
    val array = data
    if array != null then to.put(begin, array, at, count)
    else to.put(begin, memory, at, count)

  /** A copy of the bytes. */
  private[buffer] final def copy(at: Int, count: Int): Array[Byte] =
    val array = data
    if array != null then Arrays.copyOfRange(array, at, at + count)
    else memory.asSlice(at, count).toArray(JAVA_BYTE)

  /** Copies chars if all of them are ASCII; otherwise, or off-heap, returns false. */
  private[buffer] final def putAscii(at: Int, text: String, from: Int, until: Int): Boolean =
    val array = data
    val isPlain = array != null && Utf8.isAscii(text, from, until)
    if isPlain then Utf8.copyAscii(text, from, until, array.nn, at)
    isPlain

  /** Index of a byte in `[from, until)`, or -1. */
  private[buffer] final def find(from: Int, until: Int, value: Byte): Int =
    val array = data
    if array != null then Search.byte(array, from, until, value)
    else Search.byte(memory, from, until, value)

  /** Index of a line feed in `[from, until)`, or -1; its complement if the bytes before it may not
    * be ASCII in an array.
    */
  private[buffer] final def findLineFeed(from: Int, until: Int): Int =
    val array = data
    if array != null then Search.lineFeed(array, from, until)
    else
      val index = find(from, until, BufferedSource.LineFeed)
      if index <= from then index else ~index

  /** Index in `[from, until)` at which all of `bytes` are, or -1; the segment has them whole if
    * they begin in this range.
    */
  private[buffer] final def find(from: Int, until: Int, bytes: Array[Byte]): Int =
    var index = candidate(from, until, bytes)
    while index >= 0 && !same(index, bytes, 0, bytes.length) do
      index = candidate(index + 1, until, bytes)
    index

  private def candidate(from: Int, until: Int, bytes: Array[Byte]): Int =
    val array = data
    if array != null then Search.bothEnds(array, from, until, bytes)
    else Search.bothEnds(memory, from, until, bytes)

  /** Index in `[from, until)` of the first byte that is one of `bytes`, or -1. */
  private[buffer] final def findElement(from: Int, until: Int, bytes: Array[Byte]): Int =
    val array = data
    if array != null then Search.element(array, from, until, bytes)
    else Search.element(memory, from, until, bytes)

  /** Whether the bytes equal the bytes of an array. */
  private[buffer] final def same(at: Int, other: Array[Byte], begin: Int, count: Int): Boolean =
    val array = data
    if array != null then Arrays.equals(array, at, at + count, other, begin, begin + count)
    else SegmentBytes.differ(memory, at, MemorySegment.ofArray(other), begin, count) < 0

  /** Offset from `at` of the first of `count` bytes that differs in another segment, or -1. */
  private[buffer] final def mismatch(at: Int, other: SegmentBytes, begin: Int, count: Int): Int =
    val array = data
    val otherArray = other.data
    if array != null && otherArray != null then
      Arrays.mismatch(array, at, at + count, otherArray, begin, begin + count)
    else SegmentBytes.differ(whole, at, other.whole, begin, count)

  private def whole: MemorySegment =
    val array = data
    if array != null then MemorySegment.ofArray(array) else memory

  /** Decodes bytes as text; off-heap bytes are copied to an array first. `isAscii` is true if the
    * bytes of an array are known to be ASCII.
    */
  private[buffer] final def text(
      at: Int,
      count: Int,
      charset: Charset,
      isAscii: Boolean = false
  ): String =
    val array = data
    if array != null then
      if isAscii then Utf8.ascii(array, at, count)
      else SegmentBytes.decoded(array, at, count, charset)
    else if count <= Scratch.Bytes then
      Scratch.use(pool): copy =>
        get(at, copy, 0, count)
        SegmentBytes.decoded(copy, 0, count, charset)
    else
      val copy = new Array[Byte](count)
      get(at, copy, 0, count)
      String(copy, charset)

  /** Encodes text into `[at, until)`; returns the same result as [[Utf8.encode]]. */
  private[buffer] final def encode(text: String, from: Int, end: Int, at: Int, until: Int): Long =
    val array = data
    if array != null then Utf8.encode(text, from, end, array, at, until)
    else
      Scratch.use(pool): copy =>
        val done = Utf8.encode(text, from, end, copy, 0, Math.min(until - at, Scratch.Bytes))
        put(at, copy, 0, done.toInt)
        done

  /** These bytes alone, in place, for a channel; a direct ByteBuffer if they are off-heap. */
  private[buffer] final def view(at: Int, count: Int): ByteBuffer =
    val array = data
    if array != null then ByteBuffer.wrap(array, at, count).slice()
    else memory.asSlice(at, count).asByteBuffer
end SegmentBytes

private object SegmentBytes:
  private val NoBytes = new Array[Byte](0)

  /** Short ASCII is copied by a constructor that the JIT inlines, as it does not a decoder. */
  private def decoded(array: Array[Byte], at: Int, count: Int, charset: Charset): String =
    if (charset eq UTF_8) && Utf8.isShortAscii(array, at, count) then Utf8.ascii(array, at, count)
    else String(array, at, count, charset)

  private def differ(
      left: MemorySegment,
      at: Int,
      right: MemorySegment,
      begin: Int,
      count: Int
  ): Int =
    MemorySegment.mismatch(left, at, at.toLong + count, right, begin, begin.toLong + count).toInt
