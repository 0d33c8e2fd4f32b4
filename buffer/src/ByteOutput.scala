package undercroft.buffer

import java.io.OutputStream
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.ref.Reference.reachabilityFence
import java.nio.channels.WritableByteChannel
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Objects
import undercroft.memory.{Budget, Cage, Ledger, Pages}

/** An OutputStream into memory that lies in one piece, has no limit of 2 GiB and grows without
  * copying.
  *
  * Up to 16 KiB it is an array on the heap. Beyond that it lies in address space of its own, which
  * becomes memory as it is written; growth copies 1 MiB once at the most. It holds memory outside
  * the heap until it is [[close closed]]; one that is dropped unclosed is found by the garbage
  * collector, freed, and reported by `System.Logger` and [[ByteOutput.dropped]].
  *
  * For one thread at a time. Writing allocates nothing once its memory is there. What does not fit
  * is a [[TooLargeException]] (more than `upTo` bytes) or a MemoryLimitException (more than a
  * budget holds, which is charged in steps of 64 KiB to 2 MiB); then nothing of it is written, and
  * what was written before stays readable. After the close every use is a [[ClosedException]].
  *
  * Where the system has no address space left for one piece it goes on in several: only [[segment]]
  * needs one, and [[isContiguous]] says so.
  */
final class ByteOutput private (val upTo: Long, budget: Budget, pages: Pages)
    extends OutputStream,
      WritesNumbers,
      AutoCloseable:
  private val held = Held()
  private val extents = Extents(upTo, budget, pages, held)
  private var cleanable: java.lang.ref.Cleaner.Cleanable | Null = null
  private var open = true

  // The bytes on the heap, until there are too many: then null.
  private var array: Array[Byte] | Null = ByteOutput.Empty

  // The extent that is written now: `at` is where in it the next byte goes, `limit` where its
  // memory ends. While bytes are on the heap the limit is 0 and `at` counts them, so that one
  // comparison sends everything unusual to the slow path.
  // `origin` is the checked address of the extent: a store through it costs less than one through
  // the extent's segment, because what bounds it is constant.
  private var origin = 0L
  private var index = 0
  private var before = 0L
  private var at = 0L
  private var limit = 0L

  // What passes through here is too small, or in the wrong form, to go where it belongs at once.
  private var part: Array[Byte] | Null = null

  /** Bytes written. */
  def size: Long = before + at

  /** Writes the low byte of `value`. */
  def write(value: Int): Unit = writeNumber(value, 1, true)

  override def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val end = at + count
    if count > 0 && end <= limit then
      Copies.toCage(bytes, from, Cage.storable(origin, at), count)
      at = end
    else if array != null && size + count <= ByteOutput.HeapBytes then
      grow(count)
      System.arraycopy(bytes, from, array, at.toInt, count)
      at += count
    else writeSlowly(MemorySegment.ofArray(bytes).asSlice(from, count))

  /** As `write(bytes)`, by ByteArrayOutputStream's name. */
  def writeBytes(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  /** Writes all bytes of a segment. */
  def write(bytes: MemorySegment): this.type =
    writeSlowly(bytes)
    this

  /** Writes text as UTF-8; a surrogate that has no pair as `?`. */
  def writeUtf8(text: String): this.type =
    val plain = Utf8.ascii(text, 0, text.length)
    grow(plain + Utf8.size(text, plain, text.length))
    val part = scratch()
    var i = 0
    while i < text.length do
      if i < plain then
        val until = Math.min(i + part.length, plain)
        Utf8.copyAscii(text, i, until, part, 0)
        write(part, 0, until - i)
        i = until
      else
        val done = Utf8.encode(text, i, text.length, part, 0, part.length)
        write(part, 0, done.toInt)
        i = (done >>> 32).toInt
    this

  private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val end = at + bytes
    if end <= limit then
      Numbers.store(Cage.segment, Cage.storable(origin, at), value, bytes, little)
      at = end
    else writeNumberSlowly(value, bytes, little)

  /** Stores an Int over bytes that were written already: a length, for example, that is known only
    * afterwards.
    */
  def patchInt(position: Long, value: Int): this.type = patch(position, value, 4, false)
  def patchByte(position: Long, value: Int): this.type = patch(position, value, 1, false)
  def patchShort(position: Long, value: Int): this.type = patch(position, value, 2, false)
  def patchShortLe(position: Long, value: Int): this.type = patch(position, value, 2, true)
  def patchIntLe(position: Long, value: Int): this.type = patch(position, value, 4, true)
  def patchLong(position: Long, value: Long): this.type = patch(position, value, 8, false)
  def patchLongLe(position: Long, value: Long): this.type = patch(position, value, 8, true)

  /** The byte at a position. */
  def apply(position: Long): Byte =
    check(position, 1)
    val i = extents.at(position)
    if array != null then array.nn(position.toInt)
    else extents.memory(i).get(ValueLayout.JAVA_BYTE, position - extents.start(i))

  /** Whether all bytes lie in one piece: always, while the system has address space for it. */
  def isContiguous: Boolean = before == 0

  /** All bytes as they are now, in one piece outside the heap, without a copy.
    *
    * The segment dies with the output, so hold on to that; and when an output of less than 1 MiB
    * grows beyond. Of bytes in several pieces it is a [[NotContiguousException]].
    */
  def segment: MemorySegment =
    checkOpen()
    if !isContiguous then throw NotContiguousException(size, index + 1)
    if array != null then leaveHeap(size)
    extents.memory(0).asSlice(0, at).asReadOnly()

  /** All bytes as they are now, in as many pieces as they lie in. */
  def segments: List[MemorySegment] =
    if isContiguous then List(segment)
    else List.tabulate(index + 1)(i => extents.memory(i).asSlice(0, bytesIn(i)).asReadOnly())

  /** A copy of all bytes; of more than an array can hold a [[TooLargeException]]. */
  def toByteArray(): Array[Byte] =
    checkOpen()
    if size > ByteOutput.LargestArray then
      throw TooLargeException("an array", size, ByteOutput.LargestArray)
    val copy = new Array[Byte](size.toInt)
    val _ = copyTo(0, MemorySegment.ofArray(copy))
    copy

  /** The bytes as text. */
  def toString(charset: Charset): String = String(toByteArray(), charset)

  /** The bytes as UTF-8; of a closed output, or one too large for a String, a description. */
  override def toString: String =
    if !open then "a closed byte output"
    else if size > ByteOutput.LargestArray then s"a byte output of $size bytes"
    else toString(UTF_8)

  /** Copies bytes from a position on until the target is full.
    *
    * @return
    *   how many
    */
  def copyTo(position: Long, target: MemorySegment): Long =
    checkOpen()
    Objects.checkFromToIndex(position, size, size): Unit
    val count = Math.min(size - position, target.byteSize)
    var done = 0L
    while done < count do
      val some = piece(position + done, count - done)
      MemorySegment.copy(some, 0, target, done, some.byteSize)
      done += some.byteSize
    reachabilityFence(this)
    count

  /** Writes all bytes to a stream, through an array of 64 KiB. */
  def writeTo(target: OutputStream): Unit =
    val copy = new Array[Byte](Math.min(size, ByteOutput.CopyBytes).toInt)
    var done = 0L
    while done < size do
      val some = copyTo(done, MemorySegment.ofArray(copy)).toInt
      target.write(copy, 0, some)
      done += some

  /** Writes all bytes to a blocking channel, without copying them to the heap.
    *
    * @return
    *   how many
    */
  def writeTo(target: WritableByteChannel): Long =
    checkOpen()
    val count = size
    var done = 0L
    while done < count do
      val some = piece(done, Math.min(count - done, ByteOutput.ViewBytes)).asByteBuffer()
      while some.hasRemaining do done += target.write(some)
    reachabilityFence(this)
    count

  /** Forgets all bytes, for the next use. With `keepPages` the memory stays, and writing as much
    * again allocates nothing; without, it is given back.
    */
  def reset(keepPages: Boolean = true): Unit =
    checkOpen()
    if !keepPages then
      extents.close()
      array = ByteOutput.Empty
    at = 0
    select(0)

  /** Frees all of it. A second close does nothing; while native code still uses the segment FFM
    * refuses it, and nothing changes.
    */
  override def close(): Unit =
    if open then
      extents.close()
      open = false
      array = null
      before = 0
      at = 0
      limit = 0
      if cleanable != null then cleanable.nn.clean()

  private def checkOpen(): Unit = if !open then throw ClosedException("the byte output")

  private def check(position: Long, bytes: Int): Unit =
    checkOpen()
    if position < 0 || position > size - bytes then
      throw IndexOutOfBoundsException(s"position $position + $bytes exceeds size $size")

  private def bytesIn(i: Int): Long = if i == index then at else extents.capacity(i)

  /** Bytes from a position on that lie in one piece: at least one, at most `count`. */
  private def piece(position: Long, count: Long): MemorySegment =
    val onHeap = array
    if onHeap != null then MemorySegment.ofArray(onHeap).asSlice(position, count)
    else
      val i = extents.at(position)
      val from = position - extents.start(i)
      extents.memory(i).asSlice(from, Math.min(count, bytesIn(i) - from))

  private def patch(position: Long, value: Long, bytes: Int, little: Boolean): this.type =
    check(position, bytes)
    val onHeap = array
    val i = extents.at(position)
    val from = position - extents.start(i)
    if onHeap != null then Numbers.store(onHeap, position.toInt, value, bytes, little)
    else if from + bytes <= extents.capacity(i) then
      Numbers.store(extents.memory(i), from, value, bytes, little)
    else
      val inOrder = Numbers.ordered(value, bytes, little)
      for k <- 0 until bytes do patch(position + k, inOrder >>> (8 * k), 1, true): Unit
    this

  /** Makes extent `i` the one that is written. */
  private def select(i: Int): Unit =
    index = i
    before = extents.start(i)
    if array != null then limit = 0
    else
      origin = extents.origin(i)
      limit = extents.committed(i)

  /** Room for `count` more bytes on the heap, or else outside it. */
  private def grow(count: Long): Unit =
    checkOpen()
    val bytes = size + count
    if bytes > upTo || bytes < 0 then throw TooLargeException("the byte output", bytes, upTo)
    val onHeap = array
    if onHeap == null then
      if extents.grow(size, bytes) then select(0) else select(index)
    else if bytes > ByteOutput.HeapBytes then leaveHeap(bytes)
    else if bytes > onHeap.length then
      array = java.util.Arrays.copyOf(onHeap, ByteOutput.arrayFor(bytes.toInt))

  private def leaveHeap(bytes: Long): Unit =
    val onHeap = array.nn
    if cleanable == null then cleanable = Held.cleaner.register(this, held)
    val _ = extents.grow(0, bytes.max(1))
    MemorySegment.copy(onHeap, 0, extents.memory(0), ValueLayout.JAVA_BYTE, 0, at.toInt)
    array = null
    select(0)

  private def writeSlowly(bytes: MemorySegment): Unit =
    val count = bytes.byteSize
    grow(count)
    val onHeap = array
    if onHeap != null then
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, onHeap, at.toInt, count.toInt)
      at += count
    else
      var done = 0L
      while done < count do
        if at == extents.capacity(index) then
          at = 0
          select(index + 1)
        val some = Math.min(count - done, limit - at)
        MemorySegment.copy(bytes, done, extents.memory(index), at, some)
        at += some
        done += some

  private def writeNumberSlowly(value: Long, bytes: Int, little: Boolean): Unit =
    grow(bytes)
    val onHeap = array
    if onHeap != null then
      Numbers.store(onHeap, at.toInt, value, bytes, little)
      at += bytes
    else
      Numbers.store(scratch(), 0, value, bytes, little)
      write(scratch(), 0, bytes)

  private def scratch(): Array[Byte] =
    val known = part
    if known != null then known
    else
      val made = new Array[Byte](ByteOutput.ScratchBytes)
      part = made
      made
