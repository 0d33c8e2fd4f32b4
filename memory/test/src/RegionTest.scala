package undercroft.memory

import internal.alloc.ThreadCache
import internal.cage.{Cage, OwnerNames}
import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_LONG}

class RegionTest extends undercroft.tools.Suite:

  test("a scoped region allocates zeroed memory, even if the memory was used before"):
    for _ <- 1 to 3 do
      Region.scoped:
        for size <- List(1L, 7, 8, 64, 4096, 65536, 300_000, 3_000_000) do
          val segment = Region.allocate(size)
          assertEquals(segment.byteSize, size)
          assertEquals((0L until size).indexWhere(segment.get(JAVA_BYTE, _) != 0), -1, s"$size")
          segment.fill(0x5a)

  test("the blocks of a region are zeroed, aligned and disjoint"):
    for _ <- 1 to 3 do
      Region.scoped:
        val blocks =
          for
            round <- 0 until 300
            alignment = 1L << (round % 13)
          yield
            val size = 8L + round * 7 % 900
            val address = Region.current.allocateBlock(size, alignment)
            assertEquals(address.offset % alignment, 0L)
            for at <- 0L until size do assertEquals(Cage.getByte(address.bits, at), 0.toByte)
            for at <- 0L until size do Cage.setByte(address.bits, at, round.toByte)
            (address, size, round.toByte)
        for (address, size, value) <- blocks; at <- 0L until size do
          assertEquals(Cage.getByte(address.bits, at), value)

  test("using an address after its region closed throws an exception that names the region"):
    var leaked = Address.Null
    Region.named("orders"):
      leaked = Region.current.allocateBlock(8, 8)
      Cage.setLong(leaked.bits, 0, 42)
      assertEquals(Cage.getLong(leaked.bits, 0), 42L)
    val read = intercept[StaleReferenceException](Cage.getLong(leaked.bits, 0))
    assertEquals(read.owner, Some("region \"orders\""))
    intercept[StaleReferenceException](Cage.setLong(leaked.bits, 0, 1)): Unit
    Region.scoped:
      val _ = Region.current.allocateBlock(8, 8)
      val again = intercept[StaleReferenceException](Cage.getLong(leaked.bits, 0))
      assertEquals(again.owner, Some("region \"orders\""))

  test("the number of an owner fits the history of a page, however many owners there were"):
    val end = 1L << (64 - Cage.GenerationBits)
    for
      counted <- List(1L, end / (ThreadCache.count + 1), end, Long.MaxValue)
      index <- List(0, ThreadCache.count)
    do
      val number = ThreadCache.ownerNumber(index, counted)
      assert(number >= OwnerNames.FirstOfRegions && number < end, s"$number after $counted")
      assertEquals(ThreadCache.indexOf(number), index)

  test("using a closed region throws RegionClosedException with the region's name"):
    val region = Region.shared("night")
    region.close()
    val e = intercept[RegionClosedException](region.allocateBlock(8, 8))
    assertEquals(e.getMessage, "region \"night\" is closed")
    intercept[RegionClosedException](region.allocate(8, 8)): Unit
    intercept[RegionClosedException](region.close()): Unit
    var leaked: Region | Null = null
    Region.scoped { leaked = Region.current }
    Region.scoped:
      intercept[RegionClosedException](leaked.nn.allocateBlock(8, 8)): Unit

  test("a scope that throws closes its region, even if the region escaped or was closed by hand"):
    val budget = Budget("failing", Long.MaxValue)
    var leaked: Region | Null = null
    var address = Address.Null
    val e = intercept[IllegalStateException]:
      Region.within(budget):
        leaked = Region.current
        address = Region.current.allocateBlock(8, 8)
        throw IllegalStateException("from the body")
    assertEquals(e.getMessage, "from the body")
    assertEquals(budget.liveBytes, 0L)
    assert(!leaked.nn.isOpen)
    intercept[RegionClosedException](leaked.nn.allocateBlock(8, 8)): Unit
    intercept[StaleReferenceException](Cage.getLong(address.bits, 0)): Unit
    intercept[IllegalStateException]:
      Region.within(budget):
        Region.current.close()
        throw IllegalStateException("after a close by hand")
    : Unit
    assertEquals(budget.liveCount, 0L)

  test("a segment access after its region closed throws FFM's IllegalStateException"):
    val region = Region.shared()
    val segment = region.allocate(64, 8)
    segment.set(JAVA_LONG, 8, 7)
    assertEquals(Cage.getLong(Cage.addressOf(segment).bits, 8), 7L)
    region.close()
    val e = intercept[IllegalStateException](segment.get(JAVA_LONG, 8))
    assertEquals(e.getMessage, "Already closed")

  test("allocating from a scoped region on another thread throws RegionThreadException"):
    Region.scoped:
      val region = Region.current
      var thrown: Throwable | Null = null
      val thread =
        Thread(() => thrown = intercept[RegionThreadException](region.allocateBlock(8, 8)))
      thread.start()
      thread.join()
      assert(thrown.nn.getMessage.contains("is confined to thread"), thrown.nn.getMessage)

  test("an invalid size or alignment throws an exception with the value"):
    Region.scoped:
      val negative = intercept[InvalidSizeException](Region.allocate(-1))
      assert(negative.getMessage.contains("-1"))
      intercept[InvalidSizeException](Region.current.allocateBlock(Long.MaxValue, 8)): Unit
      for alignment <- List(0L, 3, -8, Long.MinValue, 1L << 40) do
        val e = intercept[InvalidAlignmentException](Region.current.allocateBlock(8, alignment))
        assert(e.getMessage.contains(alignment.toString), e.getMessage)

  test("a region within a budget throws MemoryLimitException at the budget's limit"):
    val budget = Budget("small", 1.MiB)
    val e = intercept[MemoryLimitException]:
      Region.within(budget):
        while true do Region.current.allocateBlock(4096, 8): Unit
    assertEquals(e.budget, "small")
    assertEquals(budget.liveBytes, 0L)
    assert(budget.peakBytes > 0 && budget.peakBytes <= 1.MiB, budget.peakBytes.toString)

  test("a reservation grows without moving and is freed with its region"):
    var address = Address.Null
    Region.scoped:
      val reservation = Region.current.reserve(64.GiB)
      address = reservation.address
      val first = reservation.segment(8)
      first.set(JAVA_LONG, 0, 1)
      val second = reservation.segment(100.MiB)
      assertEquals(second.get(JAVA_LONG, 0), 1L)
      second.set(JAVA_LONG, 100.MiB - 8, 2)
      assertEquals(Cage.getLong(address.bits, 100.MiB - 8), 2L)
      intercept[StaleReferenceException](Cage.getLong(address.bits, 1.GiB)): Unit
      assert(reservation.committedBytes < 110.MiB)
    intercept[StaleReferenceException](Cage.getLong(address.bits, 0)): Unit

  private def acquired(region: Region): Boolean =
    intercept[IllegalStateException](region.close()).getMessage.contains("acquired")

  test("a close while native code uses a segment of a shared region frees nothing"):
    val budget = Budget("segment in use", 10.MiB)
    val region = Region.shared(budget)
    val segment = region.allocate(100, 8)
    val reservation = region.reserve(1.GiB)
    reservation.segment(1.MiB).set(JAVA_LONG, 0, 7)
    val liveBytes = budget.liveBytes
    Searched.by(segment)(() => assert(acquired(region)))
    assert(region.isOpen && reservation.isOpen)
    assertEquals(budget.liveBytes, liveBytes)
    assertEquals(reservation.segment(2.MiB).get(JAVA_LONG, 0), 7L)
    segment.set(JAVA_LONG, 8, 1)
    region.close()
    assert(!reservation.isOpen)
    assertEquals((budget.liveBytes, budget.liveCount), (0L, 0L))

  test("a close after one while native code used a reservation frees the rest of the region"):
    val budget = Budget("reservation in use", 10.MiB)
    val region = Region.shared(budget)
    val block = region.allocateBlock(64, 8)
    val segment = region.allocate(100, 8)
    val reservations = List.fill(3)(region.reserve(1.GiB))
    reservations.foreach(_.segment(1.MiB))
    Searched.by(reservations(1).segment(100))(() => assert(acquired(region)))
    assert(region.isOpen && reservations(1).isOpen)
    intercept[IllegalStateException](segment.get(JAVA_BYTE, 0)): Unit
    Cage.setLong(block.bits, 0, 7)
    assertEquals(Cage.getLong(block.bits, 0), 7L)
    assertEquals(region.allocate(100, 8).get(JAVA_BYTE, 0), 0.toByte)
    region.close()
    assert(!region.isOpen && reservations.forall(!_.isOpen))
    assertEquals((budget.liveBytes, budget.liveCount), (0L, 0L))
end RegionTest
