package undercroft.struct
package internal.macros.loops

import internal.bytes.RefBlocks
import internal.macros.places.{CagePlace, Place, SnapshotPlace}
import internal.macros.schema.LayoutCheck
import scala.quoted.*
import undercroft.struct.*

/** Generates loops over the structs of a [[RefView]], in blocks whose cache lines are loaded before
  * the first struct is read and checked.
  */
private[struct] object RefLoops:

  /** A loop over all structs while `running` holds. */
  def loop[T: Type](view: Expr[RefView[T]], running: Option[Expr[Boolean]])(
      body: Quotes ?=> Place => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    inBlocks(view, running): (references, from, count) =>
      places(references, from, count, running)(body)

  /** As `loop`, with every block as a method that takes a state; its result is passed to `next`. */
  def blocks[T: Type, S: Type](view: Expr[RefView[T]], state: Expr[S])(
      block: Quotes ?=> (Expr[S], LoopSource.Places) => Expr[S]
  )(next: Quotes ?=> Expr[S] => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      def part(references: Array[Long], from: Int, count: Int, before: S): S = ${
        block('before, body => places('references, 'from, 'count, None)(body))
      }
      ${
        inBlocks(view, None): (references, from, count) =>
          next('{ part($references, $from, $count, $state) })
      }
    }

  private def inBlocks[T: Type](view: Expr[RefView[T]], running: Option[Expr[Boolean]])(
      body: Quotes ?=> (Expr[Array[Long]], Expr[Int], Expr[Int]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      ${ LayoutCheck.agreement('{ $view.struct }) }
      val references = $view.references
      var from = 0
      while from < references.length && ${ running.getOrElse('{ true }) } do
        val count = RefBlocks.count(references, from)
        ${ body('references, 'from, 'count) }
        from += count
    }

  private def places(
      references: Expr[Array[Long]],
      from: Expr[Int],
      count: Expr[Int],
      running: Option[Expr[Boolean]]
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    val read = SnapshotPlace.numbers(CagePlace('{ 0L }, packed = false))(body)
    val distance = Expr(read.headOption.fold(0)(_.aligned))
    '{
      RefBlocks.load($references, $from, $count, $distance)
      ${
        TableLoops.indices(count, running): i =>
          '{
            val bits = $references($from + $i)
            ${ body(CagePlace('bits, packed = false)) }
          }
      }
    }
end RefLoops
