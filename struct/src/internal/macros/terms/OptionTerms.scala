package undercroft.struct
package internal.macros.terms

import internal.macros.schema.OptionTypes
import scala.quoted.*

/** The operations on an Option of the row in the function literal of a loop, written as matches,
  * which [[Matching]] reads in place.
  */
private[struct] object OptionTerms:

  /** A body with matches in place of the operations on Options that are parts of `row`. */
  def asMatches(using
      Quotes
  )(row: quotes.reflect.Symbol, body: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*

    def isOption(term: Term) =
      Projection.pathFrom(row, term).exists(_.nonEmpty) &&
        OptionTypes.of(term.tpe.widen.dealias).isDefined

    def matched(term: Term): Option[Term] = term match
      case Select(option, name @ ("isDefined" | "nonEmpty" | "isEmpty")) if isOption(option) =>
        option.asExpr match
          case '{ $option: Option[a] } =>
            val (some, none) = (Expr(name != "isEmpty"), Expr(name == "isEmpty"))
            Some('{
              $option match
                case Some(_) => $some
                case None    => $none
            }.asTerm)
          case _ => None
      case Apply(Select(option, name @ ("exists" | "forall")), List(p))
          if isOption(option) && Projection.isLiteral(p.asExpr) =>
        option.asExpr match
          case '{ $option: Option[a] } =>
            val (of, none) = (p.asExprOf[a => Boolean], Expr(name == "forall"))
            Some('{
              $option match
                case Some(value) => ${ Expr.betaReduce('{ $of(value) }) }
                case None        => $none
            }.asTerm)
          case _ => None
      case Apply(TypeApply(Select(option, "map"), List(_)), List(f))
          if isOption(option) && Projection.isLiteral(f.asExpr) =>
        (option.asExpr, f.asExpr) match
          case ('{ $option: Option[a] }, '{ $_ : (? => b) }) =>
            val of = f.asExprOf[a => b]
            Some('{
              $option match
                case Some(value) => Some(${ Expr.betaReduce('{ $of(value) }) })
                case None        => None
            }.asTerm)
          case _ => None
      case Apply(TypeApply(Select(option, "getOrElse"), List(_)), List(default))
          if isOption(option) =>
        (option.asExpr, term.asExpr) match
          case ('{ $option: Option[a] }, '{ $_ : b }) if TypeRepr.of[a] <:< TypeRepr.of[b] =>
            val other = default.asExprOf[b]
            Some('{
              $option match
                case Some(value) => ${ 'value.asExprOf[b] }
                case None        => $other
            }.asTerm)
          case _ => None
      case Apply(TypeApply(Select(option, "contains"), List(_)), List(element))
          if isOption(option) && !UserCode.isIn(element) =>
        option.asExpr match
          case '{ $option: Option[a] } =>
            Some('{
              $option match
                case Some(value) =>
                  ${
                    Select.overloaded('value.asTerm, "==", Nil, List(element)).asExprOf[Boolean]
                  }
                case None => false
            }.asTerm)
          case _ => None
      case _ => None

    val rewrite = new TreeMap:
      override def transformTerm(tree: Term)(owner: Symbol): Term =
        val inner = super.transformTerm(tree)(owner)
        matched(inner).map(_.changeOwner(owner)).getOrElse(inner)
    rewrite.transformTerm(body)(Symbol.spliceOwner)
  end asMatches
end OptionTerms
