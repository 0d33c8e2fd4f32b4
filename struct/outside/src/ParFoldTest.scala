package outside.struct

import java.util.concurrent.atomic.{AtomicInteger, LongAdder}
import undercroft.struct.*

class ParFoldTest extends undercroft.tools.Suite:
  private type Ranges = Vector[(Long, Long)]

  private def ranges(from: Long, until: Long, grain: Long): Ranges =
    parFold(from, until, grain)(Vector(): Ranges)((ranges, from, until) => ranges :+ (from, until))(
      _ ++ _
    )

  test("ranges of grain numbers are folded in their order, the last one with the rest"):
    for
      from <- Seq(0L, -7L, 5L, Long.MinValue)
      count <- Seq(1L, 2L, 10L, 64L, 1000L)
      grain <- Seq(1L, 3L, 64L, 5000L, Long.MaxValue)
    do
      val expected =
        for start <- 0L until count by grain
        yield (from + start, from + (start + grain.min(count - start)))
      assertEquals(ranges(from, from + count, grain), expected.toVector)

  test("the fold of no numbers is zero"):
    assertEquals(ranges(3, 3, 10), Vector())

  test("zero is evaluated once for each range"):
    val (zeros, calls) = (AtomicInteger(), LongAdder())
    val sum = parFold(0L, 1000L, grain = 10)({ zeros.incrementAndGet(); 0L }): (sum, from, until) =>
      calls.increment()
      sum + (from until until).sum
    assertEquals(sum(_ + _), 499_500L)
    assertEquals((zeros.get, calls.sum), (100, 100L))

  test("a failure is thrown to the caller"):
    val error = intercept[IllegalStateException]:
      parFold(0L, 100L, grain = 1)(0L)((_, from, _) =>
        if from == 50 then throw IllegalStateException("range 50") else from
      )(_ + _)
    assertEquals(error.getMessage, "range 50")

  test("arguments outside of their ranges throw with the numbers"):
    def message(from: Long, until: Long, grain: Long) =
      intercept[IllegalArgumentException](ranges(from, until, grain)).getMessage
    assertEquals(message(3, 2, 1), "until must be at least from: 2 is less than 3")
    assertEquals(message(0, 2, 0), "grain must be at least 1: 0")
    assertEquals(
      message(0, 1L << 40, 1000),
      "[0, 1099511627776) has more than 1048576 ranges of 1000 numbers: use a larger grain"
    )
    assert(message(Long.MinValue, Long.MaxValue, Long.MaxValue).contains("ranges"))
end ParFoldTest
