package undercroft.struct
package internal.macros.terms

import scala.quoted.*

/** Named patterns, as in `case Trade(price = 250)`. The compiler has put them in the order of the
  * fields, with wildcards between, but each still has its name around it.
  */
private[undercroft] object PatternNames:

  /** A term without these names: a TreeMap would take the patterns behind them for terms. */
  def removed(using Quotes)(term: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val remove = new TreeMap:
      override def transformTree(tree: Tree)(owner: Symbol): Tree = tree match
        case Unapply(function, implicits, patterns) =>
          Unapply.copy(tree)(function, implicits, patterns.map(unnamed(_)(owner)))
        // A TreeMap leaves the pattern of a name as it is.
        case Bind(name, pattern) => Bind.copy(tree)(name, transformTree(pattern)(owner))
        case _                   => super.transformTree(tree)(owner)

      private def unnamed(pattern: Tree)(owner: Symbol): Tree = pattern match
        case NamedArg(_, inner) => transformTree(inner)(owner)
        case _                  => transformTree(pattern)(owner)
    remove.transformTerm(term)(Symbol.spliceOwner)
end PatternNames
