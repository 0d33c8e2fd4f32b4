package undercroft.struct

import undercroft.memory.*

class RefTest extends undercroft.tools.Suite:
  test("a reference reads and writes fields by name"):
    Region.scoped:
      val ref: Ref[Trade] = Ref(Trade(1, 2, 3, buy = true))
      assertEquals(ref.price, 3)
      ref.price = 251
      ref.update(_.price)(_ + 1)
      assertEquals(ref(), Trade(1, 2, 252, true))
      assertEquals(ref().balance, 504L)
      val lines = PackedRows[Line](10)
      val line = lines.ref(5)
      line() = Line(true, Point(1, 2.5), Point(3, 4.5), 7)
      line.from.x = 9
      line.to = Point(5, 6)
      line.to.y = 5
      line.width = 'c'.toByte
      line.update(_.to.x)(x => (x + 1).toShort)
      assertEquals(lines(5), Line(true, Point(9, 2.5), Point(6, 5), 99))
      assertEquals(line.to(), Point(6, 5))

  test("using a reference after its region closed throws an exception that names the region"):
    val ref = Region.named("morning")(Ref(Trade(1, 2, 3, buy = true)))
    val error = intercept[StaleReferenceException](ref.price)
    assert(error.getMessage.contains("morning"), error.getMessage)

  test("a reference stays valid while its growing table grows"):
    Region.scoped:
      val rows = Rows.growing[Trade]
      val columns = Columns.growingTo[Trade](1000)
      rows += Trade(7, 1, 1, false)
      val first = rows.ref(0)
      for i <- 1 until 1000 do rows += Trade(i, i, i, i % 2 == 0)
      columns.appendAll(rows.toVector)
      assertEquals(first.ticket, 7)
      assertEquals(rows.size, 1000L)
      assertEquals(columns.toVector, rows.toVector)
      val copy = PackedRows.tabulate[Trade](1000)(i => rows(i))
      assertEquals(copy.sumOf(_.balance), rows.sumOf(_.balance))
      intercept[IndexOutOfBoundsException](columns += Trade(0, 0, 0, true))
      assertEquals(columns.size, 1000L)
end RefTest
