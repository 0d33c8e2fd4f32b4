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
import internal.macros.schema.Calls
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
      case Shape.Kind.Boolean =>
        Calls.of(
          "struct.internal.bytes.ValueLayouts",
          "isTrue"
        )(Calls.get(from, Shape.Kind.Byte, at))
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
      case number =>
        val read = Calls.get(from, number, at)
        guard.fold(read)(_(number, read))
    end match
  end get

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    val (to, at) = (segment(leaf), offset(leaf))
    leaf.kind match
      case Shape.Kind.Boolean =>
        Calls.set(
          to,
          Shape.Kind.Byte,
          at,
          Calls.of("struct.internal.bytes.ValueLayouts", "ofBoolean")(value)
        )
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
      case number => Calls.set(to, number, at, value)
    end match
  end set
end SegmentPlace
