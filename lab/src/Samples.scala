package undercroft.lab

/** What one benchmark measured: a list of iterations for each fork. */
final case class Samples(forks: Seq[Seq[Double]]) derives CanEqual:

  /** What counts as independent: the mean of each fork, or the iterations where one fork ran. */
  val observations: Seq[Double] =
    if forks.sizeIs >= 2 then forks.map(one => one.sum / one.size) else forks.flatten

  def size: Int = observations.size
  def mean: Double = observations.sum / size

  /** The variance of the mean; absent below two observations. */
  def meanVariance: Option[Double] =
    Option.when(size >= 2):
      observations.map(x => (x - mean) * (x - mean)).sum / (size - 1) / size

  /** Of a part of each call. */
  def /(parts: Double): Samples = Samples(forks.map(_.map(_ / parts)))

  def ++(more: Samples): Samples = Samples(forks ++ more.forks)
end Samples
