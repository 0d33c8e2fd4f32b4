package undercroft.lab

/** How a goal's number is computed from results of one run. Of several pairs the worst one counts,
  * except in a mean.
  */
enum Measure derives CanEqual:
  /** Our time divided by the rival's time. */
  case Ratio(pairs: Seq[Pair])

  /** The rival's time divided by our time. */
  case Speedup(pairs: Seq[Pair])

  /** The geometric mean of the rival's times divided by our times. */
  case MeanSpeedup(pairs: Seq[Pair])

  /** Our time minus the rival's time, in the benchmark's unit. */
  case Difference(pairs: Seq[Pair])

  /** The largest cost of a unit of work divided by its smallest cost; each call has its number of
    * units.
    */
  case Straightness(calls: Seq[(Key, Double)])

  /** The bytes that a call allocates on the heap. */
  case Garbage(ours: Seq[Key])

  /** The bytes that our call allocates, divided by the bytes that the rival's call allocates. */
  case GarbageRatio(pairs: Seq[Pair])

  /** Our time in milliseconds. */
  case Millis(ours: Seq[Key])

  /** A count that a benchmark made beside its time: see [[Key.counted]]. */
  case Counted(ours: Seq[Key])

  /** The results that it is computed from. */
  def keys: Seq[Key] = this match
    case Straightness(calls) => calls.map(_._1)
    case Garbage(ours)       => ours
    case Millis(ours)        => ours
    case Counted(ours)       => ours
    case _                   => compared.flatMap(_.keys)

  /** The pairs that are compared. */
  def compared: Seq[Pair] = this match
    case Ratio(pairs)                                          => pairs
    case Speedup(pairs)                                        => pairs
    case MeanSpeedup(pairs)                                    => pairs
    case Difference(pairs)                                     => pairs
    case GarbageRatio(pairs)                                   => pairs
    case Straightness(_) | Garbage(_) | Millis(_) | Counted(_) => Seq()

  /** The number and its interval, or the missing results. */
  def of(results: Results, asked: Asked): Either[Seq[Key], Estimate] =
    decisive(results, asked).map(_.estimate)

  /** The number and its interval, and the keys of the results that decide it: of several pairs, the
    * keys of the worst pair; or the missing results.
    */
  def decisive(
      results: Results,
      asked: Asked
  ): Either[Seq[Key], (keys: Seq[Key], estimate: Estimate)] =
    def measured(key: Key) = results.get(key).exists: result =>
      this match
        case Garbage(_) | GarbageRatio(_) => result.bytesPerCall.isDefined
        case _                            => true
    val missing = keys.filterNot(measured).distinct
    if missing.nonEmpty then Left(missing)
    else
      Right(estimates(results).reduce: (a, b) =>
        if asked.worse(a.estimate.measured, b.estimate.measured) then a else b)

  /** The estimate of each pair or call, or of all of them. */
  private def estimates(results: Results): Seq[(keys: Seq[Key], estimate: Estimate)] =
    def time(key: Key) = results.byKey(key).time
    def garbage(key: Key) = results.byKey(key).bytesPerCall.get
    def each(pairs: Seq[Pair])(estimate: Pair => Estimate) =
      pairs.map(pair => (keys = pair.keys, estimate = estimate(pair)))
    def alone(ours: Seq[Key])(estimate: Key => Estimate) =
      ours.map(key => (keys = Seq(key), estimate = estimate(key)))
    this match
      case Ratio(pairs)   => each(pairs)(p => Estimate.ratio(time(p.ours), time(p.rival)))
      case Speedup(pairs) => each(pairs)(p => Estimate.ratio(time(p.rival), time(p.ours)))
      case MeanSpeedup(pairs) =>
        val ratios = pairs.map(p => Estimate.ratio(time(p.rival), time(p.ours)))
        Seq((keys = keys, estimate = Estimate.mean(ratios)))
      case Difference(pairs) =>
        each(pairs)(p => Estimate.difference(time(p.ours), time(p.rival)))
      case Straightness(calls) =>
        val perUnit = calls.map((key, units) => (key, time(key) / units))
        val (slow, fast) = (perUnit.maxBy(_._2.mean), perUnit.minBy(_._2.mean))
        Seq((keys = Seq(slow._1, fast._1), estimate = Estimate.ratio(slow._2, fast._2)))
      case Garbage(ours) => alone(ours)(key => Estimate.of(garbage(key)))
      case GarbageRatio(pairs) =>
        each(pairs)(p => Estimate.ratio(garbage(p.ours), garbage(p.rival)))
      case Millis(ours) =>
        alone(ours): key =>
          Estimate.of(time(key) / (1e6 / results.byKey(key).nanosPerUnit.get))
      case Counted(ours) => alone(ours)(key => Estimate.of(time(key)))
    end match
  end estimates
end Measure

/** One of our results and the rival's result that it is compared with. */
final case class Pair(ours: Key, rival: Key) derives CanEqual:
  def keys: Seq[Key] = Seq(ours, rival)
