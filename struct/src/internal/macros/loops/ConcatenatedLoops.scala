package undercroft.struct
package internal.macros.loops

import scala.quoted.*
import undercroft.struct.*

/** Generates loops over several tables, one after the other. */
private[struct] object ConcatenatedLoops:

  def loop[T: Type, L <: Layout: Type](
      tables: Expr[ConcatenatedTables[T, L]],
      running: Option[Expr[Boolean]]
  )(body: Quotes ?=> Expr[Table[T, L]] => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      var index = 0
      while index < $tables.count && ${ running.getOrElse('{ true }) } do
        val table = $tables.table(index)
        ${ body('table) }
        index += 1
    }
end ConcatenatedLoops
