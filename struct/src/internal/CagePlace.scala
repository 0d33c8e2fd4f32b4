package undercroft.struct.internal

import scala.quoted.*
import undercroft.memory.{Cage, CagePacked}
import undercroft.struct.internal.Derivation.given
import undercroft.struct.{BytesRef, Kind, Leaf, TextRef, Union}

/** Leaves behind a checked reference. */
private[struct] final class CagePlace(bits: Expr[Long], packed: Boolean) extends Place:
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
end CagePlace
