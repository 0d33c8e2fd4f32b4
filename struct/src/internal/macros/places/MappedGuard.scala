package undercroft.struct
package internal.macros.places

import internal.macros.schema.Calls
import scala.quoted.*
import undercroft.struct.Shape

/** Reads numbers from memory that may be a mapped file in such a way that no later operation is
  * fused with the load instruction: see [[MappedReads]].
  *
  * @param isMapped
  *   whether the memory is a mapped file
  * @param zero
  *   0; if the memory is mapped, the JIT does not know this value
  */
private[struct] final case class MappedGuard(isMapped: Expr[Boolean], zero: Expr[Int]):

  /** A number that is read. */
  def apply(kind: Shape.Kind, number: Expr[Any])(using Quotes): Expr[Any] = kind match
    case Shape.Kind.Float | Shape.Kind.Double => plus(kind)(number, isMapped, zero)
    case _                                    => plus(kind)(number, zero)

  def plusZero(word: Expr[Long])(using Quotes): Expr[Long] = plus(Shape.Kind.Long)(word, zero)

  private def plus[R](kind: Shape.Kind)(arguments: Expr[Any]*)(using Quotes): Expr[R] =
    Calls.of("struct.internal.bytes.MappedReads", s"of$kind")(arguments*)
