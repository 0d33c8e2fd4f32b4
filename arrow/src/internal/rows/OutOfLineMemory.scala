package undercroft.arrow
package internal.rows

import internal.io.FileInput
import java.lang.foreign.MemorySegment
import java.nio.ByteOrder
import scala.collection.mutable.ArrayBuffer
import undercroft.memory.internal.cage.Cage
import undercroft.memory.{Address, Allocator, Malloc}
import undercroft.struct.internal.bytes.OutOfLine

/** Allocates the values out of line of a table that is read. Confined to one thread. */
private[arrow] final class OutOfLineMemory(allocator: Allocator):
  private lazy val bytes = new Array[Byte](OutOfLineMemory.CopyBytes)
  private lazy val buffer = MemorySegment.ofArray(bytes).nn

  /** Whether each value has a block that the program frees, so values cannot share memory. */
  val hasBlocks: Boolean = allocator eq Malloc
  private val blocks = ArrayBuffer[Address]()

  /** Allocates memory for values of these sizes in bytes and returns their addresses: all in one
    * block, which is freed with the region. A value without bytes has the address 0.
    */
  def allocate(sizes: Array[Long], input: FileInput): Array[Long] =
    val addresses = new Array[Long](sizes.length)
    if hasBlocks then
      for i <- sizes.indices if sizes(i) > 0 do
        addresses(i) = OutOfLine.allocated(sizes(i), allocator)
        blocks += Address.ofBits(addresses(i))
    else
      var total = 0L
      for size <- sizes do total = input.sum(total, size)
      var next = OutOfLine.allocated(total, allocator)
      for i <- sizes.indices if sizes(i) > 0 do
        addresses(i) = next
        next = Cage.moved(next, sizes(i))
    addresses

  /** Frees the blocks of Malloc, after a failure: the values are unknown to the program. */
  def freeBlocks(): Unit =
    blocks.foreach(Malloc.free(_))
    blocks.clear()

  /** Copies a range of the input to a value, from the start of the value on. */
  def copy(input: FileInput, at: Long, count: Long, address: Long): Unit =
    var done = 0L
    while done < count do
      val part = Math.min(count - done, bytes.length).toInt
      input.read(at + done, bytes, part)
      OutOfLine.copyFrom(buffer, 0, part, address, done)
      done += part

  /** Copies bytes to a value, `offset` bytes behind its start. */
  def put(content: MemorySegment, from: Long, count: Long, address: Long, offset: Long): Unit =
    OutOfLine.copyFrom(content, from, count, address, offset)
end OutOfLineMemory

private[arrow] object OutOfLineMemory:
  /** The most bytes that are read in one call. */
  private inline val CopyBytes = 1 << 20

  /** The bytes of a field out of line: the address, and the number of bytes. */
  inline val FieldBytes = 16

  /** The fields of values with these addresses and sizes. */
  def fields(addresses: Array[Long], sizes: Array[Long]): Array[Byte] =
    val content = new Array[Byte](addresses.length * FieldBytes)
    val longs = java.nio.ByteBuffer.wrap(content).nn.order(ByteOrder.nativeOrder).nn
    for i <- addresses.indices do
      longs.putLong(addresses(i)): Unit
      longs.putLong(sizes(i)): Unit
    content
end OutOfLineMemory
