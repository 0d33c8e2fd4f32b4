package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Sale(cents: Int, shop: Short) derives Struct, CanEqual

/** The keys of groups are those at the time of the grouping. */
class GroupKeysTest extends undercroft.tools.Suite:

  private def keysOf[K](groups: Groups[K, Sale, Aligned]): Vector[(K, Long)] =
    val keys = Vector.newBuilder[(K, Long)]
    groups.foreach((key, rows) => keys += ((key, rows.size)))
    keys.result()

  test("a variable of the key function that changes afterwards does not change the keys"):
    Region.scoped:
      val rows = Rows.tabulate[Sale](100)(i => Sale(99 - i.toInt, (i % 3).toShort))
      var width = 10
      val groups = rows.groupBy(_.cents / width)
      width = 50
      assertEquals(keysOf(groups), Vector.tabulate(10)(k => (9 - k, 10L)))

  test("changes of the grouped rows do not change the keys"):
    Region.scoped:
      val rows = Rows.tabulate[Sale](100)(i => Sale(i.toInt, (i % 3).toShort))
      val groups = rows.groupBy(_.shop)
      groups(1).updateAll(_.shop)(_ => 77)
      val expected = Vector[(Short, Long)]((0, 34L), (1, 33L), (2, 33L))
      assertEquals(keysOf(groups), expected)
      assert(groups.contains(1) && !groups.contains(77))

  test("keys of several fields and of texts, in the order of their first rows"):
    Region.scoped:
      val rows = Rows.tabulate[Sale](6)(i => Sale(i.toInt % 2, (i / 3).toShort))
      val expected = Vector((0, 0), (1, 0), (1, 1), (0, 1))
      assertEquals(keysOf(rows.groupBy(row => (row.cents, row.shop.toInt))).map(_._1), expected)
      val texts = rows.groupBy(row => Text[4](s"t${row.cents}"))
      assertEquals(keysOf(texts).map(_._1.toString), Vector("t0", "t1"))
      assertEquals(keysOf(Rows[Sale](0).groupBy(_.cents)), Vector())
end GroupKeysTest
