package undercroft.struct

/** How the fields of a struct lie in memory: the second type argument of [[Table]].
  *
  * Layouts exist only in types, so that tables of different layouts cannot be mixed up.
  */
sealed trait Layout

/** The C ABI: every field at a multiple of its size, the whole padded to its largest alignment. */
sealed trait Aligned extends Layout

/** Field after field without padding. */
sealed trait Packed extends Layout

/** Every field in a column of its own. */
sealed trait Columnar extends Layout
