package savina

/** Runs an iteration at least twice, and for `warmUp` seconds, so that its code is compiled; then
  * five times. Prints the benchmark, the median of the nanoseconds of the five, and their answer.
  */
def measure(benchmark: Benchmark, size: Int, warmUp: Int)(iterate: => Long): Unit =
  val expected = benchmark.answer(size)
  def nanos(): Long =
    val start = System.nanoTime
    val answer = iterate
    val end = System.nanoTime
    if answer != expected then
      throw IllegalStateException(s"the answer of $benchmark is $answer, not $expected")
    end - start
  val start = System.nanoTime
  var warmUps = 0
  while warmUps < 2 || System.nanoTime - start < warmUp * 1_000_000_000L do
    val _ = nanos()
    warmUps += 1
  println(s"$benchmark ${Seq.fill(5)(nanos()).sorted.apply(2)} $expected")
