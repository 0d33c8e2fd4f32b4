package undercroft.struct

import org.scalacheck.{Arbitrary, Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.{Budget, Reclaimer, Region, StaleReferenceException}
import undercroft.testkit.assertAllocates

class ViewsTest extends undercroft.tools.PropertySuite:

  private val trades = Gen.listOf(
    for
      ticket <- Arbitrary.arbitrary[Int]
      price <- Gen.choose(-9, 9)
      buy <- Gen.oneOf(true, false)
    yield Trade(ticket, ticket / 2, price, buy)
  ).map(_.toVector)

  private def size: Gen[Long] = Gen.oneOf(Gen.choose(1L, 8L), Gen.const(Long.MaxValue))

  private inline def agrees[L <: Layout](inline tables: TableFactory[L]): Prop =
    forAll(trades, Gen.choose(-3, 30), Gen.choose(1, 8), Gen.choose(1, 8)):
      (values, n, size, step) =>
        Region.scoped:
          val table = tables.from(Trade(0, 0, 0, true) +: values).slice(1, values.size + 1)
          def every(step: Int) = values.indices.by(step).map(values(_)).toVector
          assertEquals(table.take(n).toVector, values.take(n))
          assertEquals(table.drop(n).toVector, values.drop(n))
          assertEquals(table.reverse.toVector, values.reverse)
          assertEquals(table.reverse.reverse.map(_.price).toVector, values.map(_.price))
          assertEquals(table.strided(step).toVector, every(step))
          assertEquals(table.strided(step).size, every(step).size.toLong)
          assertEquals(
            table.reverse.strided(step).filter(_.buy).map(_.price).toVector,
            values.reverse.indices.by(
              step
            ).map(values.reverse(_)).filter(_.buy).map(_.price).toVector
          )
          assertEquals(
            table.strided(step).strided(size).map(_.ticket).toVector,
            every(step).indices.by(size).map(every(step)(_).ticket).toVector
          )
          assertEquals(
            table.sliding(size, step).map(_.toVector).toVector,
            values.sliding(size, step).toVector
          )
          assertEquals(
            table.scanLeft(1L)((sum, trade) => sum * 3 + trade.price).toVector,
            values.scanLeft(1L)((sum, trade) => sum * 3 + trade.price)
          )
          assertEquals(
            table.filter(_.buy).map(_.price).scanLeft(0L)(_ + _).filter(_ % 2 == 0).sum,
            values.filter(_.buy).map(_.price).scanLeft(0L)(_ + _).filter(_ % 2 == 0).sum
          )
          assertEquals(
            table.scanLeft(0L)((sum, trade) => sum + trade.price).exists(_ > 5),
            values.scanLeft(0L)((sum, trade) => sum + trade.price).exists(_ > 5)
          )
          true

  property("views of rows agree with a Vector")(agrees(Rows))
  property("views of packed rows agree with a Vector")(agrees(PackedRows))
  property("views of columns agree with a Vector")(agrees(Columns))

  property("sliding and strided views of any size agree with a Vector"):
    forAll(Gen.choose(0, 12), size, size): (rows, size, step) =>
      def clamped(n: Long) = n.min(100).toInt
      Region.scoped:
        val values = Vector.tabulate(rows)(i => Trade(i, i, i, true))
        val table = Rows.from(values)
        assertEquals(
          table.sliding(size, step).map(_.toVector).toVector,
          values.sliding(clamped(size), clamped(step)).toVector
        )
        assertEquals(
          table.strided(step).strided(size).map(_.ticket).toVector,
          values.indices.by(clamped(step)).by(clamped(step) * clamped(size)).toVector
        )
        true

  private inline def pairs[L <: Layout, M <: Layout](
      inline left: TableFactory[L],
      inline right: TableFactory[M]
  ): Prop =
    forAll(trades, Gen.listOf(Gen.choose(-9, 9))): (values, numbers) =>
      Region.scoped:
        val lines = numbers.map(n => Line(n > 0, Point(n.toShort, n), Point(1, 2), 3)).toVector
        val (a, b) = (left.from(values), right.from(lines))
        assertEquals(a.zip(b).toVector, values.zip(lines))
        assertEquals(a.zip(b).size, values.size.min(lines.size).toLong)
        assertEquals(
          a.zip(b).filter((trade, line) => trade.buy && line.open).map((trade, line) =>
            trade.price * line.from.x.toLong
          ).sum,
          values.zip(lines).filter((trade, line) => trade.buy && line.open).map((trade, line) =>
            trade.price * line.from.x.toLong
          ).sum
        )
        assertEquals(
          b.zip(a).map(pair => pair._1.to.y + pair._2.price).toVector,
          lines.zip(values).map(pair => pair._1.to.y + pair._2.price)
        )
        true

  property("zip of rows and columns ends with the shorter table")(pairs(Rows, Columns))
  property("zip of columns and packed rows ends with the shorter table")(pairs(Columns, PackedRows))

  private def generic[T, L <: Layout](table: Table[T, L])(f: T => Long) =
    (
      table.reverse.map(f).toVector,
      table.zip(table.drop(1)).map((a, b) => f(b) - f(a)).toVector,
      table.scanLeft(0L)((sum, row) => sum + f(row)).toVector
    )

  property("generic code over any struct and layout has the same views"):
    forAll(trades): values =>
      Region.scoped:
        val f: Trade => Long = _.price.toLong
        val prices = values.map(f)
        def expected =
          (
            prices.reverse,
            prices.zip(prices.drop(1)).map((a, b) => b - a),
            prices.scanLeft(0L)(_ + _)
          )
        assertEquals(generic(Rows.from(values))(f), expected)
        assertEquals(generic(Columns.from(values))(f), expected)
        true

  test("views read the table at evaluation and keep its row count from creation"):
    Region.scoped:
      val rows = Rows.growing[Trade]
      rows.appendAll(Vector.tabulate(3)(i => Trade(i, i, i, true)))
      val (back, pairs) = (rows.reverse, rows.zip(rows))
      val sums = rows.take(3).map(_.ticket).scanLeft(0L)(_ + _)
      rows.updateAt(2)(_.ticket)(_ => 7)
      rows += Trade(9, 9, 9, true)
      assertEquals(back.map(_.ticket).toVector, Vector(7, 1, 0))
      assertEquals(back(0).ticket, 7)
      assertEquals(pairs.map((a, b) => a.ticket * b.ticket).toVector, Vector(0, 1, 49))
      assertEquals(sums.toVector, Vector(0L, 0L, 1L, 8L))
      assertEquals(
        intercept[IndexOutOfBoundsException](back(3)).getMessage,
        "Index 3 out of bounds for length 3"
      )

  test("rows that the function of span, takeWhile or dropWhile appends are in no result"):
    Region.scoped:
      val rows = Rows.growing[Trade]
      rows += Trade(1, 1, 1, true)
      def isCheap(trade: Trade): Boolean =
        rows += Trade(9, 9, 999, true)
        trade.price < 300
      val (cheap, others) = rows.span(isCheap(_))
      assertEquals((cheap.size, others.size, rows.size), (1L, 0L, 2L))
      val more = Columns.growingTo[Trade](100)
      more += Trade(1, 1, 1, true)
      val taken = more.takeWhile: trade =>
        more += Trade(9, 9, 999, true)
        trade.price < 300
      assertEquals(taken.map(_.ticket).toVector, Vector(1))
      val dropped = more.dropWhile: trade =>
        more += Trade(7, 7, 1, true)
        trade.price < 300
      assertEquals(dropped.map(_.ticket).toVector, Vector(9))

  test("an invalid window or step throws IllegalArgumentException with its value"):
    Region.scoped:
      val rows = Rows[Trade](3)
      def message(wrong: => Any) = intercept[IllegalArgumentException](wrong).getMessage
      assertEquals(message(rows.sliding(0)), "size and step must be at least 1, but are 0 and 1")
      assertEquals(message(rows.sliding(2, 0)), "size and step must be at least 1, but are 2 and 0")
      assertEquals(message(rows.strided(0)), "step must be at least 1, but is 0")
      val windows = rows.sliding(3)
      windows.next(): Unit
      assertEquals(
        intercept[NoSuchElementException](windows.next()).getMessage,
        "no window from row 1 of 3"
      )

  test("a copy has the rows of its start if rows are appended while it is allocated"):
    val limitBytes = 1L << 24
    val budget = Budget("copies", limitBytes)
    budget.charge(limitBytes)
    Region.scoped:
      val rows = Rows.growing[Trade]
      rows.appendAll(10_000)(i => Trade(i.toInt, 2, 3, true))
      val appending = new Reclaimer:
        def reclaim(bytes: Long): Unit =
          rows += Trade(10_000, 2, 3, true)
          budget.release(limitBytes)
        def awaitsCollection: Boolean = false
      budget.onShortage(appending)
      val tickets = Region.within(budget)(rows.copy.map(_.ticket).toVector)
      java.lang.ref.Reference.reachabilityFence(appending)
      assertEquals(tickets, Vector.range(0, 10_000))
      assertEquals(rows.size, 10_001L)

  test("evaluating a view of a table in a closed region throws and names the region"):
    val rows = Region.named("morning")(Rows.from(Vector(Trade(1, 2, 3, true))))
    for operation <- Vector[() => Any](
        () => rows.reverse.map(_.price).sum,
        () => rows.strided(2).toVector,
        () => rows.zip(rows).count((a, b) => a.price == b.price),
        () => rows.sliding(1).map(_(0)).toVector,
        () => rows.scanLeft(0)((sum, row) => sum + row.price).toVector
      )
    do
      val error = intercept[StaleReferenceException](operation())
      assert(error.getMessage.contains("morning"), error.getMessage)

  var sink = 0L

  test("loops over views allocate nothing, and the canary detects find, which allocates"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, i % 2 == 0))
      val columns = Columns.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, i % 2 == 0))
      assertAllocates(0) { sink += rows.reverse.map(_.price).sum }
      assertAllocates(0) { sink += columns.reverse.filter(_.buy).count(_.ticket > 3) }
      assertAllocates(0) { sink += columns.strided(3).sumOf(_.balance) }
      assertAllocates(0) { sink += rows.zip(columns).map((a, b) => a.price * b.amount).sum }
      val later = rows.drop(1)
      assertAllocates(0) { sink += rows.zip(later).count((a, b) => a.ticket > b.ticket) }
      assertAllocates(0) { sink += rows.scanLeft(0L)((sum, trade) => sum + trade.price).max }
      var trade: Any = ""
      assertAllocates(48) { trade = rows.reverse.find(_.ticket == 50) } // a Some of a row
      assert(trade.toString.contains("50"))
end ViewsTest
