package elsewhere

import undercroft.memory.*
import undercroft.struct.*

case class Order(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

class UserTest extends undercroft.tools.Suite:
  test("code in another package compiles and runs with the public API of tables"):
    Region.scoped:
      val rows = Rows[Order](4)
      rows(1) = Order(1, 2, 3, buy = true)
      assertEquals(rows.sumOf(_.balance), 6L)
      assertEquals(rows.filter(_.buy).map(_.price).max, 3)
      rows.updateAll(_.price)(_ + 1)
      rows.updateAt(1)(_.price)(_ + 1)
      val columns = Columns[Order](4)
      columns.setFrom(rows)(identity)
      columns.setFrom(rows)(o => o)
      assertEquals(columns(1), Order(1, 2, 5, true))
      def numbered(i: Long) = Order(i.toInt, 2, 3, buy = true)
      assertEquals(Rows.tabulate[Order](3)(i => numbered(i))(2), numbered(2))
      assertEquals(PackedRows.tabulate[Order](3)(i => numbered(i))(2), numbered(2))
      assertEquals(Columns.tabulate[Order](3)(i => numbered(i))(2), numbered(2))
      val growing = Columns.growingTo[Order](10)
      growing += numbered(0)
      growing.appendAll(3)(i => numbered(i))
      assertEquals(growing(3), numbered(2))
      val prices = rows.map(_.price)
      assertEquals(prices.sum, 8L)
end UserTest
