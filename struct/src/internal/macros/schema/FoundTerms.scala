package undercroft.struct
package internal.macros.schema

import java.util.{HashMap, WeakHashMap}
import scala.quoted.*

/** The terms that implicit searches for a type had as results, by the scope of the search: each
  * [[Quotes]] has one scope, in which a search always has the same result.
  */
private[struct] final class FoundTerms:
  // The compilers of one JVM may run in several threads, but each scope belongs to one of them.
  private val scopes = WeakHashMap[Quotes, HashMap[Any, Any]]()

  /** The term of a type, searched at its first use. */
  def apply(using
      scope: Quotes
  )(tpe: scope.reflect.TypeRepr)(
      search: => Option[scope.reflect.Term]
  ): Option[scope.reflect.Term] =
    val terms = synchronized(scopes.computeIfAbsent(scope, _ => HashMap()))
    if terms.containsKey(tpe) then terms.get(tpe).asInstanceOf[Option[scope.reflect.Term]]
    else
      val result = search
      if result.forall(isPath) then terms.put(tpe, result): Unit
      result

  /** Whether a term defines nothing, so that it may stand in several places. */
  private def isPath(using Quotes)(term: quotes.reflect.Term): Boolean =
    import quotes.reflect.*
    term match
      case Ident(_) | This(_)         => true
      case Select(inner, _)           => isPath(inner)
      case TypeApply(function, _)     => isPath(function)
      case Apply(function, arguments) => isPath(function) && arguments.forall(isPath)
      case _                          => false
end FoundTerms
