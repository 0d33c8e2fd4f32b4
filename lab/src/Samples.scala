package undercroft.lab

/** The measurements of one benchmark: a list of iterations for each fork. */
final case class Samples(forks: Seq[Seq[Double]]) derives CanEqual:

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

  /** The samples of one of `parts` equal parts of each call. */
  def /(parts: Double): Samples = Samples(forks.map(_.map(_ / parts)))

  def ++(more: Samples): Samples = Samples(forks ++ more.forks)
end Samples
