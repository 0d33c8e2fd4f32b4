package undercroft.struct
package internal.macros.loops

import internal.macros.schema.LayoutCheck
import internal.macros.terms.{CopyUpdates, PartUpdates, Projection, ValueSplitter}
import internal.runtime.UnfinishedTable
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the loops that store into the rows they iterate over, each as a local method (see
  * [[FusedLoops]]).
  */
@publicInBinary private[struct] object InPlaceLoops:

  def updateAll[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val layout = TableLoops.required[T, L]("updateAll")
    '{
      def loop(): Unit =
        val rows = $table
        ${
          Loop.literal(f): f =>
            TableLoops.loop('rows, layout, None)(place =>
              PartUpdates.changed(place, field, f, "updateAll")
            )
        }
      loop()
    }

  def transform[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], f: Expr[T => T])(using
      Quotes
  ): Expr[Unit] =
    val layout = TableLoops.required[T, L]("transform")
    '{
      def loop(): Unit =
        val rows = $table
        ${
          Loop.literal(f): f =>
            TableLoops.loop('rows, layout, None)(place => CopyUpdates.store(f, place))
        }
      loop()
    }

  def setFrom[T: Type, L <: Layout: Type, S: Type, M <: Layout: Type](
      target: Expr[Table[T, L]],
      source: Expr[Table[S, M]],
      f: Expr[S => T]
  )(using Quotes): Expr[Unit] =
    val (to, from) = (TableLoops.required[T, L]("setFrom"), TableLoops.required[S, M]("setFrom"))
    val maxRows = Expr(Math.min(TableLoops.most[T](to), TableLoops.most[S](from)))
    '{
      def loop(): Unit =
        val (into, of) = ($target, $source)
        ${
          Loop.literal(f): f =>
            '{
              Table.checkSameSize(into.size, of.size)
              ${
                TableLoops.confirmed('into):
                  TableLoops.confirmed('of):
                    '{
                      val size = into.size
                      var start = 0L
                      while start < size do
                        into.confirm()
                        of.confirm()
                        val count = Table.block(size - start, $maxRows)
                        ${
                          TableLoops.inBlock('start, 'count, 'of, from): read =>
                            TableLoops.inBlock('start, 'count, 'into, to): write =>
                              TableLoops.indices('count, None): i =>
                                ValueSplitter.store(Projection(f, read(i)))(target =>
                                  target(write(i))
                                )
                        }
                        start += count
                    }
              }
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
      val bound = $columns
      ${ LayoutCheck.check('bound) }
      bound.part(bound.capacity * ${ Expr(leaf.column.toLong) } + bound.first * $size, $size)
    }

  /** Stores `f` of each index in rows that were not zeroed. */
  def tabulate[T: Type, L <: Layout: Type](
      tables: Expr[undercroft.struct.TableFactory[L]],
      size: Expr[Long],
      f: Expr[Long => T],
      struct: Expr[Struct[T]],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    val layout = TableLoops.required[T, L]("tabulate")
    val maxRows = Expr(TableLoops.most[T](layout))
    Loop.literal(f): f =>
      '{
        def loop(rows: Table[T, L]): Unit =
          ${
            TableLoops.named('rows):
              '{
                val size = rows.size
                var start = 0L
                while start < size do
                  val count = Table.block(size - start, $maxRows)
                  ${
                    TableLoops.inBlock('start, 'count, 'rows, layout): place =>
                      written('start, 'count, f)(i => place(i))
                  }
                  start += count
              }
          }
        val memory = $allocator
        val table = $tables.uninit[T]($size)(using memory)(using ${ LayoutCheck.checked(struct) })
        UnfinishedTable.filled(table, memory)(loop(_))
      }
  end tabulate

  /** Appends `f` of each number below `count`, in blocks of rows that have memory. */
  def append[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      count: Expr[Long],
      f: Expr[Long => T]
  )(using Quotes): Expr[Unit] =
    val layout = TableLoops.required[T, L]("appendAll")
    '{
      val growing = $table
      val rest = $count
      ${ Loop.literal(f)(f => appended('growing, 'rest, f, layout)) }
    }

  private def appended[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      count: Expr[Long],
      f: Expr[Long => T],
      layout: TableLoops.Known
  )(using Quotes): Expr[Unit] =
    val maxRows = Expr(TableLoops.most[T](layout))
    '{
      def loop(rows: GrowingTable[T, L], rest: Long): Unit =
        rows.checkCount(rest)
        val before = rows.beginAppend()
        try
          ${
            TableLoops.named('rows):
              '{
                var number = 0L
                while number < rest do
                  val row = before + number
                  val ready = rows.ready(row, rest - number, $maxRows)
                  val (memory, capacity) = (rows.currentMemory, rows.currentCapacity)
                  ${
                    TableLoops.inSlice('row, 'ready, 'rows, layout): place =>
                      written('number, 'ready, f)(i => place(i))
                  }
                  rows.written(memory, capacity, row, ready)
                  number += ready
              }
          }
          rows.appended(before, rest)
        finally rows.endAppend()
      end loop
      loop($table, $count)
    }
  end appended

  /** Stores `f` of the numbers starting at `number` in the rows of a block. */
  private def written[T: Type](number: Expr[Long], count: Expr[Int], f: Expr[Long => T])(
      place: TableLoops.At
  )(using Quotes): Expr[Unit] =
    TableLoops.indices(count, None): i =>
      val value = Expr.betaReduce('{ $f($number + $i) })
      ValueSplitter.store(value, fresh = true)(target => target(place(i)))
end InPlaceLoops
