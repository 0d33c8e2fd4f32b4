package undercroft.struct
package internal.macros.maps

import internal.macros.loops.SortMacros
import scala.annotation.publicInBinary
import undercroft.memory.Allocator

/** Operations of tables for the values of a view: the extensions of views hide those of tables. */
@publicInBinary private[struct] object StoredValues:

  /** An empty table whose rows are never in a block of a region, which would stay to its end. */
  @publicInBinary private[struct] def open[T](using
      allocator: Allocator
  )(using
      Struct[T]
  ): GrowingTable[T, Aligned] =
    val rows = Rows.growing[T]
    val _ = rows.memory
    rows

  @publicInBinary private[struct] inline def sortBy[T, K](rows: Rows[T])(inline key: T => K)(using
      allocator: Allocator
  ): Rows[T] = ${ SortMacros.stable('rows, 'key, 'allocator) }

  @publicInBinary private[struct] inline def groupBy[T, K](rows: Rows[T])(inline key: T => K)(using
      allocator: Allocator
  ): Groups[K, T, Aligned] = ${ GroupMacros.groupBy('rows, 'key, 'allocator) }
