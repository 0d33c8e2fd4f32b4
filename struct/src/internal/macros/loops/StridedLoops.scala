package undercroft.struct
package internal.macros.loops

import internal.macros.places.{MappedGuard, Place}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{CopyUpdates, PartUpdates}
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates loops over rows at a distance from each other. */
@publicInBinary private[struct] object StridedLoops:

  /** The most rows of a block: sums are carried after each block. */
  private val maxRows = 1 << 30

  def apply[T: Type, L <: Layout: Type](
      rows: Expr[StridedView[T, L]],
      layout: TableLoops.Known
  )(running: Option[Expr[Boolean]], block: Quotes ?=> LoopSource.Places => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    '{
      val bound = $rows
      val table = bound.table
      ${
        TableLoops.confirmed('table):
          '{
            val step = bound.step
            val size = bound.size
            var done = 0L
            while ${ TableLoops.whileLess('done, 'size, running) } do
              table.confirm()
              val count = Table.block(size - done, ${ Expr(maxRows) })
              val from = bound.from + done * step
              ${
                TableLoops.guarded('{ table.memory }): guard =>
                  block: body =>
                    TableLoops.indices('count, running): i =>
                      '{
                        val row = from + $i * step
                        ${
                          TableLoops.row[T, L, Unit]('table, 'row, Some(guard))(place =>
                            body(place)
                          )(layout)
                        }
                      }
              }
              done += count
          }
      }
    }
  def updateAll[T: Type, L <: Layout: Type, A: Type](
      rows: Expr[StridedView[T, L]],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    storing(rows, f, "updateAll")((f, place) => PartUpdates.changed(place, field, f, "updateAll"))

  def transform[T: Type, L <: Layout: Type](rows: Expr[StridedView[T, L]], f: Expr[T => T])(using
      Quotes
  ): Expr[Unit] = storing(rows, f, "transform")(CopyUpdates.store(_, _))

  /** A loop that stores into each row. */
  private def storing[T: Type, L <: Layout: Type, F: Type](
      rows: Expr[StridedView[T, L]],
      f: Expr[F],
      operation: String
  )(store: Quotes ?=> (Expr[F], Place) => Expr[Unit])(using Quotes): Expr[Unit] =
    val layout = TableLoops.required[T, L](operation)
    '{
      def loop(): Unit =
        val view = $rows
        ${
          Loop.literal(f): f =>
            StridedLoops[T, L]('view, layout)(None, places => places(place => store(f, place)))
        }
      loop()
    }
end StridedLoops

/** Generates loops over pairs of rows of two tables. */
private[struct] object Pairs:

  def apply[A: Type, L <: Layout: Type, B: Type, M <: Layout: Type](
      pairs: Expr[ZippedView[A, L, B, M]],
      ofLeft: TableLoops.Known,
      ofRight: TableLoops.Known
  )(running: Option[Expr[Boolean]], block: Quotes ?=> LoopSource.Places => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    val maxRows = Expr(Math.min(TableLoops.most[A](ofLeft), TableLoops.most[B](ofRight)))
    '{
      val bound = $pairs
      val (left, right) = (bound.left, bound.right)
      ${
        TableLoops.confirmed('left):
          TableLoops.confirmed('right):
            '{
              val size = bound.size
              var done = 0L
              while ${ TableLoops.whileLess('done, 'size, running) } do
                left.confirm()
                right.confirm()
                val count = Table.block(size - done, $maxRows)
                ${
                  block: body =>
                    TableLoops.inBlock('done, 'count, 'left, ofLeft): first =>
                      TableLoops.inBlock('done, 'count, 'right, ofRight): second =>
                        TableLoops.indices('count, running): i =>
                          body(Pair[A, B](first(i), second(i)))
                }
                done += count
            }
      }
    }
  end apply

  /** Two structs in place, as the tuple of both. */
  private final class Pair[A: Type, B: Type](first: Place, second: Place)(using Quotes)
      extends Place:
    private val parts: Map[List[String], (Place, Shape.Leaf)] =
      val elementLeaves = ShapeDerivation.shape[A].leaves.map(leaf => (first, leaf)) ++
        ShapeDerivation.shape[B].leaves.map(leaf => (second, leaf))
      ShapeDerivation.shape[(A, B)].leaves.map(_.path).zip(elementLeaves).toMap

    def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
      val (place, elementLeaf) = parts(leaf.path)
      place.get(elementLeaf)

    def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      val (place, elementLeaf) = parts(leaf.path)
      place.set(elementLeaf, value)

    override def guardFor(leaf: Shape.Leaf): Option[MappedGuard] =
      val (place, elementLeaf) = parts(leaf.path)
      place.guardFor(elementLeaf)

    override def isPackedFor(leaf: Shape.Leaf): Boolean =
      val (place, elementLeaf) = parts(leaf.path)
      place.isPackedFor(elementLeaf)

    override def bytes[R](leaf: Shape.Leaf)(
        next: (Expr[java.lang.foreign.MemorySegment], Expr[Long]) => Expr[R]
    )(using Quotes): Option[Expr[R]] =
      val (place, elementLeaf) = parts(leaf.path)
      place.bytes(elementLeaf)(next)
  end Pair
end Pairs
