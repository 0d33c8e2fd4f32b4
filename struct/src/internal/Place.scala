package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import java.lang.invoke.VarHandle
import scala.quoted.*
import undercroft.memory.{Cage, CagePacked}
import undercroft.struct.internal.Derivation.given
import undercroft.struct.{BytesRef, Kind, Leaf, Shape, TextRef, Union}

/** Where the leaves of one struct are, to generated code. */
private[struct] trait Place:
  def get(leaf: Leaf)(using Quotes): Expr[Any]
  def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit]

  /** Goes on with the bytes of a text, where they are in a segment. */
  def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = None

  /** Whether leaves lie without padding. */
  def isPacked: Boolean = false

  /** As `set`, in memory that was not zeroed: the padding after the leaf is cleared too. */
  def setFresh(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = set(leaf, value)

  /** Stores of zero wherever leaves of cases lie. */
  def clear(shared: List[Leaf])(using Quotes): List[Expr[Unit]] = Nil

  /** Makes a struct of the values of all its leaves. */
  def all[T: Type](leaves: List[Leaf])(next: Quotes ?=> List[Expr[Any]] => Expr[T])(using
      Quotes
  ): Expr[T] = next(leaves.map(get))
end Place

private[struct] object Place:

  /** From this many leaves on, a row is loaded by words of 8 bytes: each access costs the JIT about
    * ten inlined frames, and past its budget the row's constructor is no longer inlined.
    */
  private val manyLeaves = 6

  /** From this many words on, the budget is gone all the same: all but the first word of a table's
    * row are read through the cage's own segment, which takes a tenth of it, and checked by the
    * generation of the page afterwards; elsewhere the row is copied first.
    */
  private val manyAccesses = 19

  /** The most fields whose constructor C2 inlines: 6 bytes of code for each, and 325 in all. */
  private val mostFields = 53

  /** Whether a row is an object whatever is done: better made out of line. */
  def isWide(shape: Shape): Boolean = shape.leaves.sizeIs > mostFields

  /** The bytes of a kind in a layout of rows. */
  def size(kind: Kind, packed: Boolean): Int = if packed then kind.packedSize else kind.size

  /** Leaves in segments: each leaf's segment and its offset there. */
  final class InSegment(
      segment: Leaf => Quotes ?=> Expr[MemorySegment],
      offset: Leaf => Quotes ?=> Expr[Long],
      override val isPacked: Boolean = false
  ) extends Place:
    override def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
        Quotes
    ): Option[Expr[R]] = Some(next(segment(leaf), offset(leaf)))

    override def clear(shared: List[Leaf])(using Quotes): List[Expr[Unit]] =
      shared.distinctBy(_.column).map: leaf =>
        '{ Wide.clear(${ segment(leaf) }, ${ offset(leaf) }, ${ Expr(leaf.kind.size) }) }

    def get(leaf: Leaf)(using Quotes): Expr[Any] =
      val (from, at) = (segment(leaf), offset(leaf))
      leaf.kind match
        case Kind.Boolean => '{ $from.get(Unaligned.byte, $at) != 0 }
        case Kind.Byte    => '{ $from.get(Unaligned.byte, $at) }
        case Kind.Short   => '{ $from.get(Unaligned.short, $at) }
        case Kind.Char    => '{ $from.get(Unaligned.char, $at) }
        case Kind.Int     => '{ $from.get(Unaligned.int, $at) }
        case Kind.Long    => '{ $from.get(Unaligned.long, $at) }
        case Kind.Float   => '{ $from.get(Unaligned.float, $at) }
        case Kind.Double  => '{ $from.get(Unaligned.double, $at) }
        case Kind.Text(n) => '{ TextBytes.load($from, $at, ${ Expr(n) }) }
        case Kind.Elements(of, n) =>
          '{ ElementBytes.load($from, $at, ${ Expr(of) }, ${ Expr(n) }) }
        case Kind.Structs(_, _) =>
          val size = Expr(Place.size(leaf.kind, isPacked))
          '{ StructElements.load($from, $at, $size, ${ Expr(isPacked) }) }
        case Kind.Union(_) => '{ UnionBytes.load($from, $at, ${ Expr(leaf.kind.size) }) }
        case Kind.TextRef =>
          '{ new TextRef($from.get(Unaligned.long, $at), $from.get(Unaligned.long, $at + 8)) }
        case Kind.BytesRef =>
          '{ new BytesRef($from.get(Unaligned.long, $at), $from.get(Unaligned.long, $at + 8)) }
        case Kind.Ordinal(of)   => get(leaf.copy(kind = of))
        case Kind.BigEndian(of) => Bits.swappedFrom(of, get(leaf.copy(kind = Bits.ofSize(of))))
      end match
    end get

    def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      val (to, at) = (segment(leaf), offset(leaf))
      leaf.kind match
        case Kind.Boolean =>
          '{
            $to.set(
              Unaligned.byte,
              $at,
              if ${ value.asExprOf[Boolean] } then 1.toByte else 0.toByte
            )
          }
        case Kind.Byte   => '{ $to.set(Unaligned.byte, $at, ${ value.asExprOf[Byte] }) }
        case Kind.Short  => '{ $to.set(Unaligned.short, $at, ${ value.asExprOf[Short] }) }
        case Kind.Char   => '{ $to.set(Unaligned.char, $at, ${ value.asExprOf[Char] }) }
        case Kind.Int    => '{ $to.set(Unaligned.int, $at, ${ value.asExprOf[Int] }) }
        case Kind.Long   => '{ $to.set(Unaligned.long, $at, ${ value.asExprOf[Long] }) }
        case Kind.Float  => '{ $to.set(Unaligned.float, $at, ${ value.asExprOf[Float] }) }
        case Kind.Double => '{ $to.set(Unaligned.double, $at, ${ value.asExprOf[Double] }) }
        case Kind.Text(n) =>
          '{ TextBytes.store($to, $at, ${ Expr(n) }, ${ value.asExprOf[String] }) }
        case Kind.Elements(of, _) =>
          '{ ElementBytes.store($to, $at, ${ Expr(of) }, ${ value.asExprOf[Array[?]] }) }
        case Kind.Structs(_, _) =>
          val elements = value.asExprOf[StructElements]
          val size = Expr(Place.size(leaf.kind, isPacked))
          '{ StructElements.store($to, $at, $size, $elements, ${ Expr(isPacked) }) }
        case Kind.Union(_) => '{ UnionBytes.store($to, $at, ${ value.asExprOf[Union[?]] }) }
        case Kind.TextRef =>
          '{
            val far = ${ value.asExprOf[TextRef] }
            Far.store($to, $at, far.address, far.length)
          }
        case Kind.BytesRef =>
          '{
            val far = ${ value.asExprOf[BytesRef] }
            Far.store($to, $at, far.address, far.length)
          }
        case Kind.Ordinal(of) => set(leaf.copy(kind = of), value)
        case Kind.BigEndian(of) =>
          set(leaf.copy(kind = Bits.ofSize(of)), Bits.swappedTo(of, value))
      end match
    end set
  end InSegment

  /** Leaves behind a checked reference. */
  final class InCage(bits: Expr[Long], packed: Boolean) extends Place:
    def get(leaf: Leaf)(using Quotes): Expr[Any] =
      val at = Expr((if packed then leaf.packed else leaf.aligned).toLong)
      leaf.kind match
        case Kind.Boolean          => '{ Cage.getByte($bits, $at) != 0 }
        case Kind.Byte             => '{ Cage.getByte($bits, $at) }
        case Kind.Short if packed  => '{ CagePacked.getShort($bits, $at) }
        case Kind.Short            => '{ Cage.getShort($bits, $at) }
        case Kind.Char if packed   => '{ CagePacked.getChar($bits, $at) }
        case Kind.Char             => '{ Cage.getChar($bits, $at) }
        case Kind.Int if packed    => '{ CagePacked.getInt($bits, $at) }
        case Kind.Int              => '{ Cage.getInt($bits, $at) }
        case Kind.Long if packed   => '{ CagePacked.getLong($bits, $at) }
        case Kind.Long             => '{ Cage.getLong($bits, $at) }
        case Kind.Float if packed  => '{ CagePacked.getFloat($bits, $at) }
        case Kind.Float            => '{ Cage.getFloat($bits, $at) }
        case Kind.Double if packed => '{ CagePacked.getDouble($bits, $at) }
        case Kind.Double           => '{ Cage.getDouble($bits, $at) }
        case Kind.Text(n)          => '{ TextBytes.loadChecked($bits, $at, ${ Expr(n) }) }
        case Kind.Elements(of, n) =>
          '{ ElementBytes.loadChecked($bits, $at, ${ Expr(of) }, ${ Expr(n) }) }
        case Kind.Structs(_, _) =>
          val size = Expr(Place.size(leaf.kind, packed))
          '{ StructElements.loadChecked($bits, $at, $size, ${ Expr(packed) }) }
        case Kind.Union(_) => '{ UnionBytes.loadChecked($bits, $at, ${ Expr(leaf.kind.size) }) }
        case Kind.TextRef =>
          '{ new TextRef(CagePacked.getLong($bits, $at), CagePacked.getLong($bits, $at + 8)) }
        case Kind.BytesRef =>
          '{ new BytesRef(CagePacked.getLong($bits, $at), CagePacked.getLong($bits, $at + 8)) }
        case Kind.Ordinal(of)   => get(leaf.copy(kind = of))
        case Kind.BigEndian(of) => Bits.swappedFrom(of, get(leaf.copy(kind = Bits.ofSize(of))))
      end match
    end get

    def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
      val at = Expr((if packed then leaf.packed else leaf.aligned).toLong)
      leaf.kind match
        case Kind.Boolean =>
          '{ Cage.setByte($bits, $at, if ${ value.asExprOf[Boolean] } then 1.toByte else 0.toByte) }
        case Kind.Byte => '{ Cage.setByte($bits, $at, ${ value.asExprOf[Byte] }) }
        case Kind.Short if packed =>
          '{ CagePacked.setShort($bits, $at, ${ value.asExprOf[Short] }) }
        case Kind.Short          => '{ Cage.setShort($bits, $at, ${ value.asExprOf[Short] }) }
        case Kind.Char if packed => '{ CagePacked.setChar($bits, $at, ${ value.asExprOf[Char] }) }
        case Kind.Char           => '{ Cage.setChar($bits, $at, ${ value.asExprOf[Char] }) }
        case Kind.Int if packed  => '{ CagePacked.setInt($bits, $at, ${ value.asExprOf[Int] }) }
        case Kind.Int            => '{ Cage.setInt($bits, $at, ${ value.asExprOf[Int] }) }
        case Kind.Long if packed => '{ CagePacked.setLong($bits, $at, ${ value.asExprOf[Long] }) }
        case Kind.Long           => '{ Cage.setLong($bits, $at, ${ value.asExprOf[Long] }) }
        case Kind.Float if packed =>
          '{ CagePacked.setFloat($bits, $at, ${ value.asExprOf[Float] }) }
        case Kind.Float => '{ Cage.setFloat($bits, $at, ${ value.asExprOf[Float] }) }
        case Kind.Double if packed =>
          '{ CagePacked.setDouble($bits, $at, ${ value.asExprOf[Double] }) }
        case Kind.Double => '{ Cage.setDouble($bits, $at, ${ value.asExprOf[Double] }) }
        case Kind.Text(n) =>
          '{ TextBytes.storeChecked($bits, $at, ${ Expr(n) }, ${ value.asExprOf[String] }) }
        case Kind.Elements(of, n) =>
          val elements = value.asExprOf[Array[?]]
          '{ ElementBytes.storeChecked($bits, $at, ${ Expr(of) }, ${ Expr(n) }, $elements) }
        case Kind.Structs(_, _) =>
          val size = Expr(Place.size(leaf.kind, packed))
          val elements = value.asExprOf[StructElements]
          '{ StructElements.storeChecked($bits, $at, $size, $elements, ${ Expr(packed) }) }
        case Kind.Union(_) =>
          '{ UnionBytes.storeChecked($bits, $at, ${ value.asExprOf[Union[?]] }) }
        case Kind.TextRef =>
          '{
            val far = ${ value.asExprOf[TextRef] }
            Far.storeChecked($bits, $at, far.address, far.length)
          }
        case Kind.BytesRef =>
          '{
            val far = ${ value.asExprOf[BytesRef] }
            Far.storeChecked($bits, $at, far.address, far.length)
          }
        case Kind.Ordinal(of) => set(leaf.copy(kind = of), value)
        case Kind.BigEndian(of) =>
          set(leaf.copy(kind = Bits.ofSize(of)), Bits.swappedTo(of, value))
      end match
    end set
  end InCage

  /** A row of a table, by the bits of its address, and the call that loads it where a comparison of
    * generations does not do: it is a block of Malloc, or has been closed.
    */
  final case class InCageToo(bits: Expr[Long], load: Expr[?])

  /** Aligned or packed leaves of the struct at `base`.
    *
    * @param inCage
    *   where else a whole row of a table can be read
    */
  final class Row(
      segment: Expr[MemorySegment],
      base: Expr[Long],
      packed: Boolean,
      inCage: Option[InCageToo] = None
  ) extends Place:
    private val single = InSegment(
      _ => segment,
      leaf => at(offset(leaf)),
      packed
    )
    override def isPacked: Boolean = packed

    override def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
        Quotes
    ): Option[Expr[R]] = single.bytes(leaf)(next)

    def get(leaf: Leaf)(using Quotes): Expr[Any] = single.get(leaf)
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
      val end = leaves.map(leaf => offset(leaf) + Place.size(leaf.kind, packed)).max
      if leaves.sizeIs < manyLeaves || end < 8 then next(leaves.map(get))
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
                Bits.at(word, (from - start) * 8, leaf.kind)
            .getOrElse(get(leaf))
        inCage match
          case Some(inCage) if starts.sizeIs >= manyAccesses =>
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
          case None if starts.sizeIs >= manyAccesses =>
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
  end Row

  /** Leaves in the columns of one segment that has room for `capacity` rows, from `start` on. */
  final class Column(
      segment: Expr[MemorySegment],
      capacity: Expr[Long],
      row: Expr[Long],
      start: Option[Expr[Long]] = None
  ) extends Place:
    private val single = InSegment(_ => segment, at(_))

    override def bytes[R](leaf: Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
        Quotes
    ): Option[Expr[R]] = single.bytes(leaf)(next)

    def get(leaf: Leaf)(using Quotes): Expr[Any] = single.get(leaf)
    def set(leaf: Leaf, value: Expr[Any])(using Quotes): Expr[Unit] = single.set(leaf, value)

    override def all[T: Type](leaves: List[Leaf])(
        next: Quotes ?=> List[Expr[Any]] => Expr[T]
    )(using Quotes): Expr[T] =
      if leaves.sizeIs < manyAccesses || leaves.exists(leaf => leaf.kind.isCompound || leaf.shared)
      then
        next(leaves.map(get))
      else
        val sizes = Expr(leaves.map(_.kind.size.toChar).mkString)
        '{
          val parts = Wide.gather($segment, $capacity, $row, $sizes)
          ${
            next(leaves.zipWithIndex.map((leaf, k) =>
              Bits.at('{ parts(${ Expr(k) }) }, 0, leaf.kind)
            ))
          }
        }

    override def clear(shared: List[Leaf])(using Quotes): List[Expr[Unit]] = single.clear(shared)

    private def at(leaf: Leaf)(using Quotes): Expr[Long] =
      val inColumn = '{ $row * ${ Expr(leaf.kind.size.toLong) } }
      val inTable =
        if leaf.column == 0 then inColumn
        else '{ $capacity * ${ Expr(leaf.column.toLong) } + $inColumn }
      start.fold(inTable)(start => '{ Cage.within($start + $inTable) })
  end Column
end Place
