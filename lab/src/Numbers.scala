package undercroft.lab

/** Numbers as the tables and charts tell them. */
object Numbers:
  /** Four significant digits, never in exponents. */
  def apply(value: Double): String =
    if value.abs < 0.0005 then "0"
    else java.math.BigDecimal.valueOf(rounded(value)).nn.stripTrailingZeros.nn.toPlainString.nn

  /** Four significant digits: more would be noise in the committed files. */
  def rounded(value: Double): Double =
    if value == 0 || value.isNaN || value.isInfinite then value
    else BigDecimal(value).round(java.math.MathContext(4)).toDouble

  /** A share from 0 to 1, to a tenth of a per cent. */
  def percent(share: Double): String = apply((share * 1000).round / 10.0) + " %"

  /** A place on an axis: 1 000 000 is 1M, 8192 stays. */
  def short(value: Double): String =
    val units = Seq(1e9 -> "G", 1e6 -> "M", 1e3 -> "k")
    units.find((size, _) => value >= size && value % size == 0) match
      case Some((size, unit)) => s"${(value / size).toLong}$unit"
      case None               => apply(value)
end Numbers
