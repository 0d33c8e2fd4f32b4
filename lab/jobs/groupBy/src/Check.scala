package groupBy

/** A question's answer, to compare programs: the number of groups, and for each of its columns the
  * sum and the sum of squares, without those that are no numbers.
  */
final class Check:
  private var groups = 0L
  private val sums = new Array[Double](6)

  /** Adds a group with values of up to three columns. */
  def add(first: Double, second: Double = 0, third: Double = 0): Unit =
    groups += 1
    put(0, first)
    put(1, second)
    put(2, third)

  private def put(column: Int, value: Double): Unit =
    if !value.isNaN then
      sums(column * 2) += value
      sums(column * 2 + 1) += value * value

  def +(that: Check): Check =
    groups += that.groups
    for i <- sums.indices do sums(i) += that.sums(i)
    this

  override def toString = s"$groups ${sums.mkString(" ")}"
end Check
