package undercroft.struct
package internal.macros.access

import internal.bytes.UnionBytes
import internal.macros.places.RowPlace
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{StructConstruction, ValueConversion, ValueSplitter}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Union

/** Generates access to the members of a [[Union]]. */
@publicInBinary private[struct] object UnionAccess:

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
