package outside.struct

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}
import undercroft.memory.*
import undercroft.struct.*

/** Parallel operations over few rows with functions that take long. */
class GrainTest extends undercroft.tools.Suite:

  private val processors = Runtime.getRuntime.availableProcessors

  /** Calls that end only when two threads have begun one, or after a minute. */
  private final class Meeting:
    private val threads = ConcurrentHashMap.newKeySet[Thread]()
    private val both = CountDownLatch(2)
    def join(): Boolean =
      if threads.add(Thread.currentThread) then both.countDown()
      both.await(1, TimeUnit.MINUTES)
      threads.size >= 2

  private def regions(body: Region ?=> Unit): Unit =
    Region.scoped(body)
    val region = Region.shared("grain")
    try body(using region)
    finally region.close()

  test("parAggregate and parFilter over few rows use several threads without a grain"):
    assume(processors > 1, "skipped: the machine has one processor")
    regions:
      val rows = Rows.tabulate[Long](200)(identity)
      val aggregate = Meeting()
      assertEquals(
        rows.parAggregate(0L)((count, _) => if aggregate.join() then count + 1 else count)(_ + _),
        200L
      )
      val filter = Meeting()
      assertEquals(rows.parFilter(_ => filter.join()).size, 200L)

  test("each parallel operation uses several threads for rows of its grain"):
    assume(processors > 1, "skipped: the machine has one processor")
    regions:
      val rows = Rows.tabulate[Long](2)(identity)
      val (aggregate, filter, sort, concatenated) = (Meeting(), Meeting(), Meeting(), Meeting())
      def plus(meeting: Meeting)(sum: Long, row: Long) = if meeting.join() then sum + row else -1L
      assertEquals(rows.parAggregate(0L, grain = 1)(plus(aggregate))(_ + _), 1L)
      assertEquals(
        rows.concat(rows).parAggregate(0L, grain = 1)(plus(concatenated))(_ + _),
        2L
      )
      assertEquals(rows.parFilter(_ => filter.join(), grain = 1).size, 2L)
      val sorted = rows.parSortBy(row => if sort.join() then -row else row, grain = 1)
      assertEquals(sorted.toVector, Vector(1L, 0L))

  test("parallel operations with any grain agree with a Vector"):
    for size <- Seq(0, 1, 2, 63, 64, 65, 1000, 70_000); grain <- Seq(0, 1, 2, 63, 64, 1000, 1 << 30)
    do
      regions:
        val rows = Columns.tabulate[Deal](size)(i => Deal(i.toInt, (i * 7919 % 31).toInt))
        val values = rows.toVector
        assertEquals(
          rows.parAggregate(Vector.empty[Int], grain)((all, d) =>
            if d.ticket < 300 then all :+ d.ticket else all
          )(_ ++ _),
          values.map(_.ticket).filter(_ < 300)
        )
        assertEquals(
          rows.parFilter(_.amount % 3 == 0, grain).toVector,
          values.filter(_.amount % 3 == 0)
        )
        assertEquals(rows.parSortBy(_.amount, grain).toVector, values.sortBy(_.amount))
        rows.parSortInPlaceBy(d => (d.amount, desc(d.ticket)), grain)
        assertEquals(rows.toVector, values.sortBy(d => (d.amount, -d.ticket)))

  test("a negative grain is rejected by each operation"):
    Region.scoped:
      val rows = Rows.tabulate[Long](3)(identity)
      def rejects(operation: => Any): Unit =
        val error = intercept[IllegalArgumentException](operation)
        assertEquals(error.getMessage, "grain must be >= 0: -1 rows")
      rejects(rows.parAggregate(0L, grain = -1)(_ + _)(_ + _))
      rejects(rows.concat(rows).parAggregate(0L, grain = -1)(_ + _)(_ + _))
      rejects(rows.parFilter(_ > 1, grain = -1))
      rejects(rows.parSortBy(identity, grain = -1))
      rejects(rows.parSortInPlaceBy(identity, grain = -1))

  test("sums of Doubles are the same in each run, with and without a grain"):
    Region.scoped:
      val rows = Rows.tabulate[Long](5000)(identity)
      for grain <- Seq(0, 1, 77) do
        def sum = rows.parAggregate(0.0, grain)((sum, row) => sum + 1.0 / (row + 1))(_ + _)
        assertEquals(Vector.fill(20)(sum).distinct.size, 1)

  test("a function that fails in a small table throws its exception to the caller"):
    regions:
      val rows = Rows.tabulate[Long](200)(identity)
      val error = intercept[ArithmeticException](
        rows.parAggregate(0L)((sum, row) => sum + 1 / (row - 100))(_ + _)
      )
      assertEquals(error.getMessage, "/ by zero")
end GrainTest
