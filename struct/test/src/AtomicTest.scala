package undercroft.struct

import java.util.concurrent.CountDownLatch
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.*
import undercroft.testkit.assertAllocates

case class Counters(small: Byte, count: Int, total: Long, at: Point) derives Struct, CanEqual

class AtomicTest extends undercroft.tools.Suite:
  private val rounds = 100_000
  var sum = 0L

  /** Runs `work` on two threads at once, and waits for both. */
  private def twice(work: Int => Unit): Unit =
    val start = CountDownLatch(2)
    var failed = Option.empty[Throwable]
    val threads =
      for i <- 0 until 2 yield Thread: () =>
        start.countDown()
        start.await()
        try work(i)
        catch case error: Throwable => synchronized { failed = Some(error) }
    threads.foreach(_.start())
    threads.foreach(_.join())
    failed.foreach(error => throw error)

  private def shared(use: Ref[Counters] => Unit): Unit =
    val region = Region.shared()
    try use(Rows[Counters](3)(using region).ref(1))
    finally region.close()

  test("atomic access in every memory order changes its own field only"):
    Region.scoped:
      val rows = Rows[Counters](3)
      val ref = rows.ref(1)
      val (count, total) = (ref.atomic(_.count), ref.atomic(_.total))
      count.setVolatile(-1)
      assertEquals((count.getVolatile, count.getAcquire, ref.count), (-1, -1, -1))
      count.setRelease(7)
      assertEquals(count.getAndAdd(-10), 7)
      assertEquals(count.getAndSet(5), -3)
      assert(!count.compareAndSet(4, 6) && count.compareAndSet(5, 6))
      total.setVolatile(Long.MinValue)
      assertEquals(
        (total.getVolatile, total.getAcquire, ref.total),
        (Long.MinValue, Long.MinValue, Long.MinValue)
      )
      total.setRelease(7L << 40)
      assertEquals(total.getAndAdd(-1), 7L << 40)
      assertEquals(total.getAndSet(-5), (7L << 40) - 1)
      assert(!total.compareAndSet(5, 6) && total.compareAndSet(-5, 6))
      val zero = Counters(0, 0, 0, Point(0, 0))
      assertEquals(rows.toVector, Vector(zero, Counters(0, 6, 6, Point(0, 0)), zero))

  test("getAndAdd on two threads loses no addition"):
    shared: ref =>
      twice: _ =>
        for _ <- 1 to rounds do
          ref.atomic(_.count).getAndAdd(1): Unit
          ref.atomic(_.total).getAndAdd(-2L): Unit
      assertEquals((ref.count, ref.total), (2 * rounds, -4L * rounds))

  test("compareAndSet on two threads succeeds once for each value"):
    shared: ref =>
      val won = new Array[Int](2)
      twice: i =>
        for n <- 0 until rounds do if ref.atomic(_.count).compareAndSet(n, n + 1) then won(i) += 1
      assertEquals(won.sum, ref.count)

  test("a write before setRelease is visible after getAcquire"):
    shared: ref =>
      twice: i =>
        if i == 0 then
          for n <- 1 to rounds do
            ref.total = n
            ref.atomic(_.count).setRelease(n)
        else
          var count = 0
          while count < rounds do
            count = ref.atomic(_.count).getAcquire
            assert(ref.total >= count)

  test("atomic access allocates nothing"):
    Region.scoped:
      val ref = Rows[Counters](1).ref(0)
      assertAllocates(0) { sum += ref.atomic(_.count).getAndAdd(1) }
      assertAllocates(0) { if ref.atomic(_.total).compareAndSet(sum, sum + 1) then sum += 1 }
      assertAllocates(0) { ref.atomic(_.total).setVolatile(sum) }

  test("atomic access through a stale or null reference throws"):
    var ref = Ref.none[Counters]
    Region.named("morning") { ref = Rows[Counters](1).ref(0) }
    for use <- List[() => Any](
        () => ref.atomic(_.count).getVolatile,
        () => ref.atomic(_.count).setRelease(1),
        () => ref.atomic(_.total).getAcquire,
        () => ref.atomic(_.total).compareAndSet(0, 1),
        () => ref.atomic(_.total).getAndAdd(1)
      )
    do
      val error = intercept[StaleReferenceException](use())
      assert(error.getMessage.contains("morning"), error.getMessage)
    intercept[NullReferenceException](Ref.none[Counters].atomic(_.count).getVolatile): Unit

  test("atomic access to a Byte or a packed field does not compile"):
    inline def message(inline code: String) = typeCheckErrors(code).map(_.message).mkString
    val small = message("def f(ref: Ref[Counters]) = ref.atomic(_.small)")
    assert(
      small.contains("field `small` is of type Byte: atomic access is to an Int or a Long"),
      small
    )
    val packed = message("def f(ref: PackedRef[Counters]) = ref.atomic(_.count)")
    assert(packed.contains("a packed field may lie across two words"), packed)
end AtomicTest
