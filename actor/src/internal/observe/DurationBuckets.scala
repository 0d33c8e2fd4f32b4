package undercroft.actor
package internal.observe

/** Exponential buckets of durations, 8 for each power of two, as those of OpenTelemetry's
  * exponential histograms of scale 3 are: bucket `i` has the durations in `(2^(i/8), 2^((i+1)/8)]`
  * seconds. The smallest index is that of 1 ns, the largest that of `Long.MaxValue` ns.
  *
  * The exponent of the duration as a `Double` selects the power of two. The upper bits of its
  * significand select one of 16 equal parts; a part is narrower than every bucket, so it has at
  * most one bound between two buckets.
  *
  * {{{
  *   part     0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
  *   bound  ^  ^    ^       ^        ^       ^          ^         ^
  *          1  2^1/8        2^3/8            2^5/8
  * }}}
  */
private[undercroft] object DurationBuckets:
  inline val Scale = 3
  private inline val PerPower = 8
  private inline val LeastPower = -30 // of 1 ns, in seconds
  private inline val LargestPower = 33 // of Long.MaxValue ns

  /** The index of the first bucket: of the durations up to 2^-30 seconds. */
  inline val First = LeastPower * PerPower - 1
  inline val Count = (LargestPower - LeastPower + 1) * PerPower + 1

  private inline val PartBits = 4
  private inline val SignificandBits = 52
  private inline val SignificandMask = (1L << SignificandBits) - 1

  /** The significands of the bounds within a power of two, as bits. */
  private val bounds: Array[Long] = Array.tabulate(PerPower + 1): i =>
    if i == PerPower then 1L << SignificandBits
    else java.lang.Double.doubleToRawLongBits(math.pow(2, i.toDouble / PerPower)) & SignificandMask

  /** The number of bounds below each part. */
  private val boundsBelow: Array[Byte] = Array.tabulate(1 << PartBits): part =>
    val from = part.toLong << (SignificandBits - PartBits)
    bounds.count(_ < from).toByte

  /** The position of a duration's bucket, from 0 to [[Count]] - 1. A duration below 1 ns counts as
    * 1 ns.
    */
  def indexOf(nanos: Long): Int =
    val bits = java.lang.Double.doubleToRawLongBits(math.max(1L, nanos) * 1e-9)
    val power = (bits >>> SignificandBits).toInt - java.lang.Double.MAX_EXPONENT
    val significand = bits & SignificandMask
    val below = boundsBelow((significand >>> (SignificandBits - PartBits)).toInt).toInt
    val position = if significand > bounds(below) then below + 1 else below
    (power - LeastPower) * PerPower + position

  /** The upper bound of the bucket at a position, in nanoseconds, inclusive; the lower bound is
    * that of the position before.
    */
  def upperNanos(position: Int): Double =
    math.pow(2, (First + position + 1).toDouble / PerPower) * 1e9

  /** The largest relative difference between a duration and [[middleNanos]] of its bucket. */
  val RelativeError: Double =
    val base = math.pow(2, 1.0 / PerPower)
    (base - 1) / (base + 1)

  /** The value whose relative difference from both bounds is the same: their harmonic mean. */
  def middleNanos(position: Int): Double =
    val (lower, upper) = (upperNanos(position - 1), upperNanos(position))
    2 * lower * upper / (lower + upper)
end DurationBuckets
