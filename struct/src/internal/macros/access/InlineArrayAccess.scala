package undercroft.struct
package internal.macros.access

import internal.macros.loops.TableLoops
import internal.macros.places.CagePlace
import internal.macros.schema.{InlineArrayTypes, ShapeDerivation}
import internal.macros.terms.StructConstruction
import undercroft.memory.internal.cage.Cage
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates access to the elements of an [[InlineArray]]. */
@publicInBinary private[struct] object InlineArrayAccess:

  def read[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int]
  )(using Quotes): Expr[Any] =
    if !FieldAccess.isValue(quotes.reflect.TypeRepr.of[A].dealias) then
      at(ref, index)((bits, _) => '{ Reference.at[A, L]($bits) })
    else
      at(ref, index): (bits, layout) =>
        val leaf = ShapeDerivation.shape[A].leaves.head
        StructConstruction.single[A](CagePlace(bits, layout == TableLoops.Known.Packed).get(leaf))

  def assign[A: Type, N <: Int: Type, L <: Layout: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int],
      value: Expr[A]
  )(using Quotes): Expr[Unit] =
    '{
      val stored = $value
      ${ at(ref, index)((bits, layout) => FieldAccess.storing('stored, bits, layout)) }
    }.asExprOf[Unit]

  // The address is bound to a name before it is an argument: a path such as `ref._address` would be
  // inlined into `moved` as the path, and typed again where user code may not select `_address`.
  private def at[A: Type, N <: Int: Type, L <: Layout: Type, R: Type](
      ref: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int]
  )(next: Quotes ?=> (Expr[Long], TableLoops.Known) => Expr[R])(using Quotes): Expr[R] =
    import quotes.reflect.*
    val layout = TableLoops.required[InlineArray[A, N], L]("an element")
    val size = InlineArrayTypes.parts(TypeRepr.of[InlineArray[A, N]].dealias).fold(0)(_._2)
    val isPacked = layout == TableLoops.Known.Packed
    val shape = ShapeDerivation.shape[A]
    val stride = Expr((if isPacked then shape.packedSize else shape.alignedSize).toLong)
    '{
      val start = $ref._address
      val bits = Cage.moved(start, InlineArray.checked($index, ${ Expr(size) }) * $stride)
      ${ next('bits, layout) }
    }
end InlineArrayAccess
