package undercroft.struct

import internal.macros.access.RowFields
import scala.annotation.publicInBinary
import scala.language.dynamics

/** One row of a table in any layout and memory, by its index: the result of `table.row(i)`. For
  * columns, rows in a file, and rows in C's memory it takes the place of a [[Reference]], which is
  * an address in Undercroft's memory.
  *
  * {{{
  * val bills = Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * val bill = bills.row(2)
  * bill.price = 251               // stores one field
  * println(bill.price)            // 251
  * bill.update(_.price)(_ + 1)    // loads and stores one field
  * println(bill())                // Bill(2,252)
  * bill() = Bill(7, 300)          // stores all fields
  * println(bills(2))              // Bill(7,300)
  * }}}
  *
  * It has the threads, the lifetime, the errors and the memory order of the table, and each use
  * costs as much as the table's own operation. It is an object, usually removed by the JIT, and not
  * a field of a struct. A field is read as a value of its own type, so there is no
  * `row.price += 1`: use `update`. If `T` is a type parameter, a method that selects a field must
  * be inline.
  */
final class TableRow[T, L <: Layout] private[struct] (
    @publicInBinary private[struct] val _table: Table[T, L],
    @publicInBinary private[struct] val _index: Long
) extends Selectable,
      Dynamic:

  type Fields = NamedTuple.From[T]

  transparent inline def selectDynamic(inline name: String): Any =
    ${ RowFields.select[T, L]('this, 'name) }

  transparent inline def applyDynamic(inline name: String)(inline arguments: Any*): Any =
    ${ RowFields.applied[T, L]('this, 'name, 'arguments) }

  inline def updateDynamic(inline name: String)(inline value: Any): Unit =
    ${ RowFields.assign[T, L]('this, 'name, 'value) }

  /** Loads all fields.
    *
    * {{{
    * println(Columns.tabulate[Bill](4)(i => Bill(i.toInt, 250)).row(2)()) // Bill(2,250)
    * }}}
    */
  inline def apply(): T = _table(_index)

  /** Stores all fields, as [[Table.update]].
    *
    * {{{
    * val bills = Columns[Bill](4)
    * bills.row(2)() = Bill(7, 300)
    * println(bills(2)) // Bill(7,300)
    * }}}
    */
  inline def update(inline value: T): Unit = _table(_index) = value

  /** Replaces a part by the result of `f`, as [[Table.updateAt]].
    *
    * {{{
    * val bills = Columns[Bill](4)
    * bills.row(2).update(_.price)(_ + 1)
    * println(bills(2)) // Bill(0,1)
    * }}}
    */
  inline def update[A](inline field: T => A)(inline f: A => A): Unit =
    _table.updateAt(_index)(field)(f)
end TableRow
