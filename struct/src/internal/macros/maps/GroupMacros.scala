package undercroft.struct
package internal.macros.maps

import internal.runtime.GroupRuntime
import internal.bytes.RowWriter
import internal.hash.HashTable
import internal.macros.loops.{FusedLoops, KeyFunction, Loop, LoopSource, SortMacros}
import internal.runtime.ParallelRuntime
import internal.sort.TopK
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates the part of filters and groups that depends on their functions: a loop that applies
  * the functions to rows in place.
  */
@publicInBinary private[struct] object GroupMacros:

  def partition[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      p: Expr[T => Boolean],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[(Table[T, L], Table[T, L])] =
    choosing(table, p)((rows, choose) => '{ GroupRuntime.partition($rows, $allocator)($choose) })

  def parFilter[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      p: Expr[T => Boolean],
      grain: Expr[Long],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    choosing(table, p)((rows, choose) =>
      '{ ParallelRuntime.filter($rows, $grain, $allocator)($choose) }
    )

  /** A fold of parts in parallel; all of them use one `op`. */
  def parAggregate[T: Type, L <: Layout: Type, B: Type](
      table: Expr[Table[T, L]],
      zero: Expr[B],
      grain: Expr[Long],
      op: Expr[(B, T) => B],
      combine: Expr[(B, B) => B]
  )(using Quotes): Expr[B] =
    '{
      val all = $table
      ${ Loop.literal(op)(op => aggregated('all, zero, grain, op, combine)) }
    }

  /** As [[parAggregate]], of one table after the other. */
  def parAggregateAll[T: Type, L <: Layout: Type, B: Type](
      view: Expr[ConcatenatedView[T, L]],
      zero: Expr[B],
      grain: Expr[Long],
      op: Expr[(B, T) => B],
      combine: Expr[(B, B) => B]
  )(using Quotes): Expr[B] =
    '{
      val tables = $view.all
      ${
        Loop.literal(op): op =>
          '{
            val merge = $combine
            var result = $zero
            var part = 0
            while part < tables.count do
              val table = tables.table(part)
              val ofTable = ${ aggregated('table, zero, grain, op, 'merge) }
              result = merge(result, ofTable)
              part += 1
            result
          }
      }
    }

  private def aggregated[T: Type, L <: Layout: Type, B: Type](
      table: Expr[Table[T, L]],
      zero: Expr[B],
      grain: Expr[Long],
      op: Expr[(B, T) => B],
      combine: Expr[(B, B) => B]
  )(using Quotes): Expr[B] =
    '{
      ParallelRuntime.fold($table, $grain, () => $zero, $combine)((part: Table[T, L]) =>
        ${ FusedLoops.foldLeft('part, zero, op) }
      )
    }

  /** Continues with the table, and with a method that puts for each row whether it satisfies `p`.
    */
  private def choosing[T: Type, L <: Layout: Type, R: Type](
      table: Expr[Table[T, L]],
      p: Expr[T => Boolean]
  )(
      next: Quotes ?=> (Expr[Table[T, L]], Expr[(Table[T, L], RowWriter) => Unit]) => Expr[R]
  )(using Quotes): Expr[R] =
    '{
      val whole = $table
      ${
        Loop.literal(p): p =>
          '{
            def choose(rows: Table[T, L], writer: RowWriter): Unit = ${
              Loop('rows): element =>
                '{ GroupRuntime.put(writer, ${ element.applied(p) }) }
            }
            ${ next('whole, '{ choose(_, _) }) }
          }
      }
    }

  def distinctBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    '{
      val keys = ${ MapAccess.makeSet[K]('{ 0L }, allocator) }
      def choose(rows: Table[T, L], writer: RowWriter): Unit = ${
        Loop.over('rows, key): (source, key) =>
          keyed(source, key, MapAccess.tableIn('keys)): element =>
            '{
              val rowKey: K = ${ element.applied(key) }
              GroupRuntime.put(writer, ${ MapAccess.add('keys, 'rowKey) })
            }
      }
      try GroupRuntime.chosen($table, $allocator)(choose)
      finally keys.close()
    }

  def groupBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Groups[K, T, L]] =
    '{
      val numbers = ${ MapAccess.make[K, Long]('{ 0L }, allocator) }
      def number(rows: Table[T, L], groupNumbers: GroupNumbers): Unit = ${
        Loop.over('rows, key): (source, key) =>
          keyed(source, key, MapAccess.tableOf('numbers)): element =>
            '{
              val rowKey: K = ${ element.applied(key) }
              val group = ${ MapAccess.getOrElse('numbers, 'rowKey, '{ -1L }) }
              val next = if group < 0 then numbers.size else group
              if group < 0 then ${ MapAccess.update('numbers, 'rowKey, 'next) }
              Groups.put(groupNumbers, next)
            }
      }
      def eachKey(step: (K, Long) => Unit): Unit = ${ MapLoops.foreach('numbers, 'step) }
      Groups.make($table, numbers, eachKey, $allocator)(number)
    }

  def groupMapReduce[T: Type, K: Type, V: Type](
      view: Expr[View[T]],
      key: Expr[T => K],
      value: Expr[T => V],
      reduce: Expr[(V, V) => V],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[StructMap[K, V]] =
    '{
      val reduced = ${ MapAccess.make[K, V]('{ 0L }, allocator) }
      def loop(): Unit = ${
        Loop.over(view, key): (source, key) =>
          Loop.literal(value): value =>
            Loop.literal(reduce): reduce =>
              keyed(source, key, MapAccess.tableOf('reduced)): element =>
                '{
                  val group: K = ${ element.applied(key) }
                  val rowValue: V = ${ element.applied(value) }
                  var fresh = false
                  ${
                    MapAccess.updateOrElse(
                      'reduced,
                      'group,
                      '{ fresh = true; rowValue },
                      '{ (total: V) =>
                        if fresh then rowValue
                        else ${ Expr.betaReduce('{ $reduce(total, rowValue) }) }
                      }
                    )
                  }
                }
      }
      try
        loop()
        reduced
      catch
        case error: Throwable =>
          reduced.close()
          throw error
    }
  end groupMapReduce

  /** A loop whose step uses the entry of each value's key in `entries`; if that table is larger
    * than a small L2 cache, the entries of a block's keys are loaded ahead.
    */
  private def keyed[A: Type, K: Type](
      source: LoopSource[A],
      key: Expr[A => K],
      entries: Expr[HashTable]
  )(step: Loop.Step[A])(using Quotes): Expr[Unit] =
    if MapAccess.isTouched[K](key) then
      '{
        val table = $entries
        ${
          source.twice(
            '{ table.isFar },
            element =>
              '{
                val rowKey: K = ${ element.applied(key) }
                ${ MapAccess.touch('table, 'rowKey) }
              },
            step
          )
        }
      }
    else source.loop(None, step)

  def topBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      count: Expr[Int],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    SortMacros.keyOf[T, L, K](key, "topBy") match
      case SortMacros.Key.Word(_, parts) =>
        '{
          def fill(rows: Table[T, L], top: TopK): Unit = ${
            Loop.literal(key): key =>
              val word = KeyFunction.word(key, parts)
              Loop('rows)(element => '{ GroupRuntime.put(top, ${ element.applied(word) }) })
          }
          GroupRuntime.top($table, $count, $allocator)(fill)
        }
      case SortMacros.Key.Fields(codes) =>
        SortMacros.checked(table)(rows =>
          '{ GroupRuntime.topByFields($rows, $count, ${ Expr(codes) }, $allocator) }
        )
end GroupMacros
