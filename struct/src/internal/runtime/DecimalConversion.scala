package undercroft.struct
package internal.runtime

import java.math.{BigDecimal as JavaDecimal, BigInteger, MathContext}

/** Stores decimals of up to 18 digits, without their decimal point. */
private[struct] final class DecimalConversion(precision: Int, scale: Int)
    extends Struct.StoredAs[BigDecimal, Long]:
  override def logicalType: Option[LogicalType] = Some(LogicalType.Decimal(precision, scale))
  def encode(value: BigDecimal): Long =
    DecimalConversion.unscaled(value, precision, scale).longValue
  def decode(stored: Long): BigDecimal =
    new BigDecimal(JavaDecimal.valueOf(stored, scale).nn, BigDecimal.defaultMathContext)

/** Stores decimals of up to 38 digits in two Longs. */
private[struct] final class WideDecimalConversion(precision: Int, scale: Int)
    extends Struct.StoredAs[BigDecimal, Bits128]:
  override def logicalType: Option[LogicalType] = Some(LogicalType.Decimal(precision, scale))

  def encode(value: BigDecimal): Bits128 =
    val unscaled = DecimalConversion.unscaled(value, precision, scale)
    (high = unscaled.shiftRight(64).nn.longValue, low = unscaled.longValue)

  def decode(stored: Bits128): BigDecimal =
    val (high, low) = (stored.high, stored.low)
    val unscaled =
      if high == low >> 63 then BigInteger.valueOf(low).nn
      else
        val upper = BigInteger.valueOf(high).nn.shiftLeft(64).nn
        val lower = BigInteger.valueOf(low).nn.and(WideDecimalConversion.mask).nn
        upper.or(lower).nn
    new BigDecimal(JavaDecimal(unscaled, scale), WideDecimalConversion.context)
end WideDecimalConversion

private[struct] object WideDecimalConversion:
  private val mask = BigInteger.ONE.nn.shiftLeft(64).nn.subtract(BigInteger.ONE).nn

  /** Sums and products of two loaded values are exact. */
  private val context = MathContext(2 * DecimalConversion.MostDigits)

private[struct] object DecimalConversion:
  /** The most digits of every Long. */
  final val MostLongDigits = 18

  /** The most digits of 128 bits. */
  final val MostDigits = 38

  def check(precision: Int, scale: Int, most: Int): Unit =
    if precision < 1 || precision > most then
      throw IllegalArgumentException(s"precision must be from 1 to $most digits: $precision")
    if scale < 0 || scale > precision then
      throw IllegalArgumentException(s"scale must be from 0 to the precision $precision: $scale")

  /** The digits of a value without its decimal point. */
  def unscaled(value: BigDecimal, precision: Int, scale: Int): BigInteger =
    val decimal = value.bigDecimal
    if decimal.signum == 0 then BigInteger.ZERO.nn
    else
      // A huge exponent is rejected before its zeros are computed.
      val digits = decimal.precision
      val excess = decimal.scale.toLong - scale
      if digits - decimal.scale.toLong > precision - scale || excess >= digits then
        fail(value, precision, scale)
      val scaled =
        if excess <= 0 then decimal.setScale(scale).nn
        else
          val stripped = decimal.stripTrailingZeros.nn
          if stripped.scale > scale then fail(value, precision, scale)
          stripped.setScale(scale).nn
      scaled.unscaledValue.nn
    end if
  end unscaled

  private def fail(value: BigDecimal, precision: Int, scale: Int): Nothing =
    throw ArithmeticException(
      s"a decimal must have at most ${precision - scale} digits before the point and $scale after " +
        s"it: $value"
    )
end DecimalConversion
