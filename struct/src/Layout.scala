package undercroft.struct

/** The arrangement of a struct's fields in memory: the second type argument of [[Table]].
  *
  * Layouts exist only in types, so that tables of different layouts cannot be mixed up.
  *
  * {{{
  * def total[L <: Layout](bills: Table[Bill, L]): Long = bills.sumOf(_.price)
  * println(total(Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250)))) // 1000
  * println(total(Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250)))) // 1000
  * }}}
  */
sealed trait Layout

/** The C ABI: every field at a multiple of its alignment, the whole padded to the largest one.
  *
  * {{{
  * val table: Table[Trade, Aligned] = Rows[Trade](10)
  * println(table.struct.size) // 16
  * }}}
  */
sealed trait Aligned extends Layout

/** Fields one after the other, without padding.
  *
  * {{{
  * val table: Table[Trade, Packed] = PackedRows[Trade](10)
  * println(table.struct.packedSize) // 13
  * }}}
  */
sealed trait Packed extends Layout

/** Each field in a separate column.
  *
  * {{{
  * val table: Table[Trade, Columnar] = Columns[Trade](10)
  * println(table.column(_.price).byteSize) // 40
  * }}}
  */
sealed trait Columnar extends Layout
