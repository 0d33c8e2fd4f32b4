package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the loops that store into the rows they run over, each as a local method (see
  * [[Fused]]).
  */
@publicInBinary private[struct] object InPlace:

  def updateAll[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val layout = Single.required[T, L]("updateAll")
    val leaf = Projection.leaf(field, "updateAll")
    Loop.literal(f): f =>
      '{
        def loop(): Unit =
          val rows = $table
          ${ Tables.loop('rows, layout, None)(place => Single.changed(place, leaf, f)) }
        loop()
      }

  def transform[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], f: Expr[T => T])(using
      Quotes
  ): Expr[Unit] =
    val layout = Single.required[T, L]("transform")
    Loop.literal(f): f =>
      '{
        def loop(): Unit =
          val rows = $table
          ${
            Tables.loop('rows, layout, None): place =>
              Changes.store(f, place)
          }
        loop()
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
        def loop(): Unit =
          val (into, of) = ($target, $source)
          Table.checkSameSize(into.size, of.size)
          val size = into.size
          var start = 0L
          ${
            Tables.confirmed('into):
              Tables.confirmed('of):
                '{
                  while start < size do
                    into.confirm()
                    of.confirm()
                    val count = Table.block(size - start, $most)
                    ${
                      Tables.inBlock('start, 'count, 'of, from): read =>
                        Tables.inBlock('start, 'count, 'into, to): write =>
                          Tables.indices('count, None): i =>
                            Split.store(Projection(f, read(i)))(target => target(write(i)))
                    }
                    start += count
                }
          }
        end loop
        loop()
      }
  end setFrom

  def column[T: Type, A: Type](columns: Expr[Columns[T]], field: Expr[T => A])(using
      Quotes
  ): Expr[MemorySegment] =
    val leaf = Projection.leaf(field, "column")
    val size = Expr(leaf.kind.size.toLong)
    '{
      $columns.part(
        $columns.capacity * ${ Expr(leaf.column.toLong) } + $columns.first * $size,
        $size
      )
    }

  /** Stores `f` of each index in rows that were not zeroed. */
  def tabulate[T: Type, L <: Layout: Type](
      tables: Expr[undercroft.struct.Tables[L]],
      size: Expr[Long],
      f: Expr[Long => T],
      struct: Expr[Struct[T]],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    val layout = Single.required[T, L]("tabulate")
    val most = Expr(Tables.most[T](layout))
    '{
      def loop(rows: Table[T, L]): Unit =
        val size = rows.size
        var start = 0L
        while start < size do
          val count = Table.block(size - start, $most)
          ${
            Tables.inBlock('start, 'count, 'rows, layout): place =>
              written('start, 'count, f)(i => place(i))
          }
          start += count
      val made = $tables.uninit[T]($size)(using $struct, $allocator)
      loop(made)
      made
    }
  end tabulate

  /** Appends `f` of each number below `count`, block by block of the memory that is there. */
  def append[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      count: Expr[Long],
      f: Expr[Long => T]
  )(using Quotes): Expr[Unit] =
    val layout = Single.required[T, L]("appendAll")
    val most = Expr(Tables.most[T](layout))
    '{
      def loop(rows: GrowingTable[T, L], rest: Long): Unit =
        val before = rows.size
        var number = 0L
        ${
          Tables.named('rows):
            '{
              while number < rest do
                val row = before + number
                val ready = rows.ready(row, rest - number, $most)
                ${
                  Tables.inSlice('row, 'ready, 'rows, layout): place =>
                    written('number, 'ready, f)(i => place(i))
                }
                number += ready
            }
        }
        rows.appended(before, rest)
      loop($table, $count)
    }
  end append

  /** Stores `f` of the numbers from `number` on in the rows of a block. */
  private def written[T: Type](number: Expr[Long], count: Expr[Int], f: Expr[Long => T])(
      place: Expr[Int] => Quotes ?=> Place
  )(using Quotes): Expr[Unit] =
    Tables.indices(count, None): i =>
      val value = Expr.betaReduce('{ $f($number + $i) })
      Split.store(value, fresh = true)(target => target(place(i)))
end InPlace
