package undercroft.struct
package internal.macros.terms

import scala.quoted.*

/** Finds functions that a loop may call twice for a value instead of once. */
private[struct] object Repeatable:

  /** Whether a function is a literal that has no effect but its result, or an exception. */
  def apply(f: Expr[Any])(using Quotes): Boolean =
    import quotes.reflect.*
    val split = ValueSplitter[quotes.type]()
    def isEffectless(term: Term): Boolean =
      val value = Projection.strip(term)
      val tpe = value.tpe.widen.dealias
      val arguments = split.arguments(tpe, value).filter(_ => ValueSplitter.onlyHolds(tpe))
      arguments.fold(!UserCode.isIn(value) && !stores(value))(_.forall(isEffectless))
    Projection.strip(f.asTerm) match
      case Lambda(_, body) => isEffectless(body)
      case _               => false

  /** Whether a tree assigns a variable or an element. */
  private def stores(using Quotes)(tree: quotes.reflect.Tree): Boolean =
    import quotes.reflect.*
    var isFound = false
    val search = new TreeTraverser:
      override def traverseTree(tree: Tree)(owner: Symbol): Unit = tree match
        case Assign(_, _) | Select(_, "update") => isFound = true
        case _                                  => super.traverseTree(tree)(owner)
    search.traverseTree(tree)(Symbol.spliceOwner)
    isFound
end Repeatable
