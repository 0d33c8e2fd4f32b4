package undercroft.struct

/** A part of a sort key by which rows descend: see [[desc]].
  *
  * {{{
  * println(desc(3).key) // 3
  * }}}
  */
final class Descending[+K] private[struct] (val key: K)

/** A sort key, or a part of one, whose largest value is first. `sortBy` and the other operations on
  * keys allocate nothing for it.
  *
  * {{{
  * val bills = Rows.from(List(Bill(1, 250), Bill(2, 252), Bill(3, 250)))
  * val sorted = bills.sortBy(bill => (desc(bill.price), bill.ticket))
  * println(sorted.map(_.ticket).toVector) // Vector(2, 1, 3)
  * }}}
  */
def desc[K](key: K): Descending[K] = Descending(key)
