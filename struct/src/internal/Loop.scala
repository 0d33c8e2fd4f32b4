package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.*

/** A value of the sequence that a loop runs over, to the code generated in the loop. */
private[struct] trait Element[A]:
  def value(using Quotes): Expr[A]
  def applied[B: Type](f: Expr[A => B])(using Quotes): Expr[B]
  def folded[B: Type](op: Expr[(B, A) => B], accumulator: Expr[B])(using Quotes): Expr[B]

/** Generates loops over views. */
private[struct] object Loop:

  /** The code for one value. */
  type Step[A] = Quotes ?=> Element[A] => Expr[Unit]

  /** The code for all values of a block, given that for one. */
  type All[A] = Quotes ?=> Step[A] => Expr[Unit]

  /** What a block of values comes to: code that takes a state, goes through the block's values and
    * answers the next state.
    */
  type Block[A, S] = Quotes ?=> (Expr[S], All[A]) => Expr[S]

  /** One loop over the view, while `running` holds. */
  def apply[A: Type](view: Expr[View[A]], running: Option[Expr[Boolean]] = None)(step: Step[A])(
      using Quotes
  ): Expr[Unit] = Source(view)(_.loop(running, step))

  /** A loop over the view whose every block of values is a method: it is given `state` and its
    * answer goes to `next`. The JVM compiles such a method whole after a few blocks, where it would
    * replace one long loop while that runs, before it has seen how the loop ends.
    */
  def blocks[A: Type, S: Type](view: Expr[View[A]], state: Expr[S])(block: Block[A, S])(
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] = Source(view)(_.blocks(state, block, next))

  /** Goes on with a function literal as it is, or with a name for a function that is not one. */
  def literal[F: Type](f: Expr[F])(next: Quotes ?=> Expr[F] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    if Projection.isLiteral(f) then next(f) else '{ val function = $f; ${ next('function) } }
end Loop
