package outside.struct

import java.util.ConcurrentModificationException
import scala.collection.mutable
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.assertAllocates

case class BusStop(line: Int, name: Text[40]) derives Struct
case class Departure(minute: Int, delay: Long) derives Struct

/** Loops over maps and sets, and additions of absent keys, beside Scala's maps and sets. */
class MapLoopsTest extends undercroft.tools.Suite:

  private def regions(body: Region ?=> Unit): Unit =
    Region.scoped(body)
    val region = Region.shared("map loops")
    try body(using region)
    finally region.close()

  private def stop(i: Int) = BusStop(i % 7, Text(s"stop $i ${"é" * (i % 9)}"))

  test("removeIf removes the keys that a filter of a Scala map removes, at each size of the map"):
    regions:
      val random = Random(48)
      for size <- Seq(0, 1, 2, 10, 100, 3000, 20_000); share <- Seq(0, 1, 5, 9, 10) do
        val ints = StructMap[Int, Long]()
        val stops = StructMap[BusStop, Departure]()
        val seen = StructSet[Long]()
        val model = mutable.Map.empty[Int, Long]
        for i <- 0 until size do // key 0 has a slot of its own
          val number = random.nextInt(10)
          model(i) = number
          ints(i) = number
          stops(stop(i)) = Departure(i, number)
          seen.add(i.toLong): Unit
        var calls = 0
        val removed = ints.removeIf { (_, number) =>
          calls += 1
          number < share
        }
        val expected = model.filterNot((_, number) => number < share)
        assertEquals((removed, calls), ((size - expected.size).toLong, size))
        assertEquals(ints.toMap, expected.toMap)
        assertEquals(stops.removeIf((_, departure) => departure.delay < share), removed)
        assertEquals(
          stops.toMap,
          expected.map((i, number) => stop(i) -> Departure(i, number)).toMap
        )
        assertEquals(seen.removeIf(key => model(key.toInt) < share), removed)
        assertEquals(seen.toSet, expected.keySet.map(_.toLong).toSet)
        for i <- 0 until size do assertEquals(ints.contains(i), expected.contains(i))
        assertEquals((ints.size, stops.size, seen.size), (ints.size, ints.size, ints.size))
      end for

  test("count, keys, values and iterator agree with a Scala map"):
    regions:
      for size <- Seq(0, 1, 2, 1000) do
        val model = List.tabulate(size)(i => stop(i) -> Departure(i, i * 7919L)).toMap
        val map = StructMap.from(model)
        assertEquals(map.size, model.size.toLong)
        assertEquals(map.toMap, model)
        assertEquals(
          map.count((s, d) => s.line < 3 && d.minute % 2 == 0),
          model.count((s, d) =>
            s.line < 3 && d.minute % 2 == 0
          ).toLong
        )
        assertEquals(map.keys.toVector.toSet, model.keySet)
        assertEquals(map.keys.to(List), map.iterator.map(_._1).toList)
        assertEquals(map.values.to(List), map.iterator.map(_._2).toList)
        assertEquals(map.values.sumOf(_.delay), model.values.map(_.delay).sum)
        assertEquals(map.keys.take(2).size, size.min(2).toLong)
        assertEquals(Rows.from(map.values).toVector, map.values.toVector)
        val set = StructSet.from(model.keys)
        assertEquals(set.toSet, model.keySet)
        assertEquals(set.count(_.line == 1), model.keySet.count(_.line == 1).toLong)
        assertEquals(set.keys.toVector, set.iterator.toVector)
      end for
      val error = intercept[NoSuchElementException](StructMap[Int, Int]().iterator.next())
      assertEquals(error.getMessage, "the iterator has returned all entries")

  test("getOrElseUpdate and putIfAbsent evaluate the value of an absent key once, and no other"):
    regions:
      val map = StructMap[BusStop, Departure]()
      var calls = 0
      def departure(minute: Int) =
        calls += 1
        Departure(minute, minute)
      for round <- 1 to 2; i <- 0 until 500 do
        assertEquals(map.getOrElseUpdate(stop(i), departure(i)), Departure(i, i))
        assertEquals(map.putIfAbsent(stop(1000 + i), departure(i)), round == 1)
        assert(!map.putIfAbsent(stop(i), departure(-1)))
      assertEquals((map.size, calls), (1000L, 1000))
      assertEquals((map(stop(3)), map(stop(1003))), (Departure(3, 3), Departure(3, 3)))
      intercept[ArithmeticException](map.getOrElseUpdate(stop(-1), departure(1 / (calls - calls))))
      intercept[ArithmeticException](map.putIfAbsent(stop(-1), departure(1 / (calls - calls))))
      assert(!map.contains(stop(-1)))

  test("entries are added one after another by from, and a failure frees the map"):
    Region.scoped:
      val map = StructMap.from(Iterator(1 -> 10L, 2 -> 20L, 1 -> 11L))
      assertEquals(map.toMap, Map(1 -> 11L, 2 -> 20L))
    val before = Ledger.report().rows.map(_.liveBytes).sum
    for _ <- 1 to 200 do
      intercept[ArithmeticException](
        StructMap.from(Iterator(0, 1).map(i => i -> 1L / (1 - i)))(using Malloc)
      )
      intercept[ArithmeticException](StructSet.from(Iterator(0, 1).map(i => 1 / (1 - i)))(using
        Malloc
      ))
    val after = Ledger.report().rows.map(_.liveBytes).sum
    assert(after - before < 200 * 65_536, s"$before bytes before, $after after")

  test("loops and additions of primitive keys and values allocate nothing"):
    regions:
      val map = StructMap.from(List.tabulate(100)(i => i -> i.toLong))
      val set = StructSet.from(List.tabulate(100)(_.toLong))
      var number = 100
      var sum = 0L
      assertAllocates(0) { sum += map.count((key, value) => key == value) }
      assertAllocates(0) { sum += set.count(_ < 50) }
      assertAllocates(0):
        if map.putIfAbsent(number, 1L) then sum += map.getOrElseUpdate(number, 2L)
        sum += map.getOrElseUpdate(number + 1, 3L)
        sum += map.removeIf((key, _) => key >= 100)
        number += 1
      assertAllocates(0):
        if set.add(number) then sum += set.removeIf(_ >= 100)
        number += 1
      assert(sum > 100)
      assertEquals((map.size, set.size), (100L, 100L))

  test("a function that adds or removes keys of the map it loops over fails, and the map is whole"):
    regions:
      val map = StructMap.from(List.tabulate(100)(i => i -> i.toLong))
      val set = StructSet.from(List.tabulate(100)(identity))
      def fails(use: => Any): Unit =
        intercept[ConcurrentModificationException](use)
        assertEquals(map.toMap.forall((key, value) => key == value), true)
        assertEquals(map.size, map.iterator.size.toLong)
        assertEquals(set.size, set.iterator.size.toLong)
      fails(map.removeIf((key, _) => map.remove(key)))
      fails(map.removeIf { (key, _) =>
        map(1000 + key) = 1000L + key; true
      })
      fails(map.count { (_, _) =>
        map.clear(); true
      })
      fails(set.removeIf(key => set.remove(key)))
      fails(set.count(key => set.add(1000 + key)))
      for i <- 0 until 100 do map(i) = i
      fails(map.getOrElseUpdate(-1, { map(-1) = -1L; -1L }))
      fails(map.putIfAbsent(-2, { map.remove(7): Unit; -2L }))
      val (entries, keys) = (map.iterator, set.iterator)
      entries.next(): Unit
      keys.next(): Unit
      map(2000) = 2000L
      set.add(2000): Unit
      fails(entries.next())
      fails(keys.next())
      fails(map.keys.foreach(key => map.remove(key)))
      fails(map.values.map(value => map.remove(value.toInt)).toVector)

  test("a condition that throws leaves the map without the keys that it chose before"):
    regions:
      val map = StructMap.from(List.tabulate(100)(i => i -> i.toLong))
      var calls = 0
      intercept[ArithmeticException]:
        map.removeIf { (_, _) =>
          calls += 1
          1 / (11 - calls) > -2
        }
      assertEquals((map.size, map.iterator.size), (90L, 90))

  test("loops over closed maps, and of other threads, throw"):
    val region = Region.named("left")
    var (left, entries, keys) = (
      null.asInstanceOf[StructMap[Int, Long]],
      null.asInstanceOf[Iterator[(Int, Long)]],
      null.asInstanceOf[View[Int]]
    )
    region:
      left = StructMap.from(List(1 -> 10L, 2 -> 20L))
      entries = left.iterator
      keys = left.keys
      var failures = List.empty[Throwable]
      def fails(use: => Any): Unit =
        try failures ::= AssertionError(s"no failure, but $use")
        catch case error: Throwable => failures ::= error
      val stranger = Thread: () =>
        fails(left.removeIf((_, _) => true))
        fails(left.count((_, _) => true))
        fails(left.putIfAbsent(3, 30L))
        fails(left.getOrElseUpdate(1, 30L))
        fails(left.iterator.next())
        fails(keys.toVector)
      stranger.start()
      stranger.join()
      assertEquals(failures.size, 6)
      assert(failures.forall(_.isInstanceOf[WrongThreadException]), failures.toString)
      assertEquals(left.toMap, Map(1 -> 10L, 2 -> 20L))
    def stale(use: => Any): Unit =
      val error = intercept[StaleReferenceException](use)
      assert(error.getMessage.contains("left"), error.getMessage)
    stale(left.removeIf((_, _) => true))
    stale(left.count((_, _) => true))
    stale(left.putIfAbsent(3, 30L))
    stale(left.getOrElseUpdate(1, 30L))
    stale(left.toMap)
    stale(entries.next())
    stale(keys.toVector)

  test("a map in shared memory that another thread changes rejects the removals of a loop"):
    val region = Region.shared("shared")
    given Region = region
    try
      val map = StructMap.from(List.tabulate(100)(i => i -> i.toLong))
      intercept[ConcurrentModificationException]:
        map.removeIf { (key, _) =>
          val other = Thread(() => map(key) = -1L)
          other.start()
          other.join()
          true
        }
      assertEquals(map.size, 100L)
      val iterator = map.iterator
      val closer = Thread(() => map.close())
      closer.start()
      closer.join()
      intercept[StaleReferenceException](iterator.next()): Unit
    finally region.close()
end MapLoopsTest
