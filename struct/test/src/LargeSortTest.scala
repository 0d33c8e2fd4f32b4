package undercroft.struct

import internal.sort.{AmericanFlagSort, SortFields}
import java.util.Comparator
import undercroft.memory.Region

/** Sorts of tables that have more rows than the caches. */
class LargeSortTest extends undercroft.tools.Suite:

  test("sorts of several partitions are correct for every input order"):
    Region.scoped:
      val random = java.util.SplittableRandom(1)
      def check(key: Int => Long) =
        val columns = Columns.tabulate[Numbered](400_000)(i => Numbered(key(i.toInt), i.toInt))
        val sorted = columns.sortBy(_.key)
        val before = columns.exactSumOf(_.number)
        columns.sortInPlaceBy(_.key)
        for i <- 1 until 400_000 do
          val (a, b) = (sorted(i - 1), sorted(i))
          if columns(i - 1).key > columns(i).key || a.key > b.key ||
            a.key == b.key && a.number >= b.number
          then fail(s"rows ${i - 1} and $i are not in order: $a, $b")
        assertEquals(columns.exactSumOf(_.number), before)
      check(_ => random.nextLong())
      check(i => -i.toLong)
      check(i => i % 3)
      check(i => (i.toLong % 7) << 61 | (random.nextInt(3) << 4))
      // Keys whose bits after the first digit just fit in a word of the sort, and do not.
      check(_ => random.nextLong(1L << 46))
      check(_ => random.nextLong(1L << 47))
      // A part with more rows than the sort in the cache has.
      check(i => if i % 4 == 0 then random.nextInt() else random.nextInt(1000))

  /** Keys of a large table: spread, in few parts, most in one part, with common bits, all equal. */
  private val spreads: Map[String, java.util.SplittableRandom => Long] = Map(
    "any" -> (_.nextLong()),
    "small" -> (_.nextInt(1000)),
    "mostly near zero" ->
      (random => if random.nextInt(20) == 0 then random.nextLong() else random.nextInt(1 << 20)),
    "with common bits" -> (random => (5L << 40) | (random.nextInt(1 << 30) << 3)),
    "equal" -> (_ => 7)
  )

  /** Rows in the stable order of keys, the first one first. */
  private def sortedBy(values: Array[Assorted])(
      keys: java.util.function.ToLongFunction[Assorted]*
  ): Array[Assorted] =
    val order = keys.map(Comparator.comparingLong[Assorted](_).nn).reduce(_.thenComparing(_))
    val sorted = values.clone
    java.util.Arrays.sort(sorted, order)
    sorted

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

  for (name, key) <- spreads do
    test(s"sorts in place by ten bits at once, of keys that are $name, agree with an Array"):
      Region.scoped:
        val random = java.util.SplittableRandom(5)
        // Parts of equal leading bits have more rows than the sort in the cache, of 2^18, has.
        val size = if Set("mostly near zero", "equal")(name) then 300_000 else 100_000
        val values = Array.tabulate(size): i =>
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
end LargeSortTest
