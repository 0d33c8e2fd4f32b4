package undercroft.buffer

import internal.codec.{NumberCodec, OffHeapNumberCodec, Utf8}
import internal.io.{ChannelCalls, Progress}
import internal.output.{OutputCleaner, SmallCopies}
import undercroft.memory.internal.cage.Cage
import java.io.{IOException, OutputStream}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.ref.Reference.reachabilityFence
import java.nio.ByteBuffer
import java.nio.channels.{GatheringByteChannel, SelectableChannel, WritableByteChannel}
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.{Budget, Ledger, Pages}

/** An OutputStream into contiguous memory that grows without copying and has no limit of 2 GiB.
  *
  * Up to 16 KiB it is a heap array. Beyond that it has its own range of address space, which is
  * committed as it is written; growth copies at most 1 MiB, once. It holds off-heap memory until it
  * is [[close closed]]; a leaked output is found by the garbage collector, freed, and reported by
  * `System.Logger` and [[ByteOutput.leaked]].
  *
  * For one thread at a time. If threads share it without synchronization, bytes may be lost and a
  * call may throw a ConcurrentModificationException, but no memory of another owner is written:
  * synchronize, or give each thread its own output. Writing does not allocate once the memory is
  * committed. A write beyond `maxBytes` bytes throws a [[TooLargeException]]; a write beyond a
  * budget, which is charged in steps of 64 KiB to 2 MiB, throws a MemoryLimitException. Neither
  * writes any byte, and the bytes written before stay readable. After the close every call that
  * reads, writes or removes bytes throws a [[ClosedException]], and [[size]] returns 0.
  *
  * If the system has no address space left for one range, the output continues in several extents.
  * Only [[segment]] needs contiguous memory; [[isContiguous]] reports it.
  *
  * {{{
  * val out = ByteOutput()
  * try
  *   out.writeInt(0).writeUtf8("price ").writeLongLe(251)
  *   out.patchInt(0, (out.size - 4).toInt) // the length, once it is known
  *   println(out.segment.byteSize) // all bytes, for native code
  * finally out.close()
  * }}}
  */
