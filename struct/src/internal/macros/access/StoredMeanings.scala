package undercroft.struct
package internal.macros.access

import internal.macros.schema.{Cases, InlineArrayTypes, OptionTypes, ShapeDerivation}
import internal.macros.schema.{StoredTypes, UnionTypes}
import internal.runtime.StoredMeaning
import scala.quoted.*

/** Generates the logical types of the fields of a type, at any depth. They are evaluated when they
  * are asked for, because a given may be initialized after the Struct.
  */
private[struct] object StoredMeanings:

  def of[T: Type](using Quotes): Expr[() => List[StoredMeaning]] =
    import quotes.reflect.*
    val meanings = inside(TypeRepr.of[T].dealias, Nil)
    if meanings.isEmpty then '{ StoredMeaning.none } else '{ () => ${ Expr.ofList(meanings) } }

  private def inside(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): List[Expr[StoredMeaning]] =
    def fields(members: List[(String, quotes.reflect.TypeRepr)], path: List[String]) =
      members.flatMap((name, inner) => inside(inner.dealias, path :+ name))
    if InlineArrayTypes.parts(tpe).isDefined then
      inside(InlineArrayTypes.elementType(tpe).dealias, path)
    else if UnionTypes.isUnion(tpe) then fields(UnionTypes.members(tpe), path)
    else
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _) => inside(inner.dealias, path :+ "get")
        case (_, Some(inner)) if StoredTypes.names(tpe).isEmpty =>
          meaning(tpe, path).toList ++ inside(inner.dealias, path)
        case (_, Some(_))                             => fields(ShapeDerivation.fields(tpe), path)
        case _ if ShapeDerivation.kind(tpe).isDefined => Nil
        case _ if Cases.isSum(tpe) =>
          Cases.of(tpe).toList.flatten.flatMap: caseType =>
            fields(Cases.fields(caseType), path :+ Cases.name(caseType))
        case _ => fields(ShapeDerivation.fields(tpe), path)
  end inside

  private def meaning(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): Option[Expr[StoredMeaning]] =
    StoredTypes.storedAs(tpe).map: as =>
      val storedAs = as.asExprOf[Struct.StoredAs[?, ?]]
      '{ new StoredMeaning(${ Expr(path) }, $storedAs) }
end StoredMeanings
