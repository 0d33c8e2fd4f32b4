package outside.struct

import java.time.Duration
import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.assertAllocates

case class Leg(ticket: Int, miles: Double, took: Duration, fare: BigDecimal) derives Struct

/** Means, sums of objects, positions, groups of a fixed size, and sorted and grouped views. */
class ViewValuesTest extends undercroft.tools.Suite:

  private def leg(i: Int) =
    Leg(i, i * 0.25, Duration.ofNanos(i * 1_000_000_007L), BigDecimal(i * 7919 % 100_000) / 100)

  for size <- List(1, 2, 1000) do
    test(s"sums and means of views of $size values agree with a Vector"):
      Region.scoped:
        val values = Vector.tabulate(size)(leg)
        for table <- List(Rows.from(values), PackedRows.from(values), Columns.from(values)) do
          assertEquals(table.map(_.fare).sum, values.map(_.fare).sum)
          assertEquals(table.sumOf(_.fare), values.map(_.fare).sum)
          val took = values.map(_.took).foldLeft(Duration.ZERO)(_.plus(_))
          assertEquals(table.sumOf(_.took), took)
          assertEquals(table.filter(_.ticket >= 0).map(_.took).sum, took)
          assertEquals(table.map(_.miles).average, values.map(_.miles).sum / size)
          assertEquals(table.map(_.ticket).average, values.map(_.ticket).sum.toDouble / size)
          assertEquals(
            table.map(_.ticket.toByte).average,
            values.map(_.ticket.toByte.toInt).sum.toDouble / size
          )
          for wanted <- List(0, size - 1, -1) do
            assertEquals(
              table.map(_.ticket).indexOf(wanted),
              values.map(_.ticket).indexOf(wanted).toLong
            )
          for length <- List(1, 3, size, size + 1) do
            assertEquals(
              table.grouped(length.toLong).map(_.toVector).toVector,
              values.grouped(length).toVector
            )
            assertEquals(
              table.filter(_.ticket % 2 == 0).grouped(length).toVector,
              values.filter(_.ticket % 2 == 0).grouped(length).toVector
            )
        end for
  end for

  test(
    "the mean of Longs is exact beyond the range of a Long, and the sum of decimals to 38 digits"
  ):
    Region.scoped:
      def mean(longs: Long*) = Rows.from(longs).average
      assertEquals(mean(Long.MaxValue, Long.MaxValue), Long.MaxValue.toDouble)
      assertEquals(mean(Long.MinValue, Long.MinValue, Long.MinValue), Long.MinValue.toDouble)
      assertEquals(mean(Long.MaxValue, Long.MinValue, 3), 2.0 / 3)
      assertEquals(mean(-1, -1, -1), -1.0)

  test("empty views have no mean, and sums of nothing"):
    Region.scoped:
      val rows = Rows[Leg](0)
      val error = intercept[NoSuchElementException](rows.map(_.ticket).average)
      assertEquals(error.getMessage, "average requires at least one value")
      intercept[NoSuchElementException](rows.map(_.miles).average): Unit
      assertEquals((rows.sumOf(_.fare), rows.sumOf(_.took)), (BigDecimal(0), Duration.ZERO))
      assertEquals(rows.grouped(3).size, 0)
      assertEquals(rows.filter(_ => true).sortBy(_.ticket).size, 0L)
      assertEquals(rows.filter(_ => true).groupBy(_.ticket).size, 0L)
      for size <- List(0, -1) do
        assertEquals(
          intercept[IllegalArgumentException](rows.map(_.miles).grouped(size)).getMessage,
          s"size must be at least 1, but is $size"
        )
        intercept[IllegalArgumentException](rows.grouped(size.toLong)): Unit
      intercept[ArithmeticException](
        Rows.from(List(1L, 2L)).map(_ => Duration.ofSeconds(Long.MaxValue)).sum
      ): Unit

  test("means and positions allocate nothing"):
    Region.scoped:
      val rows = Columns.tabulate[Deal](100)(i => Deal(i.toInt, i.toInt % 7))
      var sum = 0.0
      assertAllocates(0) { sum += rows.map(_.ticket).average }
      assertAllocates(0) { sum += rows.filter(_.amount > 3).map(_.ticket * 0.5).average }
      assertAllocates(0) { sum += rows.map(_.amount).indexOf(6) }
      assert(sum > 0)

  test("a filtered view is sorted and grouped as the Vector of its values"):
    for isMalloc <- List(false, true) do
      Region.scoped:
        val memory: Allocator = if isMalloc then Malloc else Region.current
        val values = Vector.tabulate(20_000)(i => Deal(i, i * 7919 % 31))
        for table <- List(Rows.from(values), Columns.from(values)) do
          val kept = values.filter(_.ticket % 3 == 1)
          val view = table.filter(_.ticket % 3 == 1)
          val sorted: Rows[Deal] = view.sortBy(deal => desc(deal.amount))(using memory)
          assertEquals(sorted.toVector, kept.sortBy(-_.amount))
          val groups = view.groupBy(_.amount)(using memory)
          val expected = kept.groupBy(_.amount)
          assertEquals(groups.size, expected.size.toLong)
          for (amount, deals) <- expected do assertEquals(groups(amount).toVector, deals)
          assertEquals(
            table.map(_.amount).sortBy(amount => -amount)(using memory).toVector,
            values.map(_.amount).sortBy(-_)
          )
          assertEquals(
            table.reverse.sortBy(_.amount)(using memory).toVector,
            values.reverse.sortBy(_.amount)
          )
          if isMalloc then
            Malloc.free(sorted.segment)
            groups.close()
        end for

  test("sorting a view frees its working memory, also if the key throws"):
    val rows =
      Rows.tabulate[Deal](50_000)(i => Deal(i.toInt, i.toInt))(using Region.shared("source"))
    def live = Ledger.report().rows.map(_.liveBytes).sum
    Region.scoped:
      val before = live
      for _ <- 1 to 20 do
        intercept[ArithmeticException](rows.filter(_.ticket > 5).sortBy(d => 1 / (d.ticket - 77)))
        intercept[ArithmeticException](rows.filter(_.ticket > 5).groupBy(d => 1 / (d.ticket - 77)))
      assert(live - before < 20 * 65_536, s"$before bytes before, $live after")

  test("sums of texts and means of decimals do not compile, and the error states the cure"):
    val numbers = "map them to Byte, Short, Int, Long"
    val texts = compileErrors("(rows: Rows[Deal]) => rows.map(_.toString).sum")
    val cure =
      s"values of type String cannot be summed: $numbers, Float, Double, BigDecimal or Duration"
    assert(texts.contains(cure), texts)
    val rows = compileErrors("(rows: Rows[Deal]) => rows.sum")
    assert(rows.contains("Deal cannot be summed: map them to"), rows)
    val mean = compileErrors("(rows: Rows[Leg]) => rows.map(_.fare).average")
    assert(mean.contains(s"BigDecimal have no average: $numbers, Float or Double"), mean)
    val exact = compileErrors("(rows: Rows[Leg]) => rows.map(_.fare).exactSum")
    assert(
      exact.contains("BigDecimal have no exact sum: map them to Byte, Short, Int or Long"),
      exact
    )
    assertEquals(compileErrors("(rows: Rows[Leg]) => rows.map(_.fare).sum"), "")
end ViewValuesTest
