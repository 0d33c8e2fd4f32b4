package undercroft.struct
package internal.macros.places

import internal.bytes.WideRowReader
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import internal.macros.schema.Calls
import scala.quoted.*
import undercroft.struct.Shape

/** Leaves in the columns of one segment that has room for `capacity` rows, starting at `start`. */
private[struct] final class ColumnPlace(
    segment: Expr[MemorySegment],
    capacity: Expr[Long],
    row: Expr[Long],
    start: Option[Expr[Long]] = None,
    guard: Option[MappedGuard] = None
) extends Place:
  private val single = SegmentPlace(_ => segment, at(_), guard = guard)

  override def guardFor(leaf: Shape.Leaf): Option[MappedGuard] = guard

  override def bytes[R](leaf: Shape.Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = single.bytes(leaf)(next)

  /** Binds only the distance within the leaf: the table may move before the part is stored, and its
    * capacity then changes.
    */
  override def inside[R: Type](leaf: Shape.Leaf, offset: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Option[Expr[R]] =
    Some('{
      val within = $offset
      ${ next(RowPlace(segment, '{ ${ at(leaf) } + within }, packed = false, guard = guard)) }
    })

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] = single.get(leaf)
  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = single.set(leaf, value)

  override def all[T: Type](leaves: List[Shape.Leaf])(
      next: Quotes ?=> List[Expr[Any]] => Expr[T]
  )(using Quotes): Expr[T] =
    if leaves.sizeIs < Place.manyAccesses || leaves.exists(leaf =>
        leaf.kind.isCompound || leaf.shared
      )
    then
      next(leaves.map(get))
    else
      val sizes = Expr(leaves.map(_.kind.size.toChar).mkString)
      '{
        val parts = WideRowReader.gather($segment, $capacity, $row, $sizes)
        ${
          next(leaves.zipWithIndex.map((leaf, k) =>
            Bits.at('{ parts(${ Expr(k) }) }, 0, leaf.kind)
          ))
        }
      }

  override def clear(shape: Shape)(using Quotes): List[Expr[Unit]] = single.clear(shape)

  private def at(leaf: Shape.Leaf)(using Quotes): Expr[Long] =
    val inColumn = Calls.times(row, Expr(leaf.kind.size.toLong))
    val inTable =
      if leaf.column == 0 then inColumn
      else Calls.plus(Calls.times(capacity, Expr(leaf.column.toLong)), inColumn)
    start.fold(inTable)(start => '{ Cage.within($start + $inTable) })
end ColumnPlace
