package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.assertAllocates

class ElementAllocationTest extends undercroft.tools.Suite:
  private var sink = 0L
  private var kept: Any = ""

  test("operations on rows of a primitive allocate nothing in every layout"):
    Region.scoped:
      val rows = Rows.tabulate[Int](1000)(i => i.toInt * 7 % 1000)
      val packed = PackedRows.tabulate[Long](1000)(i => i * 7 % 1000)
      val columns = Columns.tabulate[Double](1000)(i => (i * 7 % 1000).toDouble)
      assertAllocates(0):
        sink += rows.sum + rows.max + rows.filter(_ > 500).map(_ * 2).min
        sink += rows.count(_ % 3 == 0) + rows.maxBy(x => -x) + rows(7)
      assertAllocates(0) { sink += packed.sum + packed.indexWhere(_ == 7) + packed(8) }
      assertAllocates(0) { sink += (columns.sum + columns.foldLeft(0.0)(_.max(_))).toLong }
      assertAllocates(0):
        rows(3) = 5
        rows.transformAt(4)(_ + 1)
        packed.transform(_ + 1)
        columns(3) = columns(4)
      assertAllocates(0):
        val ref = rows.ref(5)
        ref() = ref() + 1
        sink += ref()
      assertAllocates(16) { kept = rows(3) + 1000 } // its box
      assert(kept != "")

  test("operations on rows of an enum, an Option and a reference allocate nothing"):
    Region.scoped:
      val marks = Columns.tabulate[Level](1000)(i => Level.fromOrdinal((i % 3).toInt))
      val options = Rows.tabulate[Option[Long]](1000)(i => if i % 2 == 0 then Some(i) else None)
      val trades = Rows.tabulate[Trade](1000)(i => Trade(i.toInt, 2, 3, buy = true))
      val refs = Rows.tabulate[Ref[Trade]](1000)(i => trades.ref(999 - i))
      assertAllocates(0) { sink += marks.count(_ == Level.High) }
      assertAllocates(0) { marks(3) = Level.Low }
      assertAllocates(0) { sink += options.count(_.isDefined) }
      assertAllocates(0) { options(7) = Some(sink) }
      assertAllocates(0) { sink += refs(7).ticket }
      assertAllocates(0) { sink += refs.sumOf(_.ticket) }
      assertAllocates(16) { kept = options(8) }
      assert(kept != "")

  test("a name of an array or a text of the row allocates nothing if no code can store"):
    Region.scoped:
      val rows = Rows.tabulate[(InlineArray[Int, 4], Text[8], Option[Int])](1000): i =>
        (InlineArray.tabulate(k => k + i.toInt), Text[8]("old"), Some(i.toInt))
      assertAllocates(0):
        val ofCells = rows.sumOf: row =>
          val cells = row._1
          cells(0) + cells(3)
        val ofTexts = rows.count: row =>
          val text = row._2
          text.startsWith("o") && row._1(0) > 3
        val ofOptions = rows.sumOf: row =>
          row._3 match
            case Some(n) if n % 2 == 0 && n > row._1(0) - 3 => n
            case Some(n)                                    => -n
            case None                                       => 0
        sink += ofCells + ofTexts + ofOptions

  test("an append of an element allocates nothing"):
    Region.scoped:
      val rows = Rows.growingTo[Long](2_000_000)
      val _ = rows.segment
      assertAllocates(0) { rows += sink }
      assertAllocates(24) { kept = rows(0) + sink + 1000 } // its box
      assert(rows.size > 0)

  test("updates of fields and elements allocate nothing"):
    Region.scoped:
      val rows = Rows[Trade](10)
      val lines = PackedRows.from(List.fill(3)(Line(true, Point(1, 2), Point(3, 4), 5)))
      val grid = Tuple1(InlineArray[InlineArray[Int, 2], 2](InlineArray(1, 2), InlineArray(3, 4)))
      val grids = Rows.from(List(grid))
      val sums = Rows.from(List(1L, 2L))
      assertAllocates(0) { rows.ref(3).update(_.price)(_ + 1) }
      assertAllocates(0) { rows.ref(3).update(_.buy)(_ ^ true) }
      assertAllocates(0) { lines.ref(1).from.update(_.y)(_ * 0.5) }
      assertAllocates(0) { grids.ref(0).update(_._1(1)(0))(_ - 1) }
      assertAllocates(0) { sums.ref(1).transform(_ + 7) }
      assert(rows(3).price > 0 && grids(0)._1(1)(0) < 0 && sums(1) > 0)
      assertAllocates(16): // the box of a number that is in no cache
        rows.ref(3).update(_.price)(_ + 1)
        kept = rows(3).price
      assert(kept != "")
end ElementAllocationTest

enum Level derives CanEqual:
  case Low, Middle, High
