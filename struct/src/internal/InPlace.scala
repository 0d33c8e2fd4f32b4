package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.*

/** Generates the loops that store into the rows they run over. */
private[struct] object InPlace:

  def updateAll[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val layout = Single.required[T, L]("updateAll")
    val leaf = Projection.leaf(field, "updateAll")
    Loop.literal(f): f =>
      '{
        val rows = $table
        ${ Tables.blocks('rows, layout, None, None)(place => Single.changed(place, leaf, f)) }
      }

  def transform[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], f: Expr[T => T])(using
      Quotes
  ): Expr[Unit] =
    val layout = Single.required[T, L]("transform")
    Loop.literal(f): f =>
      '{
        val rows = $table
        ${
          Tables.blocks('rows, layout, None, None): place =>
            Code.store(Projection(f, place))(target => target(place))
        }
      }

  def setFrom[T: Type, L <: Layout: Type, S: Type, M <: Layout: Type](
      target: Expr[Table[T, L]],
      source: Expr[Table[S, M]],
      f: Expr[S => T]
  )(using Quotes): Expr[Unit] =
    val (to, from) = (Single.required[T, L]("setFrom"), Single.required[S, M]("setFrom"))
    val most = Expr(Math.min(Tables.most[T](to), Tables.most[S](from)))
    Loop.literal(f): f =>
      '{
        val (into, of) = ($target, $source)
        Table.checkSameSize(into.size, of.size)
        val size = into.size
        var start = 0L
        while start < size do
          val count = Table.block(size - start, $most)
          ${
            Tables.inBlock('start, 'count, 'of, from): read =>
              Tables.inBlock('start, 'count, 'into, to): write =>
                Tables.indices('count, None): i =>
                  Code.store(Projection(f, read(i)))(target => target(write(i)))
          }
          start += count
      }
end InPlace
