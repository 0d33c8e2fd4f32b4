package undercroft.struct
package internal.macros.places

import internal.bytes.ByteSwap
import internal.macros.schema.Calls
import scala.quoted.*
import undercroft.struct.Shape

/** Primitives as parts of little-endian words. */
private[struct] object Bits:

  /** The primitive that starts at a bit of a word. */
  def at(word: Expr[Long], bit: Int, kind: Shape.Kind)(using Quotes): Expr[Any] =
    val shifted = if bit == 0 then word else '{ $word >>> ${ Expr(bit) } }
    kind match
      case Shape.Kind.Boolean => '{ $shifted.toByte != 0 }
      case Shape.Kind.Byte    => '{ $shifted.toByte }
      case Shape.Kind.Short   => '{ $shifted.toShort }
      case Shape.Kind.Char    => '{ $shifted.toChar }
      case Shape.Kind.Int     => '{ $shifted.toInt }
      case Shape.Kind.Long    => shifted
      case Shape.Kind.Float   => '{ java.lang.Float.intBitsToFloat($shifted.toInt) }
      case Shape.Kind.Double  => '{ java.lang.Double.longBitsToDouble($shifted) }
      case other => throw IllegalArgumentException(s"$other cannot be a part of a word")

  /** A primitive's bits, zero-extended. */
  def of(kind: Shape.Kind, value: Expr[Any])(using Quotes): Expr[Long] = kind match
    case Shape.Kind.Boolean => '{ if ${ value.asExprOf[Boolean] } then 1L else 0L }
    case Shape.Kind.Byte    => '{ ${ value.asExprOf[Byte] } & 0xffL }
    case Shape.Kind.Short   => '{ ${ value.asExprOf[Short] } & 0xffffL }
    case Shape.Kind.Char    => '{ ${ value.asExprOf[Char] }.toLong }
    case Shape.Kind.Int     => '{ ${ value.asExprOf[Int] } & 0xffffffffL }
    case Shape.Kind.Long    => value.asExprOf[Long]
    case Shape.Kind.Float =>
      '{ java.lang.Float.floatToRawIntBits(${ value.asExprOf[Float] }) & 0xffffffffL }
    case Shape.Kind.Double => '{ java.lang.Double.doubleToRawLongBits(${ value.asExprOf[Double] }) }
    case other             => throw IllegalArgumentException(s"$other cannot be a part of a word")

  /** The integer type of a primitive's size, in which its byte-swapped form is moved. */
  def ofSize(kind: Shape.Kind): Shape.Kind = kind match
    case Shape.Kind.Float  => Shape.Kind.Int
    case Shape.Kind.Double => Shape.Kind.Long
    case other             => other

  /** A primitive from the integer of its size with swapped bytes. */
  def swappedFrom(kind: Shape.Kind, bits: Expr[Any])(using Quotes): Expr[Any] =
    if kind.size == 1 then bits
    else Calls.of("struct.internal.bytes.ByteSwap", kind.toString.toLowerCase)(bits)

  /** A primitive as the integer of its size, with swapped bytes. */
  def swappedTo(kind: Shape.Kind, value: Expr[Any])(using Quotes): Expr[Any] = kind match
    case Shape.Kind.Float  => '{ ByteSwap.bits(${ value.asExprOf[Float] }) }
    case Shape.Kind.Double => '{ ByteSwap.bits(${ value.asExprOf[Double] }) }
    case other             => swappedFrom(other, value)
end Bits
