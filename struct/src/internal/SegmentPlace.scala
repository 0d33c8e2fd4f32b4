package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.internal.Derivation.given
import undercroft.struct.{BytesRef, Kind, Leaf, TextRef, Union}

/** Leaves in segments: each leaf's segment and its offset there, and how numbers are read. */
private[struct] final class SegmentPlace(
    segment: Leaf => Quotes ?=> Expr[MemorySegment],
    offset: Leaf => Quotes ?=> Expr[Long],
    override val isPacked: Boolean = false,
    guard: Option[Guard] = None
) extends Place:
  override def guardFor(leaf: Leaf): Option[Guard] = guard

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
      case Kind.Byte    => guarded('{ $from.get(Unaligned.byte, $at) })
      case Kind.Short   => guarded('{ $from.get(Unaligned.short, $at) })
      case Kind.Char    => guarded('{ $from.get(Unaligned.char, $at) })
      case Kind.Int     => guarded('{ $from.get(Unaligned.int, $at) })
      case Kind.Long    => guarded('{ $from.get(Unaligned.long, $at) })
      case Kind.Float   => guarded('{ $from.get(Unaligned.float, $at) })
      case Kind.Double  => guarded('{ $from.get(Unaligned.double, $at) })
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

  private def guarded(number: Expr[Any])(using Quotes): Expr[Any] =
    guard.fold(number)(_(number))

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
end SegmentPlace
