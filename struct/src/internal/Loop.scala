package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.*

/** A value of the sequence that a loop runs over, to the code generated in the loop. */
private[struct] trait Element[A]:
  def value(using Quotes): Expr[A]
  def applied[B: Type](f: Expr[A => B])(using Quotes): Expr[B]
  def folded[B: Type](op: Expr[(B, A) => B], accumulator: Expr[B])(using Quotes): Expr[B]

/** Generates loops over tables and over chains of map and filter. */
private[struct] object Loop:

  /** A loop over the view: `consume` for each value, `pause` after each block of rows, while
    * `running` holds.
    */
  def apply[A: Type](
      view: Expr[View[A]],
      running: Option[Expr[Boolean]] = None,
      pause: Option[Expr[Unit]] = None
  )(consume: Quotes ?=> Element[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    stripped(view) match
      case '{ ($inner: View[a]).map[A]($f) } =>
        literal(f): f =>
          Loop(inner, running, pause): element =>
            '{ val value: A = ${ element.applied(f) }; ${ consume(Known('value)) } }
      case '{ ($inner: View[a]).filter($p) }     => filtered(inner, p, running, pause)(consume)
      case '{ ($inner: View[a]).withFilter($p) } => filtered(inner, p, running, pause)(consume)
      case '{
            type l <: Layout
            $table: Table[t, `l`]
          } if Schema.isKnown[t] && Tables.layout[l].isDefined =>
        Tables.layout[l].fold('{ () }): known =>
          '{
            val bound = $table
            ${
              Tables.blocks[t, l]('bound, known, running, pause): place =>
                consume(Row[t](place).asInstanceOf[Element[A]])
            }
          }
      case '{ type l <: Layout; $rows: Strided[t, `l`] }
          if Schema.isKnown[t] && Tables.layout[l].isDefined =>
        Tables.layout[l].fold('{ () }): known =>
          Strides[t, l](rows, known, running, pause): place =>
            consume(Row[t](place).asInstanceOf[Element[A]])
      case '{ type l <: Layout; type m <: Layout; $pairs: Zipped[t, `l`, s, `m`] }
          if Schema.isKnown[(t, s)] && Tables.layout[l].isDefined && Tables.layout[m].isDefined =>
        val loop =
          for left <- Tables.layout[l]; right <- Tables.layout[m]
          yield Pairs[t, l, s, m](pairs, left, right, running, pause): place =>
            consume(Row[(t, s)](place).asInstanceOf[Element[A]])
        loop.getOrElse('{ () })
      case '{ ($inner: View[a]).scanLeft[A]($zero)($op) } =>
        scanned(inner, zero, op, running, pause)(consume)
      case other => called(other, running, pause)(consume)

  /** A loop by calls, over a view of which too little is known. */
  private def called[A: Type](
      view: Expr[View[A]],
      running: Option[Expr[Boolean]],
      pause: Option[Expr[Unit]]
  )(consume: Quotes ?=> Element[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    val step = pause.getOrElse('{ () })
    val on = running.getOrElse('{ true })
    '{
      $view.run(value =>
        ${ consume(Known('value)) }; $step; $on
      )
    }

  private def scanned[A: Type, B: Type](
      inner: Expr[View[A]],
      zero: Expr[B],
      op: Expr[(B, A) => B],
      running: Option[Expr[Boolean]],
      pause: Option[Expr[Unit]]
  )(consume: Quotes ?=> Element[B] => Expr[Unit])(using Quotes): Expr[Unit] =
    literal(op): op =>
      '{
        var total: B = $zero
        def next(value: B): Unit = ${ consume(Known('value)) }
        next(total)
        ${ pause.getOrElse('{ () }) }
        if ${ running.getOrElse('{ true }) } then
          ${
            Loop(inner, running, pause): element =>
              '{
                total = ${ element.folded(op, 'total) }
                next(total)
              }
          }
      }

  private def filtered[A: Type, B: Type](
      inner: Expr[View[B]],
      p: Expr[B => Boolean],
      running: Option[Expr[Boolean]],
      pause: Option[Expr[Unit]]
  )(consume: Quotes ?=> Element[A] => Expr[Unit])(using Quotes): Expr[Unit] =
    literal(p): p =>
      Loop(inner, running, pause): element =>
        '{ if ${ element.applied(p) } then ${ consume(element.asInstanceOf[Element[A]]) } }

  /** Goes on with a function literal as it is, or with a name for a function that is not one. */
  def literal[F: Type](f: Expr[F])(next: Quotes ?=> Expr[F] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    if Projection.isLiteral(f) then next(f) else '{ val function = $f; ${ next('function) } }

  private def stripped[A: Type](view: Expr[View[A]])(using Quotes): Expr[View[A]] =
    import quotes.reflect.*
    Projection.strip(view.asTerm).asExprOf[View[A]]

  /** A value that has a name. */
  private final class Known[A: Type](name: Expr[A]) extends Element[A]:
    def value(using Quotes): Expr[A] = name
    def applied[B: Type](f: Expr[A => B])(using Quotes): Expr[B] = Expr.betaReduce('{ $f($name) })
    def folded[B: Type](op: Expr[(B, A) => B], accumulator: Expr[B])(using Quotes): Expr[B] =
      Expr.betaReduce('{ $op($accumulator, $name) })

  /** A row in its place. */
  private final class Row[T: Type](place: Place) extends Element[T]:
    def value(using Quotes): Expr[T] = Code.load[T](place)
    def applied[B: Type](f: Expr[T => B])(using Quotes): Expr[B] = Projection(f, place)
    def folded[B: Type](op: Expr[(B, T) => B], accumulator: Expr[B])(using Quotes): Expr[B] =
      Projection.fold(op, accumulator, place)
end Loop
