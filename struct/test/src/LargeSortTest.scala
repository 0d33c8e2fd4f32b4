package undercroft.struct

import SortSamples.{sortedBy, spreads}
import undercroft.memory.Region

/** Sorts of tables that have more rows than the caches. */
class LargeSortTest extends undercroft.tools.Suite:

  test("sorts of several partitions are correct for every input order"):
    Region.scoped:
      val random = java.util.SplittableRandom(1)
      def check(key: Int => Long, rows: Int = 160_000) =
        val columns = Columns.tabulate[Numbered](rows)(i => Numbered(key(i.toInt), i.toInt))
        val sorted = columns.sortBy(_.key)
        val before = columns.exactSumOf(_.number)
        columns.sortInPlaceBy(_.key)
        var (inPlace, a) = (columns(0).key, sorted(0))
        for i <- 1 until rows do
          val (key, b) = (columns(i).key, sorted(i))
          if inPlace > key || a.key > b.key || a.key == b.key && a.number >= b.number then
            fail(s"rows ${i - 1} and $i are not in order: $a, $b")
          inPlace = key
          a = b
        assertEquals(columns.exactSumOf(_.number), before)
      check(_ => random.nextLong())
      check(i => -i.toLong)
      check(i => i % 3)
      check(i => (i.toLong % 7) << 61 | (random.nextInt(3) << 4))
      // Keys whose bits after the first digit, of 4 bits, just fit in a word of the sort, and do not.
      check(_ => random.nextLong(1L << 44))
      check(_ => random.nextLong(1L << 45))
      // A part with more rows than the sort in the cache has.
      check(i => if i % 4 == 0 then random.nextInt() else random.nextInt(1000), rows = 400_000)

  /** Rows, and the same rows sorted in every way of [[sortsLarge]]. */
  private final class Sorted(key: java.util.SplittableRandom => Long):
    private val random = java.util.SplittableRandom(11)
    val values = Array.tabulate(100_000): i => // more than the cache has
      val value = key(random)
      Assorted(i.toByte, value, value.toInt, Text[3]((i % 1000).toString), i)
    val byLong = sortedBy(values)(_.key)
    val byInt = sortedBy(values)(_.low)
    val byTwo = sortedBy(values)(_.tiny, -_.low.toLong)
    val byFalling = sortedBy(values)(-_.low.toLong, _.number)

  private inline def sortsLarge[L <: Layout](inline tables: TableFactory[L])(
      expected: Sorted
  ): Unit =
    Region.scoped:
      val source = tables.from(expected.values)
      def agree(name: String, sorted: Table[Assorted, L], expected: Array[Assorted]): Unit =
        val differing = expected.indices.find(i => sorted(i) != expected(i))
        for i <- differing do fail(s"$name: row $i is ${sorted(i)}, not ${expected(i)}")
      agree("by a Long", source.sortBy(_.key), expected.byLong)
      agree("by an Int", source.sortBy(_.low), expected.byInt)
      agree(
        "by two keys",
        source.sortBy(mixed => (mixed.tiny, desc(mixed.low))),
        expected.byTwo
      )
      val copy = source.sortBy(_.number)
      copy.sortInPlaceBy(mixed => (desc(mixed.low), mixed.number))
      agree("in place", copy, expected.byFalling)
      val parallel = source.sortBy(_.number)
      parallel.parSortInPlaceBy(mixed => (desc(mixed.low), mixed.number))
      agree("in parallel", parallel, expected.byFalling)

  for (name, key) <- spreads do
    test(s"sorts of large tables whose keys are $name agree with an Array"):
      val expected = Sorted(key)
      sortsLarge(Rows)(expected)
      sortsLarge(PackedRows)(expected)
      sortsLarge(Columns)(expected)
end LargeSortTest
