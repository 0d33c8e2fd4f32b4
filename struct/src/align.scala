package undercroft.struct

import scala.annotation.StaticAnnotation

/** On a field: it starts at a multiple of `bytes`; on a class: all of it does, and its size is a
  * multiple of them, as C's `alignas`. A power of two up to [[align.Longest]], a line of the cache:
  * fields that different threads write do not share one then. It counts under the C ABI, not in
  * packed rows and columns.
  */
final class align(val bytes: Int) extends StaticAnnotation

object align:
  /** The largest alignment, in bytes. */
  inline val Longest = 64

/** On a field: it starts `bytes` after the struct does, behind the field before it. It counts under
  * the C ABI, not in packed rows and columns.
  */
final class offset(val bytes: Int) extends StaticAnnotation

/** On a field that is a Short, Char, Int, Long, Float or Double, or of a type that is stored as one
  * (an opaque type, one with a [[Struct.As]]): its highest byte comes first, as in the protocols of
  * networks and in files of other machines. It is read and stored as every other field, by one
  * instruction more, and counts in every layout; there is no atomic access to it, and no reference
  * to it alone.
  */
final class bigEndian extends StaticAnnotation
