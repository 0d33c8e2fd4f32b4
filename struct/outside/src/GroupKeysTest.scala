package outside.struct

import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*

case class Sale(cents: Int, shop: Short) derives Struct, CanEqual
case class Visit(page: Int, second: Int, amount: Long) derives Struct, CanEqual

/** The keys of groups are those at the time of the grouping. */
class GroupKeysTest extends undercroft.tools.Suite:

  private def keysOf[K, T](groups: Groups[K, T, Aligned]): Vector[(K, Long)] =
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

  test("groups of a map that is larger than a cache are those of the heap, for keys of any size"):
    val random = Random(7)
    val visits =
      Vector.fill(60_000)(Visit(
        random.nextInt(30_000) - 15_000,
        random.nextInt(50),
        random.nextLong()
      ))
    Region.scoped:
      val (rows, columns) = (Rows.from(visits), Columns.from(visits))
      assertEquals(
        rows.groupMapReduce(_.page)(_.amount)(_ ^ _).toMap,
        visits.groupMapReduce(_.page)(_.amount)(_ ^ _)
      )
      assertEquals(
        columns.groupMapReduce(v => (v.page, v.second.toLong))(_.amount)(_ ^ _).toMap,
        visits.groupMapReduce(v => (v.page, v.second.toLong))(_.amount)(_ ^ _)
      )
      assertEquals(
        columns.groupMapReduce(v => (v.amount, v.page, v.amount))(v => (v, v))((a, _) => a).toMap,
        visits.groupMapReduce(v => (v.amount, v.page, v.amount))(v => (v, v))((a, _) => a)
      )
      assertEquals(
        rows.filter(
          _.second > 9
        ).map(_.page / 2).groupMapReduce(p => p)(p => p.toLong)(_ + _).toMap,
        visits.filter(_.second > 9).map(_.page / 2).groupMapReduce(p => p)(p => p.toLong)(_ + _)
      )
      assertEquals(columns.distinctBy(_.page).toVector, visits.distinctBy(_.page))
      assertEquals(
        keysOf(rows.groupBy(_.page)).toMap,
        visits.groupMapReduce(_.page)(_ => 1L)(_ + _)
      )

  test("the functions of a grouping run once for each row, in order, also if its map is large"):
    val visits = Vector.tabulate(60_000)(i => Visit(i, i % 7, i))
    Region.scoped:
      val rows = Rows.from(visits)
      val calls = Vector.newBuilder[Int]
      def noted(page: Int): Int =
        calls += page
        page
      rows.groupMapReduce(row => noted(row.page))(row => noted(-row.page))(_ + _): Unit
      assertEquals(calls.result(), visits.flatMap(visit => Seq(visit.page, -visit.page)))
      var number = 0
      val numbered = rows.groupMapReduce(_ =>
        number += 1; number
      )(_.amount)(_ + _)
      assertEquals((number, numbered.size), (60_000, 60_000L))
      val tested = Array(0)
      val kept = rows.filter(_ =>
        tested(0) += 1; tested(0) % 2 == 0
      )
      assertEquals(kept.groupMapReduce(_.page)(_.amount)(_ + _).size, 30_000L)
      assertEquals(tested(0), 60_000)

  test("a key that throws in a large map does so at its row, after the functions of earlier rows"):
    Region.scoped:
      val rows = Rows.tabulate[Visit](60_000)(i => Visit(i.toInt, if i == 50_000 then 0 else 1, i))
      var values = 0
      def counted(amount: Long): Long =
        values += 1
        amount
      intercept[ArithmeticException](
        rows.groupMapReduce(r => (r.page / r.second, r.page))(r => counted(r.amount))(_ + _)
      ): Unit
      assertEquals(values, 50_000)

  test("groups of large maps in shared memory, and of keys that are case classes"):
    val visits = Vector.tabulate(60_000)(i => Visit(i % 20_000, i % 7, i))
    Region.scoped:
      val columns = Columns.from(visits)
      val expected = visits.groupMapReduce(v => Visit(v.page, v.second, 1))(_.amount)(_ + _)
      val shared =
        columns.groupMapReduce(v => Visit(v.page, v.second, 1))(_.amount)(_ + _)(using Malloc)
      assertEquals(shared.toMap, expected)
      shared.close()
      assertEquals(
        columns.groupMapReduce(v => Visit(v.page, v.second, 1))(_.amount)(_ + _).toMap,
        expected
      )

  test("close of groups in Malloc frees their memory, and later uses throw"):
    Region.scoped:
      val rows = Rows.tabulate[Sale](100_000)(i => Sale(i.toInt, (i % 3).toShort))
      def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
      rows.groupBy(_.shop)(using Malloc).close()
      val before = live
      val groups = rows.groupBy(_.shop)(using Malloc)
      val shop = groups(1)
      assert(live - before >= 800_000, s"$live bytes, $before before")
      groups.close()
      groups.close()
      assert(live - before < 100_000, s"$live bytes, $before before")
      intercept[StaleReferenceException](groups(1)): Unit
      intercept[StaleReferenceException](groups.get(7)): Unit
      intercept[StaleReferenceException](groups.contains(1)): Unit
      intercept[StaleReferenceException](groups.size): Unit
      intercept[StaleReferenceException](groups.foreach((_, _) => ())): Unit
      intercept[StaleReferenceException](shop(0)): Unit
      assert(groups.toString.startsWith("closed"), groups.toString)

  test("close of the groups of no rows in Malloc frees their memory"):
    Region.scoped:
      def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
      val rows = Rows[Sale](0)
      rows.groupBy(_.shop)(using Malloc).close()
      val before = live
      for _ <- 1 to 2_000 do rows.groupBy(_.shop)(using Malloc).close()
      assert(live - before < 66_000, s"$live bytes, $before before")

  test("close of groups in a region ends their use"):
    Region.scoped:
      val groups = Rows.tabulate[Sale](9)(i => Sale(i.toInt, (i % 3).toShort)).groupBy(_.shop)
      groups.close()
      groups.close()
      intercept[StaleReferenceException](groups(1)): Unit

  test("groupBy without memory for the numbers of its groups frees what it has taken"):
    Region.scoped:
      val rows = Rows.tabulate[Sale](100_000)(i => Sale(i.toInt, 1))
      Region.named("few bytes", limitBytes = 400_000):
        def live = Ledger.report().rows.find(_.name == "few bytes").fold(0L)(_.liveBytes)
        val before = live
        intercept[MemoryLimitException](rows.groupBy(_.shop)): Unit
        assert(live - before < 65_536, s"$live bytes, $before before")
end GroupKeysTest
