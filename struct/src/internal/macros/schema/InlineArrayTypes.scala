package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.{InlineArray, Shape}

/** The types [[InlineArray]]: their elements, dimensions and kinds. */
private[struct] object InlineArrayTypes:

  /** The kind of an InlineArray type: the kind of its elements and their number in all dimensions.
    */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    parts(tpe).map: (inner, size) =>
      val (of, innerCount) = kind(inner) match
        case Some(Shape.Kind.Elements(of, count)) => (one(of, _), count)
        case Some(Shape.Kind.Structs(of, count))  => (structs(of, _), count)
        case _ =>
          ShapeDerivation.kind(inner) match
            case Some(kind) => (one(kind, _), 1)
            case None       => (structs(element(tpe, inner), _), 1)
      val bytes = of(1).size.toLong * innerCount * size
      if bytes > InlineArray.MaxLength then
        quotes.reflect.report.errorAndAbort(
          s"${ShapeDerivation.named(tpe)}: an InlineArray has at most ${InlineArray.MaxLength} bytes, not $bytes; keep more in " +
            "a table"
        )
      of(size * innerCount)

  private def one(of: Shape.Kind, count: Int): Shape.Kind = Shape.Kind.Elements(of, count)
  private def structs(of: Shape, count: Int): Shape.Kind = Shape.Kind.Structs(of, count)

  /** The shape of an element that is a struct. */
  private def element(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, inner: quotes.reflect.TypeRepr): Shape =
    import quotes.reflect.*
    if OptionTypes.of(inner).isDefined || ShapeDerivation.isCaseClass(inner) ||
      ShapeDerivation.isSum(inner) || StoredTypes.of(inner).isDefined
    then ShapeDerivation.shapeOf(inner)
    else
      report.errorAndAbort(
        s"${ShapeDerivation.named(tpe)}: an InlineArray holds primitives, texts, structs, enums, Options and InlineArrays of them, and " +
          s"${ShapeDerivation.named(inner)} is not one of these"
      )

  /** The element type of all dimensions. */
  def elementType(using Quotes)(tpe: quotes.reflect.TypeRepr): quotes.reflect.TypeRepr =
    parts(tpe).fold(tpe)((inner, _) => elementType(inner))

  /** The element type and the length of an InlineArray type. */
  def parts(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[(quotes.reflect.TypeRepr, Int)] =
    import quotes.reflect.*
    tpe match
      case AppliedType(inline, List(inner, size))
          if inline.typeSymbol.fullName == "undercroft.struct.InlineArray" =>
        size.dealias match
          case ConstantType(IntConstant(n)) if n > 0 => Some((inner.dealias, n))
          case _ => report.errorAndAbort(
              s"${ShapeDerivation.named(tpe)}: its length is not a number above 0"
            )
      case _ => None

  /** The length of each dimension, outermost first. */
  def sizes(using Quotes)(tpe: quotes.reflect.TypeRepr): List[Int] =
    parts(tpe).toList.flatMap((inner, size) => size :: sizes(inner))
end InlineArrayTypes
