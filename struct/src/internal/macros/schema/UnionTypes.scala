package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.Shape

/** The types [[Union]]: their members and kinds. */
private[struct] object UnionTypes:

  def isUnion(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.Union"

  /** The members of a union, with their types. */
  def members(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    import quotes.reflect.*
    val named = tpe.typeArgs.head.dealias
    if StoredTypes.names(named).isEmpty then
      report.errorAndAbort(
        s"${ShapeDerivation.named(tpe)}: a union's members are a named tuple, (a: Int, b: Double)"
      )
    ShapeDerivation.fields(named)

  /** The kind of a union whose members can safely share their bytes. */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Shape.Kind] =
    import quotes.reflect.*
    Option.when(isUnion(tpe)):
      val fields = members(tpe).map: (name, inner) =>
        def fail(message: String): Nothing =
          report.errorAndAbort(s"member `$name` of a union $message")
        if ShapeDerivation.reserved(name) then fail("has a name that a Ref uses itself; rename it")
        harm(inner.dealias).foreach(fail)
        if !ShapeDerivation.isKnown(inner.dealias) then
          fail(
            s"has the type ${ShapeDerivation.named(inner.dealias)}, which is neither a primitive nor a struct"
          )
        val shape = ShapeDerivation.shapeOf(inner.dealias)
        if shape.alignedSize != shape.packedSize then
          fail(
            s"is a ${shape.name} with padding, of ${shape.alignedSize} bytes and ${shape.packedSize} " +
              "without: a union has the same bytes in every layout, so make the padding fields"
          )
        Shape.Field(name, shape, dimensions = ShapeDerivation.dimensions(inner.dealias))
      Shape.Kind.Union(fields)
  end kind

  /** Why arbitrary bytes cannot be a value of a type. */
  private def harm(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[String] =
    if StoredTypes.isReference(tpe) || ShapeDerivation.far(tpe).isDefined then
      Some(s"holds a ${tpe.typeSymbol.name}: bytes of other members would be taken for a reference")
    else if StoredTypes.isEnumeration(tpe) || ShapeDerivation.isSum(tpe) || OptionTypes.of(
        tpe
      ).isDefined
    then
      Some(
        s"holds a ${tpe.typeSymbol.name}: bytes of other members would be taken for the number of " +
          "its case"
      )
    else if ShapeDerivation.primitive(tpe).isDefined || isUnion(tpe) then None
    else
      (InlineArrayTypes.parts(tpe), StoredTypes.of(tpe)) match
        case (Some((inner, _)), _) => harm(inner)
        case (_, Some(inner))      => harm(inner.dealias)
        case _ =>
          if !ShapeDerivation.isCaseClass(tpe) then None
          else ShapeDerivation.fields(tpe).flatMap((_, inner) => harm(inner.dealias)).headOption
end UnionTypes
