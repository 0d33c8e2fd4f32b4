package undercroft.buffer

import internal.codec.{NumberCodec, OffHeapNumberCodec}
import internal.output.SmallCopies
import undercroft.memory.internal.cage.Cage
import java.util.{ConcurrentModificationException, Objects}
import scala.annotation.publicInBinary

/** Appends up to a fixed number of bytes to a [[ByteOutput]] and keeps its position locally until
  * [[ByteOutput.batch]] ends.
  *
  * A write to the output itself stores the new position, and the next write depends on that store.
  * If a batch does not escape the method that uses it, including inlined code, it is not allocated:
  * its position is in a register. This requires that room is reserved in advance: if the batch
  * could grow between two writes, the JIT would keep the position on the stack for that call.
  *
  * For the thread that started it, within the batch; afterwards every write throws an
  * IllegalStateException, and a write by another thread a ConcurrentModificationException. The
  * memory is checked when the batch starts, and no operation moves or frees it until the batch
  * ends. A write beyond the room throws a [[TooLargeException]]; the bytes written before stay.
  *
  * {{{
  * val out = ByteOutput()
  * try
  *   out.batch(maxBytes = 100 * 4): batch =>
  *     for i <- 0 until 100 do batch.writeIntLe(i)
  *   println(out.size)
  * finally out.close()
  * }}}
  */
final class OutputBatch @publicInBinary private[buffer] (out: ByteOutput, maxBytes: Int)
    extends NumberWriter:
  // The bytes go to an array, or to [[Cage.open]] if that is null. A batch that has ended has no
  // room. It is ended by a plain store, because a call that the JIT considers too rare to inline
  // would make it escape. Each write compares the thread; this is free if the batch is not
  // allocated.
  @publicInBinary private[buffer] val array: Array[Byte] | Null = out.beginBatch(maxBytes)
  @publicInBinary private[buffer] val first: Long = out.batchFirst
  @publicInBinary private[buffer] var place: Long = first
  @publicInBinary private[buffer] var until: Long = first + maxBytes
  private val thread = Thread.currentThread

  /** Number of bytes written by this batch. */
  def size: Int = (place - first).toInt

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val at = place
    val end = at + bytes
    if end > until || (thread ne Thread.currentThread) then
      throw OutputBatch.full(end - first, maxBytes, until, thread)
    val onHeap = array
    if onHeap == null then OffHeapNumberCodec.put(Cage.open, Cage.within(at), value, bytes, little)
    else NumberCodec.store(onHeap, at.toInt, value, bytes, little)
    place = end

  /** Copies all bytes of an array, or `count` bytes from index `from`.
    *
    * {{{
    * val out = ByteOutput()
    * try
    *   out.batch(maxBytes = 8): batch =>
    *     batch.write("price".getBytes)
    *     batch.write("251".getBytes, 0, 2)
    *   println(out) // price25
    * finally out.close()
    * }}}
    */
  def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    val onHeap = array
    val at = place
    if onHeap == null && SmallCopies.areFew(bytes, from, count, until - at) &&
      (thread eq Thread.currentThread)
    then
      SmallCopies.few(bytes, from, Cage.open, Cage.within(at), count)
      place = at + count
    else place = OutputBatch.write(bytes, from, count, onHeap, at, until, maxBytes, thread)
end OutputBatch

private[buffer] object OutputBatch:
  /** Writes to a batch given as its fields, so that the batch does not escape.
    *
    * @return
    *   its place afterwards
    */
  private def write(
      bytes: Array[Byte],
      from: Int,
      count: Int,
      onHeap: Array[Byte] | Null,
      place: Long,
      until: Long,
      maxBytes: Int,
      thread: Thread
  ): Long =
    Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val end = place + count
    if end > until || (thread ne Thread.currentThread) then
      throw full(maxBytes + end - until, maxBytes, until, thread)
    if onHeap == null then SmallCopies.toMemory(bytes, from, Cage.open, Cage.within(place), count)
    else System.arraycopy(bytes, from, onHeap, place.toInt, count)
    end

  private def full(bytes: Long, maxBytes: Int, until: Long, thread: Thread): RuntimeException =
    if until < 0 then IllegalStateException("the batch has ended")
    else if thread ne Thread.currentThread then
      ConcurrentModificationException(
        s"the batch belongs to thread $thread, but ${Thread.currentThread} wrote to it"
      )
    else TooLargeException("the batch", bytes, maxBytes)
end OutputBatch
