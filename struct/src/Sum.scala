package undercroft.struct

import scala.annotation.{implicitNotFound, publicInBinary}

/** Evidence that values of `A` add up to an `R`. */
@implicitNotFound(
  "values of type ${A} cannot be summed: map them to Byte, Short, Int, Long, Float or Double"
)
sealed trait Sum[-A, R]

object Sum:

  given Sum[Byte, Long] = Integral
  given Sum[Short, Long] = Integral
  given Sum[Int, Long] = Integral
  given Sum[Long, Long] = Integral
  given Sum[Float, Double] = Floating
  given Sum[Double, Double] = Floating

  private object Integral extends Sum[Any, Long]
  private object Floating extends Sum[Any, Double]

  /** The sum `high * 2^32 + low`, where `low` is in [0, 2^32). */
  @publicInBinary private[struct] def exact(high: Long, low: Long): BigInt =
    (BigInt(high) << 32) + low

  /** The same sum as a Long. */
  @publicInBinary private[struct] def fitting(high: Long, low: Long): Long =
    if high == high.toInt then (high << 32) + low
    else
      throw ArithmeticException(s"the sum ${exact(high, low)} does not fit in a Long: use exactSum")
end Sum
