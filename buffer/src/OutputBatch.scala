package undercroft.buffer

import java.util.Objects
import scala.annotation.publicInBinary
import undercroft.memory.Cage

/** Writes up to so many bytes to a [[ByteOutput]], whose position it keeps until
  * [[ByteOutput.batch]] ends.
  *
  * A write to the output itself stores the new position, and the next write waits for that store. A
  * batch that does not leave the method that uses it, or what that inlines, is no object at all:
  * its position is in a register. For that it has its room when it begins: were it to grow between
  * two writes, the JIT would keep the position on the stack for the sake of that call.
  *
  * For the thread that writes the output, within the batch; afterwards every write is an
  * IllegalStateException. The memory is checked when the batch begins. What has no room in it is a
  * [[TooLargeException]], and what was written before stays.
  */
final class OutputBatch @publicInBinary private[buffer] (out: ByteOutput, upTo: Int)
    extends WritesNumbers:
  // The bytes go to an array, or else to [[Cage.open]]. A batch that has ended has no room; it is
  // ended by a plain store, because a call that the JIT finds too rare to inline would keep it an
  // object.
  @publicInBinary private[buffer] val array: Array[Byte] | Null = out.beginBatch(upTo)
  @publicInBinary private[buffer] val first: Long =
    if array == null || (array eq out.array) then out.place else 0
  @publicInBinary private[buffer] var place: Long = first
  @publicInBinary private[buffer] var until: Long = first + upTo

  /** Bytes written by it. */
  def size: Int = (place - first).toInt

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    val end = place + bytes
    if end > until then throw OutputBatch.full(end - first, upTo, until)
    val onHeap = array
    if onHeap == null then Numbers.put(Cage.open, Cage.within(place), value, bytes, little)
    else Numbers.store(onHeap, place.toInt, value, bytes, little)
    place = end

  def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    val onHeap = array
    if onHeap == null && Copies.areFew(bytes, from, count, until - place) then
      Copies.few(bytes, from, Cage.open, Cage.within(place), count)
      place += count
    else place = OutputBatch.write(bytes, from, count, onHeap, place, until, upTo)
end OutputBatch

private[buffer] object OutputBatch:
  /** Writes to a batch whose parts these are, so that it does not have to be an object.
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
      upTo: Int
  ): Long =
    Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val end = place + count
    if end > until then throw full(upTo + end - until, upTo, until)
    if onHeap == null then Copies.toMemory(bytes, from, Cage.open, Cage.within(place), count)
    else System.arraycopy(bytes, from, onHeap, place.toInt, count)
    end

  private def full(bytes: Long, upTo: Int, until: Long): RuntimeException =
    if until < 0 then IllegalStateException("the batch has ended")
    else TooLargeException("the batch", bytes, upTo)
end OutputBatch
