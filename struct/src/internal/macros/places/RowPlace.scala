package undercroft.struct
package internal.macros.places

import internal.bytes.{ValueLayouts, WideRowReader}
import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import internal.macros.schema.Calls
import scala.quoted.*
import undercroft.struct.Shape

/** Aligned or packed leaves of the struct at `base`.
  *
  * @param inCage
  *   how else a whole row of a table can be read
  * @param guard
  *   how numbers are read, if they may be in a file
  * @param readable
  *   how many bytes starting at `base` may be read for an Int, which is then half of a word and
  *   needs no guard; 0 if that would not be worthwhile
  */
private[struct] final class RowPlace(
    segment: Expr[MemorySegment],
    base: Expr[Long],
    packed: Boolean,
    inCage: Option[RowPlace.InCageToo] = None,
    guard: Option[MappedGuard] = None,
    readable: Int = 0
) extends Place:
  private val single = SegmentPlace(
    _ => segment,
    leaf => at(offset(leaf)),
    packed,
    guard
  )
  override def isPackedFor(leaf: Shape.Leaf): Boolean = packed
  override def guardFor(leaf: Shape.Leaf): Option[MappedGuard] = guard

  override def bytes[R](leaf: Shape.Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = single.bytes(leaf)(next)

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
    val int = offset(leaf)
    (leaf.kind, wordOf(int)) match
      case (Shape.Kind.Int, Some(start)) =>
        val word = wordAt(start)
        if start == int then '{ $word.toInt } else '{ ($word >> 32).toInt }
      case _ => single.get(leaf)

  /** The start of the word that contains an Int as a half: two adjacent Ints share a word. */
  private def wordOf(int: Int): Option[Int] =
    val starts = if (int & 4) == 0 then List(int, int - 4) else List(int - 4, int)
    starts.find(start => start >= 0 && start + 8 <= readable)

  private def wordAt(start: Int)(using Quotes): Expr[Long] =
    Calls.get(segment, Shape.Kind.Long, at(start)).asInstanceOf[Expr[Long]]

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = single.set(leaf, value)

  override def setFresh(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    if packed || leaf.gap == 0 then set(leaf, value)
    else if leaf.kind.isCompound then Expr.block(set(leaf, value) :: clearing(leaf), '{ () })
    else
      (leaf.kind.size + leaf.gap, Bits.of(leaf.kind, value)) match
        case (2, bits) =>
          Calls.set(segment, Shape.Kind.Short, at(leaf.aligned), '{ $bits.toShort })
        case (4, bits) =>
          Calls.set(segment, Shape.Kind.Int, at(leaf.aligned), '{ $bits.toInt })
        case (8, bits) => Calls.set(segment, Shape.Kind.Long, at(leaf.aligned), bits)
        case _         => Expr.block(set(leaf, value) :: clearing(leaf), '{ () })

  override def clear(shape: Shape)(using Quotes): List[Expr[Unit]] =
    val leaves = shape.leaves
    val shared = leaves.filter(_.shared)
    if shared.isEmpty then Nil
    else
      val from = shared.map(offset).min
      val last = shared.map(offset).max
      val end = if packed then shape.packedSize else shape.alignedSize
      val until = leaves.filterNot(_.shared).map(offset).filter(_ > last).minOption.getOrElse(end)
      List('{ WideRowReader.clear($segment, ${ at(from) }, ${ Expr(until - from) }) })

  /** Stores of zero in the padding after a leaf. */
  private def clearing(leaf: Shape.Leaf)(using Quotes): List[Expr[Unit]] =
    if leaf.gap > 8 then
      List('{
        WideRowReader.clear($segment, ${ at(leaf.aligned + leaf.kind.size) }, ${ Expr(leaf.gap) })
      })
    else bytesCleared(leaf)

  private def bytesCleared(leaf: Shape.Leaf)(using Quotes): List[Expr[Unit]] =
    (0 until leaf.gap).toList.map: byte =>
      val from = at(leaf.aligned + leaf.kind.size + byte)
      '{ $segment.set(ValueLayouts.byte, $from, 0.toByte) }

  override def all[T: Type](leaves: List[Shape.Leaf])(
      next: Quotes ?=> List[Expr[Any]] => Expr[T]
  )(using Quotes): Expr[T] =
    val end = RowPlace.end(leaves, packed)
    if leaves.sizeIs < Place.manyLeaves || end < 8 then next(leaves.map(get))
    else
      // The last word ends with the last leaf, and so may overlap the previous word.
      val wordCount = Math.ceilDiv(end, 8)
      def wordOf(leaf: Shape.Leaf) =
        val from = offset(leaf)
        if leaf.kind.isCompound then None
        else
          List(Math.min(from / 8 * 8, end - 8), end - 8)
            .find(start => start <= from && from + leaf.kind.size <= start + 8)
      val used = leaves.flatMap(wordOf).distinct.sorted
      def valuesOf(words: Map[Int, Expr[Long]])(using Quotes) = leaves.map: leaf =>
        wordOf(leaf).fold(get(leaf)): start =>
          val word = words(start)
          // C2 does not shorten the load for a part of a word: see Mapping.
          val read = if leaf.kind.size < 8 then word else guard.fold(word)(_.plusZero(word))
          Bits.at(read, (offset(leaf) - start) * 8, leaf.kind)
      inCage match
        case Some(inCage) if wordCount >= Place.manyInTable =>
          // Read through the table's own segment, which checks that the table is open.
          val checked = used.headOption.getOrElse(0)
          '{
            val first = ${ wordAt(checked) }
            val row = ${ inCage.bits }
            val place = Cage.within(Cage.readableAt(row, ${ Expr(end) }))
            ${
              val others = used.drop(1)
              def inside(start: Int) =
                '{ Cage.open.get(ValueLayouts.long, place + ${ Expr(start.toLong) }) }
              named(others.map(inside)): names =>
                '{
                  VarHandle.loadLoadFence()
                  if Cage.isLive(row, ${ Expr(end) }) then
                    ${ next(valuesOf(others.zip(names).toMap.updated(checked, 'first))) }
                  else ${ inCage.load.asExprOf[T] }
                }
            }
          }
        case None if wordCount >= Place.manyAccesses =>
          '{
            val words = WideRowReader.words($segment, $base, ${ Expr(end) })
            ${
              def read(start: Int) = '{ words(${ Expr(Math.ceilDiv(start, 8)) }) }
              next(valuesOf(used.map(start => start -> read(start)).toMap))
            }
          }
        case _ =>
          named(used.map(wordAt))(names => next(valuesOf(used.zip(names).toMap)))
      end match
    end if
  end all

  /** Binds words to names. */
  private def named[T: Type](words: List[Expr[Long]])(next: List[Expr[Long]] => Expr[T])(using
      Quotes
  ): Expr[T] =
    import quotes.reflect.*
    Bound
      .all(words.map(_.asTerm))(names => next(names.map(_.asExprOf[Long])).asTerm)
      .asExprOf[T]

  private def offset(leaf: Shape.Leaf): Int = if packed then leaf.packed else leaf.aligned

  private def at(within: Int)(using Quotes): Expr[Long] =
    if within == 0 then base else Calls.plus(base, Expr(within.toLong))
end RowPlace

private[struct] object RowPlace:
  /** Whether whole rows of a table are read through the cage. */
  def isThroughCage(leaves: List[Shape.Leaf], packed: Boolean): Boolean =
    leaves.sizeIs >= Place.manyLeaves && end(leaves, packed) > (Place.manyInTable - 1) * 8

  /** The end of the last leaf. */
  def end(leaves: List[Shape.Leaf], packed: Boolean): Int =
    leaves
      .map(leaf => (if packed then leaf.packed else leaf.aligned) + Place.size(leaf.kind, packed))
      .max

  /** A row of a table, by the bits of its address, and the call that loads it if a comparison of
    * generations is not possible: the row is in a block of Malloc, or has been closed.
    */
  final class InCageToo(val bits: Quotes ?=> Expr[Long], val load: Quotes ?=> Expr[?])
