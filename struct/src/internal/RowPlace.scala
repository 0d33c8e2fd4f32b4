package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import scala.quoted.*
import undercroft.memory.Cage
import undercroft.struct.{Kind, Leaf}

/** Aligned or packed leaves of the struct at `base`.
  *
  * @param inCage
  *   where else a whole row of a table can be read
  * @param guard
  *   how numbers are read, where that may be of a file
  * @param readable
  *   how many bytes from `base` on may be read for an Int, which is half of a word then and needs
  *   no guard; none where that would not be worth it
  */
private[struct] final class RowPlace(
    segment: Expr[MemorySegment],
    base: Expr[Long],
    packed: Boolean,
    inCage: Option[RowPlace.InCageToo] = None,
    guard: Option[Guard] = None,
    readable: Int = 0
) extends Place:
  private val single = SegmentPlace(
    _ => segment,
    leaf => at(offset(leaf)),
    packed,
    guard
  )
  override def isPacked: Boolean = packed
  override def guardFor(leaf: Leaf): Option[Guard] = guard

  override def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = single.bytes(leaf)(next)

  def get(leaf: Leaf)(using Quotes): Expr[Any] =
    val int = offset(leaf)
    (leaf.kind, wordOf(int)) match
      case (Kind.Int, Some(start)) =>
        val word = '{ $segment.get(Unaligned.long, ${ at(start) }) }
        if start == int then '{ $word.toInt } else '{ ($word >> 32).toInt }
      case _ => single.get(leaf)

  /** Where the word starts whose half an Int is: two side by side are halves of one. */
  private def wordOf(int: Int): Option[Int] =
    val starts = if (int & 4) == 0 then List(int, int - 4) else List(int - 4, int)
    starts.find(start => start >= 0 && start + 8 <= readable)

  def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = single.set(leaf, value)

  override def setFresh(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    if packed || leaf.gap == 0 then set(leaf, value)
    else if leaf.kind.isCompound then Expr.block(set(leaf, value) :: clearing(leaf), '{ () })
    else
      (leaf.kind.size + leaf.gap, Bits.of(leaf.kind, value)) match
        case (2, bits) =>
          '{ $segment.set(Unaligned.short, ${ at(leaf.aligned) }, $bits.toShort) }
        case (4, bits) =>
          '{ $segment.set(Unaligned.int, ${ at(leaf.aligned) }, $bits.toInt) }
        case (8, bits) => '{ $segment.set(Unaligned.long, ${ at(leaf.aligned) }, $bits) }
        case _         => Expr.block(set(leaf, value) :: clearing(leaf), '{ () })

  override def clear(shared: List[Leaf])(using Quotes): List[Expr[Unit]] =
    if shared.isEmpty then Nil
    else
      val from = shared.map(offset).min
      val until = shared.map(leaf => offset(leaf) + Place.size(leaf.kind, packed)).max
      List('{ Wide.clear($segment, ${ at(from) }, ${ Expr(until - from) }) })

  /** Stores of zero in the padding after a leaf. */
  private def clearing(leaf: Leaf)(using Quotes): List[Expr[Unit]] =
    if leaf.gap > 8 then
      List('{ Wide.clear($segment, ${ at(leaf.aligned + leaf.kind.size) }, ${ Expr(leaf.gap) }) })
    else bytesCleared(leaf)

  private def bytesCleared(leaf: Leaf)(using Quotes): List[Expr[Unit]] =
    (0 until leaf.gap).toList.map: byte =>
      val from = at(leaf.aligned + leaf.kind.size + byte)
      '{ $segment.set(Unaligned.byte, $from, 0.toByte) }

  override def all[T: Type](leaves: List[Leaf])(
      next: Quotes ?=> List[Expr[Any]] => Expr[T]
  )(using Quotes): Expr[T] =
    import quotes.reflect.*
    val end = RowPlace.end(leaves, packed)
    if leaves.sizeIs < Place.manyLeaves || end < 8 then next(leaves.map(get))
    else
      // The last word ends with the last leaf, and so may overlap the one before.
      val starts = (0 until end by 8).map(start => Math.min(start, end - 8)).toList
      def word(start: Int): Term = '{ $segment.get(Unaligned.long, ${ at(start) }) }.asTerm
      def valuesOf(words: List[Expr[Long]]) = leaves.map: leaf =>
        val from = offset(leaf)
        starts
          .zip(words)
          .collectFirst:
            case (start, word)
                if !leaf.kind.isCompound && start <= from && from + leaf.kind.size <= start + 8 =>
              // Of less than a word C2 makes no shorter load: see Mapping.
              val read = if leaf.kind.size < 8 then word else guard.fold(word)(_.plusZero(word))
              Bits.at(read, (from - start) * 8, leaf.kind)
          .getOrElse(get(leaf))
      inCage match
        case Some(inCage) if starts.sizeIs >= Place.manyInTable =>
          '{
            val first = ${ word(0).asExprOf[Long] }
            val row = ${ inCage.bits }
            val place = Cage.within(Cage.readableAt(row, ${ Expr(end) }))
            ${
              def inside(start: Int) =
                '{ Cage.open.get(Unaligned.long, place + ${ Expr(start.toLong) }) }.asTerm
              ValDef
                .let(Symbol.spliceOwner, starts.tail.map(inside)): names =>
                  '{
                    VarHandle.loadLoadFence()
                    if Cage.isLive(row, ${ Expr(end) }) then
                      ${ next(valuesOf('first :: names.map(_.asExprOf[Long]))) }
                    else ${ inCage.load.asExprOf[T] }
                  }.asTerm
                .asExprOf[T]
            }
          }
        case None if starts.sizeIs >= Place.manyAccesses =>
          '{
            val words = Wide.words($segment, $base, ${ Expr(end) })
            ${ next(valuesOf(starts.indices.toList.map(k => '{ words(${ Expr(k) }) }))) }
          }
        case _ =>
          ValDef
            .let(Symbol.spliceOwner, starts.map(word)): names =>
              next(valuesOf(names.map(_.asExprOf[Long]))).asTerm
            .asExprOf[T]
      end match
    end if
  end all

  private def offset(leaf: Leaf): Int = if packed then leaf.packed else leaf.aligned

  private def at(within: Int)(using Quotes): Expr[Long] =
    if within == 0 then base else '{ $base + ${ Expr(within.toLong) } }
end RowPlace

private[struct] object RowPlace:
  /** Whether whole rows of a table are read through the cage. */
  def isThroughCage(leaves: List[Leaf], packed: Boolean): Boolean =
    leaves.sizeIs >= Place.manyLeaves && end(leaves, packed) > (Place.manyInTable - 1) * 8

  /** Where the last leaf ends. */
  private def end(leaves: List[Leaf], packed: Boolean): Int =
    leaves
      .map(leaf => (if packed then leaf.packed else leaf.aligned) + Place.size(leaf.kind, packed))
      .max

  /** A row of a table, by the bits of its address, and the call that loads it where a comparison of
    * generations does not do: it is a block of Malloc, or has been closed.
    */
  final case class InCageToo(bits: Expr[Long], load: Expr[?])
