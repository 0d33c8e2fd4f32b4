package undercroft.lab

/** The measurements of one benchmark: a list of iterations for each fork.
  *
  * @param rounds
  *   the round of each fork; empty if it is not known
  */
final case class Samples(forks: Seq[Seq[Double]], rounds: Seq[Int] = Seq()) derives CanEqual:

  /** The independent observations: the mean of each fork, or the iterations if only one fork ran.
    */
  val observations: Seq[Double] =
    if forks.sizeIs >= 2 then forks.map(fork => fork.sum / fork.size) else forks.flatten

  def size: Int = observations.size
  def mean: Double = observations.sum / size

  /** The variance of the mean; absent below two observations. */
  def meanVariance: Option[Double] =
    Option.when(size >= 2):
      observations.map(x => (x - mean) * (x - mean)).sum / (size - 1) / size

  /** The mean of each round, if there are several rounds with one fork each. */
  def byRound: Map[Int, Double] =
    if size == rounds.size && rounds.distinct == rounds then rounds.zip(observations).toMap
    else Map()

  /** The samples of one of `parts` equal parts of each call. */
  def /(parts: Double): Samples = copy(forks.map(_.map(_ / parts)))

  def ++(more: Samples): Samples = Samples(forks ++ more.forks, rounds ++ more.rounds)
end Samples
