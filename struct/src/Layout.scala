package undercroft.struct

/** The arrangement of a struct's fields in memory: the second type argument of [[Table]].
  *
  * Layouts exist only in types, so that tables of different layouts cannot be mixed up.
  */
sealed trait Layout

/** The C ABI: every field at a multiple of its alignment, the whole padded to the largest one. */
sealed trait Aligned extends Layout

/** Fields one after the other, without padding. */
sealed trait Packed extends Layout

/** Each field in a separate column. */
sealed trait Columnar extends Layout
