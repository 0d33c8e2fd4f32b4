package undercroft.struct
package internal.macros.terms

import internal.bytes.FixedText
import internal.macros.places.Bound
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import scala.quoted.*
import scala.util.control.Exception.allCatch

/** The keys of a loop: texts with which its function literal compares a text of the row, and which
  * are the same for all rows. They are literals and names from outside of the function. Their first
  * words are computed once, before the loop.
  */
private[struct] final class TextKeys[Q <: Quotes & Singleton](using val quotes: Q)(
    function: quotes.reflect.Term
):
  import quotes.reflect.*

  /** A comparison `term` of `text`, a part of the row. */
  private final case class Comparison(term: Term, text: Term, key: Term, name: String):
    /** The words of the key, whose name is `key`. */
    def words(key: Term): List[Expr[Long]] =
      val string = key.asExprOf[String]
      def word(index: Int) = '{ FixedText.keyWord($string, ${ Expr(index) }) }
      def mask(index: Int) = '{ FixedText.keyMask($string, ${ Expr(index) }) }
      if isPrefix then List(word(0), mask(0), word(1), mask(1)) else List(word(0), word(1))

    def withWords(key: Term, words: List[Term]): Term =
      val method =
        if isPrefix then TextKeys.startsWithKey
        else if name == "compare" then TextKeys.compareKey
        else TextKeys.isKey
      val text = StoredTypes.cast(this.text, TypeRepr.of[String])
      val result = Ref(Symbol.requiredMethod(method)).appliedToArgs(text :: key :: words)
      if name == "!=" then '{ !${ result.asExprOf[Boolean] } }.asTerm else result

    private def isPrefix: Boolean = name == "startsWith"
  end Comparison

  /** The function with comparisons by words, around which the keys and their words are bound. */
  def bound[F: Type, R: Type](next: Quotes ?=> Expr[F] => Expr[R]): Expr[R] =
    def loop(function: Term): Term = next(function.asExprOf[F]).asTerm
    bound(loop).asExprOf[R]

  private def bound(loop: Term => Term): Term =
    val comparisons = found
    if comparisons.isEmpty then loop(function)
    else
      Bound.all(comparisons.map(key => StoredTypes.cast(key.key, TypeRepr.of[String]))): keys =>
        val words = comparisons.zip(keys).map((comparison, key) => comparison.words(key))
        Bound.all(words.flatten.map(_.asTerm)): names =>
          var rest = names
          val replacements = comparisons
            .lazyZip(keys)
            .lazyZip(words)
            .map: (comparison, key, words) =>
              val (own, others) = rest.splitAt(words.size)
              rest = others
              (comparison.term, comparison.withWords(key, own))
          loop(replaced(replacements))

  private def found: List[Comparison] =
    val comparisons = List.newBuilder[Comparison]
    val search = new TreeTraverser:
      override def traverseTree(tree: Tree)(owner: Symbol): Unit =
        tree match
          case term: Term => comparison(term).foreach(comparisons += _)
          case _          => ()
        super.traverseTree(tree)(owner)
    search.traverseTree(function)(Symbol.spliceOwner)
    comparisons.result()

  private def replaced(replacements: List[(Term, Term)]): Term =
    val substitute = new TreeMap:
      override def transformTerm(tree: Term)(owner: Symbol): Term =
        replacements
          .collectFirst { case (term, other) if term eq tree => other }
          .getOrElse(super.transformTerm(tree)(owner))
    substitute.transformTerm(function)(Symbol.spliceOwner)

  private def comparison(term: Term): Option[Comparison] = term match
    case Apply(Select(a, operator @ ("==" | "!=")), List(b)) if isText(a) && isText(b) =>
      if isKey(b) && isOfRow(a) then Some(Comparison(term, a, b, operator))
      else if isKey(a) && isOfRow(b) then Some(Comparison(term, b, a, operator))
      else None
    case Apply(Apply(TypeApply(method, _), List(text)), List(key))
        if TextTerms.isOfText(method.symbol) && isText(text) && isOfRow(text) && isKey(key) =>
      method.symbol.name match
        case name @ ("contentEquals" | "startsWith" | "compare") =>
          Some(Comparison(term, text, key, name))
        case _ => None
    case _ => None

  private def isText(term: Term): Boolean =
    ShapeDerivation.text(term.tpe.widen.dealias).isDefined

  /** Whether a term is a part of a parameter of the function. */
  private def isOfRow(term: Term): Boolean = term match
    case Select(inner, _) => isOfRow(inner)
    case Ident(_)         => parameters.exists(_.equals(term.symbol))
    case _                => false

  private lazy val parameters: List[Symbol] = Projection.strip(function) match
    case Lambda(parameters, _) => parameters.map(_.symbol)
    case _                     => Nil

  /** Whether a term has the same value for each row, and no effect. */
  private def isKey(term: Term): Boolean = Projection.strip(term) match
    case Literal(StringConstant(_)) => true
    case name @ Ident(_)            => isConstant(name)
    case name @ Select(This(_), _)  => isConstant(name)
    case Apply(TypeApply(method, _), List(text))
        if TextTerms.isOfText(method.symbol) && method.symbol.name == "string" =>
      isKey(text)
    case Apply(Apply(constructor, List(text)), List(_)) =>
      constructor match
        case TypeApply(method, List(bytes)) if TextTerms.isOfText(method.symbol) =>
          method.symbol.name == "apply" && fits(Projection.strip(text), bytes.tpe)
        case _ => false
    case _ => false

  private def isConstant(term: Term): Boolean =
    !term.symbol.isNoSymbol && !term.symbol.flags.is(Flags.Mutable) && !UserCode.isIn(term) &&
      !isInside(term.symbol.owner)

  private def isInside(owner: Symbol): Boolean =
    !owner.isNoSymbol && (parameters.exists(_.owner.equals(owner)) || isInside(owner.maybeOwner))

  /** Whether a text fits, so that no exception is thrown earlier than in the loop. */
  private def fits(text: Term, bytes: TypeRepr): Boolean = (text, bytes.dealias) match
    case (Literal(StringConstant(string)), ConstantType(IntConstant(count))) =>
      allCatch.opt(FixedText.fitting(string, count)).isDefined
    case _ => false
end TextKeys

private[struct] object TextKeys:
  private val owner = "undercroft.struct.internal.bytes.FixedText"
  private val isKey = s"$owner.isKey"
  private val startsWithKey = s"$owner.startsWithKey"
  private val compareKey = s"$owner.compareKey"

  /** Whether a method compares a text with a key, by words. */
  def isComparison(using Quotes)(method: quotes.reflect.Symbol): Boolean =
    method.owner.fullName == s"$owner$$" &&
      Set("isKey", "startsWithKey", "compareKey")(method.name)
