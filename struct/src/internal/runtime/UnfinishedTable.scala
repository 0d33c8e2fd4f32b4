package undercroft.struct
package internal.runtime

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import undercroft.memory.{Allocator, Malloc}

/** Frees a new table that an operation could not fill, because the program does not get it: the
  * block of [[Malloc]] would never be freed. A region frees the table with itself.
  */
@publicInBinary private[undercroft] object UnfinishedTable:

  /** The table after `fill`, or the exception of `fill`. */
  @publicInBinary private[undercroft] def filled[T, L <: Layout](
      table: Table[T, L],
      allocator: Allocator
  )(fill: Table[T, L] => Unit): Table[T, L] =
    keeping(table.memory, allocator):
      fill(table)
      table

  /** The result of `use`; a block of the allocator is freed if there is none. */
  private[struct] inline def keeping[A](block: MemorySegment, allocator: Allocator)(
      inline use: A
  ): A =
    try use
    catch
      case error: Throwable =>
        if (allocator eq Malloc) && block.byteSize > 0 then Malloc.free(block)
        throw error
end UnfinishedTable
