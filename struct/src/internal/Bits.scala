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
end Bits
