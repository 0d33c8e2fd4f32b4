package undercroft.struct

import internal.macros.maps.GroupMacros
import undercroft.memory.Allocator

/** Operations that create new tables, in memory of the allocator, from a table's rows. Each reads
  * all rows once, in order. If a function throws or memory runs out, the table is unchanged and no
  * new table is created; the allocator's owner frees memory that was allocated until then. Working
  * memory is taken from the same allocator, and freed at the end. Rows that a function adds to the
  * table are ignored.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** The rows that satisfy `p`, and the rows that do not, in their order: two slices of one new
    * table. Working memory is one bit per row.
    *
    * {{{
    * val (large, small) = trades.partition(_.amount > 100)
    * }}}
    */
  inline def partition(inline p: T => Boolean)(using
      allocator: Allocator
  ): (Table[T, L], Table[T, L]) = ${ GroupMacros.partition('table, 'p, 'allocator) }

  /** A new table of the first row of each key, in order. The key is a primitive or a struct,
    * compared by its bits. Working memory is a [[StructSet]] of the keys and one bit per row.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 250), Bill(3, 251)))
    * println(bills.distinctBy(_.price).map(_.ticket).toVector) // Vector(1, 3)
    * }}}
    */
  inline def distinctBy[K](inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ GroupMacros.distinctBy('table, 'key, 'allocator) }

  /** As `distinctBy`, by whole rows.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(1, 250), Bill(1, 251)))
    * println(bills.distinct.size) // 2
    * }}}
    */
  inline def distinct(using allocator: Allocator): Table[T, L] = table.distinctBy(row => row)

  /** The rows by key: a new table, and a [[StructMap]] of the group number of each key. The key is
    * a primitive or a struct, compared by its bits. Working memory is 8 bytes per row.
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 250), Bill(2, 251), Bill(3, 250)))
    * println(bills.groupBy(_.price)(250).map(_.ticket).toVector) // Vector(1, 3)
    * }}}
    */
  inline def groupBy[K](inline key: T => K)(using allocator: Allocator): Groups[K, T, L] =
    ${ GroupMacros.groupBy('table, 'key, 'allocator) }

  /** The results of `value` for the rows, reduced to one for each key, in a new [[StructMap]].
    *
    * {{{
    * val highest = trades.groupMapReduce(_.ticket)(_.price)((a, b) => a.max(b))
    * }}}
    */
  inline def groupMapReduce[K, V](inline key: T => K)(inline value: T => V)(
      inline reduce: (V, V) => V
  )(using allocator: Allocator): StructMap[K, V] =
    ${ GroupMacros.groupMapReduce('table, 'key, 'value, 'reduce, 'allocator) }

  /** A new table of the `count` rows with the largest keys, or of all if there are fewer, the
    * largest first; of equal keys the earlier row is first. Keys and their order are as in
    * [[sortBy]]. 16 bytes of heap for each of the `count` rows; O(n log count).
    *
    * {{{
    * val ten = trades.topBy(10)(_.amount)
    * }}}
    */
  inline def topBy[K](count: Int)(inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ GroupMacros.topBy('table, 'count, 'key, 'allocator) }
end extension
