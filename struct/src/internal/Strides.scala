package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.*

/** Generates loops over rows at a distance from each other. */
private[struct] object Strides:

  /** The most rows of a block: after each the sums are carried. */
  private val most = 1 << 30

  def apply[T: Type, L <: Layout: Type](
      rows: Expr[Strided[T, L]],
      known: Tables.Known
  )(running: Option[Expr[Boolean]], block: Quotes ?=> Source.Places => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    '{
      val bound = $rows
      val table = bound.table
      val step = bound.step
      val size = bound.size
      var done = 0L
      ${
        Tables.confirmed('table):
          '{
            while ${ Tables.whileLess('done, 'size, running) } do
              table.confirm()
              val count = Table.block(size - done, ${ Expr(most) })
              val from = bound.from + done * step
              ${
                Tables.guarded('{ table.memory }): guard =>
                  block: body =>
                    Tables.indices('count, running): i =>
                      '{
                        val row = from + $i * step
                        ${
                          Tables.row[T, L, Unit]('table, 'row, Some(guard))(place =>
                            body(place)
                          )(known)
                        }
                      }
              }
              done += count
          }
      }
    }
end Strides

/** Generates loops over the rows of two tables side by side. */
private[struct] object Pairs:

  def apply[A: Type, L <: Layout: Type, B: Type, M <: Layout: Type](
      pairs: Expr[Zipped[A, L, B, M]],
      ofLeft: Tables.Known,
      ofRight: Tables.Known
  )(running: Option[Expr[Boolean]], block: Quotes ?=> Source.Places => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    val most = Expr(Math.min(Tables.most[A](ofLeft), Tables.most[B](ofRight)))
    '{
      val bound = $pairs
      val (left, right) = (bound.left, bound.right)
      val size = bound.size
      var done = 0L
      ${
        Tables.confirmed('left):
          Tables.confirmed('right):
            '{
              while ${ Tables.whileLess('done, 'size, running) } do
                left.confirm()
                right.confirm()
                val count = Table.block(size - done, $most)
                ${
                  block: body =>
                    Tables.inBlock('done, 'count, 'left, ofLeft): first =>
                      Tables.inBlock('done, 'count, 'right, ofRight): second =>
                        Tables.indices('count, running): i =>
                          body(Pair[A, B](first(i), second(i)))
                }
                done += count
            }
      }
    }
  end apply

  /** Two structs in their places, as the tuple of both. */
  private final class Pair[A: Type, B: Type](first: Place, second: Place)(using Quotes)
      extends Place:
    private val parts: Map[List[String], (Place, Leaf)] =
      val own = Schema.shape[A].leaves.map(leaf => (first, leaf)) ++
        Schema.shape[B].leaves.map(leaf => (second, leaf))
      Schema.shape[(A, B)].leaves.map(_.path).zip(own).toMap

    def get(leaf: Leaf)(using Quotes): Expr[Any] =
      val (place, own) = parts(leaf.path)
      place.get(own)

    def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      val (place, own) = parts(leaf.path)
      place.set(own, value)

    override def guardFor(leaf: Leaf): Option[Guard] =
      val (place, own) = parts(leaf.path)
      place.guardFor(own)

    override def bytes[R](leaf: Leaf)(
        next: (Expr[java.lang.foreign.MemorySegment], Expr[Long]) => Expr[R]
    )(using Quotes): Option[Expr[R]] =
      val (place, own) = parts(leaf.path)
      place.bytes(own)(next)
  end Pair
end Pairs
