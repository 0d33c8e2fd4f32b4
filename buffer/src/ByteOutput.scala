package undercroft.buffer

import java.io.OutputStream
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.ref.Reference.reachabilityFence
import java.nio.ByteBuffer
import java.nio.channels.{GatheringByteChannel, WritableByteChannel}
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Objects
import scala.annotation.publicInBinary
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
final class ByteOutput private (upTo: Long, budget: Budget, pages: Pages)
    extends OutputSpace(upTo, budget, pages),
      WritesNumbers:
  // What passes through here is too small, or in the wrong form, to go where it belongs at once.
  private var part: Array[Byte] | Null = null

  /** Writes the low byte of `value`. */
  def write(value: Int): Unit = writeNumber(value, 1, true)

  override def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    // As Copies.few does it, but without a call that is not inlined in any case: outputs begin on the
    // heap, so that the JIT may have seen too little of this to inline more, and keep what it made.
    if (count | from) >= 0 && count <= 64 && from <= bytes.length - 64 && limit - place >= 64
    then
      val words = Numbers.longs
      val places = Numbers.longsOutside
      val memory = Cage.open
      val to = Cage.within(place)
      Copies.eight(words, bytes, from, places, memory, to)
      Copies.eight(words, bytes, from + 8, places, memory, to + 8)
      Copies.eight(words, bytes, from + 16, places, memory, to + 16)
      Copies.eight(words, bytes, from + 24, places, memory, to + 24)
      if count > 32 then
        Copies.eight(words, bytes, from + 32, places, memory, to + 32)
        Copies.eight(words, bytes, from + 40, places, memory, to + 40)
        Copies.eight(words, bytes, from + 48, places, memory, to + 48)
        Copies.eight(words, bytes, from + 56, places, memory, to + 56)
      place += count
    else writeElsewhere(bytes, from, count)

  /** As `write(bytes)`, by ByteArrayOutputStream's name. */
  def writeBytes(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  /** Writes all bytes of a segment. */
  def write(bytes: MemorySegment): this.type =
    writeSlowly(bytes)
    this

  /** Writes text as UTF-8; a surrogate that has no pair as `?`. */
  def writeUtf8(text: String): this.type =
    // No char of a text takes more than three bytes: where those have room nothing is counted. A
    // closed output has none.
    if place + text.length * 3L >= room then
      val plain = Utf8.ascii(text, 0, text.length)
      grow(plain + Utf8.size(text, plain, text.length))
    val part = scratch()
    var i = 0
    while i < text.length do
      val done = Utf8.encode(text, i, text.length, part, 0, part.length)
      write(part, 0, done.toInt)
      i = (done >>> 32).toInt
    this

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val end = place + bytes
    if end <= limit then
      Numbers.put(Cage.open, Cage.within(place), value, bytes, little)
      place = end
    else writeNumberSlowly(value, bytes, little)

  /** Runs `body` with something that writes up to `upTo` bytes to the end of this: numbers for two
    * thirds of what they cost one by one. See [[OutputBatch]].
    *
    * Room for all of `upTo` is made first, or none. Until the batch ends the output itself answers
    * its size before, and every other use, also its close, is an IllegalStateException. Where
    * `body` fails, what was written before stays.
    */
  inline def batch(upTo: Int)(inline body: OutputBatch => Unit): this.type =
    val batch = new OutputBatch(this, upTo)
    try body(batch)
    finally
      batch.until = -1
      endBatch(batch.array, batch.first, batch.place)
    this

  /** Ends a batch: it wrote to memory or the array of this, or to an array of its own. */
  @publicInBinary private[buffer] def endBatch(
      target: Array[Byte] | Null,
      first: Long,
      end: Long
  ): Unit =
    val bytes = (end - first).toInt
    if target == null || (target eq array) then
      place += bytes
      free()
    else
      free()
      write(target, 0, bytes)

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

  /** The bytes as UTF-8; of a closed output, one that a batch or native code has, or one too large
    * for a String, a description.
    */
  override def toString: String =
    if !open then "a closed byte output"
    else if user != null then s"a byte output of $size bytes, which $user"
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
    checkOpen()
    val count = size
    val copy = new Array[Byte](Math.min(count, ByteOutput.CopyBytes).toInt)
    var done = 0L
    while done < count do
      val most = Math.min(count - done, copy.length)
      val some = copyTo(done, MemorySegment.ofArray(copy).asSlice(0, most)).toInt
      target.write(copy, 0, some)
      done += some

  /** Writes all bytes to a blocking channel, without copying them to the heap; one that gathers is
    * given all pieces at once.
    *
    * @return
    *   how many
    */
  def writeTo(target: WritableByteChannel): Long =
    checkOpen()
    val count = size
    var done = 0L
    target match
      case gathering: GatheringByteChannel =>
        val pieces = views(count)
        while done < count do done += gathering.write(pieces)
      case _ =>
        for view <- views(count) do while view.hasRemaining do done += target.write(view)
    reachabilityFence(this)
    count

  /** The first `count` bytes in place, in as many ByteBuffers as they need. */
  private def views(count: Long): Array[ByteBuffer] =
    val views = Array.newBuilder[ByteBuffer]
    var done = 0L
    while done < count do
      val some = piece(done, Math.min(count - done, ByteOutput.ViewBytes))
      views += some.asByteBuffer()
      done += some.byteSize
    views.result()

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

  private def writeElsewhere(bytes: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val end = place + count
    if count > 0 && end <= limit then
      Copies.toMemory(bytes, from, Cage.open, Cage.within(place), count)
      place = end
    else
      grow(count)
      appendGrown(bytes, from, count)

  private def appendGrown(bytes: Array[Byte], from: Int, count: Int): Unit =
    val onHeap = array
    if onHeap != null then
      System.arraycopy(bytes, from, onHeap, at.toInt, count)
      place += count
    else if count <= room - place then
      val memory = extents.memory(index)
      MemorySegment.copy(bytes, from, memory, ValueLayout.JAVA_BYTE, at, count)
      advance(count)
    else writePieces(MemorySegment.ofArray(bytes).asSlice(from, count))

  private def writeSlowly(bytes: MemorySegment): Unit =
    val count = bytes.byteSize
    grow(count)
    val onHeap = array
    if onHeap != null then
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, onHeap, at.toInt, count.toInt)
      place += count
    else writePieces(bytes)

  /** Writes to as many extents as it takes; there is room. */
  private def writePieces(bytes: MemorySegment): Unit =
    val count = bytes.byteSize
    var done = 0L
    while done < count do
      if at == extents.capacity(index) then select(index + 1, 0)
      val some = Math.min(count - done, room - place)
      MemorySegment.copy(bytes, done, extents.memory(index), at, some)
      advance(some)
      done += some

  private def writeNumberSlowly(value: Long, bytes: Int, little: Boolean): Unit =
    grow(bytes)
    val onHeap = array
    if onHeap != null then
      Numbers.store(onHeap, at.toInt, value, bytes, little)
      place += bytes
    else if bytes <= room - place then
      Numbers.store(extents.memory(index), at, value, bytes, little)
      advance(bytes)
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
  /** The largest array that every JVM can make. */
  val LargestArray: Long = Int.MaxValue - 8L

  private val ScratchBytes = 512

  /** Bytes copied at a time on the way to a stream, and handed to a channel at a time. */
  private val CopyBytes = 64L << 10
  private val ViewBytes = 1L << 30

  private val outputs = Budget("byte outputs", Long.MaxValue)

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
