package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.{*, given}

/** Generates access to tables whose row type and layout are known. */
private[struct] object Tables:

  /** The largest block of a loop, in bytes of a column or of rows: an Int index reaches it. */
  private val blockBytes = 1 << 30

  /** The most rows of a block that is a method: few enough that the first blocks are soon done, and
    * many enough that nothing is seen of the calls.
    */
  private val methodRows = 1 << 16

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
      catch case error: Throwable => throw $table.explained(error)
    }

  /** As `named`, for single rows, of which the file may not have the pages any more. */
  def settled[R: Type](table: Expr[Table[?, ?]])(body: Expr[R])(using Quotes): Expr[R] =
    named(table):
      '{
        val result = $body
        if $table.source != null then Mapping.settle()
        result
      }

  /** Whether whole rows in memory are read through the cage, so that those of a file are read by
    * their struct, and settled.
    */
  def isThroughCage[T: Type](known: Known)(using Quotes): Boolean =
    known != Known.Columnar && RowPlace.isThroughCage(Schema.shape[T].leaves, known == Known.Packed)

  /** As `named`, for a loop over the rows, each block of which begins with a `confirm`: what it
    * read counts if the rows are still all there.
    */
  def confirmed(table: Expr[Table[?, ?]])(loop: Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      try
        $loop
        $table.confirm()
      catch case error: Throwable => throw $table.explained(error)
    }

  /** Code with how numbers of a segment are read. Of a segment that is not mapped the JIT knows
    * that, from the one class of segments that it has seen there, and adds nothing.
    */
  def guarded[R: Type](segment: Expr[MemorySegment])(next: Quotes ?=> Guard => Expr[R])(using
      Quotes
  ): Expr[R] =
    '{
      val isMapped = $segment.isMapped
      val zero = if isMapped then Mapping.zero else 0
      ${ next(Guard('isMapped, 'zero)) }
    }

  /** The row at an index that was checked; with a guard where numbers are read. */
  def row[T: Type, L <: Layout: Type, R: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      guard: Option[Guard] = None
  )(next: Quotes ?=> Place => Expr[R])(known: Known)(using Quotes): Expr[R] =
    if known == Known.Columnar then
      '{
        val at = $table.first + $index
        ${ next(ColumnPlace('{ $table.memory }, '{ $table.capacity }, 'at, guard = guard)) }
      }
    else
      '{
        val base = $index * ${ Expr(stride[T](known).toLong) }
        ${ next(rowAt('{ $table.memory }, 'base, table, 'base, known, guard)) }
      }

  /** The row at `base` in a segment, which is `inTable` bytes from the start of its table. */
  private def rowAt[T: Type, L <: Layout: Type](
      segment: Expr[MemorySegment],
      base: Expr[Long],
      table: Expr[Table[T, L]],
      inTable: Expr[Long],
      known: Known,
      guard: Option[Guard],
      backed: Boolean = false
  )(using Quotes): Place =
    val packed = known == Known.Packed
    val load =
      if packed then '{ $table.settled($table.struct.loadPacked($segment, $base)) }
      else '{ $table.settled($table.struct.loadAligned($segment, $base)) }
    val bits = '{ Cage.moved($table.address.bits, $inTable) }
    val forInts = if backed then stride[T](known) else 0
    RowPlace(segment, base, packed, Some(RowPlace.InCageToo(bits, load)), guard, forInts)

  /** A loop over all rows while `running` holds, in blocks that an Int index reaches: that is what
    * lets the JIT drop the bounds checks and use vector instructions. Of a table that is `backed`
    * the Ints of rows are read by words.
    */
  def loop[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      known: Known,
      running: Option[Expr[Boolean]],
      backed: Boolean = false
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    confirmed(table):
      '{
        val size = $table.size
        var from = 0L
        while ${ whileLess('from, 'size, running) } do
          $table.confirm()
          val count = Table.block(size - from, ${ Expr(most[T](known)) })
          ${
            inBlock('from, 'count, table, known, backed)(place =>
              indices('count, running)(i => body(place(i)))
            )
          }
          from += count
      }

  /** As `loop`, where every block is a method, from a state to what `next` is given. */
  def blocks[T: Type, L <: Layout: Type, S: Type](
      table: Expr[Table[T, L]],
      known: Known,
      state: Expr[S],
      backed: Boolean
  )(
      block: Quotes ?=> (
          Expr[S],
          Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
      ) => Expr[S]
  )(next: Quotes ?=> Expr[S] => Expr[Unit])(using Quotes): Expr[Unit] =
    confirmed(table):
      '{
        def part(from: Long, count: Int, before: S): S = ${
          block('before, body => places('from, 'count, table, known, backed)(body))
        }
        val size = $table.size
        var from = 0L
        while from < size do
          $table.confirm()
          val count = Table.block(size - from, ${ Expr(Math.min(methodRows, most[T](known))) })
          ${ next('{ part(from, count, $state) }) }
          from += count
      }

  def whileLess(from: Expr[Long], size: Expr[Long], running: Option[Expr[Boolean]])(using
      Quotes
  ): Expr[Boolean] = running.fold('{ $from < $size })(on => '{ $from < $size && $on })

  /** A loop over the places of a block's rows, without a slice: the JIT would not see through it in
    * a method that makes it once. Rows are counted in bytes, because C2 multiplies an index by the
    * stride anew for each and then does not unroll; elements of columns become vectors as they are.
    * Words of a row have one address by its name, and two without.
    */
  private def places[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      known: Known,
      backed: Boolean
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    if known == Known.Columnar then
      inBlock(from, count, table, known)(place => indices(count, None)(i => body(place(i))))
    else
      val size = Expr(stride[T](known))
      '{
        val rows = $table.memory
        val start = $from * $size
        val end = $count * $size
        ${
          guarded('rows): guard =>
            def of(base: Expr[Long])(using Quotes): Expr[Unit] =
              body(rowAt('rows, base, table, base, known, Some(guard), backed))
            '{
              var at = 0
              while at < end do
                ${
                  if backed then '{ val base = start + at; ${ of('base) } } else of('{ start + at })
                }
                at += $size
            }
        }
      }

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
      known: Known,
      backed: Boolean = false
  )(next: Quotes ?=> (Expr[Int] => Quotes ?=> Place) => Expr[Unit])(using Quotes): Expr[Unit] =
    if known == Known.Columnar then
      '{
        val memory = $table.memory
        val capacity = $table.capacity
        val start = $table.first + $from
        ${
          def place(i: Expr[Int], guard: Guard): Place = SegmentPlace(
            _ => 'memory,
            leaf =>
              val size = Expr(leaf.kind.size.toLong)
              '{
                $i.toLong * $size + (capacity * ${ Expr(leaf.column.toLong) } + start * $size)
              }
            ,
            guard = Some(guard)
          )
          guarded('memory)(guard => next(i => place(i, guard)))
        }
      }
    else
      val size = Expr(stride[T](known).toLong)
      '{
        val rows = $table.block($from * $size, $count * $size)
        ${
          def base(i: Expr[Int]) = '{ $i.toLong * $size }
          def inTable(i: Expr[Int]) = '{ $from * $size + ${ base(i) } }
          guarded('rows): guard =>
            next(i => rowAt('rows, base(i), table, inTable(i), known, Some(guard), backed))
        }
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
        ${
          def base(i: Expr[Int]) = '{ $i.toLong * $size }
          next(i => rowAt('rows, base(i), table, '{ $from * $size + ${ base(i) } }, known, None))
        }
      }
end Tables
