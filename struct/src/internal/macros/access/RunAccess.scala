package undercroft.struct
package internal.macros.access

import internal.bytes.RunBytes
import internal.macros.places.{CagePlace, Place}
import internal.macros.schema.{LayoutCheck, ProcessLocal, ShapeDerivation}
import internal.macros.terms.StructConstruction
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates access to the structs of a [[RowsRef]]. */
@publicInBinary private[struct] object RunAccess:

  def size[T: Type](run: Expr[RowsRef[T]])(using Quotes): Expr[Long] =
    if ShapeDerivation.isKnown[T] then
      val (fingerprint, text) = LayoutCheck.constants[T]
      val stride = Expr(ShapeDerivation.shape[T].packedSize.toLong)
      '{ RunBytes.size($run, $fingerprint, $text, $stride) }
    else '{ RunBytes.size($run) }

  def load[T: Type](run: Expr[RowsRef[T]], index: Expr[Long])(using Quotes): Expr[T] =
    val shape = if ShapeDerivation.isKnown[T] then Some(ShapeDerivation.shape[T]) else None
    shape match
      case Some(shape) if !Place.isWide(shape) =>
        val (fingerprint, text) = LayoutCheck.constants[T]
        val stride = Expr(shape.packedSize.toLong)
        '{
          val bits = RunBytes.rowAt($run, $fingerprint, $text, $stride, $index)
          ${ StructConstruction.load[T](CagePlace('bits, packed = true)) }
        }
      case _ => '{ RunBytes.load($run, $index) }

  def from[T: Type](
      values: Expr[IterableOnce[T]],
      allocator: Expr[Allocator],
      struct: Expr[Struct[T]]
  )(using Quotes): Expr[RowsRef[T]] =
    checkElements[T]
    '{ RunBytes.from($values, $allocator)(using $struct) }

  def fromView[T: Type](
      values: Expr[View[T]],
      allocator: Expr[Allocator],
      struct: Expr[Struct[T]]
  )(using Quotes): Expr[RowsRef[T]] =
    checkElements[T]
    '{ RunBytes.fromView($values, $allocator)(using $struct) }

  /** Reports an error if elements contain addresses: a run is compared, and copied to other
    * processes, as bytes.
    */
  private def checkElements[T: Type](using Quotes): Unit =
    import quotes.reflect.*
    val name = ShapeDerivation.named(TypeRepr.of[T].dealias)
    if !ShapeDerivation.isKnown[T] then
      report.errorAndAbort(
        s"the elements of a RowsRef must be a known type, not $name: ${ShapeDerivation.unknownCure[T]}"
      )
    ProcessLocal.reference[T].foreach: (path, reference) =>
      val part = if path.isEmpty then "it" else s"`$path`"
      report.errorAndAbort(
        s"$name cannot be in a RowsRef, whose structs are compared and copied as bytes: $part is a " +
          s"$reference, which refers to other memory; keep a key, an index, a Text[N] or an " +
          "InlineArray in its place, or the structs in Rows"
      )
end RunAccess
