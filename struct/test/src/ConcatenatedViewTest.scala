package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.assertAllocates

class ConcatenatedViewTest extends undercroft.tools.Suite:

  final case class Tick(id: Long, price: Int) derives Struct, CanEqual

  private def rows[L <: Layout](tables: TableFactory[L], from: Int, count: Int)(using Region) =
    tables.from(Vector.tabulate(count)(i => Tick(from + i, (from + i) % 5)))

  test("a view of several tables has the rows of all of them in order"):
    Region.scoped:
      def check[L <: Layout](tables: TableFactory[L]): Unit =
        val view = rows(tables, 0, 3).concat(rows(tables, 3, 0), rows(tables, 3, 4))
        val expected = Vector.tabulate(7)(i => Tick(i, i % 5))
        assertEquals(view.toVector, expected)
        assertEquals(Vector.tabulate(7)(i => view(i)), expected)
        assertEquals(view.concat(rows(tables, 7, 2)).size, 9L)
        assertEquals(view.slice(2, 5).toVector, expected.slice(2, 5))
        assertEquals((view.take(-1).size, view.drop(99).size), (0L, 0L))
        assertEquals(view.copy.toVector, expected)
        assertEquals(view.map(_.price).toVector, expected.map(_.price))
        assertEquals(view.scanLeft(0L)((sum, tick) => sum + tick.id).toVector.last, 21L)
      check(Rows)
      check(PackedRows)
      check(Columns)

  test("a loop over several tables stops in the table in which its condition ends"):
    Region.scoped:
      val view = rows(Rows, 0, 3).concat(rows(Rows, 3, 3), rows(Rows, 6, 3))
      var read = 0
      assert(view.exists { tick =>
        read += 1; tick.id == 4
      })
      assertEquals(read, 5)
      assertEquals((view.indexWhere(_.id == 8), view.indexWhere(_.id == 9)), (8L, -1L))

  test("a view keeps the number of rows that a growing table had"):
    Region.scoped:
      val growing = Rows.growing[Tick]
      growing += Tick(1, 1)
      val view = growing.concat(growing)
      growing += Tick(2, 2)
      assertEquals((view.size, growing.concat().size), (2L, 2L))

  test("an index outside a view throws IndexOutOfBoundsException"):
    Region.scoped:
      val view = rows(Columns, 0, 3).concat(rows(Columns, 3, 3))
      for index <- Seq(-1L, 6L, Long.MaxValue) do intercept[IndexOutOfBoundsException](view(index))
      intercept[IndexOutOfBoundsException](view.slice(4, 7))
      val none = view.take(0)
      intercept[IndexOutOfBoundsException](none(0))
      intercept[NoSuchElementException](none.last)

  test("a view of a closed region throws"):
    val view = Region.scoped(rows(Rows, 0, 3).concat(rows(Rows, 3, 3)))
    intercept[undercroft.memory.StaleReferenceException](view.sumOf(_.price))
    intercept[undercroft.memory.StaleReferenceException](view(4).id)

  test("loops over several tables and accesses by index do not allocate"):
    Region.scoped:
      val view = rows(Columns, 0, 1000).concat(rows(Columns, 1000, 500))
      assertAllocates(0)(view.sumOf(_.price))
      assertAllocates(0)(view.filter(_.price > 2).map(_.id).max)
      assertAllocates(0)(view(1200).id)
      var kept = Array(0)
      assertAllocates(24) { kept = Array(view(1).price) }
      assertEquals(kept.length, 1)

  test("groupMapReduce of a view has the results of a table with the same rows"):
    Region.scoped:
      val view = rows(Rows, 0, 10).concat(rows(Rows, 10, 10))
      val sums = view.groupMapReduce(_.price)(_.id)(_ + _)
      val expected = view.toVector.groupMapReduce(_.price)(_.id)(_ + _)
      assertEquals(sums.size, expected.size.toLong)
      for (price, sum) <- expected do assertEquals(sums(price), sum)
      val doubled =
        view.map(_.price * 2).filter(_ > 0).groupMapReduce(price => price)(_ => 1)(_ + _)
      assertEquals(doubled.getOrElse(4, 0), 4)
      val error = intercept[IllegalStateException]:
        view.groupMapReduce[Int, Int](_.price)(_ => throw IllegalStateException("no value"))(_ + _)
      assertEquals(error.getMessage, "no value")
end ConcatenatedViewTest
