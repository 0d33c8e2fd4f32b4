package undercroft.struct

import SortSamples.{sortedBy, spreads}
import internal.sort.{AmericanFlagSort, SortFields}
import undercroft.memory.Region

class AmericanFlagSortTest extends undercroft.tools.Suite:

  for (name, key) <- spreads do
    test(s"sorts in place by ten bits at once, of keys that are $name, agree with an Array"):
      Region.scoped:
        val random = java.util.SplittableRandom(5)
        // More rows than the sort in the cache, of 2^18, has.
        val values = Array.tabulate(270_000): i =>
          val value = key(random)
          Assorted((i % 3).toByte, value, value.toInt, Text[3](""), -i)
        def check(fields: Int*)(expected: Array[Assorted]): Unit =
          val rows = Rows.from(values)
          AmericanFlagSort(rows, SortFields.of(rows, fields.toArray), narrowRows = 0).sort()
          val differing = expected.indices.find(i => rows(i) != expected(i))
          for i <- differing do fail(s"by $fields: row $i is ${rows(i)}, not ${expected(i)}")
        check(1, 4)(sortedBy(values)(_.key, _.number))
        check(0, ~2, 4)(sortedBy(values)(_.tiny, -_.low.toLong, _.number))
        check(0, 1, 2, 4)(sortedBy(values)(_.tiny, _.key, _.low, _.number))
end AmericanFlagSortTest