final class ByteOutput private (maxBytes: Long, budget: Budget, pages: Pages)
    extends OutputMemory(maxBytes, budget, pages),
      NumberWriter:
  // Scratch array in which text is encoded before it is copied to the output.
  private var part: Array[Byte] | Null = null

  /** Writes the low byte of `value`.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   out.write(0x1ff)
    *   println(out(0)) // -1
    * finally out.close()
    * }}}
    */
  def write(value: Int): Unit = writeNumber(value, 1, true)

  override def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    // As Copies.few, but without a call that may not be inlined: outputs begin on the heap, so the
    // JIT may have profiled too little of this path to inline more, and it keeps the code it
    // compiled.
    val at = place
    if (count | from) >= 0 && count <= 64 && from <= bytes.length - 64 && isInWindow(at, 64)
    then
      val words = NumberCodec.longs
      val places = OffHeapNumberCodec.longs
      val memory = Cage.open
      val to = Cage.within(at)
      SmallCopies.eight(words, bytes, from, places, memory, to)
      SmallCopies.eight(words, bytes, from + 8, places, memory, to + 8)
      SmallCopies.eight(words, bytes, from + 16, places, memory, to + 16)
      SmallCopies.eight(words, bytes, from + 24, places, memory, to + 24)
      if count > 32 then
        SmallCopies.eight(words, bytes, from + 32, places, memory, to + 32)
        SmallCopies.eight(words, bytes, from + 40, places, memory, to + 40)
        SmallCopies.eight(words, bytes, from + 48, places, memory, to + 48)
        SmallCopies.eight(words, bytes, from + 56, places, memory, to + 56)
      place = at + count
    else writeElsewhere(bytes, from, count)
  end write

  /** The same as `write(bytes)`; the name is ByteArrayOutputStream's. */
  def writeBytes(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  /** Writes all bytes of a segment, which may be part of this output, for example [[segment]].
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   out.writeUtf8("ab")
    *   out.write(out.segment)
    *   println(out) // abab
    * finally out.close()
    * }}}
    */
  def write(bytes: MemorySegment): this.type =
    writeSlowly(bytes)
    this

  /** Writes text as UTF-8; an unpaired surrogate becomes `?`.
    *
    * {{{
    * val out = ByteOutput()
    * try println(out.writeUtf8("€").size) // 3
    * finally out.close()
    * }}}
    */
  def writeUtf8(text: String): this.type =
    // A char takes at most three bytes: if those fit, the exact size is not computed. A closed
    // output has no room.
    val maxUtf8Bytes = text.length * 3L
    if maxUtf8Bytes > OutputMemory.WindowBytes || !isInWindow(place, maxUtf8Bytes) then
      val plain = Utf8.ascii(text, 0, text.length)
      ensureRoom(plain + Utf8.size(text, plain, text.length))
    val part = scratch()
    var i = 0
    while i < text.length do
      val done = Utf8.encode(text, i, text.length, part, 0, part.length)
      write(part, 0, done.toInt)
      i = (done >>> 32).toInt
    this

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val at = place
    if isInWindow(at, bytes) then
      OffHeapNumberCodec.put(Cage.open, Cage.within(at), value, bytes, little)
      place = at + bytes
    else writeNumberSlowly(value, bytes, little)

  /** Runs `body` with a batch that appends up to `maxBytes` bytes; numbers cost two thirds of
    * single writes. See [[OutputBatch]].
    *
    * Room for all of `maxBytes` is reserved first, or the call fails. Until the batch ends `size`
    * returns the size before it, and every other call, including close, throws an
    * IllegalStateException. If `body` fails, the bytes written by it before stay.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   out.batch(maxBytes = 12)(batch => batch.writeInt(1).writeLongLe(251))
    *   println(out.size) // 12
    * finally out.close()
    * }}}
    */
  inline def batch(maxBytes: Int)(inline body: OutputBatch => Unit): this.type =
    val batch = new OutputBatch(this, maxBytes)
    try body(batch)
    finally
      batch.until = -1
      endBatch(batch.array, batch.first, batch.place)
    this

  /** Ends a batch that wrote to this output's memory or array, or to a temporary array. */
  @publicInBinary private[buffer] def endBatch(
      target: Array[Byte] | Null,
      first: Long,
      end: Long
  ): Unit =
    if target == null || (target eq array) then
      place = end
      free()
    else
      free()
      write(target, 0, (end - first).toInt)

  /** Overwrites bytes that were already written with an Int: for example a length that is known
    * only afterwards.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   out.writeInt(0).writeUtf8("price")
    *   out.patchInt(0, (out.size - 4).toInt)
    *   println(out(3)) // 5
    * finally out.close()
    * }}}
    */
  def patchInt(position: Long, value: Int): this.type = patch(position, value, 4, false)
  def patchByte(position: Long, value: Int): this.type = patch(position, value, 1, false)
  def patchShort(position: Long, value: Int): this.type = patch(position, value, 2, false)
  def patchShortLe(position: Long, value: Int): this.type = patch(position, value, 2, true)
  def patchIntLe(position: Long, value: Int): this.type = patch(position, value, 4, true)
  def patchLong(position: Long, value: Long): this.type = patch(position, value, 8, false)
  def patchLongLe(position: Long, value: Long): this.type = patch(position, value, 8, true)

  /** The byte at a position.
    *
    * {{{
    * val out = ByteOutput()
    * try println(out.writeUtf8("abc")(1).toChar) // b
    * finally out.close()
    * }}}
    */
  def apply(position: Long): Byte =
    check(position, 1)
    val i = extents.at(position)
    val onHeap = array
    if onHeap != null then
      if position >= onHeap.length then throw torn()
      onHeap(position.toInt)
    else extents.memory(i).get(ValueLayout.JAVA_BYTE, position - extents.start(i))

  /** A copy of all bytes. Throws a [[TooLargeException]] if they exceed an array.
    *
    * {{{
    * val out = ByteOutput()
    * try println(out.writeShort(258).toByteArray().toList) // List(1, 2)
    * finally out.close()
    * }}}
    */
  def toByteArray(): Array[Byte] =
    checkOpen()
    if size > ByteOutput.MaxArrayLength then
      throw TooLargeException("an array", size, ByteOutput.MaxArrayLength)
    val copy = new Array[Byte](size.toInt)
    val _ = copyTo(0, MemorySegment.ofArray(copy))
    copy

  /** The bytes decoded with a charset. */
  def toString(charset: Charset): String = String(toByteArray(), charset)

  /** The bytes decoded as UTF-8. Returns a description if the output is closed, in use by a batch
    * or native code, or too large for a String.
    */
  override def toString: String =
    if !open then "a closed byte output"
    else if user != null then s"a byte output of $size bytes, which $user"
    else if size > ByteOutput.MaxArrayLength then s"a byte output of $size bytes"
    else toString(UTF_8)

  /** Copies bytes from a position until the target is full or the output ends.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * val out = ByteOutput()
    * try
    *   val array = new Array[Byte](3)
    *   println(out.writeUtf8("price").copyTo(2, MemorySegment.ofArray(array))) // 3
    *   println(String(array)) // ice
    * finally out.close()
    * }}}
    *
    * @return
    *   the number of bytes
    */
  def copyTo(position: Long, target: MemorySegment): Long =
    checkOpen()
    Objects.checkFromToIndex(position, size, size): Unit
    val count = Math.min(size - position, target.byteSize)
    var done = 0L
    while done < count do
      val slice = piece(position + done, count - done)
      MemorySegment.copy(slice, 0, target, done, slice.byteSize)
      done += slice.byteSize
    reachabilityFence(this)
    count

  /** Writes all bytes to a stream, through an array of 64 KiB.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val (out, stream) = (ByteOutput(), ByteArrayOutputStream())
    * try
    *   out.writeUtf8("price").writeTo(stream)
    *   println(stream) // price
    * finally out.close()
    * }}}
    */
  def writeTo(target: OutputStream): Unit =
    checkOpen()
    val count = size
    val copy = new Array[Byte](Math.min(count, ByteOutput.CopyBytes).toInt)
    var done = 0L
    while done < count do
      val step = Math.min(count - done, copy.length)
      val bytes = copyTo(done, MemorySegment.ofArray(copy).asSlice(0, step)).toInt
      target.write(copy, 0, bytes)
      done += bytes

  /** Writes all bytes to a blocking channel without copying them to the heap. A gathering channel
    * gets all pieces in one call. A channel in non-blocking mode is an
    * IllegalBlockingModeException, and one that returns another count than it took an IOException.
    *
    * {{{
    * import java.nio.channels.FileChannel
    * import java.nio.file.{Files, StandardOpenOption}
    * val out = ByteOutput()
    * val file = FileChannel.open(Files.createTempFile("out", ".bin"), StandardOpenOption.WRITE)
    * try println(out.writeUtf8("price").writeTo(file)) // 5
    * finally
    *   file.close()
    *   out.close()
    * }}}
    *
    * @return
    *   the number of bytes
    */
  def writeTo(target: WritableByteChannel): Long =
    checkOpen()
    val count = size
    val pieces = views(count)
    target match
      case gathering: GatheringByteChannel => writeAll(pieces, target)(gathering.write(pieces))
      case _ => for view <- pieces do writeAll(Array(view), target)(target.write(view).toLong)
    reachabilityFence(this)
    count

  /** Repeats a write of the views until the channel has taken all bytes. */
  private def writeAll(views: Array[ByteBuffer], channel: WritableByteChannel)(
      write: => Long
  ): Unit =
    var rest = ByteOutput.remaining(views)
    var emptyWrites = 0
    while rest > 0 do
      checkBlocking(channel)
      val count = write
      val left = ByteOutput.remaining(views)
      if count != rest - left then
        throw IOException(s"a channel took ${rest - left} of $rest bytes, but returned $count")
      emptyWrites = Progress.emptyWrites(emptyWrites, count, rest)
      rest = left

  private def checkBlocking(channel: WritableByteChannel): Unit = channel match
    case selectable: SelectableChannel => ChannelCalls.checkBlocking(selectable)
    case _                             => ()

  /** The first `count` bytes in place, as ByteBuffers. */
  private def views(count: Long): Array[ByteBuffer] =
    val views = Array.newBuilder[ByteBuffer]
    var done = 0L
    while done < count do
      val slice = piece(done, Math.min(count - done, ByteOutput.ViewBytes))
      views += slice.asByteBuffer()
      done += slice.byteSize
    views.result()

  private def patch(position: Long, value: Long, bytes: Int, little: Boolean): this.type =
    check(position, bytes)
    val onHeap = array
    val i = extents.at(position)
    val from = position - extents.start(i)
    if onHeap != null then
      if position > onHeap.length - bytes then throw torn()
      NumberCodec.store(onHeap, position.toInt, value, bytes, little)
    else if from + bytes <= extents.capacity(i) then
      OffHeapNumberCodec.store(extents.memory(i), from, value, bytes, little)
    else
      val inOrder = NumberCodec.ordered(value, bytes, little)
      for k <- 0 until bytes do patch(position + k, inOrder >>> (8 * k), 1, true): Unit
    this

  private def writeElsewhere(bytes: Array[Byte], from: Int, count: Int): Unit =
    Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val at = place
    if count > 0 && count <= OutputMemory.WindowBytes && isInWindow(at, count) then
      SmallCopies.toMemory(bytes, from, Cage.open, Cage.within(at), count)
      place = at + count
    else
      val onHeap = heapFor(count)
      if onHeap != null then
        val to = indexIn(onHeap, count)
        System.arraycopy(bytes, from, onHeap, to, count)
        place = to + count
      else appendToMemory(bytes, from, count)

  private def appendToMemory(bytes: Array[Byte], from: Int, count: Int): Unit =
    claimed(OutputMemory.Appends):
      val at = growMemory(count)
      if count <= extents.committed(index) - at then
        MemorySegment.copy(bytes, from, extents.memory(index), ValueLayout.JAVA_BYTE, at, count)
        select(index, at + count)
      else writePieces(MemorySegment.ofArray(bytes).asSlice(from, count), at)

  private def writeSlowly(bytes: MemorySegment): Unit =
    val count = bytes.byteSize
    val onHeap = heapFor(count)
    if onHeap != null then
      val to = indexIn(onHeap, count.toInt)
      MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, onHeap, to, count.toInt)
      place = to + count
    else
      claimed(OutputMemory.Appends):
        // The source is part of this output, which may move: its offset stays valid.
        val isOwn = isContiguous && bytes.scope.equals(extents.memory(0).scope)
        val position = if isOwn then bytes.address - extents.memory(0).address else 0
        val at = growMemory(count)
        writePieces(if isOwn then extents.memory(0).asSlice(position, count) else bytes, at)

  /** Writes to as many extents as needed, from `at` of the current one; the room is already
    * committed.
    */
  private def writePieces(bytes: MemorySegment, at: Long): Unit =
    val count = bytes.byteSize
    var done = 0L
    var i = index
    var to = at
    while done < count do
      if to == extents.capacity(i) then
        i += 1
        to = 0
      val step = Math.min(count - done, extents.committed(i) - to)
      if step <= 0 then throw torn()
      MemorySegment.copy(bytes, done, extents.memory(i), to, step)
      to += step
      done += step
    select(i, to)

  private def writeNumberSlowly(value: Long, bytes: Int, little: Boolean): Unit =
    val onHeap = heapFor(bytes)
    if onHeap != null then
      val to = indexIn(onHeap, bytes)
      NumberCodec.store(onHeap, to, value, bytes, little)
      place = to + bytes
    else
      claimed(OutputMemory.Appends):
        val at = growMemory(bytes)
        if bytes <= extents.committed(index) - at then
          OffHeapNumberCodec.store(extents.memory(index), at, value, bytes, little)
          select(index, at + bytes)
        else
          val part = new Array[Byte](8)
          NumberCodec.store(part, 0, value, bytes, little)
          writePieces(MemorySegment.ofArray(part).asSlice(0, bytes), at)

  /** Makes room for `count` more bytes, or throws. */
  private def ensureRoom(count: Long): Unit =
    if heapFor(count) == null then
      claimed(OutputMemory.Appends):
        val _ = growMemory(count)

  private def scratch(): Array[Byte] =
    val bytes = part
    if bytes != null then bytes
    else
      val newBytes = new Array[Byte](ByteOutput.ScratchBytes)
      part = newBytes
      newBytes
