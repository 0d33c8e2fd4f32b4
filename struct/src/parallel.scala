package undercroft.struct

import undercroft.memory.Allocator
import undercroft.struct.internal.{Regrouping, Sorting}

/** Operations by several threads: the caller's and those of a pool, as many as there are
  * processors.
  *
  * Any table will do. One whose memory is confined to the caller's thread is lent to the others
  * while the caller waits; one in a shared region, or of Malloc, may be closed meanwhile, which is
  * a StaleReferenceException and never a crash. Functions run on other threads: what they use
  * besides their row must be for several threads, and memory that is confined to the caller's is
  * refused there by FFM's WrongThreadException.
  *
  * What a function throws ends the operation: parts that have not begun are left out, and the first
  * failure is thrown to the caller when the others have ended, with theirs as suppressed ones. Then
  * the table is as it was, and there is no new one. They may be nested: threads are taken if there
  * are some, and never waited for.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** Folds parts of the rows, each from a `zero` of its own on, and combines what they give in the
    * order of the rows. `combine` has to be associative and `zero` neutral in it. The parts depend
    * on the number of rows alone, and so the answer not on the number of threads, of Doubles
    * neither. A few objects for each part, and none for rows.
    */
  inline def parFold[B](inline zero: B)(inline op: (B, T) => B)(combine: (B, B) => B): B =
    ParallelRows.fold(table, () => zero, combine)(part => part.foldLeft(zero)(op))

  /** The rows that satisfy `p`, in their order, as a new table in memory of the allocator. `p` is
    * called once for each row. One bit a row of working memory outside the heap, and a few objects
    * for each part.
    */
  inline def parFilter(inline p: T => Boolean)(using allocator: Allocator): Table[T, L] =
    ${ Regrouping.parFilter('table, 'p, 'allocator) }

  /** As [[sortBy]], and with the same answer. Working memory, in a shared region of its own: for
    * each row 24 bytes if the key has up to 4 bytes, else 40.
    */
  inline def parSortBy[K](inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ Sorting.parallel('table, 'key, 'allocator) }

  /** As [[sortInPlaceBy]]: rows of equal keys end up in any order, which may be another one each
    * time. At most 4 MiB of heap for each thread, and no other memory.
    */
  inline def parSortInPlaceBy[K](inline field: T => K): Unit =
    ${ Sorting.together('table, 'field) }
end extension
