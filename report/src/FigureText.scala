package undercroft.report

/** Numbers as tables and charts tell them. */
object FigureText:
  /** Four significant digits, never in exponents. */
  def apply(value: Double): String =
    if value.abs < 0.0005 then "0"
    else java.math.BigDecimal.valueOf(rounded(value)).nn.stripTrailingZeros.nn.toPlainString.nn

  /** As [[apply]], its digits before the point in groups of three. */
  def spaced(value: Double): String =
    val (whole, rest) = apply(value).span(_ != '.')
    val (sign, digits) = whole.partition(_ == '-')
    sign + digits.reverse.grouped(3).mkString("\u202f").reverse + rest

  /** Four significant digits: more would be noise in the committed files. */
  def rounded(value: Double): Double =
    if value == 0 || value.isNaN || value.isInfinite then value
    else BigDecimal(value).round(java.math.MathContext(4)).toDouble

  /** A share from 0 to 1, to a tenth of a per cent. */
  def percent(share: Double): String = apply((share * 1000).round / 10.0) + " %"

  /** A place on an axis: 1 000 000 is 1M; 131072 stays, with all its digits. */
  def short(value: Double): String =
    val units = Seq(1e9 -> "G", 1e6 -> "M", 1e3 -> "k")
    units.find((size, _) => value >= size && value % size == 0) match
      case Some((size, unit))                        => s"${(value / size).toLong}$unit"
      case None if value.isWhole && value.abs < 1e15 => value.toLong.toString
      case None                                      => apply(value)

  /** A time in the unit that leaves at least one of it, to three digits: `1.26 ns`, `104 ms`. */
  def time(nanos: Double): String =
    val units = Seq(1e9 -> "s", 1e6 -> "ms", 1e3 -> "µs")
    val (size, unit) = units.find((size, _) => nanos.abs >= size * 0.9995).getOrElse((1.0, "ns"))
    val three =
      if nanos == 0 then 0.0 else BigDecimal(nanos / size).round(java.math.MathContext(3)).toDouble
    s"${apply(three)} $unit"
end FigureText
