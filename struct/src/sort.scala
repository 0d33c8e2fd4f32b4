package undercroft.struct

import internal.macros.loops.SortMacros
import undercroft.memory.Allocator

/** Sorting and searching by a key, in the order of `java.lang`'s compare: NaN is the largest Double
  * and -0.0 is less than 0.0, false comes before true, texts are ordered by code points, enums by
  * their cases.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** Sorts the rows in place by a field, or by a tuple of fields with the most significant first;
    * each may be in [[desc]]. Not stable: [[sortBy]] keeps the order of equal keys.
    *
    * O(n) for fields of fixed size; takes at most 4 MiB of heap and no other memory. A field is a
    * primitive, a [[Text]], or a type that is stored as one. The calling thread needs exclusive
    * access to the table; a table that is closed meanwhile throws StaleReferenceException.
    *
    * {{{
    * trades.sortInPlaceBy(_.price)
    * }}}
    *
    * {{{
    * val bills = Rows.from(List(Bill(1, 252), Bill(2, 250), Bill(3, 251)))
    * bills.sortInPlaceBy(_.price)
    * println(bills.map(_.ticket).toVector) // Vector(2, 3, 1)
    * bills.sortInPlaceBy(bill => (desc(bill.price), bill.ticket))
    * println(bills.map(_.ticket).toVector) // Vector(1, 3, 2)
    * }}}
    */
  inline def sortInPlaceBy[K](inline field: T => K): Unit = ${ SortMacros.inPlace('table, 'field) }

  /** A new table, in memory of the allocator, with the rows in the order of a key. Stable. The
    * table itself is unchanged.
    *
    * The key is any function to a primitive, an enum without parameters or another type that is
    * stored as a primitive, called once for each row, or a field that is a [[Text]]. It may be a
    * tuple of such values, the most significant first, and each of them may be in [[desc]]; if they
    * have more than 8 bytes together or one is a text, all of them must be fields. O(n). Besides
    * the new table it needs at most 4 MiB of heap and a buffer, which is taken from the same
    * allocator and freed at the end: up to 16 bytes per row for keys of up to 4 bytes, else up to
    * 32; 16 if the first bits of the keys divide the rows into parts that fit in the caches.
    *
    * {{{
    * val best = trades.sortBy(trade => (desc(trade.price), trade.ticket))
    * }}}
    */
  inline def sortBy[K](inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ SortMacros.stable('table, 'key, 'allocator) }

  /** The index of the first row whose field is `key`, in rows that are sorted by that field; if
    * there is none, `-index - 1` of its insertion point. The field may be a tuple of fields, in
    * [[desc]] or not, and `key` is then a tuple of the same type. O(log n); does not allocate.
    *
    * {{{
    * trades.sortInPlaceBy(_.price)
    * val row = trades.binarySearchBy(_.price)(250)
    * trades.sortInPlaceBy(trade => (trade.price, desc(trade.ticket)))
    * val same = trades.binarySearchBy(t => (t.price, desc(t.ticket)))((250, desc(3)))
    * }}}
    */
  inline def binarySearchBy[K](inline field: T => K)(inline key: K): Long =
    ${ SortMacros.search('table, 'field, 'key) }
end extension
