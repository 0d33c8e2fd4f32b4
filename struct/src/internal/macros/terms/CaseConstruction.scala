package undercroft.struct
package internal.macros.terms

import internal.bytes.CaseTag
import internal.macros.places.Bound
import internal.macros.schema.{Cases, Prefixes}
import scala.quoted.*

/** Generates the values of enums and sealed hierarchies from their leaves. */
private[struct] object CaseConstruction:

  /** A value of the case that the tag names, from the leaves of all cases. */
  def made(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      leaves: Iterator[quotes.reflect.Term]
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val number = Cases.number(leaves.next().asExpr).asTerm
    val caseTypes = Cases.of(tpe).toList.flatten
    val values = caseTypes.map(one(_, leaves))
    Bound("number", number): number =>
      val branches = values.zipWithIndex.map: (value, k) =>
        CaseDef(Literal(IntConstant(k)), None, Typed(value, Inferred(tpe)))
      Typed(Match(number, branches :+ none(tpe, number)), Inferred(tpe))

  /** A value of one case, from the leaves of that case alone. */
  def one(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, leaves: Iterator[quotes.reflect.Term]): quotes.reflect.Term =
    if tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol then
      Prefixes.term(tpe, tpe.termSymbol)
    else if Cases.isObject(tpe) then Prefixes.term(tpe, tpe.typeSymbol.companionModule)
    else StructConstruction.made(tpe, Cases.fields(tpe).map(_._2), leaves)

  /** The branch for a tag that names no case. */
  private def none(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, number: quotes.reflect.Term): quotes.reflect.CaseDef =
    import quotes.reflect.*
    val (name, count) = (Expr(tpe.typeSymbol.name), Expr(Cases.of(tpe).toList.flatten.size))
    val error = '{ CaseTag.unknown(${ number.asExprOf[Int] }, $name, $count) }
    CaseDef(Wildcard(), None, error.asTerm)
end CaseConstruction
