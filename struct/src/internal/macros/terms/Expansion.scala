package undercroft.struct
package internal.macros.terms

import java.util.HashMap
import scala.quoted.*

/** The code that a macro returns, without most of the nodes `Inlined` that its quotes leave.
  *
  * A quote is such a node, which leads into the library's code, and each splice in it has a node
  * that leads out again. In every later phase the compiler creates a context for each node, and
  * checks by it whether the code may access members that are not public. A quote within a quote
  * therefore needs no node, and neither do its splices; the nodes around the program's own code
  * remain. Positions do not change, because each term has its file.
  */
private[struct] object Expansion:

  def apply[A](result: Expr[A])(using Quotes): Expr[A] =
    import quotes.reflect.*
    val known = HashMap[Symbol, Boolean]()
    def isQuote(call: Tree): Boolean = known.computeIfAbsent(
      call.symbol,
      symbol =>
        symbol.fullName.startsWith("undercroft.") && symbol.fullName.contains(".internal.macros.")
    )
    val flat = new TreeMap:
      /** For each enclosing node that leads into other code, the macro's call first: whether the
        * result has it.
        */
      private var enclosing = List(true)

      private def within(nodes: List[Boolean])(term: => Term): Term =
        val before = enclosing
        enclosing = nodes
        val mapped = term
        enclosing = before
        mapped

      override def transformTerm(tree: Term)(owner: Symbol): Term = tree match
        case Inlined(Some(call), Nil, inner) if enclosing.nonEmpty && isQuote(call) =>
          within(false :: enclosing)(transformTerm(inner)(owner))
        case Inlined(Some(_), _, _) =>
          within(true :: enclosing)(super.transformTerm(tree)(owner))
        case Inlined(None, Nil, inner @ (Literal(_) | Ident(_) | This(_))) => inner
        case Inlined(None, Nil, inner) if enclosing.headOption.contains(false) =>
          within(enclosing.tail)(transformTerm(inner)(owner))
        case Inlined(None, _, _) =>
          within(enclosing.drop(1))(super.transformTerm(tree)(owner))
        case Literal(_) | Ident(_) | This(_) | New(_) => tree
        case _                                        => super.transformTerm(tree)(owner)

      // A pattern has no quotes, and a TreeMap fails on one with named parts.
      override def transformCaseDef(tree: CaseDef)(owner: Symbol): CaseDef = CaseDef.copy(tree)(
        tree.pattern,
        tree.guard.map(transformTerm(_)(owner)),
        transformTerm(tree.rhs)(owner)
      )
      override def transformTypeTree(tree: TypeTree)(owner: Symbol): TypeTree = tree
    flat.transformTerm(result.asTerm)(Symbol.spliceOwner).asExpr.asInstanceOf[Expr[A]]
  end apply
end Expansion
