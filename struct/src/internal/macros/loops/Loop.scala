package undercroft.struct
package internal.macros.loops

import internal.macros.terms.{Projection, TextKeys}
import scala.quoted.*
import undercroft.struct.*

/** One value of the sequence that a loop iterates over, as seen by the code in the loop. */
private[struct] trait Element[A]:
  def value(using Quotes): Expr[A]
  def applied[B: Type](f: Expr[A => B])(using Quotes): Expr[B]
  def folded[B: Type](op: Expr[(B, A) => B], accumulator: Expr[B])(using Quotes): Expr[B]

/** Generates loops over views. */
private[undercroft] object Loop:

  /** The code for one value. */
  type Step[A] = Quotes ?=> Element[A] => Expr[Unit]

  /** The code for all values of a block, given the code for one value. */
  type All[A] = Quotes ?=> Step[A] => Expr[Unit]

  /** The code of a block of values: it takes a state, iterates over the block's values and returns
    * the next state.
    */
  type Block[A, S] = Quotes ?=> (Expr[S], All[A]) => Expr[S]

  /** One loop over the view, while `running` holds. */
  def apply[A: Type](view: Expr[View[A]], running: Option[Expr[Boolean]] = None)(step: Step[A])(
      using Quotes
  ): Expr[Unit] = LoopSource(view)(_.loop(running, step))

  /** A loop over the view in which every block of values is a method: it takes `state`, and its
    * result is passed to `next`. The JVM compiles such a method as a whole after a few blocks,
    * whereas it would replace one long loop while that runs (on-stack replacement), before it has
    * seen how the loop ends.
    */
  def blocks[A: Type, S: Type](view: Expr[View[A]], state: Expr[S])(block: Block[A, S])(
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] = LoopSource(view)(_.blocks(state, block, next))

  /** One loop over the view that keeps one of its values: `step` gets code that keeps the current
    * value in place of another, and `next` the value that was kept last. A row is not loaded until
    * the loop has ended. If the loop keeps no value, `next` either does not run or gets null.
    */
  def keeping[A: Type](view: Expr[View[A]])(step: LoopSource.Keeping[A])(
      next: Quotes ?=> Expr[A] => Expr[Unit]
  )(using Quotes): Expr[Unit] = LoopSource(view)(_.keeping(step, next))

  /** Continues with the source of a view and with a function, which is evaluated after the view. */
  def over[A: Type, F: Type](view: Expr[View[A]], f: Expr[F])(
      next: Quotes ?=> (LoopSource[A], Expr[F]) => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    LoopSource(view)(source => literal(f)(f => next(source, f)))

  /** Continues with a function literal, after the statements before it and the [[TextKeys]], or
    * with a name for a function that is not a literal, which is evaluated once.
    */
  def literal[F: Type, R: Type](f: Expr[F])(next: Quotes ?=> Expr[F] => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    if Projection.isLiteral(f) then TextKeys[quotes.type](f.asTerm).bound(next)
    else
      Projection.strip(f.asTerm.changeOwner(Symbol.spliceOwner)) match
        case Block(statements, last) if Projection.isLiteral(last.asExpr) =>
          Block(statements, literal(last.asExprOf[F])(next).asTerm).asExprOf[R]
        case _ => '{ val function = $f; ${ next('function) } }
end Loop
