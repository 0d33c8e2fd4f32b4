package undercroft.struct
package internal.macros.loops

import internal.bytes.{FileBacked, RunBytes}
import internal.macros.places.{Bound, Place}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{Projection, Repeatable, StructConstruction}
import scala.annotation.unused
import scala.quoted.*
import undercroft.struct.*

/** The sequence that a loop iterates over. */
private[struct] trait LoopSource[A]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit]
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit]

  /** A loop in blocks: if `isAhead`, the next block is small, and `ahead` runs for all of its
    * values before `step` does. `ahead` has no effect. If the values cannot be iterated over twice
    * without calls of user code, it is omitted.
    */
  def twice(@unused isAhead: Expr[Boolean], @unused ahead: Loop.Step[A], step: Loop.Step[A])(using
      Quotes
  ): Expr[Unit] = loop(None, step)

  /** A loop over all values that keeps one of them: see [[Loop.keeping]]. */
  def keeping(step: LoopSource.Keeping[A], next: Quotes ?=> Expr[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit]
end LoopSource

private[struct] object LoopSource:

  /** The code for one value, given code that keeps it. */
  type Keeping[A] = Quotes ?=> (Element[A], Expr[Unit]) => Expr[Unit]

  /** A loop that keeps a value. */
  def keepingValue[A: Type](
      source: LoopSource[A],
      step: Keeping[A],
      next: Quotes ?=> Expr[A] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      var kept: A = null.asInstanceOf[A]
      ${ source.loop(None, element => step(element, '{ kept = ${ element.value } })) }
      ${ next('kept) }
    }

  /** A loop that keeps the number of a row, and loads that row at the end. */
  def keepingRow[A: Type](
      source: LoopSource[A],
      load: Quotes ?=> Expr[Long] => Expr[A],
      step: Keeping[A],
      next: Quotes ?=> Expr[A] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      var row = -1L
      var kept = -1L
      ${
        source.loop(
          None,
          element =>
            '{
              row += 1
              ${ step(element, '{ kept = row }) }
            }
        )
      }
      if kept >= 0 then ${ next(load('kept)) }
    }

  /** The code for all places of a block, given the code for one place. */
  type Places = Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]

  def apply[A: Type](view: Expr[View[A]])(next: Quotes ?=> LoopSource[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    stripped(view) match
      case '{
            type l <: Layout
            $table: Table[t, `l`]
          } if ShapeDerivation.isKnown[t] && TableLoops.layout[l].isDefined =>
        TableLoops.layout[l].fold('{ () }): layout =>
          val backed = isBacked(table)
          Bound.value("bound", table)(bound =>
            next(InTable[t, l](bound, layout, backed).asInstanceOf[LoopSource[A]])
          )
      case '{ ($inner: View[a]).map[A]($f) } =>
        Loop.over(inner, f)((source, f) => next(MappedSource(source, f)))
      case '{ ($inner: View[a]).filter($p) }     => filtered(inner, p)(next)
      case '{ ($inner: View[a]).withFilter($p) } => filtered(inner, p)(next)
      case '{
            type l <: Layout
            $tables: ConcatenatedView[t, `l`]
          } if ShapeDerivation.isKnown[t] && TableLoops.layout[l].isDefined =>
        TableLoops.layout[l].fold('{ () }): layout =>
          val backed = isBacked(tables)
          // A refresh of a folder replaces `all`.
          Bound.value("bound", '{ $tables.all })(bound =>
            next(InTables[t, l](bound, layout, backed).asInstanceOf[LoopSource[A]])
          )
      case '{
            type l <: Layout
            $rows: StridedView[t, `l`]
          } if ShapeDerivation.isKnown[t] && TableLoops.layout[l].isDefined =>
        TableLoops.layout[l].fold('{ () }): layout =>
          Bound.value("view", rows): view =>
            next(InBlocks[t](
              (running, block) => StridedLoops[t, l](view, layout)(running, block),
              row => '{ $view.load($row) }
            ).asInstanceOf[LoopSource[A]])
      case '{
            type l <: Layout
            type m <: Layout
            $pairs: ZippedView[t, `l`, s, `m`]
          }
          if ShapeDerivation.isKnown[(
              t,
              s
          )] && TableLoops.layout[l].isDefined && TableLoops.layout[m].isDefined =>
        val layouts =
          for left <- TableLoops.layout[l]; right <- TableLoops.layout[m] yield (left, right)
        layouts.fold('{ () }): (left, right) =>
          Bound.value("view", pairs): view =>
            next(InBlocks[(t, s)](
              (on, block) => Pairs[t, l, s, m](view, left, right)(on, block),
              row => '{ $view.load($row) }
            ).asInstanceOf[LoopSource[A]])
      case '{ $run: RowsRef[t] } if ShapeDerivation.isKnown[t] =>
        Bound.value("view", run): view =>
          next(InBlocks[t](
            (running, block) => RunLoops[t](view)(running, block),
            row => '{ RunBytes.load($view, $row) }
          ).asInstanceOf[LoopSource[A]])
      case '{ $refs: RefView[t] } if ShapeDerivation.isKnown[t] =>
        Bound.value("bound", refs)(bound =>
          next(ThroughRefs[t](bound).asInstanceOf[LoopSource[A]])
        )
      case '{ ($inner: View[a]).scanLeft[A]($zero)($op) } =>
        LoopSource(inner): source =>
          '{
            val first: A = $zero
            ${ Loop.literal(op)(op => next(ScannedSource(source, 'first, op))) }
          }
      case other =>
        Bound.value("bound", other)(bound => next(Calls(bound)))

  private def filtered[A: Type, B: Type](inner: Expr[View[B]], p: Expr[B => Boolean])(
      next: Quotes ?=> LoopSource[A] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    Loop.over(inner, p): (source, p) =>
      next(FilteredSource(source, p).asInstanceOf[LoopSource[A]])

  /** Whether the type of a table says that it is in a file. */
  private def isBacked(table: Expr[View[?]])(using Quotes): Boolean =
    import quotes.reflect.*
    table.asTerm.tpe <:< TypeRepr.of[FileBacked]

  private def stripped[A: Type](view: Expr[View[A]])(using Quotes): Expr[View[A]] =
    import quotes.reflect.*
    Projection.strip(view.asTerm).asExprOf[View[A]]
end LoopSource

/** Rows whose type and layout are known. */
private final class InTable[T: Type, L <: Layout: Type](
    table: Expr[Table[T, L]],
    layout: TableLoops.Known,
    backed: Boolean
) extends LoopSource[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    TableLoops.loop(table, layout, running, backed)(place => step(RowTerm(place)))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    TableLoops.blocks(table, layout, state, backed)((before, rows) =>
      block(before, step => rows(place => step(RowTerm(place))))
    )(next)
  override def twice(isAhead: Expr[Boolean], ahead: Loop.Step[T], step: Loop.Step[T])(using
      Quotes
  ): Expr[Unit] =
    TableLoops.blocks(table, layout, '{ () }, backed, Some(isAhead))((before, rows) =>
      '{
        try if $isAhead then ${ rows(place => ahead(RowTerm(place))) }
        catch case _: RuntimeException => () // `step` throws it, at its row
        ${ rows(place => step(RowTerm(place))) }
        $before
      }
    )(after => after)
  def keeping(step: LoopSource.Keeping[T], next: Quotes ?=> Expr[T] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingRow(this, row => '{ $table.load($row) }, step, next)
end InTable

/** The rows of several tables whose type and layout are known. */
private final class InTables[T: Type, L <: Layout: Type](
    tables: Expr[ConcatenatedTables[T, L]],
    layout: TableLoops.Known,
    backed: Boolean
) extends LoopSource[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    ConcatenatedLoops.loop(tables, running)(table =>
      InTable[T, L](table, layout, backed).loop(running, step)
    )
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    ConcatenatedLoops.loop(tables, None)(table =>
      InTable[T, L](table, layout, backed).blocks(state, block, next)
    )
  override def twice(isAhead: Expr[Boolean], ahead: Loop.Step[T], step: Loop.Step[T])(using
      Quotes
  ): Expr[Unit] =
    ConcatenatedLoops.loop(tables, None)(table =>
      InTable[T, L](table, layout, backed).twice(isAhead, ahead, step)
    )
  def keeping(step: LoopSource.Keeping[T], next: Quotes ?=> Expr[T] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingRow(this, row => '{ $tables.load($row) }, step, next)
end InTables

/** Structs behind references. */
private final class ThroughRefs[T: Type](view: Expr[RefView[T]]) extends LoopSource[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    RefLoops.loop(view, running)(place => step(RowTerm(place)))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    RefLoops.blocks(view, state)((before, structs) =>
      block(before, step => structs(place => step(RowTerm(place))))
    )(next)
  def keeping(step: LoopSource.Keeping[T], next: Quotes ?=> Expr[T] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingRow(this, row => '{ $view.load($row) }, step, next)

/** Rows that have a separate loop, which iterates block by block. */
private final class InBlocks[T: Type](
    rows: Quotes ?=> (
        Option[Expr[Boolean]],
        Quotes ?=> LoopSource.Places => Expr[Unit]
    ) => Expr[Unit],
    load: Quotes ?=> Expr[Long] => Expr[T]
) extends LoopSource[T]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[T])(using Quotes): Expr[Unit] =
    rows(running, places => places(place => step(RowTerm(place))))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[T, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    rows(None, places => next(block(state, step => places(place => step(RowTerm(place))))))
  def keeping(step: LoopSource.Keeping[T], next: Quotes ?=> Expr[T] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingRow(this, load(_), step, next)

/** A view that only its own method can iterate over: each value is a block. */
private final class Calls[A: Type](view: Expr[View[A]]) extends LoopSource[A]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit] =
    val on = running.getOrElse('{ true })
    '{
      $view.run(value =>
        ${ step(KnownSource('value)) }; $on
      )
    }
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    '{
      $view.run(value =>
        ${ next(block(state, step => step(KnownSource('value)))) }; true
      )
    }
  def keeping(step: LoopSource.Keeping[A], next: Quotes ?=> Expr[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingValue(this, step, next)
end Calls

/** The values of another source, mapped or filtered. */
private abstract class Derived[A, B](inner: LoopSource[B], f: Expr[B => Any])
    extends LoopSource[A]:
  protected def through(step: Loop.Step[A]): Loop.Step[B]
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[A])(using Quotes): Expr[Unit] =
    inner.loop(running, through(step))
  def blocks[S: Type](
      state: Expr[S],
      block: Loop.Block[A, S],
      next: Quotes ?=> Expr[S] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    inner.blocks(state, (before, rows) => block(before, step => rows(through(step))), next)
  override def twice(isAhead: Expr[Boolean], ahead: Loop.Step[A], step: Loop.Step[A])(using
      Quotes
  ): Expr[Unit] =
    if Repeatable(f) then inner.twice(isAhead, through(ahead), through(step))
    else loop(None, step)

private final class MappedSource[A: Type, B](inner: LoopSource[B], f: Expr[B => A])
    extends Derived[A, B](inner, f):
  protected def through(step: Loop.Step[A]): Loop.Step[B] = element =>
    '{ val value: A = ${ element.applied(f) }; ${ step(KnownSource('value)) } }
  def keeping(step: LoopSource.Keeping[A], next: Quotes ?=> Expr[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingValue(this, step, next)

private final class FilteredSource[A](inner: LoopSource[A], p: Expr[A => Boolean])
    extends Derived[A, A](inner, p):
  protected def through(step: Loop.Step[A]): Loop.Step[A] = element =>
    '{ if ${ element.applied(p) } then ${ step(element) } }
  def keeping(step: LoopSource.Keeping[A], next: Quotes ?=> Expr[A] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    inner.keeping(
      (element, keep) => '{ if ${ element.applied(p) } then ${ step(element, keep) } },
      next
    )

/** The intermediate results of a fold over another source, before each value and after the last. */
private final class ScannedSource[A, B: Type](
    inner: LoopSource[A],
    zero: Expr[B],
    op: Expr[(B, A) => B]
) extends LoopSource[B]:
  def loop(running: Option[Expr[Boolean]], step: Loop.Step[B])(using Quotes): Expr[Unit] =
    '{
      var total: B = $zero
      def each(value: B): Unit = ${ step(KnownSource('value)) }
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
  def keeping(step: LoopSource.Keeping[B], next: Quotes ?=> Expr[B] => Expr[Unit])(using
      Quotes
  ): Expr[Unit] = LoopSource.keepingValue(this, step, next)
end ScannedSource

/** A value that is bound to a name. */
private final class KnownSource[A: Type](name: Expr[A]) extends Element[A]:
  def value(using Quotes): Expr[A] = name
  def applied[B: Type](f: Expr[A => B])(using Quotes): Expr[B] = Expr.betaReduce('{ $f($name) })
  def folded[B: Type](op: Expr[(B, A) => B], accumulator: Expr[B])(using Quotes): Expr[B] =
    Expr.betaReduce('{ $op($accumulator, $name) })

/** A row in place. */
private final class RowTerm[T: Type](place: Place) extends Element[T]:
  def value(using Quotes): Expr[T] = StructConstruction.load[T](place)
  def applied[B: Type](f: Expr[T => B])(using Quotes): Expr[B] = Projection(f, place)
  def folded[B: Type](op: Expr[(B, T) => B], accumulator: Expr[B])(using Quotes): Expr[B] =
    Projection.fold(op, accumulator, place)
