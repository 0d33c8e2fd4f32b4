package undercroft.struct
package internal.macros.places

import internal.bytes.{ElementBytes, FixedText, OutOfLine, StructElements, UnionBytes}
import internal.macros.schema.Calls
import undercroft.memory.internal.cage.{Cage, CagePacked}
import scala.quoted.*
import undercroft.struct.internal.macros.schema.ShapeLiterals.given
import undercroft.struct.{BytesRef, Shape, TextRef, Union}

/** Leaves behind a checked reference. */
private[struct] final class CagePlace(bits: Expr[Long], packed: Boolean) extends Place:
  override def isPackedFor(leaf: Shape.Leaf): Boolean = packed

  override def inside[R: Type](leaf: Shape.Leaf, offset: Expr[Long])(
      next: Quotes ?=> Place => Expr[R]
  )(using Quotes): Option[Expr[R]] =
    val start = Expr((if packed then leaf.packed else leaf.aligned).toLong)
    Some('{
      val part = Cage.moved($bits, $start + $offset)
      ${ next(CagePlace('part, packed)) }
    })

  def get(leaf: Shape.Leaf)(using Quotes): Expr[Any] =
    val at = Expr((if packed then leaf.packed else leaf.aligned).toLong)
    leaf.kind match
      case Shape.Kind.Boolean =>
        Calls.of(
          "struct.internal.bytes.ValueLayouts",
          "isTrue"
        )(get(leaf.copy(kind = Shape.Kind.Byte)))
      case Shape.Kind.Text(n) => '{ FixedText.loadChecked($bits, $at, ${ Expr(n) }) }
      case Shape.Kind.Elements(of, n) =>
        '{ ElementBytes.loadChecked($bits, $at, ${ Expr(of) }, ${ Expr(n) }) }
      case Shape.Kind.Structs(_, _) =>
        val size = Expr(Place.size(leaf.kind, packed))
        '{ StructElements.loadChecked($bits, $at, $size, ${ Expr(packed) }) }
      case Shape.Kind.Union(_) => '{ UnionBytes.loadChecked($bits, $at, ${ Expr(leaf.kind.size) }) }
      case Shape.Kind.TextRef =>
        '{ new TextRef(CagePacked.getLong($bits, $at), CagePacked.getLong($bits, $at + 8)) }
      case Shape.Kind.BytesRef =>
        '{ new BytesRef(CagePacked.getLong($bits, $at), CagePacked.getLong($bits, $at + 8)) }
      case Shape.Kind.Ordinal(of)   => get(leaf.copy(kind = of))
      case Shape.Kind.BigEndian(of) => Bits.swappedFrom(of, get(leaf.copy(kind = Bits.ofSize(of))))
      case number                   => Calls.of(cage(number), s"get$number")(bits, at)
    end match
  end get

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    val at = Expr((if packed then leaf.packed else leaf.aligned).toLong)
    leaf.kind match
      case Shape.Kind.Boolean =>
        set(
          leaf.copy(kind = Shape.Kind.Byte),
          Calls.of("struct.internal.bytes.ValueLayouts", "ofBoolean")(value)
        )
      case Shape.Kind.Text(n) =>
        '{ FixedText.storeChecked($bits, $at, ${ Expr(n) }, ${ value.asExprOf[String] }) }
      case Shape.Kind.Elements(of, n) =>
        val elements = value.asExprOf[Array[?]]
        '{ ElementBytes.storeChecked($bits, $at, ${ Expr(of) }, ${ Expr(n) }, $elements) }
      case Shape.Kind.Structs(_, _) =>
        val size = Expr(Place.size(leaf.kind, packed))
        val elements = value.asExprOf[StructElements]
        '{ StructElements.storeChecked($bits, $at, $size, $elements, ${ Expr(packed) }) }
      case Shape.Kind.Union(_) =>
        '{ UnionBytes.storeChecked($bits, $at, ${ value.asExprOf[Union[?]] }) }
      case Shape.Kind.TextRef =>
        '{
          val far = ${ value.asExprOf[TextRef] }
          OutOfLine.storeChecked($bits, $at, far.address, far.lengthBytes)
        }
      case Shape.Kind.BytesRef =>
        '{
          val far = ${ value.asExprOf[BytesRef] }
          OutOfLine.storeChecked($bits, $at, far.address, far.length)
        }
      case Shape.Kind.Ordinal(of) => set(leaf.copy(kind = of), value)
      case Shape.Kind.BigEndian(of) =>
        set(leaf.copy(kind = Bits.ofSize(of)), Bits.swappedTo(of, value))
      case number => Calls.of(cage(number), s"set$number")(bits, at, value)
    end match
  end set

  private def cage(number: Shape.Kind): String =
    if packed && number.size > 1 then "memory.internal.cage.CagePacked"
    else "memory.internal.cage.Cage"
end CagePlace