end ByteOutput

object ByteOutput:
  /** The largest array length that every JVM supports. */
  val MaxArrayLength: Long = Int.MaxValue - 8L

  private val ScratchBytes = 512

  /** Bytes copied at a time to a stream, and passed to a channel at a time. */
  private val CopyBytes = 64L << 10
  private val ViewBytes = 1L << 30

  private def remaining(views: Array[ByteBuffer]): Long = views.foldLeft(0L)(_ + _.remaining)

  private val outputs = Budget("byte outputs", Long.MaxValue)

  private val largest = Cage.segment.byteSize / 2

  /** Number of outputs that were leaked since the process started.
    *
    * {{{
    * println(ByteOutput.leaked) // 0
    * }}}
    */
  def leaked: Long = OutputCleaner.dropped.get

  /** An output with the memory limit of the process. */
  def apply(): ByteOutput = ByteOutput(Math.min(Ledger.limitBytes, largest))

  /** An output of up to `maxBytes` bytes.
    *
    * {{{
    * import undercroft.memory.*
    * val out = ByteOutput(maxBytes = 4, Budget("responses", 100.MiB))
    * try out.writeLong(251)
    * catch case error: TooLargeException => println(error.limitBytes) // 4
    * finally out.close()
    * }}}
    *
    * @param budget
    *   the budget charged for its memory, in addition to the process's
    * @param pages
    *   the kind of pages that back it once it is larger than 2 MiB
    */
  def apply(maxBytes: Long, budget: Budget = outputs, pages: Pages = Pages.default): ByteOutput =
    if maxBytes < 0 then
      throw IllegalArgumentException(s"maxBytes must be at least 0, but is $maxBytes")
    if maxBytes > largest then
      throw TooLargeException("the cage", maxBytes, largest)
    new ByteOutput(maxBytes, budget, pages)
end ByteOutput
