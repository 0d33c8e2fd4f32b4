package undercroft.struct
package internal.runtime

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
    try
      fill(table)
      table
    catch
      case error: Throwable =>
        if (allocator eq Malloc) && table.memory.byteSize > 0 then Malloc.free(table.memory)
        throw error
end UnfinishedTable
