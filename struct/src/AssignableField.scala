package undercroft.struct

import internal.macros.access.CompoundAssignment

/** The type of a primitive that is read through a reference, if an operator that assigns follows
  * it, as in `bill.price += 1`. Such an assignment loads the field, computes `price + 1` and stores
  * the result: one check of the reference for each, as [[Reference.update]], without allocating. It
  * is not atomic: see [[Reference.atomic]].
  *
  * {{{
  * val bill = Ref(Bill(1, 250))
  * bill.price += 1
  * bill.price <<= 1
  * println(bill.price) // 502
  * }}}
  *
  * The assignment works for fields, elements of inline arrays and members of unions that are
  * primitives, and for each other field whose type has the operator, as BigDecimal has. A result of
  * another type than the field, and an operator that the type does not have, are compile errors. In
  * the body of an `inline def`, where a field is not yet known, use [[Reference.update]].
  */
transparent sealed trait AssignableField

object AssignableField:
  extension (inline field: AssignableField)
    transparent inline def +=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "+", 'value) }
    transparent inline def -=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "-", 'value) }
    transparent inline def *=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "*", 'value) }
    transparent inline def /=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "/", 'value) }
    transparent inline def %=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "%", 'value) }
    transparent inline def &=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "&", 'value) }
    transparent inline def |=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "|", 'value) }
    transparent inline def ^=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "^", 'value) }
    transparent inline def <<=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, "<<", 'value) }
    transparent inline def >>=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, ">>", 'value) }
    transparent inline def >>>=(inline value: Any): Unit =
      ${ CompoundAssignment.assign('field, ">>>", 'value) }
  end extension
end AssignableField
