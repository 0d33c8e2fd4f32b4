package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.assertAllocates

/** Loops over more rows than one block has (65 536), and over a last block that is not full. */
class BlocksTest extends undercroft.tools.Suite:
  private val sizes = Seq(0, 1, 65_535, 65_536, 65_537, 150_000)
  var sink = 0L

  private def term(i: Long): Long = i % 5 match
    case 0 => Long.MaxValue - i
    case 1 => Long.MinValue + i
    case 2 => -i
    case 3 => i << 40
    case _ => Long.MaxValue

  private def item(i: Long): Entry = Entry((i % 127).toByte, (i * 31).toInt, term(i), i / 8d)

  for size <- sizes do
    test(s"loops over $size rows agree with a Vector in every layout"):
      val model = Vector.tabulate(size)(i => item(i.toLong))
      val exact = model.map(i => BigInt(i.large)).sum
      val ints = model.map(_.number.toLong).sum
      val doubles = model.foldLeft(0d)(_ + _.real)
      val odd = model.count(_.number % 2 != 0).toLong
      val largeSum = model.filter(_.kind > 60).map(i => BigInt(i.large)).sum
      Region.scoped:
        val rows = Rows.tabulate[Entry](size)(item)
        val packed = PackedRows.tabulate[Entry](size)(item)
        val columns = Columns.tabulate[Entry](size)(item)
        assertEquals(rows.exactSumOf(_.large), exact)
        assertEquals(packed.exactSumOf(_.large), exact)
        assertEquals(columns.exactSumOf(_.large), exact)
        assertEquals(rows.sumOf(_.number), ints)
        assertEquals(packed.sumOf(_.number), ints)
        assertEquals(columns.sumOf(_.number), ints)
        assertEquals(rows.sumOf(_.real), doubles)
        assertEquals(packed.sumOf(_.real), doubles)
        assertEquals(columns.sumOf(_.real), doubles)
        assertEquals(rows.count(_.number % 2 != 0), odd)
        assertEquals(columns.count(_.number % 2 != 0), odd)
        assertEquals(packed.filter(_.kind > 60).exactSumOf(_.large), largeSum)
        assertEquals(columns.filter(_.kind > 60).map(_.large).exactSum, largeSum)
        assertEquals(rows.foldLeft(7)((hash, i) => hash * 31 + i.number), hash(model))
        assertEquals(columns.foldLeft(7)((hash, i) => hash * 31 + i.number), hash(model))
        assertEquals(
          rows.foldLeft(List.empty[Int])((last, i) => i.number :: last.take(2)),
          last(model)
        )
        var index = 0
        packed.foreach: i =>
          assertEquals(i, model(index))
          index += 1
        assertEquals(index, size)
  end for

  private def hash(model: Vector[Entry]) = model.foldLeft(7)((hash, i) => hash * 31 + i.number)
  private def last(model: Vector[Entry]) =
    model.foldLeft(List.empty[Int])((last, i) => i.number :: last.take(2))

  test("an overflowing sum of several blocks throws ArithmeticException with the exact sum"):
    Region.scoped:
      val rows = Rows.tabulate[Entry](150_000)(_ => Entry(0, 0, Long.MaxValue, 0))
      val error = intercept[ArithmeticException](rows.sumOf(_.large))
      assertEquals(
        error.getMessage,
        s"the sum ${BigInt(Long.MaxValue) * 150_000} does not fit in a Long: use exactSum"
      )
      rows.updateAll(_.large)(_ => 0L)
      assertEquals(rows.sumOf(_.large), 0L)

  test("an exception in a later block is rethrown unchanged"):
    Region.scoped:
      val rows = Rows.tabulate[Entry](150_000)(item)
      val wrong = IllegalStateException("row 140 000")
      var count = 0
      val error = intercept[IllegalStateException](rows.foreach: _ =>
        count += 1
        if count == 140_000 then throw wrong)
      assert(error eq wrong)
      assertEquals(count, 140_000)

  test("loops over several blocks allocate nothing"):
    Region.scoped:
      val rows = PackedRows.tabulate[Entry](150_000)(i => Entry(1, i.toInt, i, 1))
      val columns = Columns.tabulate[Entry](150_000)(i => Entry(1, i.toInt, i, 1))
      assertAllocates(0) { sink += rows.sumOf(_.large) }
      assertAllocates(0) { sink += columns.sumOf(_.number) }
      assertAllocates(0) { sink += rows.filter(_.number > 9).sumOf(_.large) }
      assertAllocates(0) { sink += rows.foldLeft(0L)((sum, i) => sum ^ i.large) }
      assertAllocates(0) { sink += columns.count(_.number > 100) }
end BlocksTest

final case class Entry(kind: Byte, number: Int, large: Long, real: Double) derives Struct, CanEqual
