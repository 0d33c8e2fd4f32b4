package undercroft.struct
package internal.macros.access

import internal.macros.schema.LayoutCheck
import internal.macros.loops.{Loop, TableLoops}
import internal.macros.places.{Bound, ColumnPlace, MappedGuard, Place, RowPlace}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{
  CopyUpdates,
  PartUpdates,
  Projection,
  StructConstruction,
  ValueSplitter
}
import undercroft.memory.internal.cage.Cage
import java.util.Objects
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates access to one row of a table. */
@publicInBinary private[struct] object RowAccess:

  def load[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], index: Expr[Long])(using
      Quotes
  ): Expr[T] =
    TableLoops.known[T, L] match
      case Some(layout) if !Place.isWide(ShapeDerivation.shape[T]) =>
        Bound.value("rows", table): rows =>
          def loaded(guard: Option[MappedGuard])(using Quotes): Expr[T] =
            '{
              val row = Objects.checkIndex($index, $rows.size)
              ${
                TableLoops
                  .single[T, L, T](rows, 'row, guard)(StructConstruction.load[T](_))(layout)
              }
            }
          if TableLoops.isThroughCage[T](layout) then TableLoops.named(rows)(loaded(None))
          else
            TableLoops.settled(rows):
              TableLoops.guarded('{ $rows.currentMemory })(guard => loaded(Some(guard)))
      case _ => '{ $table.load($index) }

  def store[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      value: Expr[T]
  )(using Quotes): Expr[Unit] =
    TableLoops.known[T, L] match
      case Some(layout) =>
        '{
          val rows = $table
          val at = $index
          ${ storedAt('rows, 'at, value, fresh = false, layout) }
        }
      case None => '{ $table.store($index, $value) }

  def storeNext[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      next: Expr[Long],
      value: Expr[T]
  )(using Quotes): Expr[Unit] =
    TableLoops.known[T, L] match
      case Some(layout) =>
        Bound.value("rows", table)(storedAt(_, next, value, fresh = true, layout))
      case None =>
        '{
          val rowValue = $value
          $table.store($next, rowValue)
        }

  /** The evaluation of a value's leaves, and then their stores at a checked index. */
  private def storedAt[T: Type, L <: Layout: Type](
      rows: Expr[Table[T, L]],
      index: Expr[Long],
      value: Expr[T],
      fresh: Boolean,
      layout: TableLoops.Known
  )(using Quotes): Expr[Unit] =
    ValueSplitter.store(value, fresh): target =>
      '{
        val row = Objects.checkIndex($index, $rows.size)
        ${ TableLoops.settled(rows)(TableLoops.single[T, L, Unit](rows, 'row)(target(_))(layout)) }
      }

  def append[T: Type, L <: Layout: Type](table: Expr[GrowingTable[T, L]], value: Expr[T])(using
      Quotes
  ): Expr[Unit] =
    TableLoops.known[T, L] match
      case Some(layout) =>
        Bound.value("rows", table): rows =>
          ValueSplitter.store(value, fresh = true): target =>
            '{
              val row = $rows.next()
              ${ appended(rows, 'row, layout)(target(_)) }
              $rows.used = row + 1
            }
      case None => '{ $table.appendValue($value) }

  /** Stores a value in a row that is not counted yet. */
  def storeUncounted[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      row: Expr[Long],
      value: Expr[T]
  )(using Quotes): Expr[Unit] =
    TableLoops.known[T, L] match
      case Some(layout) =>
        Bound.value("rows", table): rows =>
          ValueSplitter.store(value, fresh = true): target =>
            '{
              val nextRow = $rows.uncounted($row)
              ${ appended(rows, 'nextRow, layout)(target(_)) }
            }
      case None => '{ $table.addUncounted($row, $value) }

  def appendToBatch[T: Type, L <: Layout: Type](batch: Expr[AppendBatch[T, L]], value: Expr[T])(
      using Quotes
  ): Expr[Unit] =
    TableLoops.known[T, L] match
      case Some(layout) =>
        val isColumnar = layout == TableLoops.Known.Columnar
        val step = Expr(if isColumnar then 1L else TableLoops.stride[T](layout).toLong)
        '{
          val target = $batch
          ${
            ValueSplitter.store(value, fresh = true): store =>
              '{
                val at = target.next($step)
                ${ LayoutCheck.check('{ target.table }) }
                ${
                  if isColumnar then
                    '{
                      val rows = target.table
                      ${
                        store(
                          ColumnPlace(
                            '{ Cage.open },
                            '{ rows.currentCapacity },
                            'at,
                            Some('{ rows.start })
                          )
                        )
                      }
                    }
                  else
                    '{
                      val base = Cage.within(at)
                      ${
                        store(RowPlace('{ Cage.open }, 'base, layout == TableLoops.Known.Packed))
                      }
                    }
                }
                target.at = at + $step
              }
          }
        }
      case None => '{ $batch.appendValue($value) }

  /** The place of a new row, which `next` has checked: stores there need no other check. */
  private def appended[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      row: Expr[Long],
      layout: TableLoops.Known
  )(next: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    if layout == TableLoops.Known.Columnar then
      '{
        ${ LayoutCheck.check(table) }
        ${
          next(
            ColumnPlace('{ Cage.open }, '{ $table.currentCapacity }, row, Some('{ $table.start }))
          )
        }
      }
    else
      val stride = Expr(TableLoops.stride[T](layout).toLong)
      '{
        ${ LayoutCheck.check(table) }
        val base = Cage.within($table.start + $row * $stride)
        ${ next(RowPlace('{ Cage.open }, 'base, layout == TableLoops.Known.Packed)) }
      }

  def updateAt[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val layout = TableLoops.required[T, L]("updateAt")
    stored(table, index, f): (rows, row, f) =>
      TableLoops.guarded('{ $rows.currentMemory }): guard =>
        TableLoops.single[T, L, Unit](rows, row, Some(guard))(place =>
          PartUpdates.changed(place, field, f, "updateAt")
        )(layout)

  def transformAt[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      f: Expr[T => T]
  )(using Quotes): Expr[Unit] =
    val layout = TableLoops.required[T, L]("transformAt")
    stored(table, index, f): (rows, row, f) =>
      TableLoops.guarded('{ $rows.memory }): guard =>
        TableLoops.row[T, L, Unit](rows, row, Some(guard))(CopyUpdates.store(f, _))(layout)

  /** Loads the field of a row that has these leaves, and no other. */
  def loadField[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      leaves: List[Shape.Leaf],
      layout: TableLoops.Known
  )(using Quotes): Expr[A] =
    Bound.value("rows", table): rows =>
      TableLoops.settled(rows):
        TableLoops.guarded('{ $rows.currentMemory }): guard =>
          '{
            val row = Objects.checkIndex($index, $rows.size)
            ${
              TableLoops.single[T, L, A](rows, 'row, Some(guard))(place =>
                StructConstruction.of[A](leaves.map(place.get))
              )(layout)
            }
          }

  /** Stores the field of a row that has these leaves, and no other. */
  def storeField[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      leaves: List[Shape.Leaf],
      value: Expr[A],
      layout: TableLoops.Known
  )(using Quotes): Expr[Unit] =
    '{
      val rows = $table
      val row = Objects.checkIndex($index, rows.size)
      ${
        TableLoops.settled('rows):
          TableLoops.single[T, L, Unit]('rows, 'row)(place =>
            PartUpdates.stored[A](value, leaves, place)
          )(layout)
      }
    }

  /** A store of the result of a function in a row: the table, the index and the function are
    * evaluated in this order, and then the index is checked.
    */
  private def stored[T: Type, L <: Layout: Type, F: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      f: Expr[F]
  )(store: Quotes ?=> (Expr[Table[T, L]], Expr[Long], Expr[F]) => Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    '{
      val rows = $table
      val at = $index
      ${
        Loop.literal(f): f =>
          '{
            val row = Objects.checkIndex(at, rows.size)
            ${ TableLoops.settled('rows)(store('rows, 'row, f)) }
          }
      }
    }

  /** The table and the index of a reference that is written as `rows.ref(i)`. */
  def written[T: Type, L <: Layout: Type](ref: Expr[Reference[T, L]])(using
      Quotes
  ): Option[(Expr[Table[T, L]], Expr[Long])] =
    import quotes.reflect.*
    Projection.strip(ref.asTerm.underlyingArgument) match
      case Apply(function @ Select(table, "ref"), List(index))
          if function.symbol.owner.equals(TypeRepr.of[Table].typeSymbol) =>
        Some((table.asExprOf[Table[T, L]], index.asExprOf[Long]))
      case _ => None

  /** A field of the row that `rows.ref(i)` refers to, read from the table's segment. After a read
    * through a reference there is a fence, and the JIT loads the table's fields again for each row.
    * If the read fails, it is repeated through the reference, which has the errors of references
    * and may be used by threads that may not use the table.
    */
  def field[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      layout: TableLoops.Known
  )(
      read: Quotes ?=> Place => Expr[A]
  )(again: Quotes ?=> Expr[Reference[T, L]] => Expr[A])(using Quotes): Expr[A] =
    val stride = Expr(TableLoops.stride[T](layout).toLong)
    '{
      val rows = $table
      val at = $index
      try
        val row = rows.referable(at)
        ${ TableLoops.single[T, L, A]('rows, 'row)(read)(layout) }
      catch
        case _: RuntimeException =>
          ${ LayoutCheck.check('rows) }
          ${ again('{ rows.refAt(at, $stride) }) }
    }

  def ref[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], index: Expr[Long])(using
      Quotes
  ): Expr[Reference[T, L]] =
    import quotes.reflect.*
    if TableLoops.layout[L].contains(TableLoops.Known.Columnar) then
      report.errorAndAbort(
        "a row of Columns is not in one place, so there is no reference to it: " +
          "use columns(i), updateAt(i)(_.field)(f), or Rows"
      )
    else if !ShapeDerivation.isKnown[T] then '{ $table.refAt($index) }
    else
      '{
        val rows = $table
        ${ LayoutCheck.check('rows) }
        ${
          TableLoops.known[T, L] match
            case Some(layout) =>
              '{ rows.refAt($index, ${ Expr(TableLoops.stride[T](layout).toLong) }) }
            case None => '{ rows.refAt($index) }
        }
      }
  end ref
end RowAccess
