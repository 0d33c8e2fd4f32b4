package undercroft.struct

import internal.parallel.ParallelRunner

/** The most ranges of one `parFold`: 16 MiB of results. */
private val MaxRanges = 1 << 20

/** Folds the numbers `[from, until)` in ranges of `grain` numbers, on the caller's thread and a
  * pool, with as many threads as there are processors. Each range starts with its own `zero`, and
  * the results are combined in the order of the ranges on the caller's thread; without numbers the
  * result is `zero`. The ranges depend on the arguments alone, so the result does not depend on the
  * number of threads if `combine` is associative and `zero` its neutral element.
  *
  * `zero` and `op` run on other threads: what they use must be thread-safe. The first failure ends
  * the operation: ranges that have not started are skipped, and it is thrown when the others have
  * ended, with their failures as suppressed exceptions. Results of other ranges are dropped then:
  * off-heap results belong to an allocator that the caller closes. A grain below 1, `until < from`,
  * or more than 1 048 576 ranges throw IllegalArgumentException.
  *
  * {{{
  * val squares = parFold(0L, 1000L, grain = 100)(0L)((sum, from, until) =>
  *   var range = sum
  *   for i <- from until until do range += i * i
  *   range
  * )(_ + _)
  * println(squares) // 332833500
  * }}}
  */
def parFold[B](from: Long, until: Long, grain: Long)(zero: => B)(op: (B, Long, Long) => B)(
    combine: (B, B) => B
): B =
  if until < from then
    throw IllegalArgumentException(s"until must be at least from: $until is less than $from")
  if grain < 1 then throw IllegalArgumentException(s"grain must be at least 1: $grain")
  val numbers = until - from
  val ranges = Math.ceilDiv(numbers, grain)
  if numbers < 0 || ranges > MaxRanges then
    throw IllegalArgumentException(
      s"[$from, $until) has more than $MaxRanges ranges of $grain numbers: use a larger grain"
    )
  val results = new Array[Any](ranges.toInt)
  ParallelRunner.run(results.length, confined = false): number =>
    val start = from + number * grain
    results(number) = op(zero, start, start + grain.min(until - start))
  if results.isEmpty then zero
  else results.reduceLeft((a, b) => combine(a.asInstanceOf[B], b.asInstanceOf[B])).asInstanceOf[B]
end parFold
