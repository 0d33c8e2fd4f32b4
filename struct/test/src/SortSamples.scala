package undercroft.struct

import java.util.Comparator

/** Keys of tables to be sorted, and rows that the JDK sorts. */
private object SortSamples:
  /** Keys of a large table: spread, in few parts, most in one part, with common bits, all equal. */
  val spreads: Map[String, java.util.SplittableRandom => Long] = Map(
    "any" -> (_.nextLong()),
    "small" -> (_.nextInt(1000)),
    "mostly near zero" ->
      (random => if random.nextInt(20) == 0 then random.nextLong() else random.nextInt(1 << 20)),
    "with common bits" -> (random => (5L << 40) | (random.nextInt(1 << 30) << 3)),
    "equal" -> (_ => 7)
  )

  /** Rows in the stable order of keys, the first one first. */
  def sortedBy(values: Array[Assorted])(
      keys: java.util.function.ToLongFunction[Assorted]*
  ): Array[Assorted] =
    val order = keys.map(Comparator.comparingLong[Assorted](_).nn).reduce(_.thenComparing(_))
    val sorted = values.clone
    java.util.Arrays.sort(sorted, order)
    sorted
end SortSamples
