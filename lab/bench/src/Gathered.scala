package undercroft.lab.bench

import undercroft.struct.*

/** A struct of 16 bytes whose field at byte 8 is read and written. */
final case class Gathered(first: Int, second: Int, value: Int, last: Int) derives Struct
