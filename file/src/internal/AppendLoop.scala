package undercroft.file
package internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Layout
import undercroft.struct.internal.macros.loops.Loop

/** Generates the loop of [[FileTable.appendAll]] over row numbers. */
@publicInBinary private[file] object AppendLoop:

  def apply[T: Type, L <: Layout: Type](
      table: Expr[FileTable[T, L]],
      count: Expr[Long],
      f: Expr[Long => T]
  )(using Quotes): Expr[Unit] =
    '{
      val file = $table
      val rows = $count
      ${
        Loop.literal(f): f =>
          '{
            val before = file.beginUncounted(rows)
            var number = 0L
            try
              while number < rows do
                val row = file.uncounted(before + number)
                file.room.storeNext(row)(${ Expr.betaReduce('{ $f(number) }) })
                number += 1
            finally file.endUncounted(if number >= rows then number else 0)
          }
      }
    }
end AppendLoop
