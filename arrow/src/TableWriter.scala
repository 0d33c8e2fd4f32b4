package undercroft.arrow

import java.lang.foreign.MemorySegment
import undercroft.file.{FieldSlices, StridedCopy}

/** A range of rows of a batch, and the first table row that receives them. */
private[arrow] final case class Chunk(from: Long, to: Long, count: Int)

/** The table that rows are stored in. Confined to one thread. */
private[arrow] final class TableWriter(lanes: FieldSlices):

  /** Stores contiguous values of `size` bytes in the valid rows of a chunk. */
  def put(bytes: Array[Byte], offset: Int, size: Int, chunk: Chunk, there: Array[Boolean]): Unit =
    val source = MemorySegment.ofArray(bytes).nn
    val step = lanes.step(size)
    val start = lanes.start(offset, size) + chunk.to * step
    var i = 0
    while i < chunk.count do
      // One copy for each run of valid rows.
      while i < chunk.count && !there(i) do i += 1
      var end = i
      while end < chunk.count && there(end) do end += 1
      val count = end - i
      StridedCopy.copy(
        source,
        i.toLong * size,
        size,
        lanes.memory,
        start + i * step,
        step,
        size,
        count
      )
      i = end
  end put
end TableWriter
