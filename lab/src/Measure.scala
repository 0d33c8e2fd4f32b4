package undercroft.lab

/** How a goal's number is made from results of one run. Of several pairs the worst one counts, but
  * in a mean.
  */
enum Measure derives CanEqual:
  /** Our time divided by the rival's. */
  case Ratio(pairs: Seq[Pair])

  /** The rival's time divided by ours. */
  case Speedup(pairs: Seq[Pair])

  /** The geometric mean of the rival's times divided by ours. */
  case MeanSpeedup(pairs: Seq[Pair])

  /** Our time less the rival's, in the benchmark's unit. */
  case Difference(pairs: Seq[Pair])

  /** What a unit of work costs where it costs most, divided by what it costs where it costs least;
    * each call does so many units.
    */
  case Straightness(calls: Seq[(Key, Double)])

  /** What a call allocates on the heap, in bytes. */
  case Garbage(ours: Seq[Key])

  /** What a benchmark counted beside its time: see [[Key.counted]]. */
  case Counted(ours: Seq[Key])

  /** The results that it is made from. */
  def keys: Seq[Key] = this match
    case Ratio(pairs)        => pairs.flatMap(_.keys)
    case Speedup(pairs)      => pairs.flatMap(_.keys)
    case MeanSpeedup(pairs)  => pairs.flatMap(_.keys)
    case Difference(pairs)   => pairs.flatMap(_.keys)
    case Straightness(calls) => calls.map(_._1)
    case Garbage(ours)       => ours
    case Counted(ours)       => ours

  /** The number and its interval, or what is missing to make it. */
  def of(results: Results, asked: Asked): Either[Seq[Key], Estimate] =
    def time(key: Key) = results.byKey(key).time
    def measured(key: Key) = results.get(key).exists: result =>
      this match
        case Garbage(_) => result.bytesPerCall.isDefined
        case _          => true
    val missing = keys.filterNot(measured).distinct
    if missing.nonEmpty then Left(missing)
    else
      val estimates = this match
        case Ratio(pairs)   => pairs.map(p => Estimate.ratio(time(p.ours), time(p.rival)))
        case Speedup(pairs) => pairs.map(p => Estimate.ratio(time(p.rival), time(p.ours)))
        case MeanSpeedup(pairs) =>
          Seq(Estimate.mean(pairs.map(p => Estimate.ratio(time(p.rival), time(p.ours)))))
        case Difference(pairs) => pairs.map(p => Estimate.difference(time(p.ours), time(p.rival)))
        case Straightness(calls) =>
          val each = calls.map((key, units) => time(key) / units)
          Seq(Estimate.ratio(each.maxBy(_.mean), each.minBy(_.mean)))
        case Garbage(ours) => ours.map(key => Estimate.of(results.byKey(key).bytesPerCall.get))
        case Counted(ours) => ours.map(key => Estimate.of(time(key)))
      Right(estimates.reduce((a, b) => if asked.worse(a.measured, b.measured) then a else b))
    end if
  end of
end Measure

/** One of our results and the rival's that it is held against. */
final case class Pair(ours: Key, rival: Key) derives CanEqual:
  def keys: Seq[Key] = Seq(ours, rival)
