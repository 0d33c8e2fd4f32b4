package undercroft.lab

import org.apache.commons.math3.distribution.TDistribution

/** A measured value and, with enough observations, its 95 % confidence interval. */
final case class Estimate(measured: Double, interval: Option[(low: Double, high: Double)])
    derives CanEqual

object Estimate:
  private val confidence = 0.95

  /** The fewest common rounds whose ratios have an interval. */
  private val fewestRounds = 3

  def of(samples: Samples): Estimate =
    val interval = samples.meanVariance.map: variance =>
      val reach = quantile(samples.size - 1) * math.sqrt(variance)
      (low = samples.mean - reach, high = samples.mean + reach)
    Estimate(samples.mean, interval)

  /** `ours / rival`. Of a round both have measured it next to each other, so a machine that becomes
    * slower affects both: the ratio is taken in each round, and the interval is that of the mean of
    * their logarithms. Without common rounds it is Welch's interval, by the delta method. A ratio
    * with a mean of zero has no interval.
    */
  def ratio(ours: Samples, rival: Samples): Estimate =
    val (own, other) = (ours.byRound, rival.byRound)
    val rounds = own.keySet.intersect(other.keySet).toSeq.sorted
    val ratios = rounds.map(round => math.log(own(round) / other(round)))
    val (ratio, reach) =
      if rounds.sizeIs >= fewestRounds && ratios.forall(_.isFinite) then
        val logs = Samples(ratios.map(Seq(_)))
        (math.exp(logs.mean), logs.meanVariance.map(quantile(logs.size - 1) * math.sqrt(_)))
      else (ours.mean / rival.mean, spread(ours, rival, ours.mean, rival.mean))
    Estimate(
      ratio,
      reach.map(reach => (low = ratio * math.exp(-reach), high = ratio * math.exp(reach)))
    )

  /** The geometric mean of ratios that were measured independently: the squared half-widths of
    * their logarithms' intervals add up.
    */
  def mean(ratios: Seq[Estimate]): Estimate =
    val mean = math.exp(ratios.map(ratio => math.log(ratio.measured)).sum / ratios.size)
    val reaches =
      ratios.flatMap(ratio => ratio.interval.map(reach => math.log(reach.high / ratio.measured)))
    val interval = Option.when(reaches.size == ratios.size):
      val reach = math.sqrt(reaches.map(half => half * half).sum) / ratios.size
      (low = mean * math.exp(-reach), high = mean * math.exp(reach))
    Estimate(mean, interval)

  /** `ours - rival`, with Welch's interval. */
  def difference(ours: Samples, rival: Samples): Estimate =
    val difference = ours.mean - rival.mean
    val interval = spread(ours, rival, 1, 1).map: reach =>
      (low = difference - reach, high = difference + reach)
    Estimate(difference, interval)

  private def spread(ours: Samples, rival: Samples, unit: Double, rivalUnit: Double) =
    for
      a <- ours.meanVariance.map(_ / (unit * unit))
      b <- rival.meanVariance.map(_ / (rivalUnit * rivalUnit))
      sum = a + b
      if sum.isFinite
    yield
      if sum == 0 then 0.0
      else
        val freedom = sum * sum / (a * a / (ours.size - 1) + b * b / (rival.size - 1))
        quantile(freedom) * math.sqrt(sum)

  private def quantile(freedom: Double): Double =
    TDistribution(freedom).inverseCumulativeProbability((1 + confidence) / 2)
end Estimate
