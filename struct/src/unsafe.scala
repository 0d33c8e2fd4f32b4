package undercroft.struct.unsafe

import java.lang.foreign.MemorySegment
import undercroft.memory.Region
import undercroft.struct.{Layout, RowTableFactory, Struct, Table}
import undercroft.struct.internal.bytes.ForeignMemory

extension [L <: Layout](factory: RowTableFactory[L])
  /** Rows over memory that C owns, without a copy: `count` structs at a pointer that C returned,
    * valid until the current region is closed. The close calls `release` with the segment of the
    * rows, exactly once, on the closing thread; an exception of `release` is thrown by the close,
    * after the region has freed its memory.
    *
    * The caller guarantees that the memory is valid until then: the count is right, and C frees the
    * memory in `release` at the earliest. Undercroft checks every access against the count and the
    * region.
    *
    * After the close, an access throws a RegionClosedException. As for other rows of the region,
    * the threads of the region may use the rows, and other threads get a WrongThreadException; a
    * parallel operation needs a shared region. There is no [[undercroft.struct.Ref]] to a row.
    *
    * A negative count, a null pointer with a count above 0, more bytes than the address space or
    * the pointer's segment has, an address that is not a multiple of the struct's alignment (for
    * Rows), and a segment of an arena or of the heap throw IllegalArgumentException, a closed
    * region RegionClosedException, and an application without native access IllegalCallerException;
    * then `release` is not called.
    *
    * {{{
    * import java.lang.foreign.{Arena, ValueLayout}
    * import undercroft.memory.*
    * import undercroft.struct.unsafe.*
    * val pointer = Arena.global.allocate(80, 8) // stands for a result of C
    * Region.scoped:
    *   val bills = Rows.overPointer[Bill](pointer, count = 10, release = _ => println("released"))
    *   bills(9) = Bill(1, 250)
    *   println(bills.sumOf(_.price)) // 250
    * }}}
    */
  def overPointer[T](
      pointer: MemorySegment,
      count: Long,
      release: MemorySegment => Unit = _ => ()
  )(using region: Region)(using struct: Struct[T]): Table[T, L] =
    ForeignMemory.rowsAt(factory.kind, pointer, count, release, region)
end extension
