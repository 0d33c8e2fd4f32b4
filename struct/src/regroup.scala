package undercroft.struct

import undercroft.memory.Allocator
import undercroft.struct.internal.Regrouping

/** What makes new tables, in memory of the allocator, of a table's rows: each reads all rows once,
  * in their order. Where a function throws or memory ends, the table stays as it was and there is
  * no new one; what was allocated by then is its owner's to free. Working memory is taken from the
  * same allocator, and freed at the end. Rows that a function adds to the table are left out.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** The rows that satisfy `p`, and those that do not, in their order: two slices of one new table.
    * One bit a row of working memory.
    */
  inline def partition(inline p: T => Boolean)(using
      allocator: Allocator
  ): (Table[T, L], Table[T, L]) = ${ Regrouping.partition('table, 'p, 'allocator) }

  /** A new table of the first row of each key, in their order. The key is a primitive or a struct,
    * compared by its bits; working memory is a [[StructSet]] of the keys and one bit a row.
    */
  inline def distinctBy[K](inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ Regrouping.distinctBy('table, 'key, 'allocator) }

  /** As `distinctBy`, by whole rows. */
  inline def distinct(using allocator: Allocator): Table[T, L] = table.distinctBy(row => row)

  /** The rows by key: a new table, and a [[StructMap]] of where the rows of each key are. The key
    * is a primitive or a struct, compared by its bits. 8 bytes a row of working memory.
    */
  inline def groupBy[K](inline key: T => K)(using allocator: Allocator): Groups[K, T, L] =
    ${ Regrouping.groupBy('table, 'key, 'allocator) }

  /** What `value` makes of the rows, those of each key reduced to one, in a new [[StructMap]]. */
  inline def groupMapReduce[K, V](inline key: T => K)(inline value: T => V)(
      inline reduce: (V, V) => V
  )(using allocator: Allocator): StructMap[K, V] =
    ${ Regrouping.groupMapReduce('table, 'key, 'value, 'reduce, 'allocator) }

  /** A new table of the `most` rows with the largest keys, or of all if there are fewer, the
    * largest first; of equal keys the earlier row is first. Keys and their order are those of
    * [[sortBy]]. 16 bytes of heap for each of them; O(n log most).
    */
  inline def topBy[K](most: Int)(inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ Regrouping.topBy('table, 'most, 'key, 'allocator) }
end extension
