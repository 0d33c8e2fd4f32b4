package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.{Kind, Leaf, Shape}

/** Where the leaves of one struct are, to generated code. */
private[struct] trait Place:
  def get(leaf: Leaf)(using Quotes): Expr[Any]
  def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit]

  /** Goes on with the bytes of a text, where they are in a segment. */
  def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = None

  /** How numbers are read where that may be of a file. */
  def guardFor(leaf: Leaf): Option[Guard] = None

  /** Whether leaves lie without padding. */
  def isPacked: Boolean = false

  /** As `set`, in memory that was not zeroed: the padding after the leaf is cleared too. */
  def setFresh(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = set(leaf, value)

  /** Stores of zero wherever leaves of cases lie. */
  def clear(shared: List[Leaf])(using Quotes): List[Expr[Unit]] = Nil

  /** Makes a struct of the values of all its leaves. */
  def all[T: Type](leaves: List[Leaf])(next: Quotes ?=> List[Expr[Any]] => Expr[T])(using
      Quotes
  ): Expr[T] = next(leaves.map(get))
end Place

private[struct] object Place:

  /** From this many leaves on, a row is loaded by words of 8 bytes: each access costs the JIT about
    * ten inlined frames, and past its budget the row's constructor is no longer inlined.
    */
  val manyLeaves = 6

  /** From this many words on, the budget is gone all the same: the row is copied first. */
  val manyAccesses = 19

  /** From this many words on, it is gone where the loop is inlined into another method: all but the
    * first word of a table's row are read through the cage's own segment, which takes a tenth of
    * it, and checked by the generation of the page afterwards.
    */
  val manyInTable = 13

  /** The most fields whose constructor C2 inlines: 6 bytes of code for each, and 325 in all. */
  private val mostFields = 53

  /** Whether a row is an object whatever is done: better made out of line. */
  def isWide(shape: Shape): Boolean = shape.leaves.sizeIs > mostFields

  /** The bytes of a kind in a layout of rows. */
  def size(kind: Kind, packed: Boolean): Int = if packed then kind.packedSize else kind.size
end Place
