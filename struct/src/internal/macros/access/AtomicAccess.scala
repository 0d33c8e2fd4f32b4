package undercroft.struct
package internal.macros.access

import internal.macros.schema.LayoutCheck
import internal.macros.loops.TableLoops
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.Projection
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the atomic access to a field. */
@publicInBinary private[struct] object AtomicAccess:

  def field[T: Type, L <: Layout: Type, A: Type](ref: Expr[Reference[T, L]], f: Expr[T => A])(using
      Quotes
  ): Expr[Any] =
    import quotes.reflect.*
    val layout = TableLoops.required[T, L]("atomic")
    val leaf = Projection.leaf(f, "atomic")
    if layout == TableLoops.Known.Packed then
      report.errorAndAbort(
        "a packed field may lie across two words, so there is no atomic access to it: use Rows"
      )
    val address = '{
      val start = ${ LayoutCheck.address(ref) }
      Cage.moved(start, ${ Expr(leaf.aligned.toLong) })
    }
    leaf.kind match
      case Shape.Kind.BigEndian(_) =>
        report.errorAndAbort(
          s"field `${leaf.path.mkString(".")}` is big-endian: atomic access is to an Int or a Long " +
            "in the machine's order",
          f
        )
      case Shape.Kind.Int if ShapeDerivation.primitive(TypeRepr.of[A].widen).isDefined =>
        '{ new AtomicIntField($address) }
      case Shape.Kind.Long if ShapeDerivation.primitive(TypeRepr.of[A].widen).isDefined =>
        '{ new AtomicLongField($address) }
      case _ =>
        report.errorAndAbort(
          s"field `${leaf.path.mkString(".")}` is of type ${ShapeDerivation.named(TypeRepr.of[A].widen.dealias)}: atomic " +
            "access is to an Int or a Long",
          f
        )
  end field
end AtomicAccess
