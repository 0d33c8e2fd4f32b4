package undercroft.struct

import undercroft.memory.Region

class TableTest extends undercroft.tools.Suite:
  def trade(i: Long): Trade = Trade(i.toInt, (i * 3).toInt, (100 + i).toInt, i % 2 == 0)

  test("tables store, load, fold and update rows in every layout"):
    Region.scoped:
      val rows = Rows[Trade](10)
      val packed = PackedRows[Trade](10)
      val columns = Columns[Trade](10)
      for i <- 0 until 10 do
        rows(i) = trade(i)
        packed(i) = Trade(i, i * 3, 100 + i, i % 2 == 0)
        columns(i) = trade(i)
      for i <- 0 until 10 do
        assertEquals(rows(i), trade(i))
        assertEquals(packed(i), trade(i))
        assertEquals(columns(i), trade(i))
        assertEquals(rows(i).balance, trade(i).balance)
      assertEquals(rows.sumOf(_.price), 1045L)
      assertEquals(columns.sumOf(_.price), 1045L)
      assertEquals(columns.sumOf(_.balance), (0 until 10).map(trade(_).balance).sum)
      assertEquals(rows.filter(_.buy).map(_.price).max, 108)
      assertEquals(columns.filter(_.buy).map(_.price).max, 108)
      assertEquals(rows.filter(t => t.buy && t.balance > 3).count(_.price < 105), 2L)
      assertEquals(rows.foldLeft(0L)((sum, t) => sum + t.balance), rows.sumOf(_.balance))
      rows.updateAll(_.price)(_ + 1)
      assertEquals(rows.sumOf(_.price), 1055L)
      columns.setFrom(packed)(t => t.copy(price = t.price * 2))
      assertEquals(columns.sumOf(_.price), 2090L)
      assertEquals(rows.exactSumOf(_.balance), BigInt(rows.sumOf(_.balance)))
      assertEquals(rows.slice(2, 4).toVector, Vector(rows(2), rows(3)))
      assertEquals(columns.slice(2, 4).toVector, Vector(columns(2), columns(3)))
      rows(1) match
        case Trade(t, a, p, b) => assertEquals((t, a, p, b), (1, 3, 102, false))
      rows.updateAt(1)(_.price)(_ * 2)
      assertEquals(rows(1).price, 204)

  test("tables store and load nested structs"):
    Region.scoped:
      val lines = Rows[Line](3)
      val columns = Columns[Line](3)
      val line = Line(true, Point(1, 2.5), Point(3, 4.5), 7)
      lines(1) = line
      columns(1) = Line(true, Point(1, 2.5), line.to, 7)
      assertEquals(lines(1), line)
      assertEquals(columns(1), line)
      assertEquals(lines.map(_.from).filter(_.x == 1.toShort).map(_.y).sum, 2.5)
      assertEquals(columns.sumOf(_.to.y), 4.5)
end TableTest
