package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.{assertAllocates, bytesPerCall}

/** Loops with one result allocate nothing for each row that they read. */
class LeastByAllocationTest extends undercroft.tools.Suite:
  private case class Person(id: Int, born: Long, name: Text[21], isHere: Boolean) derives Struct
  private val size = 3000
  var sink = 0L

  /** The most bytes of a result: a row with its name, and the words of a key. */
  private val resultBytes = 300L

  // Each row is less than all before it.
  private def person(i: Long) =
    Person(i.toInt, -i, Text[21](f"name ${1_000_000 - i}%08d"), true)

  test("minBy and maxBy by long keys allocate only their results, in each layout"):
    Region.scoped:
      val rows = Rows.tabulate[Person](size)(person)
      val packed = PackedRows.tabulate[Person](size)(person)
      val columns = Columns.tabulate[Person](size)(person)
      val bytes = bytesPerCall:
        sink += rows.minBy(_.name).id
        sink += packed.minBy(p => (p.born, p.name)).id
        sink += columns.maxBy(p => (p.isHere, desc(p.name), p.born)).id
        sink += rows.filter(_.isHere).minBy(p => (p.born, desc(p.id))).id
      assert(bytes <= 4 * resultBytes, s"$bytes bytes")

  test("rows that are the least so far are not loaded, for keys of one word and by last"):
    Region.scoped:
      val (rows, columns) =
        (Rows.tabulate[Person](size)(person), Columns.tabulate[Person](size)(person))
      val bytes = bytesPerCall:
        sink += columns.minBy(_.born).id
        sink += columns.reverse.strided(2).maxBy(_.born).id
        sink += rows.filter(_.isHere).last.id
        sink += rows.filter(_.id > 2000).head.id
      assert(bytes <= 4 * resultBytes, s"$bytes bytes")
      val all = bytesPerCall { sink += rows.toVector.size }
      assert(all > size * 32, s"the measure of $all bytes misses rows")

  test("reduce, size, isEmpty, contains and drop of views allocate nothing"):
    Region.scoped:
      val rows = Rows.tabulate[Person](size)(person)
      assertAllocates(0) { sink += rows.filter(_.isHere).map(_.born).reduce(_.max(_)) }
      assertAllocates(0) { sink += rows.map(_.id).reduceOption((a, b) => a + b).getOrElse(0) }
      assertAllocates(0) { sink += rows.filter(_.id > 5).size }
      assertAllocates(0) { if rows.filter(_.id > 5000).isEmpty then sink += 1 }
      assertAllocates(0) { if rows.map(_.born).contains(-2999L) then sink += 1 }
end LeastByAllocationTest
