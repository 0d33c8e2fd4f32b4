package outside.buffer

import java.util.ConcurrentModificationException
import java.util.concurrent.ConcurrentLinkedQueue
import undercroft.buffer.*

class SharedBufferTest extends undercroft.tools.RoundsSuite:
  private val WaitMillis = 60_000L

  for (name, make) <- Seq[(String, () => SegmentPool)](
      "lock-free" -> (() => SegmentPool.lockFree(1 << 20)),
      "striped" -> (() => SegmentPool.striped(2, 1 << 20)),
      "synchronized" -> (() => SegmentPool.synchronizedPool(1 << 20))
    )
  do
    test(s"threads that share a buffer of a $name pool never hang or throw NullPointerException"):
      val pool = make()
      val errors = ConcurrentLinkedQueue[Throwable]()
      for round <- 0 until 200 do
        val shared = Buffer(using pool)
        val bytes = Array.fill(3000)(0x66.toByte)
        val threads = (0 to 1).map: k =>
          Thread.ofPlatform.start: () =>
            val random = java.util.SplittableRandom(round * 2 + k)
            try
              for _ <- 0 until 500 do
                random.nextInt(5) match
                  case 0 => shared.clear()
                  case 1 => shared.skip(Math.min(shared.size, 100)): Unit
                  case 2 => shared.copy().clear()
                  case _ => shared.write(bytes): Unit
            catch case e: Exception => errors.add(e): Unit
        threads.foreach(_.join(WaitMillis))
        assert(threads.forall(!_.isAlive), s"round $round: a thread hangs")
      errors.forEach(e => assert(!e.isInstanceOf[NullPointerException], e.toString))
  end for

  test("a buffer that a data race corrupted is usable after clear"):
    val pool = SegmentPool.lockFree(1 << 20)
    var torn = 0
    for round <- 0 until 300 do
      val shared = Buffer(using pool)
      val bytes = new Array[Byte](3000)
      val threads = (0 to 1).map: k =>
        Thread.ofPlatform.start: () =>
          try
            for i <- 0 until 200 do if (i + k) % 3 == 0 then shared.clear() else shared.write(bytes)
          catch case _: Exception => ()
      threads.foreach(_.join(WaitMillis))
      assert(threads.forall(!_.isAlive), s"round $round: a thread hangs")
      try shared.clear()
      catch
        case _: ConcurrentModificationException =>
          torn += 1
          shared.clear()
      assertEquals(shared.size, 0L)
      assertEquals(shared.writeUtf8("abc").readUtf8(), "abc")

  testRounds("other buffers of the pool are empty at first after a data race")(1000, 20_000):
    rounds =>
      val pool = SegmentPool.lockFree(1 << 20)
      val bytes = new Array[Byte](3000)
      for round <- 0 until rounds do
        val shared = Buffer(using pool)
        val threads = (0 to 1).map: k =>
          Thread.ofPlatform.start: () =>
            try
              for i <- 0 until 100 do
                if (i + k) % 3 == 0 then shared.clear() else shared.write(bytes)
            catch case _: Exception => ()
        threads.foreach(_.join(WaitMillis))
        assert(threads.forall(!_.isAlive), s"round $round: a thread hangs")
        val others = Vector.fill(10)(Buffer(using pool).writeUtf8("abc"))
        for other <- others do
          assertEquals(other.size, 3L, s"round $round")
          assertEquals(other.readUtf8(), "abc", s"round $round")
end SharedBufferTest