end ByteOutput

object ByteOutput:
  /** Bytes that are kept on the heap. */
  private val HeapBytes = 16 << 10

  /** The largest array that every JVM can make. */
  val LargestArray: Long = Int.MaxValue - 8L

  private val ScratchBytes = 512

  /** Bytes copied at a time on the way to a stream, and handed to a channel at a time. */
  private val CopyBytes = 64L << 10
  private val ViewBytes = 1L << 30

  private val Empty = new Array[Byte](0)

  private val outputs = Budget("byte outputs", Long.MaxValue)

  /** The first array has 256 bytes; each next one four times as many. */
  private def arrayFor(bytes: Int): Int =
    Math.min(HeapBytes, Math.max(256, Integer.highestOneBit(bytes - 1) << 2))

  private val largest = Cage.segment.byteSize / 2

  /** How many outputs were dropped without a close since the process began. */
  def dropped: Long = Held.dropped.get

  /** An output of as many bytes as the process may hold. */
  def apply(): ByteOutput = ByteOutput(Math.min(Ledger.limitBytes, largest))

  /** An output of up to `upTo` bytes.
    *
    * @param budget
    *   what its memory is charged to, beside the process's
    * @param pages
    *   what it lies on when it is larger than 2 MiB
    */
  def apply(upTo: Long, budget: Budget = outputs, pages: Pages = Pages.default): ByteOutput =
    if upTo < 0 || upTo > largest then throw TooLargeException("the cage", upTo, largest)
    new ByteOutput(upTo, budget, pages)
end ByteOutput
