package undercroft.struct
package internal.macros.places

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.Shape

/** The location of one struct's leaves, in generated code. */
private[struct] trait Place:
  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any]
  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit]

  /** Continues with the bytes of a text, if they are in a segment. */
  def bytes[R](leaf: Shape.Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = None

  /** Continues with the place of a part of a leaf's bytes, such as an element of an array, which
    * starts `offset` bytes after them.
    */
  def inside[R: Type](leaf: Shape.Leaf, offset: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Option[Expr[R]] =
    bytes(leaf): (segment, from) =>
      '{
        val at = $from + $offset
        ${ next(RowPlace(segment, 'at, isPackedFor(leaf), guard = guardFor(leaf))) }
      }

  /** How to read numbers if they may be in a file. */
  def guardFor(leaf: Shape.Leaf): Option[MappedGuard] = None

  /** Whether a leaf is stored without padding. */
  def isPackedFor(leaf: Shape.Leaf): Boolean = false

  /** As `set`, in memory that was not zeroed: the padding after the leaf is cleared too. */
  def setFresh(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = set(leaf, value)

  /** Stores of zero to all leaves of cases, and to the padding after them. */
  def clear(shape: Shape)(using Quotes): List[Expr[Unit]] = Nil

  /** Reads all leaves of a struct, and continues with their values. */
  def all[T: Type](leaves: List[Shape.Leaf])(next: Quotes ?=> List[Expr[Any]] => Expr[T])(using
      Quotes
  ): Expr[T] = next(leaves.map(get))
end Place

private[struct] object Place:

  /** The number of leaves from which on a row is loaded by words of 8 bytes: each access costs the
    * JIT about ten inlined frames, and beyond its inlining budget the row's constructor is no
    * longer inlined.
    */
  val manyLeaves = 6

  /** The number of words from which on the budget is exceeded all the same: the row is copied
    * first.
    */
  val manyAccesses = 19

  /** The number of words from which on the budget is exceeded if the loop is inlined into another
    * method: all but the first word of a table's row are then read through the cage's own segment,
    * which takes a tenth of the budget, and checked afterwards by the generation of the page.
    */
  val manyInTable = 13

  /** The most fields for which C2 inlines the constructor: 6 bytes of code for each, and 325 in
    * all.
    */
  private val mostFields = 53

  /** Whether a row is allocated in any case, so that it is better created in a separate method. */
  def isWide(shape: Shape): Boolean = shape.leaves.sizeIs > mostFields

  /** The size of a kind in a layout of rows, in bytes. */
  def size(kind: Shape.Kind, packed: Boolean): Int = if packed then kind.packedSize else kind.size
end Place
