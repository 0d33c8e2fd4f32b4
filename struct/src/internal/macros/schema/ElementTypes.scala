package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** Types that are rows, keys and values without `derives`: they are stored as one field is, and
  * have no class that could derive.
  */
private[struct] object ElementTypes:

  /** Whether a type is one of them: a primitive, a text, out-of-line bytes, a reference, an inline
    * array, a union, an Option, an enum without fields, or an opaque type. An opaque type and an
    * Option are checked later, by the derivation: this runs while types are inferred, when the
    * cases of an enum in the same file may not be known.
    */
  def isElement(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    val symbol = tpe.typeSymbol
    !ShapeDerivation.isNothing(tpe) && !symbol.isTypeParam &&
    (ShapeDerivation.primitive(tpe).isDefined || names(symbol.fullName) || isEnum(tpe) ||
      isOpaque(tpe))

  /** Reports an error if an enum has cases with fields: such an enum derives its Struct. */
  def checkEnum(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    if ShapeDerivation.isSum(tpe) then
      quotes.reflect.report.errorAndAbort(
        s"${tpe.typeSymbol.name} has no Struct: ${ShapeDerivation.cure(tpe)}"
      )

  private val names = Set(
    "scala.Option",
    "undercroft.struct.Text$package$.Text",
    "undercroft.struct.TextRef",
    "undercroft.struct.BytesRef",
    "undercroft.struct.Reference",
    "undercroft.struct.InlineArray",
    "undercroft.struct.Union"
  )

  private def isEnum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && symbol.flags.is(Flags.Enum) && !symbol.flags.is(Flags.JavaDefined) &&
    !symbol.flags.is(Flags.Case) && symbol.children.forall(_.isTerm)

  private def isOpaque(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val isAlias = tpe match
      case ref: TypeRef                 => ref.isOpaqueAlias
      case AppliedType(ref: TypeRef, _) => ref.isOpaqueAlias
      case _                            => false
    isAlias && tpe.typeSymbol.fullName != "scala.NamedTuple$.NamedTuple"
end ElementTypes
