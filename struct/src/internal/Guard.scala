package undercroft.struct.internal

import scala.quoted.*

/** How numbers are read of memory that may be a file's, so that what is done with one is no part of
  * the instruction that reads it: see [[Mapping]].
  *
  * @param isMapped
  *   whether it is a file's
  * @param zero
  *   0, which the compiler does not know where it is
  */
private[struct] final case class Guard(isMapped: Expr[Boolean], zero: Expr[Int]):

  /** A number that is read: an integer with the zero added, what is narrow made narrow again; any
    * other times one. By that a NaN that signals becomes one that does not, in files alone.
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
