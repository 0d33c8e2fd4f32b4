package undercroft.struct
package internal.macros.places

import scala.quoted.*

/** Reads numbers from memory that may be a mapped file in such a way that no later operation is
  * fused with the load instruction: see [[MappedReads]].
  *
  * @param isMapped
  *   whether the memory is a mapped file
  * @param zero
  *   0; if the memory is mapped, the JIT does not know this value
  */
private[struct] final case class MappedGuard(isMapped: Expr[Boolean], zero: Expr[Int]):

  /** A number that is read: an integer with the zero added, and narrowed again to its type; a
    * floating-point number multiplied by one. This makes a signalling NaN quiet, in files only.
    */
  def apply(number: Expr[Any])(using Quotes): Expr[Any] = number match
    case '{ $read: Byte }   => '{ ($read + $zero).toByte }
    case '{ $read: Short }  => '{ ($read + $zero).toShort }
    case '{ $read: Char }   => '{ ($read + $zero).toChar }
    case '{ $read: Int }    => '{ $read + $zero }
    case '{ $read: Long }   => plusZero(read)
    case '{ $read: Float }  => '{ val x = $read; if $isMapped then x * ($zero + 1).toFloat else x }
    case '{ $read: Double } => '{ val x = $read; if $isMapped then x * ($zero + 1).toDouble else x }

  def plusZero(word: Expr[Long])(using Quotes): Expr[Long] = '{ $word + $zero }
