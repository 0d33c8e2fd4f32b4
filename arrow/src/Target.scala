package undercroft.arrow

import java.lang.foreign.MemorySegment
import undercroft.structfile.{Lanes, Moves}

/** A table that rows are stored in. For one thread. */
private[arrow] final class Target(lanes: Lanes):

  /** Stores values of `size` bytes that lie one after the other, in the rows that are there. */
  def put(bytes: Array[Byte], offset: Int, size: Int, chunk: Chunk, there: Array[Boolean]): Unit =
    val source = MemorySegment.ofArray(bytes).nn
    val step = lanes.step(size)
    val start = lanes.start(offset, size) + chunk.to * step
    var i = 0
    while i < chunk.count do
      // Runs of rows that are there.
      while i < chunk.count && !there(i) do i += 1
      var end = i
      while end < chunk.count && there(end) do end += 1
      val count = end - i
      Moves.copy(
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
end Target
