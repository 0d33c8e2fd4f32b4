package undercroft.memory

import internal.cage.Cage
import java.util.concurrent.atomic.{AtomicLong, AtomicLongArray, AtomicReference}

/** Threads open and close regions while others read stale references: an aligned read returns the
  * value that its own region wrote or throws, and never returns another region's value.
  */
class RacingTest extends undercroft.tools.Suite:
  private val Rounds = 60_000
  private val Published = 64

  private def race(make: Long => (Address, () => Unit)): Unit =
    val published = AtomicLongArray(Published * 2)
    val accepted = AtomicLong()
    val refused = AtomicLong()
    val failure = AtomicReference[Throwable | Null](null)
    @volatile var running = true

    // A block contains its own address, so a reader detects a foreign value.
    val closers = List.tabulate(2): index =>
      Thread: () =>
        try
          for round <- 0 until Rounds / 2 do
            val (address, close) = make(index)
            Cage.setLong(address.bits, 0, address.bits)
            published.set((round % Published) * 2 + index, address.bits)
            close()
        catch case e: Throwable => failure.set(e)
    val readers = List.fill(2):
      Thread: () =>
        try
          var i = 0
          // And once over all of them after their owners have ended, however late the reader
          // started.
          var last = Published * 2
          while running || last > 0 do
            if !running then last -= 1
            val bits = published.get(i % (Published * 2))
            if bits != 0 then
              try
                val value = Cage.getLong(bits, 0)
                if value != bits then
                  failure.set(AssertionError(s"${bits.toHexString} read ${value.toHexString}"))
                accepted.incrementAndGet(): Unit
              catch case _: StaleReferenceException => refused.incrementAndGet(): Unit
            i += 1
        catch case e: Throwable => failure.set(e)
    readers.foreach(_.start())
    closers.foreach(_.start())
    closers.foreach(_.join())
    running = false
    readers.foreach(_.join())
    assertEquals(failure.get, null)
    assert(refused.get >= readers.size * Published * 2, s"${refused.get} reads came late")
  end race

  test("a reader that races with the close of a shared region never reads a foreign value"):
    race: _ =>
      val region = Region.shared()
      (region.allocateBlock(64, 8), () => region.close())

  test("a reader that races with Malloc.free never reads a foreign value"):
    race: _ =>
      val block = Malloc.allocateBlock(64, 8)
      (block, () => Malloc.free(block))

  test("a reader that races with scoped regions never reads a foreign value"):
    val published = AtomicLong()
    val failure = AtomicReference[Throwable | Null](null)
    @volatile var running = true
    val reader = Thread: () =>
      try
        while running do
          val bits = published.get
          if bits != 0 then
            try
              val value = Cage.getLong(bits, 0)
              if value != bits then
                failure.set(AssertionError(s"${bits.toHexString} read ${value.toHexString}"))
            catch case _: StaleReferenceException => ()
      catch case e: Throwable => failure.set(e)
    reader.start()
    for _ <- 1 to Rounds * 5 do
      Region.scoped:
        val block = Region.current.allocateBlock(64, 8)
        Cage.setLong(block.bits, 0, block.bits)
        published.set(block.bits)
    running = false
    reader.join()
    assertEquals(failure.get, null)

  test("a segment access that races with the region's close throws IllegalStateException"):
    for _ <- 1 to 30 do
      val region = Region.shared()
      val segment = region.allocate(4096, 8)
      val failure = AtomicReference[Throwable | Null](null)
      val reader = Thread: () =>
        try
          while true do segment.get(java.lang.foreign.ValueLayout.JAVA_LONG, 8): Unit
        catch
          case _: IllegalStateException => ()
          case e: Throwable             => failure.set(e)
      reader.start()
      region.close()
      reader.join()
      assertEquals(failure.get, null)

  test("several threads allocate disjoint blocks from one shared region"):
    val region = Region.shared()
    val threads = List.tabulate(4): index =>
      val blocks = new Array[Long](5000)
      val thread = Thread: () =>
        for i <- blocks.indices do
          blocks(i) = region.allocateBlock(40, 8).bits
          Cage.setLong(blocks(i), 0, index * 10_000L + i)
      (thread, index, blocks)
    threads.foreach(_._1.start())
    threads.foreach(_._1.join())
    for (_, index, blocks) <- threads; i <- blocks.indices do
      assertEquals(Cage.getLong(blocks(i), 0), index * 10_000L + i)
    region.close()
end RacingTest
