package undercroft.exchange
package internal.text

import java.util.Locale

/** How the exchange writes numbers for people. */
object Formatting:

  /** Digits in groups of three: `-1 249 999`. */
  def spaced(number: BigInt): String =
    val digits = number.abs.toString
    val groups = digits.reverse.grouped(3).mkString(" ").reverse
    if number.signum < 0 then s"-$groups" else groups

  def millis(nanos: Long): Double = math.round(nanos / 1e4) / 1e2

  /** Bytes as the largest unit that leaves at least one of it: `640 MiB`, `3.7 GiB`. */
  def bytes(count: Long): String =
    if count < (1L << 20) then s"${count >> 10} KiB"
    else if count < (1L << 30) then s"${count >> 20} MiB"
    else fixed(count / (1 << 30).toDouble, 1) + " GiB"

  def fixed(number: Double, decimals: Int): String =
    String.format(Locale.ROOT, s"%.${decimals}f", number).nn
end Formatting
