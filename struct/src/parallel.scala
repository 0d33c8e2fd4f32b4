package undercroft.struct

import internal.macros.loops.SortMacros
import internal.macros.maps.GroupMacros
import undercroft.memory.Allocator

/** Parallel operations: they run on the caller's thread and a pool, with as many threads as there
  * are processors.
  *
  * Any table can be used. A table whose memory is confined to the caller's thread is shared with
  * the other threads while the caller waits; a table in a shared region, or of Malloc, may be
  * closed meanwhile, which throws StaleReferenceException and never crashes. Functions run on other
  * threads: everything they use besides their row must be thread-safe, and memory that is confined
  * to the caller's thread is rejected there by FFM's WrongThreadException.
  *
  * An exception of a function ends the operation: parts that have not started are skipped, and the
  * first failure is thrown to the caller when the others have ended, with their failures as
  * suppressed exceptions. Then the table is unchanged, and no new table was created. Operations may
  * be nested: they use free threads if there are any, and never wait for one.
  *
  * `grain` is the number of rows that are worth a thread: a small one is for a function that takes
  * long for each row. Without it, or with 0, the sorts use one thread below 65 536 rows, and the
  * others split small tables into 64 parts, large ones into parts of 16 384 rows or more; below 65
  * 536 rows one thread begins, and others join it if there is work left after 50 microseconds. A
  * negative grain throws IllegalArgumentException.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** Folds parts of the rows, each starting with its own `zero`, and combines the results in the
    * order of the rows. `combine` must be associative and `zero` its neutral element. The parts
    * depend on the grain and the number of rows alone, so the result does not depend on the number
    * of threads, even for Doubles. Allocates a few objects for each part, and none for rows.
    *
    * {{{
    * val total = trades.parAggregate(0L)((sum, trade) => sum + trade.amount)(_ + _)
    * val chunks = Rows.from(List(1, 2, 3)) // a row is worth a thread
    * println(chunks.parAggregate(0L, grain = 1)((sum, chunk) => sum + chunk)(_ + _)) // 6
    * }}}
    *
    * @param grain
    *   the rows of a part; more in a table of more than 1 048 576 parts
    */
  inline def parAggregate[B](inline zero: B, grain: Long = 0)(inline op: (B, T) => B)(
      inline combine: (B, B) => B
  ): B = ${ GroupMacros.parAggregate('table, 'zero, 'grain, 'op, 'combine) }

  /** The rows that satisfy `p`, in their order, as a new table in memory of the allocator. `p` is
    * called once for each row. Working memory is one off-heap bit per row, at least 8 bytes for
    * each part, and a few objects for each part.
    *
    * {{{
    * println(trades.parFilter(_.buy).size) // 500
    * println(trades.parFilter(_.buy, grain = 10).size) // 500
    * }}}
    *
    * @param grain
    *   the rows of a part; more in a table of more than 1 048 576 parts
    */
  inline def parFilter(inline p: T => Boolean, grain: Long = 0)(using
      allocator: Allocator
  ): Table[T, L] = ${ GroupMacros.parFilter('table, 'p, 'grain, 'allocator) }

  /** As [[sortBy]], with the same result. Working memory, in a separate shared region, is 24 bytes
    * per row if the key has up to 4 bytes, else 40.
    *
    * {{{
    * val best = trades.parSortBy(trade => -trade.price)
    * println(best(0).price) // 299
    * }}}
    *
    * @param grain
    *   the least rows that a thread sorts
    */
  inline def parSortBy[K](inline key: T => K, grain: Long = 0)(using
      allocator: Allocator
  ): Table[T, L] = ${ SortMacros.parallel('table, 'key, 'grain, 'allocator) }

  /** As [[sortInPlaceBy]]: rows of equal keys end up in any order, which may differ between calls.
    * At most 4 MiB of heap for each thread, and no other memory.
    *
    * {{{
    * val day = trades
    * day.parSortInPlaceBy(_.price)
    * println(day(999).price) // 299
    * }}}
    *
    * @param grain
    *   the most rows that are sorted by one thread without dividing them first
    */
  inline def parSortInPlaceBy[K](inline field: T => K, grain: Long = 0): Unit =
    ${ SortMacros.together('table, 'field, 'grain) }
end extension
