package undercroft.struct
package internal.macros.places

import internal.bytes.{
  ElementBytes,
  FixedText,
  OutOfLine,
  StructElements,
  UnionBytes,
  ValueLayouts,
  WideRowReader
}
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.internal.macros.schema.ShapeLiterals.given
import undercroft.struct.{BytesRef, Shape, TextRef, Union}

/** Leaves in segments: each leaf's segment and offset, and how numbers are read. */
private[struct] final class SegmentPlace(
    segment: Shape.Leaf => Quotes ?=> Expr[MemorySegment],
    offset: Shape.Leaf => Quotes ?=> Expr[Long],
    packed: Boolean = false,
    guard: Option[MappedGuard] = None
) extends Place:
  override def isPackedFor(leaf: Shape.Leaf): Boolean = packed
  override def guardFor(leaf: Shape.Leaf): Option[MappedGuard] = guard

  override def bytes[R](leaf: Shape.Leaf)(next: (Expr[MemorySegment], Expr[Long]) => Expr[R])(using
      Quotes
  ): Option[Expr[R]] = Some(next(segment(leaf), offset(leaf)))

  override def clear(shape: Shape)(using Quotes): List[Expr[Unit]] =
    shape.leaves.filter(_.shared).distinctBy(_.column).map: leaf =>
      '{ WideRowReader.clear(${ segment(leaf) }, ${ offset(leaf) }, ${ Expr(leaf.kind.size) }) }

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
    val (from, at) = (segment(leaf), offset(leaf))
    leaf.kind match
      case Shape.Kind.Boolean => '{ $from.get(ValueLayouts.byte, $at) != 0 }
      case Shape.Kind.Byte    => guarded('{ $from.get(ValueLayouts.byte, $at) })
      case Shape.Kind.Short   => guarded('{ $from.get(ValueLayouts.short, $at) })
      case Shape.Kind.Char    => guarded('{ $from.get(ValueLayouts.char, $at) })
      case Shape.Kind.Int     => guarded('{ $from.get(ValueLayouts.int, $at) })
      case Shape.Kind.Long    => guarded('{ $from.get(ValueLayouts.long, $at) })
      case Shape.Kind.Float   => guarded('{ $from.get(ValueLayouts.float, $at) })
      case Shape.Kind.Double  => guarded('{ $from.get(ValueLayouts.double, $at) })
      case Shape.Kind.Text(n) => '{ FixedText.load($from, $at, ${ Expr(n) }) }
      case Shape.Kind.Elements(of, n) =>
        '{ ElementBytes.load($from, $at, ${ Expr(of) }, ${ Expr(n) }) }
      case Shape.Kind.Structs(_, _) =>
        val size = Expr(Place.size(leaf.kind, packed))
        '{ StructElements.load($from, $at, $size, ${ Expr(packed) }) }
      case Shape.Kind.Union(_) => '{ UnionBytes.load($from, $at, ${ Expr(leaf.kind.size) }) }
      case Shape.Kind.TextRef =>
        '{ new TextRef($from.get(ValueLayouts.long, $at), $from.get(ValueLayouts.long, $at + 8)) }
      case Shape.Kind.BytesRef =>
        '{ new BytesRef($from.get(ValueLayouts.long, $at), $from.get(ValueLayouts.long, $at + 8)) }
      case Shape.Kind.Ordinal(of)   => get(leaf.copy(kind = of))
      case Shape.Kind.BigEndian(of) => Bits.swappedFrom(of, get(leaf.copy(kind = Bits.ofSize(of))))
    end match
  end get

  private def guarded(number: Expr[Any])(using Quotes): Expr[Any] =
    guard.fold(number)(_(number))

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    val (to, at) = (segment(leaf), offset(leaf))
    leaf.kind match
      case Shape.Kind.Boolean =>
        '{
          $to.set(
            ValueLayouts.byte,
            $at,
            if ${ value.asExprOf[Boolean] } then 1.toByte else 0.toByte
          )
        }
      case Shape.Kind.Byte   => '{ $to.set(ValueLayouts.byte, $at, ${ value.asExprOf[Byte] }) }
      case Shape.Kind.Short  => '{ $to.set(ValueLayouts.short, $at, ${ value.asExprOf[Short] }) }
      case Shape.Kind.Char   => '{ $to.set(ValueLayouts.char, $at, ${ value.asExprOf[Char] }) }
      case Shape.Kind.Int    => '{ $to.set(ValueLayouts.int, $at, ${ value.asExprOf[Int] }) }
      case Shape.Kind.Long   => '{ $to.set(ValueLayouts.long, $at, ${ value.asExprOf[Long] }) }
      case Shape.Kind.Float  => '{ $to.set(ValueLayouts.float, $at, ${ value.asExprOf[Float] }) }
      case Shape.Kind.Double => '{ $to.set(ValueLayouts.double, $at, ${ value.asExprOf[Double] }) }
      case Shape.Kind.Text(n) =>
        '{ FixedText.store($to, $at, ${ Expr(n) }, ${ value.asExprOf[String] }) }
      case Shape.Kind.Elements(of, _) =>
        '{ ElementBytes.store($to, $at, ${ Expr(of) }, ${ value.asExprOf[Array[?]] }) }
      case Shape.Kind.Structs(_, _) =>
        val elements = value.asExprOf[StructElements]
        val size = Expr(Place.size(leaf.kind, packed))
        '{ StructElements.store($to, $at, $size, $elements, ${ Expr(packed) }) }
      case Shape.Kind.Union(_) => '{ UnionBytes.store($to, $at, ${ value.asExprOf[Union[?]] }) }
      case Shape.Kind.TextRef =>
        '{
          val far = ${ value.asExprOf[TextRef] }
          OutOfLine.store($to, $at, far.address, far.lengthBytes)
        }
      case Shape.Kind.BytesRef =>
        '{
          val far = ${ value.asExprOf[BytesRef] }
          OutOfLine.store($to, $at, far.address, far.length)
        }
      case Shape.Kind.Ordinal(of) => set(leaf.copy(kind = of), value)
      case Shape.Kind.BigEndian(of) =>
        set(leaf.copy(kind = Bits.ofSize(of)), Bits.swappedTo(of, value))
    end match
  end set
end SegmentPlace
