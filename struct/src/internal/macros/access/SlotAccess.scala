package undercroft.struct
package internal.macros.access

import internal.macros.places.RowPlace
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{Projection, ValueSplitter}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*

/** For macros of other modules that store structs under the C ABI in their own memory, such as the
  * slots of a mailbox. All code is generated inline: for a value written as a constructor call or
  * matched by a pattern, no method is called and nothing is allocated.
  *
  * The segment bounds every access. The caller must keep the segment alive and let only one thread
  * at a time use a value. A slot need not be zeroed: a case that is not stored is not read.
  */
@publicInBinary private[undercroft] object SlotAccess:

  /** Whether accesses to a type can be generated: it has a Struct, and no type parameter. */
  def isKnown[T: Type](using Quotes): Boolean = ShapeDerivation.isKnown[T]

  /** The size of a value, in bytes, a multiple of its alignment. */
  def size[T: Type](using Quotes): Int = ShapeDerivation.shape[T].alignedSize

  /** The alignment of a value, in bytes. */
  def alignment[T: Type](using Quotes): Int = ShapeDerivation.shape[T].alignment

  /** Code that evaluates a value into its fields, and then stores them. `around` generates the code
    * before the stores, which provides the place, and the code after them, such as reserving a slot
    * and publishing it. For an enum, only the tag and the fields of its case are stored. A value
    * that throws does so before any of that. If the case is not known at compile time, `around` is
    * generated once for each case.
    */
  def store[T: Type](value: Expr[T])(
      around: Quotes ?=> ((Expr[MemorySegment], Expr[Long]) => Quotes ?=> Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    ValueSplitter.store(value): target =>
      around((segment, offset) => target(RowPlace(segment, offset, packed = false)))

  /** Code of the function's body over the value at an offset; reads only the fields that the body
    * names, and the fields of a pattern once it has matched. `f` is a function literal, preferably
    * a match: see [[Matching]] for the patterns that do not allocate.
    */
  def read[T: Type, R: Type](segment: Expr[MemorySegment], offset: Expr[Long], f: Expr[T => R])(
      using Quotes
  ): Expr[R] = Projection(f, RowPlace(segment, offset, packed = false))
end SlotAccess
