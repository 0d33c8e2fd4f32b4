package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.{Field, Kind, Union}

/** Generates access to the members of a [[Union]]. */
@publicInBinary private[struct] object Unions:

  def isUnion(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "undercroft.struct.Union"

  /** The members of a union, with their types. */
  def members(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    import quotes.reflect.*
    val named = tpe.typeArgs.head.dealias
    if Stored.names(named).isEmpty then
      report.errorAndAbort(s"${tpe.show}: a union's members are a named tuple, (a: Int, b: Double)")
    Schema.fields(named)

  /** The kind of a union whose members can be in one place without harm. */
  def kind(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Kind] =
    import quotes.reflect.*
    Option.when(isUnion(tpe)):
      val fields = members(tpe).map: (name, inner) =>
        def fail(message: String): Nothing =
          report.errorAndAbort(s"member `$name` of a union $message")
        if Schema.reserved(name) then fail("has a name that a Ref uses itself; rename it")
        harm(inner.dealias).foreach(fail)
        if !Schema.isKnown(inner.dealias) then
          fail(s"has the type ${inner.show}, which is neither a primitive nor a struct")
        val shape = Schema.shapeOf(inner.dealias)
        if shape.alignedSize != shape.packedSize then
          fail(
            s"is a ${shape.name} with padding, of ${shape.alignedSize} bytes and ${shape.packedSize} " +
              "without: a union has the same bytes in every layout, so make the padding fields"
          )
        Field(name, shape)
      Kind.Union(fields)

  /** Why any bytes at all may not be taken for a value of a type. */
  private def harm(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[String] =
    if Stored.isReference(tpe) || Schema.far(tpe).isDefined then
      Some(s"holds a ${tpe.typeSymbol.name}: bytes of other members would be taken for a reference")
    else if Stored.isEnumeration(tpe) || Schema.isSum(tpe) || Optional.of(tpe).isDefined then
      Some(
        s"holds a ${tpe.typeSymbol.name}: bytes of other members would be taken for the number of " +
          "its case"
      )
    else if Schema.primitive(tpe).isDefined || isUnion(tpe) then None
    else
      (Inlines.parts(tpe), Stored.of(tpe)) match
        case (Some((inner, _)), _) => harm(inner)
        case (_, Some(inner))      => harm(inner.dealias)
        case _ =>
          if !Schema.isCaseClass(tpe) then None
          else Schema.fields(tpe).flatMap((_, inner) => harm(inner.dealias)).headOption

  /** `union.member`. */
  def select[M <: NamedTuple.AnyNamedTuple: Type](union: Expr[Union[M]], name: Expr[String])(using
      Quotes
  ): Expr[Any] =
    member[M](name.valueOrAbort).asType match
      case '[a] =>
        '{
          UnionBytes.member[a]($union)(segment =>
            ${ Code.load[a](RowPlace('segment, '{ 0L }, packed = false)) }
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
    val size = Schema.kind(TypeRepr.of[Union[M]].dealias).fold(0)(_.size)
    member[M](name).asType match
      case '[a] =>
        val converted = Conversions.to[a](value, s"member `$name` of the union")
        '{
          val bytes = new Array[Byte](${ Expr(size) })
          val segment: MemorySegment = UnionBytes.over(bytes)
          ${ Split.store[a](converted)(_(RowPlace('segment, '{ 0L }, packed = false))) }
          UnionBytes.of[M](bytes)
        }
  end make

  private def member[M: Type](name: String)(using Quotes): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    val all = Schema.fields(TypeRepr.of[M].dealias)
    all.find(_._1 == name).map(_._2.dealias).getOrElse:
      report.errorAndAbort(
        s"the union has no member `$name`; it has ${all.map(_._1).mkString(", ")}"
      )
end Unions
