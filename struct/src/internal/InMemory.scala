package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*

/** For macros of other modules whose own memory holds structs under the C ABI, such as the slots of
  * a mailbox. All code is generated in place: nothing is called, and no object made, for what a
  * constructor call or a pattern says of a value.
  *
  * The segment bounds every access; who keeps it alive, and that one thread at a time uses a value,
  * is the caller's. A slot need not be zeroed: a case that is not stored is not read.
  */
@publicInBinary private[undercroft] object InMemory:

  /** Whether accesses to a type can be generated: it has a Struct, and no type parameter. */
  def isKnown[T: Type](using Quotes): Boolean = Schema.isKnown[T]

  /** The size of a value, in bytes, a multiple of its alignment. */
  def size[T: Type](using Quotes): Int = Schema.shape[T].alignedSize

  /** The alignment of a value, in bytes. */
  def alignment[T: Type](using Quotes): Int = Schema.shape[T].alignment

  /** Code that evaluates a value into its fields, and then stores them where `around` says: it
    * generates what finds the place and what comes after the stores, such as reserving a slot and
    * publishing it. Of an enum's case only its tag and its own fields are stored. A value that
    * throws does so before any of that. Where the case is not known from the code, `around` is
    * generated once for each.
    */
  def store[T: Type](value: Expr[T])(
      around: Quotes ?=> ((Expr[MemorySegment], Expr[Long]) => Quotes ?=> Expr[Unit]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    Split.store(value): target =>
      around((segment, offset) => target(RowPlace(segment, offset, packed = false)))

  /** Code of the function's body over the value at an offset, of which only the fields that it
    * names are read: those of a pattern once it has matched. `f` is a function literal, best one
    * that is a match: see [[Matching]] for what is matched without an object.
    */
  def read[T: Type, R: Type](segment: Expr[MemorySegment], offset: Expr[Long], f: Expr[T => R])(
      using Quotes
  ): Expr[R] = Projection(f, RowPlace(segment, offset, packed = false))
end InMemory
