package undercroft.struct

import internal.parallel.SharedTable
import internal.sort.{FieldKeys, LsdRadixSort, MergeRuns, ParallelRadixSort, SortFields, SortKey}
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import undercroft.memory.Region

case class Tagged(name: Text[19], way: Way, number: Int) derives Struct, CanEqual
case class Prefixed(name: Text[1024], number: Int) derives Struct, CanEqual

/** The parts of parallel sorts, and keys of texts. */
class ParallelSortTest extends undercroft.tools.PropertySuite:

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(12)

  property("MergeRuns merges any number of runs stably"):
    val keys = Gen.listOf(Gen.oneOf(Gen.choose(-3L, 3L), Gen.oneOf(Long.MinValue, Long.MaxValue)))
    forAll(keys, Gen.choose(1, 9), Gen.choose(1L, 5L)): (keys, maxRuns, minRows) =>
      Region.scoped:
        val runs = MergeRuns(keys.size, maxRuns, minRows)
        for run <- 0 until runs.count do
          val runKeys = keys.slice(runs.start(run).toInt, runs.start(run + 1).toInt)
          val buffer = LsdRadixSort(runKeys.size, 8, Region.current)
          runKeys.foreach(key => buffer.put(SortKey.of(key)))
          buffer.sort()
          runs(run) = buffer
        val shares = runs.split(Region.current)
        shares.foreach(_.merge())
        val order = shares.toVector.flatMap(share => (0L until share.size).map(share.row(_).toInt))
        assertEquals(order, keys.zipWithIndex.sortBy(_._1).map(_._2).toVector)
      true

  private val labels =
    val letters = Gen.listOf(Gen.oneOf('a', 'é', 'z')).map(_.mkString)
    Gen.zip(Gen.oneOf("", "same prefix", "same pr"), letters).map((first, rest) =>
      Text.truncated[19](first + rest)
    )

  private val tagged =
    Gen.listOf(Gen.zip(labels, Gen.oneOf(Way.values.toSeq))).map: keys =>
      keys.zipWithIndex.map((key, i) => Tagged(key(0), key(1), i)).toVector

  private val byName: Ordering[Text[19]] = (a, b) => a.compare(b.string)
  private val byWay = Ordering.by[Way, Int](_.ordinal)

  property("MergeRuns merges runs of Text keys stably"):
    forAll(tagged, Gen.choose(1, 9), Gen.choose(1L, 5L)): (values, maxRuns, minRows) =>
      Region.scoped:
        val rows = Rows.from(values)
        val name = Struct[Tagged].leaves.head
        val runs = MergeRuns(values.size, maxRuns, minRows)
        for run <- 0 until runs.count do
          val runRows = rows.slice(runs.start(run), runs.start(run + 1))
          val buffer = LsdRadixSort(runRows.size, name.kind.size, Region.current)
          buffer.sortBy(FieldKeys(runRows, name))
          runs(run) = buffer
        val shares = runs.split(Region.current, FieldKeys(rows, name))
        shares.foreach(_.merge(FieldKeys(rows, name)))
        val order = shares.toVector.flatMap(share => (0L until share.size).map(share.row(_)))
        assertEquals(order.map(i => values(i.toInt)), values.sortBy(_.name)(using byName))
      true

  property("topBy and the parallel sorts accept Text and enum keys"):
    forAll(tagged, Gen.choose(0, 9)): (values, count) =>
      Region.scoped:
        val rows = Columns.from(values)
        assertEquals(
          rows.topBy(count)(_.name).toVector,
          values.sortBy(_.name)(using byName.reverse).take(count)
        )
        assertEquals(
          rows.topBy(count)(row => row.way).toVector,
          values.sortBy(_.way)(using byWay.reverse).take(count)
        )
        assertEquals(rows.parSortBy(_.name).toVector, values.sortBy(_.name)(using byName))
        assertEquals(rows.parSortBy(_.way).toVector, values.sortBy(_.way)(using byWay))
        rows.parSortInPlaceBy(_.name)
        assertEquals(rows.map(_.name).toVector, values.map(_.name).sorted(using byName))
      true

  test("parSortBy and parSortInPlaceBy sort many rows by a Text key"):
    Region.scoped:
      val values = Vector.tabulate(70_000): i =>
        Tagged(Text(s"prefix ${i * 7919 % 1000}"), Way.Buy, i)
      val rows = Rows.from(values)
      assertEquals(rows.parSortBy(_.name).toVector, values.sortBy(_.name)(using byName))
      rows.parSortInPlaceBy(_.name)
      assertEquals(rows.map(_.name).toVector, values.map(_.name).sorted(using byName))

  test("ParallelRadixSort sorts Text keys of which many are equal or share a prefix"):
    Region.scoped:
      val names = Vector("", "a", "prefix of all", "prefix of all 1", "prefix of all 2", "z")
      val values = Vector.tabulate(3000)(i => Tagged(Text(names(i * 7919 % 6)), Way.Buy, i))
      for kept <- List(values, values.filter(_.name.string == "prefix of all")) do
        val rows = Rows.from(kept)
        ParallelRadixSort(SharedTable(rows), SortFields.of(rows, Array(0)), serialRows = 2).sort()
        assertEquals(rows.map(_.name.string).toVector, kept.map(_.name.string).sorted)
        assertEquals(rows.map(_.number).toVector.sorted, kept.map(_.number))

  test("ParallelRadixSort sorts Text keys that are prefixes of each other on a small stack"):
    def numbers(count: Int): Vector[Int] =
      Region.scoped:
        val rows = Rows.tabulate[Prefixed](count)(i => Prefixed(Text("x" * i.toInt), i.toInt))
        ParallelRadixSort(SharedTable(rows), SortFields.of(rows, Array(0)), serialRows = 2).sort()
        rows.map(_.number).toVector
    assertEquals(numbers(10), Vector.range(0, 10))
    var sorted = Vector.empty[Int]
    val task: Runnable = () =>
      sorted = numbers(1000)
    val thread = Thread(null, task, "small stack", 256L << 10)
    thread.setDaemon(true)
    thread.start()
    thread.join()
    assertEquals(sorted, Vector.range(0, 1000))

  property("ParallelRadixSort sorts rows in place with any size of its serial parts"):
    forAll(Gen.listOf(Gen.oneOf(Gen.choose(-3, 3), Gen.choose(Int.MinValue, Int.MaxValue)))):
      keys =>
        Region.scoped:
          val rows = Columns.from(keys.map(Trade(_, 1, 2, true)))
          ParallelRadixSort(SharedTable(rows), SortFields.of(rows, Array(0)), serialRows = 2).sort()
          assertEquals(rows.map(_.ticket).toVector, keys.sorted.toVector)
        true
end ParallelSortTest
