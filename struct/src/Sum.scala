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

  /** The sum of a block whose upper halves add up to `upper` and whose terms, modulo 2^64, to
    * `sum`; [[Wide]] if that is no Long.
    */
  @publicInBinary private[struct] def ofBlock(upper: Long, sum: Long): Long =
    val low = sum - (upper << 32)
    val high = upper + (low >> 32)
    if high == high.toInt then sum else throw Wide(upper, low)

  /** The sum of a block, `high * 2^32 + low`, where it is no Long: `low` is at least 0. */
  private[struct] final class Wide(
      @publicInBinary private[struct] val high: Long,
      @publicInBinary private[struct] val low: Long
  ) extends RuntimeException(null, null, false, false)

  /** The same sum as a Long. */
  @publicInBinary private[struct] def fitting(high: Long, low: Long): Long =
    if high == high.toInt then (high << 32) + low
    else
      throw ArithmeticException(s"the sum ${exact(high, low)} does not fit in a Long: use exactSum")
end Sum
