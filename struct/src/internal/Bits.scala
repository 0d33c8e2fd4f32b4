package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.Kind

/** Primitives as parts of little-endian words. */
private[struct] object Bits:

  /** The primitive that starts at a bit of a word. */
  def at(word: Expr[Long], bit: Int, kind: Kind)(using Quotes): Expr[Any] =
    val shifted = if bit == 0 then word else '{ $word >>> ${ Expr(bit) } }
    kind match
      case Kind.Boolean => '{ $shifted.toByte != 0 }
      case Kind.Byte    => '{ $shifted.toByte }
      case Kind.Short   => '{ $shifted.toShort }
      case Kind.Char    => '{ $shifted.toChar }
      case Kind.Int     => '{ $shifted.toInt }
      case Kind.Long    => shifted
      case Kind.Float   => '{ java.lang.Float.intBitsToFloat($shifted.toInt) }
      case Kind.Double  => '{ java.lang.Double.longBitsToDouble($shifted) }
      case other        => throw IllegalArgumentException(s"$other is no part of a word")

  /** A primitive's bits, zero-extended. */
  def of(kind: Kind, value: Expr[Any])(using Quotes): Expr[Long] = kind match
    case Kind.Boolean => '{ if ${ value.asExprOf[Boolean] } then 1L else 0L }
    case Kind.Byte    => '{ ${ value.asExprOf[Byte] } & 0xffL }
    case Kind.Short   => '{ ${ value.asExprOf[Short] } & 0xffffL }
    case Kind.Char    => '{ ${ value.asExprOf[Char] }.toLong }
    case Kind.Int     => '{ ${ value.asExprOf[Int] } & 0xffffffffL }
    case Kind.Long    => value.asExprOf[Long]
    case Kind.Float =>
      '{ java.lang.Float.floatToRawIntBits(${ value.asExprOf[Float] }) & 0xffffffffL }
    case Kind.Double => '{ java.lang.Double.doubleToRawLongBits(${ value.asExprOf[Double] }) }
    case other       => throw IllegalArgumentException(s"$other is no part of a word")

  /** The integer of a primitive's size, as which its bytes are moved in the other order. */
  def ofSize(kind: Kind): Kind = kind match
    case Kind.Float  => Kind.Int
    case Kind.Double => Kind.Long
    case other       => other

  /** A primitive from the integer of its size whose bytes are in the other order. */
  def swappedFrom(kind: Kind, bits: Expr[Any])(using Quotes): Expr[Any] = kind match
    case Kind.Short  => '{ Swapped.short(${ bits.asExprOf[Short] }) }
    case Kind.Char   => '{ Swapped.char(${ bits.asExprOf[Char] }) }
    case Kind.Int    => '{ Swapped.int(${ bits.asExprOf[Int] }) }
    case Kind.Long   => '{ Swapped.long(${ bits.asExprOf[Long] }) }
    case Kind.Float  => '{ Swapped.float(${ bits.asExprOf[Int] }) }
    case Kind.Double => '{ Swapped.double(${ bits.asExprOf[Long] }) }
    case _           => bits

  /** A primitive as the integer of its size, with the bytes in the other order. */
  def swappedTo(kind: Kind, value: Expr[Any])(using Quotes): Expr[Any] = kind match
    case Kind.Float  => '{ Swapped.bits(${ value.asExprOf[Float] }) }
    case Kind.Double => '{ Swapped.bits(${ value.asExprOf[Double] }) }
    case other       => swappedFrom(other, value)
end Bits
