package undercroft.struct

import undercroft.memory.Region

/** Sorts that distribute the rows to parts, which fit in the caches. */
class PartitionedSortTest extends undercroft.tools.Suite:

  test("sorts of several parts are correct for every input order"):
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
end PartitionedSortTest
