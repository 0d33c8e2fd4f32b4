package undercroft.struct

import undercroft.memory.Allocator
import undercroft.struct.internal.Sorting

/** Sorting and searching by a key, in the order of `java.lang`'s compare: NaN is the largest Double
  * and -0.0 smaller than 0.0, false comes before true, texts in the order of their code points,
  * enums in the order of their cases.
  */
extension [T, L <: Layout](table: Table[T, L])

  /** Puts the rows in the order of a field, in their place. Rows of equal keys end up in any order:
    * [[sortBy]] keeps theirs.
    *
    * O(n) for a field of fixed size; takes at most 4 MiB of heap and no other memory. The field is
    * a primitive, a [[Text]], or a type that is stored as one. For one thread that has the table
    * for itself; a table that is closed meanwhile is a StaleReferenceException.
    */
  inline def sortInPlaceBy[K](inline field: T => K): Unit = ${ Sorting.inPlace('table, 'field) }

  /** A new table, in memory of the allocator, with the rows in the order of a key; rows of equal
    * keys keep their order. The table itself stays as it is.
    *
    * The key is any function to a primitive, an enum without parameters or another type that is
    * stored as a primitive, called once for each row, or a field that is a [[Text]]. O(n). Besides
    * the new table it needs a buffer, which is taken from the same allocator and freed at the end:
    * 16 bytes a row for keys of up to 4 bytes, else 32.
    */
  inline def sortBy[K](inline key: T => K)(using allocator: Allocator): Table[T, L] =
    ${ Sorting.stable('table, 'key, 'allocator) }

  /** The index of the first row whose field is `key`, of rows that are in the order of that field;
    * if there is none, `-index - 1` of the row before which it would be. O(log n), no object.
    */
  inline def binarySearchBy[K](inline field: T => K)(inline key: K): Long =
    ${ Sorting.search('table, 'field, 'key) }
end extension
