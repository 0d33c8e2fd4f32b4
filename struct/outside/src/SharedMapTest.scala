package outside.struct

import java.util.ConcurrentModificationException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.LongAdder
import java.util.concurrent.atomic.AtomicReference
import scala.util.boundary
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.ForkedJvm

case class Pair16(first: Long, second: Long) derives Struct
case class MapCanary(a: Long, b: Int, c: Double) derives Struct

class SharedMapTest extends undercroft.tools.Suite:

  private def together(threads: Int)(body: Int => Unit): Unit =
    val workers = List.tabulate(threads)(number => Thread(() => body(number)))
    workers.foreach(_.start())
    workers.foreach(_.join())

  test("threads that write a map without a lock neither crash the JVM nor corrupt other memory"):
    val result = ForkedJvm.run("outside.struct.CarelessWriters")
    assertEquals(result.exit, 0, result.output)
    assert(result.output.contains("neighbours unchanged"), result.output)
    assert(!result.output.contains("rejected 0 times"), result.output)

  test("concurrent lookups of wide keys in an unchanged map return the correct values"):
    val region = Region.shared("finished")
    given Region = region
    try
      val pairs = StructMap[Pair16, Long]()
      val names = StructMap[Text[16], Long]()
      for i <- 0L until 1000L do
        pairs(Pair16(i, -i)) = i
        names(Text(s"name$i")) = i
      val wrong = LongAdder()
      together(8): number =>
        val random = java.util.SplittableRandom(number)
        for _ <- 1 to 100_000 do
          val i = random.nextInt(1000).toLong
          if pairs(Pair16(i, -i)) != i then wrong.increment()
          if names.getOrElse(Text(s"name$i"), -1L) != i then wrong.increment()
          if pairs.contains(Pair16(i, 1)) then wrong.increment()
      assertEquals(wrong.sum, 0L)
    finally region.close()

  test("lookups on more threads than there are thread caches return the correct values"):
    val region = Region.shared("many threads")
    given Region = region
    try
      val pairs = StructMap[Pair16, Long]()
      for i <- 0L until 100L do pairs(Pair16(i, i)) = i
      val wrong = LongAdder()
      val started = java.util.concurrent.CountDownLatch(300)
      together(300): number =>
        Region.scoped:
          Region.allocate(8).set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 1L)
          started.countDown()
          started.await()
          for i <- 0L until 100L do
            if pairs(Pair16(i, i)) != i then wrong.increment()
      assertEquals(wrong.sum, 0L)
    finally region.close()

  test("changes by small keys on more threads than there are thread caches allocate no block"):
    val region = Region.shared("small keys")
    given Region = region
    def blocks = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveCount)
    val (prices, pairs) = (StructMap[Int, Long](), StructSet[(Long, Long)]())
    val lock = Object()
    val (changed, counted) = (CountDownLatch(2000), CountDownLatch(1))
    val before = blocks
    val failed = LongAdder()
    val threads = Vector.tabulate(2000): n =>
      Thread.ofVirtual.start: () =>
        try
          lock.synchronized:
            prices(n) = 1L
            prices.updateOrElse(n, 0L)(_ + 1)
            pairs.add((n.toLong, n.toLong)): Unit
            if n % 2 == 0 then
              prices.remove(n): Unit
              pairs.remove((n.toLong, n.toLong)): Unit
            if n % 100 == 0 then
              prices.clear()
              pairs.clear()
        catch
          case error: Throwable =>
            failed.increment()
            throw error
        finally
          changed.countDown()
          counted.await()
    try
      changed.await()
      assertEquals(failed.sum, 0L)
      assert(blocks - before < 100, s"$blocks blocks, $before before")
    finally
      counted.countDown()
      threads.foreach(_.join())
      region.close()

  test("a lookup during a concurrent write returns the correct value or throws"):
    val region = Region.shared("read and written")
    try
      val map = StructMap[Long, Long]()(using region)
      map(1) = -1
      val (right, wrong, rejected) = (LongAdder(), LongAdder(), LongAdder())
      together(3): number =>
        if number == 0 then for i <- 2L until 100_000L do map(i) = -i
        else
          for _ <- 1 to 100_000 do
            try if map(1) == -1 then right.increment() else wrong.increment()
            catch case _: ConcurrentModificationException => rejected.increment()
      assertEquals(wrong.sum, 0L)
      assertEquals(right.sum + rejected.sum, 200_000L)
      assertEquals(map.size, 99_999L)
    finally region.close()

  test("lookups and growth beside the close of a map or its region end with an error"):
    for round <- 1 to 60 do
      val region = Region.shared("day")
      // From 64 KiB on the map grows in place, and beyond 1 MiB into another reservation.
      val map = StructMap[Long, Long]()(using region)
      val size = if round % 2 == 0 then 1000 else 30_000
      for i <- 1 to size do map(i) = 7
      val start = CountDownLatch(1)
      val wrong = AtomicReference[String]()
      val threads = Vector.tabulate(2): t =>
        Thread.ofPlatform.daemon.start: () =>
          start.await()
          var isOpen = true
          var i = 0L
          while isOpen && i < 100_000_000 do
            i += 1
            try
              if t == 0 && round % 3 == 0 then map(size + i) = 7
              else
                val value = map.getOrElse(i % size + 1, 7L)
                if value != 7 then wrong.set(s"$value for ${i % size + 1}")
            catch
              case _: java.util.ConcurrentModificationException => ()
              case _: StaleReferenceException                   => isOpen = false
          if isOpen then wrong.set("the map was not closed")
      start.countDown()
      Thread.onSpinWait()
      if round % 5 == 0 then
        // The map's own close is a change: a change of the other thread may reject it.
        var isClosed = false
        for _ <- 1 to 1_000_000 if !isClosed do
          try
            map.close()
            isClosed = true
          catch case _: java.util.ConcurrentModificationException => ()
        if !isClosed then region.close()
      else region.close()
      // Another owner of the same pages, at once.
      val other = Region.shared("other")
      for i <- 1 to 20 do Rows[Long](20_000)(using other).fill(-1L)
      threads.foreach(_.join(60_000))
      assert(threads.forall(!_.isAlive), s"round $round: a thread does not end")
      assertEquals(Option(wrong.get), None, s"round $round")
      intercept[StaleReferenceException](map.getOrElse(1L, 7L)): Unit
      intercept[StaleReferenceException](map.foreach((_, _) => ())): Unit
      other.close()
      if round % 5 == 0 then region.close()

  test("a value whose computation changes the map is stored after those changes"):
    for shared <- List(true, false) do
      Region.scoped:
        val region = if shared then Region.shared("nested") else Region.current
        val map = StructMap[Long, Long]()(using region)
        map(1) =
          for i <- 2L to 5000L do map(i) = i
          7L
        assertEquals(map(1), 7L)
        assertEquals(map.size, 5000L)
        map.foreach: (key, value) =>
          map(key) = value + 1
        assertEquals(map(1), 8L)
        assertEquals(map(5000), 5001L)
        if shared then region.close()

  test("an update whose function stores a value of the same shared map throws"):
    val region = Region.shared("nested update")
    try
      val map = StructMap[Int, Long]()(using region)
      map(7) = 1L
      intercept[ConcurrentModificationException]:
        map.updateOrElse(7, 0L): value =>
          map(7) = 100L
          value + 1
      assertEquals(map(7), 100L)
      map.updateOrElse(7, 0L)(_ + 1)
      assertEquals(map(7), 101L)
    finally region.close()

  test("an update of a shared map beside an update of the same key throws or is counted"):
    val region = Region.shared("updates")
    try
      val map = StructMap[Int, Long]()(using region)
      map(7) = 0L
      val counted = LongAdder()
      together(2): _ =>
        for _ <- 1 to 50_000 do
          try
            map.updateOrElse(7, 0L)(_ + 1)
            counted.increment()
          catch case _: ConcurrentModificationException => ()
      assert(counted.sum > 0)
      assertEquals(map(7), counted.sum)
    finally region.close()

  test("a break out of a function that has closed the map reaches its boundary"):
    Region.scoped:
      val map = StructMap[Long, Long]()
      map(1) = 7L
      val result = boundary[Long]:
        map.foreach: (key, value) =>
          map.close()
          boundary.break(key + value)
        -1L
      assertEquals(result, 8L)

  test("storing a value whose computation closes the map or its region throws"):
    Region.scoped:
      val map = StructMap[Long, Long]()
      intercept[StaleReferenceException]:
        map(1) =
          map.close()
          7L
    val region = Region.shared("closed")
    val map = StructMap[Long, Long]()(using region)
    intercept[StaleReferenceException]:
      map(1) =
        region.close()
        7L

  test("the size of a closed map or set throws, and its text says that it is closed"):
    for shared <- List(true, false) do
      Region.scoped:
        val region = if shared then Region.shared("sizes") else Region.current
        val map = StructMap[Long, Long]()(using region)
        val set = StructSet[Long]()(using region)
        map(1) = 7
        assertEquals((map.size, map.toString), (1L, "StructMap of 1 keys"))
        map.close()
        set.close()
        intercept[StaleReferenceException](map.size): Unit
        intercept[StaleReferenceException](map.isEmpty): Unit
        intercept[StaleReferenceException](set.nonEmpty): Unit
        assertEquals((map.toString, set.toString), ("closed StructMap", "closed StructSet"))
        if shared then region.close()
    val left = Region.scoped(StructMap[Long, Long]())
    intercept[StaleReferenceException](left.size): Unit

  test("concurrent adds to a set without a lock throw or add the key"):
    val region = Region.shared("set")
    try
      val set = StructSet[Pair16]()(using region)
      val rejected = LongAdder()
      together(4): number =>
        for i <- 1L to 20_000L do
          try set.add(Pair16(i, number)): Unit
          catch case _: ConcurrentModificationException => rejected.increment()
      assertEquals(set.size + rejected.sum, 80_000L)
    finally region.close()
