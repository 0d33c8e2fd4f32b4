package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.*

/** Generates access to tables whose row type and layout are known. */
private[struct] object Tables:

  /** The largest block of a loop, in bytes of a column or of rows: an Int index reaches it. */
  private val blockBytes = 1 << 30

  enum Known derives CanEqual:
    case Aligned, Packed, Columnar

  /** The layout that a type argument stands for. */
  def layout[L: Type](using Quotes): Option[Known] = Type.of[L] match
    case '[Aligned]  => Some(Known.Aligned)
    case '[Packed]   => Some(Known.Packed)
    case '[Columnar] => Some(Known.Columnar)
    case _           => None

  def stride[T: Type](layout: Known)(using Quotes): Int =
    if layout == Known.Packed then Schema.shape[T].packedSize else Schema.shape[T].alignedSize

  /** The most rows of a block. */
  def most[T: Type](layout: Known)(using Quotes): Int =
    Math.max(1, blockBytes / (if layout == Known.Columnar then 8 else stride[T](layout)))

  /** Code whose errors name the region if they come from its having been closed. */
  def named[R: Type](table: Expr[Table[?, ?]])(body: Expr[R])(using Quotes): Expr[R] =
    '{
      try $body
      catch case error: RuntimeException => throw $table.explained(error)
    }

  /** The row at an index that was checked. */
  def row[T: Type, L <: Layout: Type, R: Type](table: Expr[Table[T, L]], index: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(known: Known)(using Quotes): Expr[R] =
    if known == Known.Columnar then
      '{
        val at = $table.first + $index
        ${ next(Place.Column('{ $table.memory }, '{ $table.capacity }, 'at)) }
      }
    else
      '{
        val base = $index * ${ Expr(stride[T](known).toLong) }
        ${ next(Place.Row('{ $table.memory }, 'base, known == Known.Packed)) }
      }

  /** A loop over all rows, in blocks that an Int index reaches: that is what lets the JIT drop the
    * bounds checks and use vector instructions.
    */
  def blocks[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      known: Known,
      running: Option[Expr[Boolean]],
      pause: Option[Expr[Unit]]
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    named(table):
      '{
        val size = $table.size
        var from = 0L
        while ${ whileLess('from, 'size, running) } do
          val count = Table.block(size - from, ${ Expr(most[T](known)) })
          ${
            inBlock('from, 'count, table, known)(place =>
              indices('count, running)(i => body(place(i)))
            )
          }
          ${ pause.getOrElse('{ () }) }
          from += count
      }

  def whileLess(from: Expr[Long], size: Expr[Long], running: Option[Expr[Boolean]])(using
      Quotes
  ): Expr[Boolean] = running.fold('{ $from < $size })(on => '{ $from < $size && $on })

  /** A loop over the Int indices of a block. */
  def indices(count: Expr[Int], running: Option[Expr[Boolean]])(
      body: Quotes ?=> Expr[Int] => Expr[Unit]
  )(using Quotes): Expr[Unit] =
    running match
      case None =>
        '{
          var i = 0
          while i < $count do
            ${ body('i) }
            i += 1
        }
      case Some(on) =>
        '{
          var i = 0
          while i < $count && $on do
            ${ body('i) }
            i += 1
        }

  /** Goes on with the places of the rows of a block, by their Int index in it. */
  def inBlock[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      known: Known
  )(next: Quotes ?=> (Expr[Int] => Quotes ?=> Place) => Expr[Unit])(using Quotes): Expr[Unit] =
    if known == Known.Columnar then
      '{
        val memory = $table.memory
        val capacity = $table.capacity
        val start = $table.first + $from
        ${
          def place(i: Expr[Int]): Place = Place.InSegment(
            _ => 'memory,
            leaf =>
              val size = Expr(leaf.kind.size.toLong)
              '{ $i.toLong * $size + (capacity * ${ Expr(leaf.column.toLong) } + start * $size) }
          )
          next(i => place(i))
        }
      }
    else
      val size = Expr(stride[T](known).toLong)
      '{
        val rows = $table.block($from * $size, $count * $size)
        ${ next(i => Place.Row('rows, '{ $i.toLong * $size }, known == Known.Packed)) }
      }
  end inBlock

  /** As `inBlock`, for blocks that are all slices: of those the JIT makes no objects. */
  def inSlice[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      known: Known
  )(next: Quotes ?=> (Expr[Int] => Quotes ?=> Place) => Expr[Unit])(using Quotes): Expr[Unit] =
    if known == Known.Columnar then inBlock(from, count, table, known)(next)
    else
      val size = Expr(stride[T](known).toLong)
      '{
        val rows = $table.memory.asSlice($from * $size, $count * $size)
        ${ next(i => Place.Row('rows, '{ $i.toLong * $size }, known == Known.Packed)) }
      }
end Tables
