package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.*

/** What a loop runs over. */
private[struct] trait Source[A]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit]
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit]

private[struct] object Source:

  /** The code for all places of a block, given that for one. */
  type Places = Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]

  def apply[A: Type](view: Expr[View[A]])(next: Quotes ?=> Source[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    stripped(view) match
      case '{ ($inner: View[a]).map[A]($f) } =>
        Source(inner)(source => Loop.literal(f)(f => next(Mapped(source, f))))
      case '{ ($inner: View[a]).filter($p) }     => filtered(inner, p)(next)
      case '{ ($inner: View[a]).withFilter($p) } => filtered(inner, p)(next)
      case '{
            type l <: Layout
            $table: Table[t, `l`]
          } if Schema.isKnown[t] && Tables.layout[l].isDefined =>
        Tables.layout[l].fold('{ () }): known =>
          val backed = isBacked(table)
          '{
            val bound = $table
            ${ next(InTable[t, l]('bound, known, backed).asInstanceOf[Source[A]]) }
          }
      case '{
            type l <: Layout
            $rows: Strided[t, `l`]
          } if Schema.isKnown[t] && Tables.layout[l].isDefined =>
        Tables.layout[l].fold('{ () }): known =>
          next(InBlocks[t]((running, block) =>
            Strides[t, l](rows, known)(running, block)
          ).asInstanceOf[Source[A]])
      case '{
            type l <: Layout
            type m <: Layout
            $pairs: Zipped[t, `l`, s, `m`]
          } if Schema.isKnown[(t, s)] && Tables.layout[l].isDefined && Tables.layout[m].isDefined =>
        val both = for left <- Tables.layout[l]; right <- Tables.layout[m] yield (left, right)
        both.fold('{ () }): (left, right) =>
          next(InBlocks[(t, s)]((on, block) =>
            Pairs[t, l, s, m](pairs, left, right)(on, block)
          ).asInstanceOf[Source[A]])
      case '{ ($inner: View[a]).scanLeft[A]($zero)($op) } =>
        Source(inner)(source => Loop.literal(op)(op => next(Scanned(source, zero, op))))
      case other => next(Calls(other))

  private def filtered[A: Type, B: Type](inner: Expr[View[B]], p: Expr[B => Boolean])(
      next: Quotes ?=> Source[A] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    Source(inner)(source =>
      Loop.literal(p)(p => next(Filtered(source, p).asInstanceOf[Source[A]]))
    )

  /** Whether a table is in a file by its type. */
  private def isBacked(table: Expr[Table[?, ?]])(using Quotes): Boolean =
    import quotes.reflect.*
    table.asTerm.tpe <:< TypeRepr.of[Backed]

  private def stripped[A: Type](view: Expr[View[A]])(using Quotes): Expr[View[A]] =
    import quotes.reflect.*
    Projection.strip(view.asTerm).asExprOf[View[A]]
end Source

/** Rows whose type and layout are known. */
private final class InTable[T: Type, L <: Layout: Type](
    table: Expr[Table[T, L]],
    known: Tables.Known,
    backed: Boolean
) extends Source[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    Tables.loop(table, known, running, backed)(place => step(Row(place)))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    Tables.blocks(table, known, state, backed)((before, rows) =>
      block(before, step => rows(place => step(Row(place))))
    )(next)

/** Rows that a loop of their own goes through, block by block. */
private final class InBlocks[T: Type](
    rows: Quotes ?=> (
        Option[Expr[Boolean]],
        Quotes ?=> Source.Places => Expr[Unit]
    ) => Expr[Unit]
) extends Source[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    rows(running, all => all(place => step(Row(place))))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    rows(None, all => next(block(state, step => all(place => step(Row(place))))))

/** A view that only its own method runs through: each value is a block. */
private final class Calls[A: Type](view: Expr[View[A]]) extends Source[A]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit] =
    val on = running.getOrElse('{ true })
    '{
      $view.run(value =>
        ${ step(Known('value)) }; $on
      )
    }
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      $view.run(value =>
        ${ next(block(state, step => step(Known('value)))) }; true
      )
    }
end Calls

/** The values of another source, changed or left out. */
private abstract class Derived[A, B](inner: Source[B]) extends Source[A]:
  protected def through(step: Loop.Step[A]): Loop.Step[B]
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit] =
    inner.loop(running, through(step))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    inner.blocks(state, (before, rows) => block(before, step => rows(through(step))), next)

private final class Mapped[A: Type, B](inner: Source[B], f: Expr[B => A])
    extends Derived[A, B](inner):
  protected def through(step: Loop.Step[A]): Loop.Step[B] = element =>
    '{ val value: A = ${ element.applied(f) }; ${ step(Known('value)) } }

private final class Filtered[A](inner: Source[A], p: Expr[A => Boolean])
    extends Derived[A, A](inner):
  protected def through(step: Loop.Step[A]): Loop.Step[A] = element =>
    '{ if ${ element.applied(p) } then ${ step(element) } }

/** What comes before each value of another source, and after the last. */
private final class Scanned[A, B: Type](inner: Source[A], zero: Expr[B], op: Expr[(B, A) => B])
    extends Source[B]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[B])(using Quotes): Expr[Unit] =
    '{
      var total: B = $zero
      def each(value: B): Unit = ${ step(Known('value)) }
      each(total)
      if ${ running.getOrElse('{ true }) } then
        ${
          inner.loop(
            running,
            element =>
              '{
                total = ${ element.folded(op, 'total) }
                each(total)
              }
          )
        }
    }
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[B, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    loop(None, element => next(block(state, step => step(element))))
end Scanned

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
