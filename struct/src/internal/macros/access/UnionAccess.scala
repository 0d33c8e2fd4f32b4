package undercroft.struct
package internal.macros.access

import internal.bytes.UnionBytes
import internal.macros.places.RowPlace
import internal.macros.schema.{OptionTypes, ShapeDerivation, StoredTypes}
import internal.macros.terms.{StructConstruction, ValueConversion, ValueSplitter}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.{Shape, Union}

/** Generates access to the members of a [[Union]]. */
@publicInBinary private[struct] object UnionAccess:

  def isUnion(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.Union"

  /** The members of a union, with their types. */
  def members(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    import quotes.reflect.*
    val named = tpe.typeArgs.head.dealias
    if StoredTypes.names(named).isEmpty then
      report.errorAndAbort(s"${tpe.show}: a union's members are a named tuple, (a: Int, b: Double)")
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
          fail(s"has the type ${inner.show}, which is neither a primitive nor a struct")
        val shape = ShapeDerivation.shapeOf(inner.dealias)
        if shape.alignedSize != shape.packedSize then
          fail(
            s"is a ${shape.name} with padding, of ${shape.alignedSize} bytes and ${shape.packedSize} " +
              "without: a union has the same bytes in every layout, so make the padding fields"
          )
        Shape.Field(name, shape, dimensions = ShapeDerivation.dimensions(inner.dealias))
      Shape.Kind.Union(fields)

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
      (InlineArrayAccess.parts(tpe), StoredTypes.of(tpe)) match
        case (Some((inner, _)), _) => harm(inner)
        case (_, Some(inner))      => harm(inner.dealias)
        case _ =>
          if !ShapeDerivation.isCaseClass(tpe) then None
          else ShapeDerivation.fields(tpe).flatMap((_, inner) => harm(inner.dealias)).headOption

  /** `union.member`. */
  def select[M <: NamedTuple.AnyNamedTuple: Type](union: Expr[Union[M]], name: Expr[String])(using
      Quotes
  ): Expr[Any] =
    member[M](name.valueOrAbort).asType match
      case '[a] =>
        '{
          UnionBytes.member[a]($union)(segment =>
            ${ StructConstruction.load[a](RowPlace('segment, '{ 0L }, packed = false)) }
          )
        }

  /** `Union(member = value)`. */
  def make[M <: NamedTuple.AnyNamedTuple: Type](
      method: Expr[String],
      arguments: Expr[Seq[(String, Any)]]
  )(using Quotes): Expr[Union[M]] =
    import quotes.reflect.*
    def fail(): Nothing =
      report.errorAndAbort("a union is made of one member, by its name: Union(real = 36.6)")
    if method.valueOrAbort != "apply" then fail()
    if TypeRepr.of[M] =:= TypeRepr.of[Nothing] || TypeRepr.of[M].dealias.typeArgs.isEmpty then
      report.errorAndAbort(
        "which union is not known here: say Union[(whole: Int, real: Double)](real = 36.6)"
      )
    val (name, value) = arguments match
      case Varargs(Seq('{ ($name: String, $value) })) => (name.valueOrAbort, value)
      case _                                          => fail()
    val size = ShapeDerivation.kind(TypeRepr.of[Union[M]].dealias).fold(0)(_.size)
    member[M](name).asType match
      case '[a] =>
        val converted = ValueConversion.to[a](value, s"member `$name` of the union")
        '{
          val bytes = new Array[Byte](${ Expr(size) })
          val segment: MemorySegment = UnionBytes.over(bytes)
          ${ ValueSplitter.store[a](converted)(_(RowPlace('segment, '{ 0L }, packed = false))) }
          UnionBytes.of[M](bytes)
        }
  end make

  private def member[M: Type](name: String)(using Quotes): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    val members = ShapeDerivation.fields(TypeRepr.of[M].dealias)
    members.find(_._1 == name).map(_._2.dealias).getOrElse:
      report.errorAndAbort(
        s"the union has no member `$name`; it has ${members.map(_._1).mkString(", ")}"
      )
end UnionAccess