end SharedMapTest

/** Two threads put and remove the same keys in maps whose memory is between rows of other owners.
  */
object CarelessWriters:
  private val Keys = 100_000

  def main(arguments: Array[String]): Unit =
    val neighbours = Region.shared("neighbours")
    val rejected = LongAdder()
    var rows = List[Rows[MapCanary]]()
    for round <- 1 to 6 do
      val region = Region.shared("careless")
      val map = StructMap[Long, Long]()(using region)
      val names = StructMap[Text[16], Long]()(using region)
      rows = canaries(neighbours) :: canaries(region) :: rows
      val threads = List.tabulate(2): number =>
        Thread: () =>
          for i <- 1 to Keys do
            try
              map(i) = i
              if i % 8 == 0 then names(Text(s"$i")) = i
              if i % 3 == 0 then map.remove(i - number): Unit
            catch case _: ConcurrentModificationException => rejected.increment()
      threads.foreach(_.start())
      // New regions of this thread take the pages that a resize frees.
      while threads.exists(_.isAlive) do
        Region.scoped:
          val ownRows = canaries(Region.current)
          for _ <- 1 to 20 do if !isUnchanged(ownRows) then fail("a row of a new region")
      if !rows.forall(isUnchanged) then fail("a neighbour")
      map.foreach((key, value) => if key != value then fail(s"the value of $key, which is $value"))
      rows = rows.filter(_ ne rows(1))
      region.close()
    end for
    println(s"rejected ${rejected.sum} times, neighbours unchanged")
  end main

  private def canaries(region: Region): Rows[MapCanary] =
    Rows.tabulate[MapCanary](2000)(_ => MapCanary(9, 9, 9))(using region)

  private def isUnchanged(rows: Rows[MapCanary]): Boolean =
    rows.forall(row => row.a == 9 && row.b == 9 && row.c == 9)

  private def fail(what: String): Nothing =
    println(s"changed: $what")
    sys.exit(3)
end CarelessWriters
