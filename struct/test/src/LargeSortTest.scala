package undercroft.struct

import SortSamples.{sortedBy, spreads}
import undercroft.memory.Region

/** Sorts of tables that have more rows than the caches. */
class LargeSortTest extends undercroft.tools.Suite:

  /** Rows, and the same rows sorted in every way of [[sortsLarge]]. */
  private final class Sorted(key: java.util.SplittableRandom => Long):
    private val random = java.util.SplittableRandom(11)
    val values = Array.tabulate(70_000): i => // more than the cache has
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
