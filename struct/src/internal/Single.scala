package undercroft.struct.internal

import java.util.Objects
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.*

/** Generates access to one row of a table. */
@publicInBinary private[struct] object Single:

  def load[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], index: Expr[Long])(using
      Quotes
  ): Expr[T] =
    known[T, L] match
      case Some(layout) if !Place.isWide(Schema.shape[T]) =>
        '{
          val rows = $table
          ${
            def loaded(guard: Option[Guard])(using Quotes): Expr[T] =
              '{
                val row = Objects.checkIndex($index, rows.size)
                ${ Tables.row[T, L, T]('rows, 'row, guard)(place => Code.load[T](place))(layout) }
              }
            if Tables.isThroughCage[T](layout) then Tables.named('rows)(loaded(None))
            else
              Tables.settled('rows):
                Tables.guarded('{ rows.memory })(guard => loaded(Some(guard)))
          }
        }
      case _ => '{ $table.load($index) }

  def store[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      value: Expr[T]
  )(using Quotes): Expr[Unit] =
    known[T, L] match
      case Some(layout) =>
        import quotes.reflect.*
        '{
          val rows = $table
          val at = $index
          ${
            Split.store(value): target =>
              '{
                val row = Objects.checkIndex(at, rows.size)
                ${
                  Tables.settled('rows):
                    Tables.row[T, L, Unit]('rows, 'row)(place => target(place))(layout)
                }
              }
          }
        }
      case None => '{ $table.store($index, $value) }

  def storeNext[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      next: Expr[Long],
      value: Expr[T]
  )(using Quotes): Expr[Unit] =
    known[T, L] match
      case Some(layout) =>
        '{
          val rows = $table
          ${
            Split.store(value, fresh = true): target =>
              '{
                val row = Objects.checkIndex($next, rows.size)
                ${
                  Tables.settled('rows):
                    Tables.row[T, L, Unit]('rows, 'row)(place => target(place))(layout)
                }
              }
          }
        }
      case None =>
        '{
          val made = $value
          $table.store($next, made)
        }

  def append[T: Type, L <: Layout: Type](table: Expr[GrowingTable[T, L]], value: Expr[T])(using
      Quotes
  ): Expr[Unit] =
    known[T, L] match
      case Some(layout) =>
        '{
          val rows = $table
          ${
            Split.store(value, fresh = true): target =>
              '{
                val row = rows.next()
                ${ appended('rows, 'row, layout)(place => target(place)) }
                rows.used = row + 1
              }
          }
        }
      case None => '{ $table.add($value) }

  /** The place of a new row, which `next` has checked: no store there needs another check. */
  private def appended[T: Type, L <: Layout: Type](
      table: Expr[GrowingTable[T, L]],
      row: Expr[Long],
      layout: Tables.Known
  )(next: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    if layout == Tables.Known.Columnar then
      next(ColumnPlace('{ Cage.open }, '{ $table.capacity }, row, Some('{ $table.start })))
    else
      val stride = Expr(Tables.stride[T](layout).toLong)
      '{
        val base = Cage.within($table.start + $row * $stride)
        ${ next(RowPlace('{ Cage.open }, 'base, layout == Tables.Known.Packed)) }
      }

  def updateAt[T: Type, L <: Layout: Type, A: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      field: Expr[T => A],
      f: Expr[A => A]
  )(using Quotes): Expr[Unit] =
    val layout = required[T, L]("updateAt")
    val leaf = Projection.leaf(field, "updateAt")
    Loop.literal(f): f =>
      '{
        val rows = $table
        val row = Objects.checkIndex($index, rows.size)
        ${
          Tables.settled('rows):
            Tables.guarded('{ rows.memory }): guard =>
              Tables.row[T, L, Unit]('rows, 'row, Some(guard))(place =>
                changed(place, leaf, f)
              )(layout)
        }
      }
  end updateAt

  def ref[T: Type, L <: Layout: Type](table: Expr[Table[T, L]], index: Expr[Long])(using
      Quotes
  ): Expr[Reference[T, L]] =
    import quotes.reflect.*
    if Tables.layout[L].contains(Tables.Known.Columnar) then
      report.errorAndAbort(
        "a row of Columns is not in one place, so there is no reference to it: " +
          "use columns(i), updateAt(i)(_.field)(f), or Rows"
      )
    else '{ $table.refAt($index) }

  /** Stores in a leaf what `f` makes of its value. */
  def changed[A: Type](place: Place, leaf: Leaf, f: Expr[A => A])(using Quotes): Expr[Unit] =
    '{
      val before: A = ${ Code.single[A](place.get(leaf)) }
      val after: A = ${ Expr.betaReduce('{ $f(before) }) }
      ${ place.set(leaf, Code.leafOf('after)) }
    }

  def known[T: Type, L <: Layout: Type](using Quotes): Option[Tables.Known] =
    if Schema.isKnown[T] then Tables.layout[L] else None

  def required[T: Type, L <: Layout: Type](operation: String)(using Quotes): Tables.Known =
    import quotes.reflect.*
    known[T, L].getOrElse:
      report.errorAndAbort(
        s"$operation needs a known row type and layout, not ${TypeRepr.of[Table[T, L]].show}: " +
          "make the method around it inline"
      )
end Single
