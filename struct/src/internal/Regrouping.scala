package undercroft.struct.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Allocator
import undercroft.struct.*

/** Generates what is special to the functions given to regroupings: a loop in which they are
  * applied to rows in their place.
  */
@publicInBinary private[struct] object Regrouping:

  def partition[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      p: Expr[T => Boolean],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[(Table[T, L], Table[T, L])] =
    '{
      def choose(rows: Table[T, L], writer: RowWriter): Unit = ${ chosen('rows, p, 'writer) }
      Regrouped.partition($table, $allocator)(choose)
    }

  def parFilter[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      p: Expr[T => Boolean],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    '{
      def choose(rows: Table[T, L], writer: RowWriter): Unit = ${ chosen('rows, p, 'writer) }
      ParallelRows.filter($table, $allocator)(choose)
    }

  /** Tells of each row whether it satisfies `p`. */
  private def chosen[T: Type, L <: Layout: Type](
      rows: Expr[Table[T, L]],
      p: Expr[T => Boolean],
      writer: Expr[RowWriter]
  )(using Quotes): Expr[Unit] =
    Loop.literal(p): p =>
      Loop(rows): element =>
        '{ Regrouped.put($writer, ${ element.applied(p) }) }

  def distinctBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    '{
      val seen = ${ Maps.makeSet[K]('{ 0L }, allocator) }
      def choose(rows: Table[T, L], writer: RowWriter): Unit = ${
        Loop.literal(key): key =>
          Loop('rows): element =>
            '{
              val own: K = ${ element.applied(key) }
              Regrouped.put(writer, ${ Maps.add('seen, 'own) })
            }
      }
      try Regrouped.chosen($table, $allocator)(choose)
      finally seen.close()
    }

  def groupBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Groups[K, T, L]] =
    '{
      val numbers = ${ Maps.make[K, Long]('{ 0L }, allocator) }
      def number(rows: Table[T, L], found: GroupNumbers): Unit = ${
        Loop.literal(key): key =>
          Loop('rows): element =>
            '{
              val own: K = ${ element.applied(key) }
              val known = ${ Maps.getOrElse('numbers, 'own, '{ -1L }) }
              val next = if known < 0 then numbers.size else known
              if known < 0 then ${ Maps.update('numbers, 'own, 'next) }
              Groups.put(found, next)
            }
      }
      Groups.make($table, numbers, $key, $allocator)(number)
    }

  def groupMapReduce[T: Type, L <: Layout: Type, K: Type, V: Type](
      table: Expr[Table[T, L]],
      key: Expr[T => K],
      value: Expr[T => V],
      reduce: Expr[(V, V) => V],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[StructMap[K, V]] =
    '{
      val reduced = ${ Maps.make[K, V]('{ 0L }, allocator) }
      def loop(rows: Table[T, L]): Unit = ${
        Loop.literal(key): key =>
          Loop.literal(value): value =>
            Loop.literal(reduce): reduce =>
              Loop('rows): element =>
                '{
                  val group: K = ${ element.applied(key) }
                  val own: V = ${ element.applied(value) }
                  var fresh = false
                  ${
                    Maps.updateOrElse(
                      'reduced,
                      'group,
                      '{ fresh = true; own },
                      '{ (all: V) =>
                        if fresh then own else ${ Expr.betaReduce('{ $reduce(all, own) }) }
                      }
                    )
                  }
                }
      }
      try
        loop($table)
        reduced
      catch
        case error: Throwable =>
          reduced.close()
          throw error
    }
  end groupMapReduce

  def topBy[T: Type, L <: Layout: Type, K: Type](
      table: Expr[Table[T, L]],
      most: Expr[Int],
      key: Expr[T => K],
      allocator: Expr[Allocator]
  )(using Quotes): Expr[Table[T, L]] =
    Sorting.keyOf[T, L, K](key, "topBy") match
      case Sorting.Key.Word(_) =>
        '{
          def fill(rows: Table[T, L], top: TopRows): Unit = ${
            Loop.literal(key): key =>
              Loop('rows): element =>
                '{
                  val own: K = ${ element.applied(key) }
                  Regrouped.put(top, ${ Sorting.wordOf('own) })
                }
          }
          Regrouped.top($table, $most, $allocator)(fill)
        }
      case Sorting.Key.Text(leaf) =>
        '{ Regrouped.topByLeaf($table, $most, ${ Expr(leaf) }, $allocator) }
end Regrouping
