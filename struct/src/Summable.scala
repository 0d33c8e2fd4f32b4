package undercroft.struct

import java.time.Duration
import scala.annotation.{implicitNotFound, publicInBinary}

/** Evidence that values of `A` have a sum of type `R`. */
@implicitNotFound(
  "values of type ${A} cannot be summed: map them to Byte, Short, Int, Long, Float, Double, BigDecimal or Duration"
)
sealed trait Summable[-A, R]

/** The sums: a Long for integers, a Double for floating-point numbers, a BigDecimal or a Duration
  * for values of these types.
  *
  * {{{
  * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * val total: Long = bills.sumOf(_.price)
  * val weighted: Double = bills.sumOf(_.price * 0.25)
  * println((total, weighted)) // (1000,250.0)
  * }}}
  */
object Summable:

  given Summable[Byte, Long] = Integral
  given Summable[Short, Long] = Integral
  given Summable[Int, Long] = Integral
  given Summable[Long, Long] = Integral
  given Summable[Float, Double] = Floating
  given Summable[Double, Double] = Floating

  given Summable[BigDecimal, BigDecimal] = Decimal
  given Summable[Duration, Duration] = Temporal

  /** Lets the macro of an extension method report that values have no sum: without this default the
    * compiler would report a missing member.
    */
  private[struct] def absent: Nothing = throw AssertionError("values without a sum compile")

  private object Integral extends Summable[Any, Long]
  private object Floating extends Summable[Any, Double]
  private object Decimal extends Summable[Any, BigDecimal]
  private object Temporal extends Summable[Any, Duration]

  /** The sum with every digit: `+` would round to 34. */
  @publicInBinary private[struct] def plus(a: BigDecimal, b: BigDecimal): BigDecimal =
    new BigDecimal(a.bigDecimal.add(b.bigDecimal).nn, b.mc)

  /** The mean of `count` values whose sum is `high * 2^32 + low`, or is `sum`. */
  @publicInBinary private[struct] def mean(high: Long, low: Long, count: Long): Double =
    mean(
      if high == high.toInt then fitting(high, low).toDouble else exact(high, low).toDouble,
      count
    )

  @publicInBinary private[struct] def mean(sum: Double, count: Long): Double =
    if count == 0 then Table.empty("average")
    sum / count.toDouble

  /** The sum `high * 2^32 + low`, where `low` is in [0, 2^32). */
  @publicInBinary private[struct] def exact(high: Long, low: Long): BigInt =
    (BigInt(high) << 32) + low

  /** The sum of a block whose upper halves add up to `upper` and whose terms, modulo 2^64, to
    * `sum`; throws [[Wide]] if it does not fit in a Long.
    */
  @publicInBinary private[struct] def ofBlock(upper: Long, sum: Long): Long =
    val low = sum - (upper << 32)
    val high = upper + (low >> 32)
    if high == high.toInt then sum else throw Wide(upper, low)

  /** Thrown for the sum of a block, `high * 2^32 + low`, that does not fit in a Long: `low` is at
    * least 0.
    */
  private[struct] final class Wide(
      @publicInBinary private[struct] val high: Long,
      @publicInBinary private[struct] val low: Long
  ) extends RuntimeException(null, null, false, false)

  /** The sum `high * 2^32 + low` as a Long; throws ArithmeticException if it does not fit. */
  @publicInBinary private[struct] def fitting(high: Long, low: Long): Long =
    if high == high.toInt then (high << 32) + low
    else
      throw ArithmeticException(s"the sum ${exact(high, low)} does not fit in a Long: use exactSum")
end Summable
