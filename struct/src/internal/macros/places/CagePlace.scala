package undercroft.struct
package internal.macros.places

import internal.bytes.{ElementBytes, FixedText, OutOfLine, StructElements, UnionBytes}
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
      case Shape.Kind.Boolean          => '{ Cage.getByte($bits, $at) != 0 }
      case Shape.Kind.Byte             => '{ Cage.getByte($bits, $at) }
      case Shape.Kind.Short if packed  => '{ CagePacked.getShort($bits, $at) }
      case Shape.Kind.Short            => '{ Cage.getShort($bits, $at) }
      case Shape.Kind.Char if packed   => '{ CagePacked.getChar($bits, $at) }
      case Shape.Kind.Char             => '{ Cage.getChar($bits, $at) }
      case Shape.Kind.Int if packed    => '{ CagePacked.getInt($bits, $at) }
      case Shape.Kind.Int              => '{ Cage.getInt($bits, $at) }
      case Shape.Kind.Long if packed   => '{ CagePacked.getLong($bits, $at) }
      case Shape.Kind.Long             => '{ Cage.getLong($bits, $at) }
      case Shape.Kind.Float if packed  => '{ CagePacked.getFloat($bits, $at) }
      case Shape.Kind.Float            => '{ Cage.getFloat($bits, $at) }
      case Shape.Kind.Double if packed => '{ CagePacked.getDouble($bits, $at) }
      case Shape.Kind.Double           => '{ Cage.getDouble($bits, $at) }
      case Shape.Kind.Text(n)          => '{ FixedText.loadChecked($bits, $at, ${ Expr(n) }) }
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
    end match
  end get

  def set(leaf: Shape.Leaf, value: Expr[Any])(using Quotes): Expr[Unit] =
    val at = Expr((if packed then leaf.packed else leaf.aligned).toLong)
    leaf.kind match
      case Shape.Kind.Boolean =>
        '{ Cage.setByte($bits, $at, if ${ value.asExprOf[Boolean] } then 1.toByte else 0.toByte) }
      case Shape.Kind.Byte => '{ Cage.setByte($bits, $at, ${ value.asExprOf[Byte] }) }
      case Shape.Kind.Short if packed =>
        '{ CagePacked.setShort($bits, $at, ${ value.asExprOf[Short] }) }
      case Shape.Kind.Short => '{ Cage.setShort($bits, $at, ${ value.asExprOf[Short] }) }
      case Shape.Kind.Char if packed =>
        '{ CagePacked.setChar($bits, $at, ${ value.asExprOf[Char] }) }
      case Shape.Kind.Char          => '{ Cage.setChar($bits, $at, ${ value.asExprOf[Char] }) }
      case Shape.Kind.Int if packed => '{ CagePacked.setInt($bits, $at, ${ value.asExprOf[Int] }) }
      case Shape.Kind.Int           => '{ Cage.setInt($bits, $at, ${ value.asExprOf[Int] }) }
      case Shape.Kind.Long if packed =>
        '{ CagePacked.setLong($bits, $at, ${ value.asExprOf[Long] }) }
      case Shape.Kind.Long => '{ Cage.setLong($bits, $at, ${ value.asExprOf[Long] }) }
      case Shape.Kind.Float if packed =>
        '{ CagePacked.setFloat($bits, $at, ${ value.asExprOf[Float] }) }
      case Shape.Kind.Float => '{ Cage.setFloat($bits, $at, ${ value.asExprOf[Float] }) }
      case Shape.Kind.Double if packed =>
        '{ CagePacked.setDouble($bits, $at, ${ value.asExprOf[Double] }) }
      case Shape.Kind.Double => '{ Cage.setDouble($bits, $at, ${ value.asExprOf[Double] }) }
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
    end match
  end set
end CagePlace
