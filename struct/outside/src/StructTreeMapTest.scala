package outside.struct

import java.util.{ConcurrentModificationException, NoSuchElementException, TreeMap}
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.LongAdder
import scala.compiletime.testing.typeCheckErrors
import scala.jdk.CollectionConverters.*
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.assertAllocates

case class Level(price: Long, order: Long) derives Struct, CanEqual
case class Offer(quantity: Int, trader: Text[12]) derives Struct, CanEqual
case class Mixed(side: Boolean, kind: Char, day: Short, price: Double) derives Struct, CanEqual
case class Across(first: Int, second: Long, third: Int) derives Struct, CanEqual
enum Weekday derives Struct, CanEqual:
  case Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday

/** Ordered maps beside Java's. */
class StructTreeMapTest extends undercroft.tools.Suite:

  /** Random changes of both maps, and all reads of the ordered one after each few of them. */
  private inline def agrees[K: Ordering](name: String, steps: Int)(inline key: Random => K): Unit =
    val seed = System.nanoTime
    val random = Random(seed)
    try
      Region.scoped:
        val map = StructTreeMap[K, Long]()
        val model = TreeMap[K, Long](summon[Ordering[K]])
        def keyOr(key: K | Null, none: K): K = Option(key).fold(none)(_.nn)
        for step <- 0 until steps do
          val at = key(random)
          // Phases that mostly add and phases that mostly remove.
          if random.nextInt(10) < (if step / 1000 % 3 == 2 then 2 else 7) then
            random.nextInt(4) match
              case 0 =>
                map(at) = step.toLong
                model.put(at, step.toLong): Unit
              case 1 =>
                map.updateOrElse(at, 7L)(_ + step)
                model.put(at, model.getOrDefault(at, 7L) + step): Unit
              case 2 =>
                assertEquals(map.putIfAbsent(at, step.toLong), !model.containsKey(at))
                model.putIfAbsent(at, step.toLong): Unit
              case _ =>
                val value = map.getOrElseUpdate(at, step.toLong)
                assertEquals(value, model.computeIfAbsent(at, _ => step.toLong))
          else
            assertEquals(map.remove(at), model.containsKey(at))
            model.remove(at): Unit
          assertEquals(map.size, model.size.toLong)
          val other = key(random)
          assertEquals(map.get(other), Option.when(model.containsKey(other))(model.get(other)))
          assertEquals(map.getOrElse(other, -3L), model.getOrDefault(other, -3L))
          assertEquals(map.contains(other), model.containsKey(other))
          val none = key(random)
          assertEquals(map.floorKey(other, none), keyOr(model.floorKey(other), none))
          assertEquals(map.lowerKey(other, none), keyOr(model.lowerKey(other), none))
          assertEquals(map.ceilingKey(other, none), keyOr(model.ceilingKey(other), none))
          assertEquals(map.higherKey(other, none), keyOr(model.higherKey(other), none))
          if map.nonEmpty then
            assertEquals((map.firstKey, map.lastKey), (model.firstKey, model.lastKey))
          if step % 500 == 0 then
            val entries = model.entrySet.nn.asScala.toList.map(e => (e.getKey, e.getValue))
            assertEquals(map.iterator.toList, entries)
            val inOrder = List.newBuilder[(K, Long)]
            map.foreach((k, v) => inOrder += ((k, v)))
            assertEquals(inOrder.result(), entries)
            val to = key(random)
            val within = List.newBuilder[(K, Long)]
            map.foreachIn(other, to)((k, v) => within += ((k, v)))
            val ordering = summon[Ordering[K]]
            val expected =
              entries.filter((k, _) => ordering.gteq(k, other) && ordering.lt(k, to))
            assertEquals(within.result(), expected)
        end for
        // Removed in order, until nothing is there.
        while map.nonEmpty do
          val last = if random.nextBoolean() then map.firstKey else map.lastKey
          assert(map.remove(last))
          model.remove(last): Unit
          assertEquals(map.size, model.size.toLong)
    catch case error: Throwable => throw AssertionError(s"$name, seed $seed: $error", error)
    end try
  end agrees

  test("random changes and reads agree with Java's TreeMap, for keys of each kind"):
    agrees[Int]("ints", 6000)(_.nextInt(3000) - 1500)
    agrees[Long]("longs", 6000)(_.nextLong() >> 45)
    agrees[Byte]("bytes", 3000)(_.nextInt().toByte)
    agrees[Char]("chars", 3000)(_.nextInt(0x10000).toChar)
    agrees[Boolean]("booleans", 100)(_.nextBoolean())
    agrees[Double]("doubles", 4000)(random =>
      random.nextInt(20) match
        case 0 => -0.0
        case 1 => 0.0
        case 2 => Double.PositiveInfinity
        case 3 => Double.NegativeInfinity
        case _ => random.nextGaussian() * 1e10
    )(using Ordering.Double.TotalOrdering)
    agrees[Float]("floats", 3000)(random => (random.nextInt(2000) - 1000) / 8f)(using
      Ordering.Float.TotalOrdering
    )
    agrees[(Int, Int)]("pairs", 6000)(random => (random.nextInt(40) - 20, random.nextInt()))
    agrees[(Long, Short)]("tens", 4000)(random =>
      (random.nextInt(3).toLong, random.nextInt().toShort)
    )

  test("random changes and reads agree with Java's TreeMap, for keys that are structs"):
    agrees[Level]("levels", 6000)(random => Level(random.nextInt(30) - 15, random.nextInt(100)))(
      using Ordering.by(level => (level.price, level.order))
    )
    agrees[Mixed]("mixed", 4000)(random =>
      Mixed(
        random.nextBoolean(),
        ('a' + random.nextInt(3)).toChar,
        (random.nextInt(5) - 2).toShort,
        random.nextInt(50) - 25
      )
    )(using
      Ordering.by[Mixed, (Boolean, Char, Short)](m => (m.side, m.kind, m.day))
        .orElse(Ordering.by[Mixed, Double](_.price)(using Ordering.Double.TotalOrdering))
    )
    agrees[Across]("across two words", 4000)(random =>
      Across(random.nextInt(3) - 1, random.nextInt(5) - 2L << 33, random.nextInt(100) - 50)
    )(using Ordering.by(across => (across.first, across.second, across.third)))
    agrees[Weekday]("enums", 300)(random => Weekday.fromOrdinal(random.nextInt(7)))(using
      Ordering.by(_.ordinal)
    )

  test("an Option is a key, and None is before all others"):
    agrees[Option[Int]]("options", 2000)(random =>
      Option.when(random.nextInt(4) > 0)(random.nextInt(20) - 10)
    )(using Ordering.Option(using Ordering.Int))
    Region.scoped:
      val map = StructTreeMap[Option[Int], Int]()
      map(None) = 1
      map(Some(0)) = 2
      map(Some(-5)) = 3
      val none: Option[Int] = None
      assertEquals((map(none), map(None), map(Option(0))), (1, 1, 2))
      assertEquals(map.iterator.toList, List(None -> 1, Some(-5) -> 3, Some(0) -> 2))

  test("ascending, descending and alternating keys are found, for values of each size"):
    Region.scoped:
      val count = 50_000
      val orders = Seq[Int => Int](
        i => i,
        i => count - 1 - i,
        i => if i % 2 == 0 then i / 2 else count - 1 - i / 2
      )
      for order <- orders do
        val map = StructTreeMap[Int, Offer]()
        for i <- 0 until count do map(order(i)) = Offer(order(i), Text(s"trader ${order(i) % 100}"))
        assertEquals(map.size, count.toLong)
        assertEquals((map.firstKey, map.lastKey), (0, count - 1))
        for i <- 0 until count do assertEquals(map(i), Offer(i, Text(s"trader ${i % 100}")))
        var next = 0
        map.foreach { (key, bid) =>
          assert(key == next && bid.quantity == next)
          next += 1
        }
        for i <- 0 until count by 2 do assert(map.remove(i))
        assertEquals(map.size, count / 2L)
        assertEquals((map.floorKey(10, -1), map.higherKey(9, -1)), (9, 11))
        map.clear()
        assertEquals((map.isEmpty, map.floorKey(10, -1)), (true, -1))
        map(7) = Offer(1, Text("again"))
        assertEquals(map.iterator.toList, List(7 -> Offer(1, Text("again"))))
        map.close()

  test("values are stored whose nodes have more bytes than a page"):
    Region.scoped:
      val map = StructTreeMap[Int, LongText]()
      for i <- 500 to 1 by -1 do map(i) = LongText(Text(s"$i"), Text("é" * 2048), i)
      for i <- 1 to 500 do assertEquals(map(i).number, i)
      for i <- 1 to 500 do assertEquals(map(i).text.string, s"$i")
      for i <- 1 to 500 by 3 do assert(map.remove(i))
      assertEquals(map.ceilingKey(1, -1), 2)
      val large = StructTreeMap[Int, LargeValue]() // of more than a small map's address space
      for i <- 40 to 1 by -1 do
        large(i) =
          LargeValue(InlineArray.fill[Long, 8000](i.toLong), InlineArray.fill[Long, 8000](0L), i)
      for i <- 1 to 40 do assertEquals((large(i).words(7999), large(i).number), (i.toLong, i))

  test("keys with a first part in descending order stand where their order says"):
    Region.scoped:
      val bids = StructTreeMap[Level, Int]() // the highest price first, then the oldest order
      for (price, order) <- Seq(100L -> 1L, 101L -> 2L, 101L -> 3L, 99L -> 4L) do
        bids(Level(-price, order)) = order.toInt
      assertEquals(bids.iterator.map(_._2).toList, List(2, 3, 1, 4))

  test("an absent key and an empty map are errors that name them"):
    Region.scoped:
      val map = StructTreeMap[Level, Int]()
      assertEquals(
        intercept[NoSuchElementException](map(Level(1, -2))).getMessage,
        "no value of the key Level(1,-2)"
      )
      for error <- Seq(
          intercept[NoSuchElementException](map.firstKey),
          intercept[NoSuchElementException](map.lastKey)
        )
      do assertEquals(error.getMessage, "the map has no key")
      assertEquals(map.toString, "StructTreeMap of 0 keys")
      map.close()
      assertEquals(map.toString, "closed StructTreeMap")
      intercept[StaleReferenceException](map.size): Unit
      intercept[StaleReferenceException](map.firstKey): Unit
      intercept[StaleReferenceException](map(Level(1, 1)) = 1): Unit

  test("a change of keys within a loop or an update is rejected"):
    Region.scoped:
      val map = StructTreeMap[Int, Int]()
      for i <- 0 until 200 do map(i) = i
      intercept[ConcurrentModificationException](map.foreach((key, _) => map(key + 1000) = 1)): Unit
      intercept[ConcurrentModificationException](map.foreach((key, _) => map.remove(key))): Unit
      val iterator = map.iterator
      iterator.next(): Unit
      map(-1) = 1
      intercept[ConcurrentModificationException](iterator.next()): Unit
      intercept[ConcurrentModificationException]:
        map.updateOrElse(-2, 0): value =>
          map(-3) = 1
          value
      intercept[ConcurrentModificationException](map.putIfAbsent(
        -2, {
          map.remove(9): Unit; 1
        }
      )): Unit
      assertEquals(map.get(-2), None)
      map.foreach((key, value) => map(key) = value + 1) // adds and removes no key
      assertEquals(map(5), 6)
      map.foreach((key, _) => if key == 50 then assert(map.contains(50)))

  test("a failing value or function changes nothing"):
    Region.scoped:
      val map = StructTreeMap[Int, Int]()
      map(1) = 1
      intercept[ArithmeticException](map(2) = 1 / (map.size - 1).toInt): Unit
      intercept[ArithmeticException](map.updateOrElse(1, 0)(_ / (map.size - 1).toInt)): Unit
      assertEquals(map.iterator.toList, List(1 -> 1))

  test("a map that exceeds its budget throws MemoryLimitException and keeps its entries"):
    for limit <- List(300_000, 700_000, 1_500_000, 3_000_000) do
      Region.named("small", limitBytes = limit):
        val map = StructTreeMap[Long, Long]()
        var entered = 0L
        intercept[MemoryLimitException]:
          while entered < 1_000_000 do
            map(entered * 31) = entered
            entered += 1
        for _ <- 1 to 3 do intercept[MemoryLimitException](map(Long.MaxValue) = 1): Unit
        assertEquals(map.size, entered)
        assertEquals(map.lastKey, (entered - 1) * 31)
        for i <- 0L until entered do assertEquals(map(i * 31), i)
        assert(map.remove(31))
        map(31) = 5 // the room of a removed key
        assertEquals(map(31), 5L)

  test("nodes of removed keys are used again, and a closed map's memory is returned"):
    val region = Region.shared("windows")
    given Region = region
    def live = Ledger.report().rows.find(_.name == "windows").fold(0L)(_.liveBytes)
    try
      val window = StructTreeMap[Long, Long]()
      for i <- 0L until 10_000L do window(i) = i
      val before = live
      for i <- 10_000L until 1_000_000L do
        window(i) = i
        window.remove(window.firstKey)
      assertEquals(window.size, 10_000L)
      assertEquals(live, before)
      window.close()
      assert(live < before)
    finally region.close()

  test("another thread than the region's is rejected"):
    Region.scoped:
      val map = StructTreeMap[Int, Int]()
      map(1) = 1
      val failures = LongAdder()
      def fails(body: => Unit): Unit =
        try body
        catch case _: (RegionThreadException | WrongThreadException) => failures.increment()
      val thread = Thread: () =>
        fails(assertEquals(map(1), 1))
        fails(map(2) = 2)
        fails(map.foreach((_, _) => ()))
        fails(assertEquals(map.firstKey, 1))
      thread.start()
      thread.join()
      assertEquals(failures.sum, 4L)
      assertEquals(map.size, 1L)

  test("threads that change a shared map without a lock are rejected, and corrupt nothing"):
    val region = Region.shared("careless")
    given Region = region
    try
      val neighbour = StructTreeMap[Long, Long]()
      for i <- 0L until 10_000L do neighbour(i) = -i
      val map = StructTreeMap[Long, Long]()
      val (rejected, wrong) = (LongAdder(), LongAdder())
      val start = CountDownLatch(1)
      val threads = List.tabulate(4): n =>
        Thread: () =>
          val random = Random(n)
          start.await()
          for _ <- 1 to 30_000 do
            val key = random.nextInt(5000).toLong
            try
              random.nextInt(5) match
                case 0 => map(key) = key * 3
                case 1 => map.remove(key): Unit
                case 2 => if map.getOrElseUpdate(key, key * 3) != key * 3 then wrong.increment()
                case 3 =>
                  // The value that it was stored with, or a rejection.
                  val value = map.getOrElse(key, key * 3)
                  if value != key * 3 then wrong.increment()
                case _ =>
                  if map.floorKey(key, key) > key then wrong.increment()
            catch case _: ConcurrentModificationException => rejected.increment()
      threads.foreach(_.start())
      start.countDown()
      threads.foreach(_.join())
      assertEquals(wrong.sum, 0L)
      var previous = -1L
      var entries = 0L
      map.foreach { (key, value) =>
        assert(key > previous && value == key * 3)
        previous = key
        entries += 1
      }
      assertEquals(entries, map.size)
      for i <- 0L until 10_000L do assertEquals(neighbour(i), -i)
    finally region.close()
    end try

  test("threads that take a lock share a map"):
    val map = StructTreeMap[Int, Int]()(using Malloc)
    val lock = Object()
    val threads = List.tabulate(4): n =>
      Thread(() => for i <- 0 until 5000 do lock.synchronized(map(i * 4 + n) = i))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assertEquals(map.size, 20_000L)
    for i <- 0 until 20_000 do assertEquals(map(i), i / 4)
    map.close()

  test("no operation by a key of numbers allocates"):
    Region.scoped:
      val map = StructTreeMap[Level, Long]()
      for i <- 0L until 5000L do map(Level(i % 50, i)) = i
      var sum = 0L
      var i = 0L
      assertAllocates(0):
        i = (i + 7) % 5000
        sum += map(Level(i % 50, i)) + map.getOrElse(Level(i, -1), 0L)
        map(Level(i % 50, i)) = i
        map.updateOrElse(Level(i % 50, i), 0L)(_ + 1)
        if map.remove(Level(i % 50, i)) then map(Level(i % 50, i)) = i
        if map.contains(Level(i % 50, i)) then sum += 1
      val byTime = StructTreeMap[Long, Long]()
      for time <- 0L until 5000L do byTime(time) = time
      assertAllocates(0):
        byTime.foreach((time, value) => sum += time + value)
        byTime.foreachIn(300L, 500L)((time, value) => sum += time + value)
        sum += byTime.firstKey + byTime.lastKey
        sum += byTime.floorKey(i, -1) + byTime.higherKey(i, 7) + byTime.lowerKey(0, 7)
      assert(sum != 0)

  test("a type without an order, a long key and an unknown type do not compile"):
    def errors(found: List[scala.compiletime.testing.Error]) = found.map(_.message).mkString
    val text = errors(typeCheckErrors("Region.scoped(StructTreeMap[Text[8], Int]())"))
    assert(text.contains("a StructTreeMap's key must be a primitive"), text)
    val long = errors(typeCheckErrors("Region.scoped(StructTreeMap[(Long, Long, Int), Int]())"))
    assert(long.contains("a StructTreeMap's key has at most 16 bytes"), long)
    assert(long.contains("has 20"), long)
    val unknown = errors(typeCheckErrors("def f[K](map: StructTreeMap[K, Int], key: K) = map(key)"))
    assert(unknown.contains("a StructTreeMap's key must be of a known type, not K"), unknown)
    val value = errors(typeCheckErrors("Region.scoped(StructTreeMap[Int, String]())"))
    assert(value.contains("a StructTreeMap's value"), value)
end StructTreeMapTest

case class LargeValue(words: InlineArray[Long, 8000], more: InlineArray[Long, 8000], number: Int)
    derives Struct
case class LongText(text: Text[4096], more: Text[4096], number: Int) derives Struct
