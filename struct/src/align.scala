package undercroft.struct

import scala.annotation.StaticAnnotation

/** The alignment of a field, a class or an enum with fields, as C's `alignas`. An annotated field
  * starts at a multiple of `bytes`; a value of an annotated class does too, and its size is a
  * multiple of `bytes`. A power of two up to [[align.MaxBytes]], the size of a cache line, which
  * prevents false sharing of fields that different threads write. Applies under the C ABI, not to
  * packed rows and columns.
  *
  * {{{
  * final case class Hits(reads: Long, @align(64) writes: Long) derives Struct
  * println(Struct[Hits].layout.show) // `writes` starts a cache line of its own
  * }}}
  */
final class align(val bytes: Int) extends StaticAnnotation

object align:
  /** The largest alignment, in bytes. */
  inline val MaxBytes = 64

/** The offset of a field: it starts `bytes` bytes after the start of the struct, after the previous
  * field. A number from 0 to [[Shape.MaxBytes]]. Applies under the C ABI, not to packed rows and
  * columns.
  *
  * {{{
  * final case class Header(version: Byte, @offset(8) length: Int) derives Struct
  * }}}
  */
final class offset(val bytes: Int) extends StaticAnnotation

/** Stores a field big-endian, as in network protocols and in files of other machines. The field is
  * a Short, Char, Int, Long, Float or Double, or of a type that is stored as one (an opaque type, a
  * type with a [[Struct.StoredAs]]). It is read and stored as every other field, with one more
  * instruction, in every layout; there is no atomic access to it, and no reference to the field
  * itself.
  *
  * {{{
  * final case class Packet(version: Byte, @bigEndian length: Int) derives Struct
  * }}}
  */
final class bigEndian extends StaticAnnotation

/** The former names of a field or of an enum case, by which files of earlier versions of the class
  * are read. New files have the present name. A file with several of the names is an error, as is a
  * former name that another field of the class has, or another case of the enum.
  *
  * {{{
  * final case class Order(ticket: Int, @formerly("price", "cost") limit: Int) derives Struct
  * enum State derives Struct:
  *   case Open
  *   @formerly("Closed") case Done
  * }}}
  */
final class formerly(val names: String*) extends StaticAnnotation
