package undercroft.struct
package internal.macros.loops

import internal.macros.schema.LayoutCheck
import internal.bytes.MappedReads
import internal.macros.places.*
import internal.macros.schema.{Calls, ShapeDerivation}
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import scala.annotation.unused
import scala.quoted.*
import undercroft.struct.{*, given}

/** Generates access to tables whose row type and layout are known. */
private[struct] object TableLoops:

  /** The largest block of a loop, in bytes of a column or of rows: an Int index can address it. */
  private val blockBytes = 1 << 30

  /** The most rows of a block that is a method: few enough for the first blocks to end soon, and
    * enough for the cost of the calls to be negligible.
    */
  private val methodRows = 1 << 16

  /** The most rows of a block that is iterated over twice: few enough for the second loop to find
    * in a cache the one or two lines that the first one has loaded for each row.
    */
  private val twiceRows = 256

  enum Known derives CanEqual:
    case Aligned, Packed, Columnar

  /** The layout of a type argument. */
  def layout[L: Type](using Quotes): Option[Known] = Type.of[L] match
    case '[Aligned]  => Some(Known.Aligned)
    case '[Packed]   => Some(Known.Packed)
    case '[Columnar] => Some(Known.Columnar)
    case _           => None

  /** The layout of tables whose row type is known, too. */
  def known[T: Type, L <: Layout: Type](using Quotes): Option[Known] =
    if ShapeDerivation.isKnown[T] then layout[L] else None

  /** As [[known]]; an error at the call site if there is none. */
  def required[T: Type, L <: Layout: Type](operation: String)(using Quotes): Known =
    import quotes.reflect.*
    known[T, L].getOrElse:
      report.errorAndAbort(
        s"$operation needs a known row type and layout, not ${ShapeDerivation.named(TypeRepr.of[Table[T, L]])}: " +
          ShapeDerivation.unknownCure[T]
      )

  /** The place of the row at an Int index of a block. */
  type At = Quotes ?=> Expr[Int] => Place

  def stride[T: Type](layout: Known)(using Quotes): Int =
    if layout == Known.Packed then ShapeDerivation.shape[T].packedSize
    else ShapeDerivation.shape[T].alignedSize

  /** The most rows of a block. */
  def most[T: Type](layout: Known)(using Quotes): Int =
    Math.max(1, blockBytes / (if layout == Known.Columnar then 8 else stride[T](layout)))

  /** Code whose errors name the region if its close has caused them. */
  def named[R: Type](table: Expr[Table[?, ?]])(body: Expr[R])(using Quotes): Expr[R] =
    '{
      try $body
      catch case error: Throwable => throw $table.translate(error)
    }

  /** As `named`, for single rows, whose pages in a file may have been truncated. */
  def settled[R: Type](table: Expr[Table[?, ?]])(body: Expr[R])(using Quotes): Expr[R] =
    '{
      try
        val result = $body
        if $table.source != null then MappedReads.rethrow()
        result
      catch case error: Throwable => throw $table.translate(error)
    }

  /** Whether whole rows in memory are read through the cage; rows of a file are then read by their
    * struct, followed by `rethrow`.
    */
  def isThroughCage[T: Type](layout: Known)(using Quotes): Boolean =
    layout != Known.Columnar && RowPlace.isThroughCage(
      ShapeDerivation.shape[T].leaves,
      layout == Known.Packed
    )

  /** As `named`, for a loop over the rows whose blocks each start with a `confirm`: values it has
    * read are valid if all rows are still present.
    */
  def confirmed(table: Expr[Table[?, ?]])(loop: Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      try
        $loop
        $table.confirm()
      catch case error: Throwable => throw $table.translate(error)
    }

  /** Code with a guard for the numbers of a segment. If the segment is not mapped, the JIT knows
    * that from the only class of segments that it has seen there, and adds nothing.
    */
  def guarded[R: Type](segment: Expr[MemorySegment])(next: Quotes ?=> MappedGuard => Expr[R])(using
      Quotes
  ): Expr[R] =
    '{
      val isMapped = $segment.isMapped
      @unused val zero = MappedReads.zeroOf(isMapped) // only numbers use it
      ${ next(MappedGuard('isMapped, 'zero)) }
    }

  /** The row at a checked index; with a guard if numbers are read. */
  def row[T: Type, L <: Layout: Type, R: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      guard: Option[MappedGuard] = None
  )(next: Quotes ?=> Place => Expr[R])(layout: Known)(using Quotes): Expr[R] =
    rowOf(table, '{ $table.memory }, '{ $table.capacity }, index, guard)(next)(layout)

  /** As `row`, for an access to this row alone: it does not fix the addresses of a growing table
    * that nothing refers to.
    */
  def single[T: Type, L <: Layout: Type, R: Type](
      table: Expr[Table[T, L]],
      index: Expr[Long],
      guard: Option[MappedGuard] = None
  )(next: Quotes ?=> Place => Expr[R])(layout: Known)(using Quotes): Expr[R] =
    val (memory, capacity) = ('{ $table.currentMemory }, '{ $table.currentCapacity })
    rowOf(table, memory, capacity, index, guard)(next)(layout)

  private def rowOf[T: Type, L <: Layout: Type, R: Type](
      table: Expr[Table[T, L]],
      memory: Expr[MemorySegment],
      capacity: Expr[Long],
      index: Expr[Long],
      guard: Option[MappedGuard]
  )(next: Quotes ?=> Place => Expr[R])(layout: Known)(using Quotes): Expr[R] =
    if layout == Known.Columnar then
      '{
        ${ LayoutCheck.check(table) }
        val at = $table.first + $index
        ${ next(ColumnPlace(memory, capacity, 'at, guard = guard)) }
      }
    else
      val start = Calls.times(index, Expr(stride[T](layout).toLong))
      Expr.block(
        List(LayoutCheck.check(table)),
        Bound.value("base", start)(base => next(rowAt(memory, base, table, base, layout, guard)))
      )

  /** The row at `base` in a segment; the row is `inTable` bytes from the start of its table. */
  private def rowAt[T: Type, L <: Layout: Type](
      segment: Expr[MemorySegment],
      base: Expr[Long],
      table: Expr[Table[T, L]],
      inTable: Expr[Long],
      layout: Known,
      guard: Option[MappedGuard],
      backed: Boolean = false
  )(using Quotes): Place =
    val packed = layout == Known.Packed
    val inCage = new RowPlace.InCageToo(
      '{ Cage.moved($table.currentAddress.bits, $inTable) },
      if packed then '{ $table.settled($table.struct.loadPacked($segment, $base)) }
      else '{ $table.settled($table.struct.loadAligned($segment, $base)) }
    )
    val forInts = if backed then stride[T](layout) else 0
    RowPlace(segment, base, packed, Some(inCage), guard, forInts)

  /** A loop over all rows while `running` holds, in blocks that an Int index can address, which
    * lets the JIT drop the bounds checks and use vector instructions. The Ints in rows of a
    * `backed` table are read by words.
    */
  def loop[T: Type, L <: Layout: Type](
      table: Expr[Table[T, L]],
      layout: Known,
      running: Option[Expr[Boolean]],
      backed: Boolean = false
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      try
        val size = $table.size
        var from = 0L
        while ${ whileLess('from, 'size, running) } do
          $table.confirm()
          val count = Table.block(size - from, ${ Expr(most[T](layout)) })
          ${
            inBlock('from, 'count, table, layout, backed)(place =>
              indices('count, running)(i => body(place(i)))
            )
          }
          from += count
        $table.confirm()
      catch case error: Throwable => throw $table.translate(error)
    }

  /** As `loop`, with every block as a method that takes a state; its result is passed to `next`. A
    * block is small if `isSmall`.
    */
  def blocks[T: Type, L <: Layout: Type, S: Type](
      table: Expr[Table[T, L]],
      layout: Known,
      state: Expr[S],
      backed: Boolean,
      isSmall: Option[Expr[Boolean]] = None
  )(
      block: Quotes ?=> (
          Expr[S],
          Quotes ?=> (Quotes ?=> Place => Expr[Unit]) => Expr[Unit]
      ) => Expr[S]
  )(next: Quotes ?=> Expr[S] => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      try
        def part(from: Long, count: Int, before: S): S = ${
          block('before, body => places('from, 'count, table, layout, backed)(body))
        }
        val size = $table.size
        var from = 0L
        while from < size do
          $table.confirm()
          val count = Table.block(
            size - from,
            ${
              val large = Expr(Math.min(methodRows, most[T](layout)))
              isSmall.fold(large)(small => '{ if $small then ${ Expr(twiceRows) } else $large })
            }
          )
          ${ next('{ part(from, count, $state) }) }
          from += count
        $table.confirm()
      catch case error: Throwable => throw $table.translate(error)
    }

  def whileLess(from: Expr[Long], size: Expr[Long], running: Option[Expr[Boolean]])(using
      Quotes
  ): Expr[Boolean] = running.fold('{ $from < $size })(on => '{ $from < $size && $on })

  /** A loop over the places of a block's rows, without a slice: the JIT would not eliminate the
    * slice in a method that creates it once. Rows are counted in bytes, because C2 would multiply
    * each index by the stride and then not unroll the loop; elements of columns vectorise as they
    * are. If the row's base is bound to a name, its words share one address; otherwise there are
    * two.
    */
  private def places[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      layout: Known,
      backed: Boolean
  )(body: Quotes ?=> Place => Expr[Unit])(using Quotes): Expr[Unit] =
    if layout == Known.Columnar then
      inBlock(from, count, table, layout)(place => indices(count, None)(i => body(place(i))))
    else
      val size = Expr(stride[T](layout))
      '{
        ${ LayoutCheck.check(table) }
        val rows = $table.memory
        val start = $from * $size
        val end = $count * $size
        val isMapped = rows.isMapped
        @unused val zero = MappedReads.zeroOf(isMapped) // only numbers use it
        var at = 0
        while at < end do
          ${
            def of(base: Expr[Long]): Expr[Unit] =
              val guard = MappedGuard('isMapped, 'zero)
              body(rowAt('rows, base, table, base, layout, Some(guard), backed))
            val base = '{ start + at }
            if backed then Bound.value("base", base)(of) else of(base)
          }
          at += $size
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

  /** Continues with the places of the rows of a block, by their Int index in it. */
  def inBlock[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      layout: Known,
      backed: Boolean = false
  )(next: Quotes ?=> At => Expr[Unit])(using Quotes): Expr[Unit] =
    if layout == Known.Columnar then
      inColumns(from, '{ $table.memory }, '{ $table.capacity }, table)(next)
    else
      val size = Expr(stride[T](layout).toLong)
      '{
        ${ LayoutCheck.check(table) }
        val rows = $table.block($from * $size, $count * $size)
        val isMapped = rows.isMapped
        @unused val zero = MappedReads.zeroOf(isMapped) // only numbers use it
        ${
          val guard = MappedGuard('isMapped, 'zero)
          next(i =>
            val base = '{ $i.toLong * $size }
            rowAt('rows, base, table, '{ $from * $size + $base }, layout, Some(guard), backed)
          )
        }
      }
  end inBlock

  private def inColumns[T: Type, L <: Layout: Type](
      from: Expr[Long],
      memory: Expr[MemorySegment],
      room: Expr[Long],
      table: Expr[Table[T, L]]
  )(next: Quotes ?=> At => Expr[Unit])(using Quotes): Expr[Unit] =
    '{
      ${ LayoutCheck.check(table) }
      val columns = $memory
      val capacity = $room
      val start = $table.first + $from
      ${
        def place(i: Expr[Int], guard: MappedGuard): Place = SegmentPlace(
          _ => 'columns,
          leaf =>
            val size = Expr(leaf.kind.size.toLong)
            '{
              $i.toLong * $size + (capacity * ${ Expr(leaf.column.toLong) } + start * $size)
            }
          ,
          guard = Some(guard)
        )
        guarded('columns)(guard => next(i => place(i, guard)))
      }
    }

  /** As `inBlock`, for blocks that are all slices, which the JIT does not allocate. */
  def inSlice[T: Type, L <: Layout: Type](
      from: Expr[Long],
      count: Expr[Int],
      table: Expr[Table[T, L]],
      layout: Known
  )(next: Quotes ?=> At => Expr[Unit])(using Quotes): Expr[Unit] =
    if layout == Known.Columnar then
      inColumns(from, '{ $table.currentMemory }, '{ $table.currentCapacity }, table)(next)
    else
      val size = Expr(stride[T](layout).toLong)
      '{
        ${ LayoutCheck.check(table) }
        val rows = $table.currentMemory.asSlice($from * $size, $count * $size)
        ${
          next(i =>
            val base = '{ $i.toLong * $size }
            rowAt('rows, base, table, '{ $from * $size + $base }, layout, None)
          )
        }
      }
end TableLoops
