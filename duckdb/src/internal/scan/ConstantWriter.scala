package undercroft.duckdb
package internal.scan

import internal.api.{Addresses, DuckDbApi, OutParams}
import java.lang.foreign.{MemorySegment, ValueLayout}
import java.nio.charset.StandardCharsets

/** Writes the value in the name of a file's folder to all rows of a vector. Confined to one thread.
  */
private[duckdb] final class ConstantWriter(constant: PartitionConstant, slots: OutParams)
    extends VectorWriter:
  import ConstantWriter.*

  private val bytes = constant match
    case PartitionConstant.Text(value) => value.getBytes(StandardCharsets.UTF_8).nn
    case _                             => Array[Byte]()

  def apply(vector: Long, window: RowSelection, there: Array[Long] | Null): Unit =
    val at = VectorWriter.data(vector, window.count, slots)
    constant match
      case PartitionConstant.Number(key, size) =>
        numbers(at, key, size, window.count)
        VectorWriter.mark(vector, there, window.count, slots)
      case PartitionConstant.Text(_) =>
        texts(vector, at, window.count)
        VectorWriter.mark(vector, there, window.count, slots)
      case PartitionConstant.Absent(size) =>
        memory.asSlice(at, size.toLong * window.count).nn.fill(0): Unit
        VectorWriter.mark(vector, NoValues, window.count, slots)
  end apply

  private def numbers(at: Long, key: Long, size: Int, count: Int): Unit =
    var i = 0
    while i < count do
      if size == 4 then memory.set(int, at + 4L * i, key.toInt)
      else memory.set(long, at + 8L * i, key)
      i += 1

  /** Stores up to 12 bytes inline in each row, longer ones once in the vector's arena. */
  private def texts(vector: Long, at: Long, count: Int): Unit =
    val place =
      if bytes.length <= Inlined then 0L
      else
        val arena = slots.answer(
          DuckDbApi.vectorGetArena.invokeExact(vector, slots.out, slots.error).asInstanceOf[Int]
        )
        slots.answer(
          DuckDbApi.arenaAllocate.invokeExact(arena, bytes.length.toLong, slots.out, slots.error)
            .asInstanceOf[Int]
        )
    if place != 0 then MemorySegment.copy(bytes, 0, memory, byte, place, bytes.length)
    val prefix = if place == 0 then bytes.length else 4
    var i = 0
    while i < count do
      val row = at + 16L * i
      memory.set(int, row, bytes.length)
      memory.set(int, row + 4, 0)
      memory.set(long, row + 8, place)
      MemorySegment.copy(bytes, 0, memory, byte, row + 4, prefix)
      i += 1
  end texts
end ConstantWriter

private[duckdb] object ConstantWriter:
  private val byte: ValueLayout.OfByte = ValueLayout.JAVA_BYTE.nn
  private val int: ValueLayout.OfInt = ValueLayout.JAVA_INT_UNALIGNED.nn
  private val long: ValueLayout.OfLong = ValueLayout.JAVA_LONG_UNALIGNED.nn
  private def memory = Addresses.memory

  /** The most bytes stored inline in the vector. */
  private inline val Inlined = 12

  /** The validity bits of a vector of 2048 nulls. */
  private val NoValues = new Array[Long](32)
end ConstantWriter
