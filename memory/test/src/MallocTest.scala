package undercroft.memory

import internal.alloc.{Pins, ThreadCache}
import internal.cage.{Cage, PageTable}
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

class MallocTest extends undercroft.tools.Suite:

  private def write(address: Address, size: Long, value: Byte): Unit =
    for at <- 0L until size do Cage.setByte(address.bits, at, value)

  test("Malloc allocates zeroed, aligned and disjoint blocks of every size and alignment"):
    for round <- 1 to 3 do
      val blocks =
        for
          alignmentBits <- 0 to 12
          size <- List(1L, 8, 9, 55, 56, 57, 64, 100, 1000, 4096, 16_376, 16_384, 65_536, 200_000)
        yield
          val alignment = 1L << alignmentBits
          val address = Malloc.allocateBlock(size, alignment)
          val value = (alignmentBits + size + round).toByte
          assertEquals(address.offset % alignment, 0L)
          for at <- 0L until size do assertEquals(Cage.getByte(address.bits, at), 0.toByte)
          write(address, size, value)
          (address, size, value)
      for (address, size, value) <- blocks do
        for at <- 0L until size do assertEquals(Cage.getByte(address.bits, at), value)
        Malloc.free(address, size)

  test("an access past the end of a block throws BlockBoundsException with offset, width and size"):
    val address = Malloc.allocateBlock(20, 8)
    val e = intercept[BlockBoundsException](Cage.getLong(address.bits, 16))
    assertEquals(e.getMessage, "offset 16 + 8 exceeds block of 20 bytes")
    Malloc.free(address)

  test("Malloc.reallocate keeps the bytes of a block and makes its old address stale"):
    for
      size <- List(1L, 8, 63, 4096, 16_376, 200_000)
      newSize <- List(1L, 9, 64, 5000, 16_384, 70_000, 300_000)
    do
      val old = Malloc.allocateBlock(size, 8)
      write(old, size, 7)
      val block = Malloc.reallocate(old, newSize, 16)
      assertEquals(block.offset % 16, 0L)
      for at <- 0L until newSize do
        assertEquals(Cage.getByte(block.bits, at), (if at < size then 7 else 0).toByte)
      intercept[StaleReferenceException](Cage.getByte(old.bits, 0)): Unit
      intercept[InvalidFreeException](Malloc.reallocate(old, 8, 8)): Unit
      intercept[InvalidFreeException](Malloc.reallocate(Address.ofBits(block.bits + 1), 8, 8)): Unit
      Malloc.free(block, newSize)

  test("a failed Malloc.reallocate leaves the block unchanged"):
    val old = Malloc.allocateBlock(100, 8)
    write(old, 100, 3)
    intercept[InvalidSizeException](Malloc.reallocate(old, -1, 8)): Unit
    assertEquals(Cage.getByte(old.bits, 99), 3.toByte)
    Malloc.free(old, 100)

  test("reading a freed block throws StaleReferenceException, even after the block was reused"):
    val first = Malloc.allocateBlock(64, 8)
    Malloc.free(first)
    val e = intercept[StaleReferenceException](Cage.getLong(first.bits, 0))
    assert(e.getMessage.contains("Malloc"), e.getMessage)
    val again = (1 to 2000).map(_ => Malloc.allocateBlock(64, 8))
    assert(again.exists(_.offset == first.offset), "the slot is reused")
    intercept[StaleReferenceException](Cage.getLong(first.bits, 0)): Unit
    intercept[StaleReferenceException](Cage.setLong(first.bits, 0, 1)): Unit
    again.foreach(Malloc.free(_))

  test("a repeated free or a free with a wrong owner, address or size throws InvalidFreeException"):
    for size <- List(64L, 100_000L) do
      val address = Malloc.allocateBlock(size, 8)
      val wrong = intercept[InvalidFreeException](Malloc.free(address, size + 1))
      assert(wrong.getMessage.contains(s"$size bytes, but was freed as ${size + 1}"))
      for negative <- List(-1L, -size, Long.MinValue) do
        val e = intercept[InvalidFreeException](Malloc.free(address, negative))
        assert(e.getMessage.contains(s"freed as $negative bytes"), e.getMessage)
      intercept[InvalidFreeException](Malloc.free(Address.ofBits(address.bits + 8))): Unit
      Malloc.free(address, size)
      val twice = intercept[InvalidFreeException](Malloc.free(address))
      assert(twice.getMessage.contains("freed already"), twice.getMessage)
    Region.named("other"):
      val foreign =
        intercept[InvalidFreeException](Malloc.free(Region.current.allocateBlock(64, 8)))
      assert(foreign.getMessage.contains("belongs to region \"other\""), foreign.getMessage)
    intercept[InvalidFreeException](Malloc.free(Address.Null)): Unit
    intercept[InvalidFreeException](Malloc.free(Address.ofBits(-1L))): Unit
    val heap = java.lang.foreign.MemorySegment.ofArray(new Array[Byte](8))
    intercept[InvalidFreeException](Malloc.free(heap)): Unit

  test("freeing an address inside a live block reports the distance, whatever the block's size"):
    for size <- List(64L, 100_000L) do
      val block = Malloc.allocateBlock(size, 8)
      val inside = Address.ofBits(Cage.moved(block.bits, 8))
      val error = intercept[InvalidFreeException](Malloc.free(inside))
      assertEquals(error.getMessage, s"offset ${inside.offset} is 8 bytes into a block")
      Malloc.free(block, size)

  test("freeing a slice of a segment of Malloc throws an exception with both sizes"):
    for size <- List(64L, 100_000L) do
      val segment = Malloc.allocate(size, 8)
      val error = intercept[InvalidFreeException](Malloc.free(segment.asSlice(0, 8)))
      assert(error.getMessage.contains(s"$size bytes, but was freed as 8"), error.getMessage)
      segment.set(JAVA_BYTE, size - 1, 1.toByte)
      Malloc.free(segment)
    Malloc.free(Malloc.allocate(0, 8))

  test("a segment of Malloc is closed when it is freed"):
    val segment = Malloc.allocate(100, 16)
    segment.set(JAVA_BYTE, 99, 1.toByte)
    Malloc.free(segment)
    intercept[IllegalStateException](segment.get(JAVA_BYTE, 99)): Unit
    intercept[InvalidFreeException](Malloc.free(segment)): Unit

  test("a segment of Malloc is closed when its address is freed, whatever its size"):
    for bytes <- Seq(100L, 100_000L) do
      val segment = Malloc.allocate(bytes, 16)
      val address = Cage.addressOf(segment)
      intercept[InvalidFreeException](Malloc.free(address, bytes + 1)): Unit
      segment.set(JAVA_BYTE, bytes - 1, 1.toByte)
      Malloc.free(address)
      intercept[IllegalStateException](segment.get(JAVA_BYTE, 0)): Unit
      intercept[InvalidFreeException](Malloc.free(address)): Unit
      intercept[InvalidFreeException](Malloc.free(segment)): Unit

  test("freeing a freed segment again does not free the segment that reuses its block"):
    val first = Malloc.allocate(100, 16)
    Malloc.free(first)
    val second = Malloc.allocate(100, 16)
    intercept[InvalidFreeException](Malloc.free(first)): Unit
    second.set(JAVA_BYTE, 0, 1.toByte)
    Malloc.free(second)

  test("Malloc.free throws and changes nothing while native code uses the segment"):
    for bytes <- Seq(100L, 100_000L) do
      val segment = Malloc.allocate(bytes, 16)
      val address = Cage.addressOf(segment)
      var refused = List.empty[String]
      Searched.by(segment): () =>
        for free <- List(() => Malloc.free(segment), () => Malloc.free(address)) do
          refused ::= intercept[IllegalStateException](free()).getMessage
        val again = intercept[IllegalStateException](Malloc.reallocate(address, bytes * 2, 8))
        refused ::= again.getMessage
      assertEquals(refused.size, 3)
      assert(refused.forall(_.contains("acquired")), refused)
      segment.set(JAVA_BYTE, bytes - 1, 1.toByte)
      Malloc.free(segment)
      intercept[IllegalStateException](segment.get(JAVA_BYTE, 0)): Unit
      intercept[InvalidFreeException](Malloc.free(address)): Unit

  test("a block that another thread freed is reused by the thread that allocated it"):
    val all = (1 to 3300).map(_ => Malloc.allocateBlock(64, 8))
    // A live block in each page, which is returned otherwise.
    val (live, blocks) = all.zipWithIndex.partitionMap((block, i) =>
      if i % 11 == 0 then Left(block) else Right(block)
    )
    val thread = Thread(() => blocks.foreach(Malloc.free(_)))
    thread.start()
    thread.join()
    for block <- blocks do intercept[StaleReferenceException](Cage.getLong(block.bits, 0)): Unit
    for block <- live do assertEquals(Cage.getLong(block.bits, 0), 0L)
    val offsets = blocks.map(_.offset).toSet
    val again = (1 to 6000).map(_ => Malloc.allocateBlock(64, 8))
    assert(again.count(a => offsets.contains(a.offset)) > 1000)
    assertEquals((again ++ live).map(_.offset).toSet.size, 6000 + live.size)
    (again ++ live).foreach(Malloc.free(_))

  /** A block of a thread that has ended, and its cache; the current thread has another one. */
  private def blockOfDeadThread(): (Address, ThreadCache) =
    Malloc.free(Malloc.allocateBlock(64, 8)) // from a cache of its own
    var block = Address.Null
    val thread = Thread: () =>
      block = Malloc.allocateBlock(64, 8)
    thread.start()
    thread.join()
    val index = PageTable.slotLane(PageTable.entry(block.offset >>> Cage.PageShift))
    assume(index < ThreadCache.count, "the dead thread had no cache")
    assert(!ThreadCache.at(index).isOwnedBy(Thread.currentThread))
    (block, ThreadCache.at(index))

  test("a thread that frees a block of a dead thread leaves the dead thread's cache to others"):
    val (block, cache) = blockOfDeadThread()
    Malloc.free(block)
    assert(!cache.isOwnedBy(Thread.currentThread))

  test("a thread that pins a block of a dead thread leaves the dead thread's cache to others"):
    val (block, cache) = blockOfDeadThread()
    val (first, second) = (Pins.open(block.bits, 64), Pins.open(block.bits, 8))
    assert(cache.isFree)
    first.close()
    intercept[IllegalStateException](Malloc.free(block)): Unit
    second.close()
    assert(cache.isFree)
    Malloc.free(block)

  test("a pin that was opened before a thread took over the block's cache outlives its pins"):
    val (block, cache) = blockOfDeadThread()
    val pin = Pins.open(block.bits, 64)
    var isClaimed = false
    val thread = Thread: () =>
      isClaimed = cache.claim(Thread.currentThread)
      Pins.open(block.bits, 64).close()
    thread.start()
    thread.join()
    assert(isClaimed)
    intercept[IllegalStateException](Malloc.free(block)): Unit
    pin.close()
    Malloc.free(block)

  test("two threads that free the same blocks at once never cause a block to be allocated twice"):
    for _ <- 1 to 20 do
      val blocks = (1 to 500).map(_ => Malloc.allocateBlock(48, 8)).toArray
      val refused = AtomicInteger()
      val start = CountDownLatch(1)
      val free = () =>
        start.await()
        for block <- blocks do
          try Malloc.free(block)
          catch case _: InvalidFreeException => refused.incrementAndGet(): Unit
      val threads = List.fill(2)(Thread(() => free()))
      threads.foreach(_.start())
      start.countDown()
      free()
      threads.foreach(_.join())
      val again = (1 to 1500).map(_ => Malloc.allocateBlock(48, 8))
      assertEquals(again.map(_.offset).toSet.size, again.size)
      again.foreach(Malloc.free(_))
      assert(refused.get <= 2 * blocks.length)

  test("a slab page returns to the pool when all of its blocks are free"):
    val before = Malloc.budget.liveBytes
    val blocks = (1 to 10_000).map(_ => Malloc.allocateBlock(1000, 8))
    assert(Malloc.budget.liveBytes >= before + 10_000L * 1000)
    blocks.foreach(Malloc.free(_))
    assert(Malloc.budget.liveBytes <= before + 1.MiB, s"$before, ${Malloc.budget.liveBytes}")
    for block <- blocks do
      intercept[StaleReferenceException](Cage.getLong(block.bits, 0)): Unit

  test("blocks that one thread allocates and another frees keep their own content"):
    val queue = java.util.concurrent.ArrayBlockingQueue[Long](256)
    val count = 100_000
    val maker = Thread: () =>
      for i <- 1 to count do
        val block = Malloc.allocateBlock(16L + i % 200, 8)
        Cage.setLong(block.bits, 0, i.toLong)
        Cage.setLong(block.bits, 8, ~i.toLong)
        queue.put(block.bits)
    maker.start()
    for i <- 1 to count do
      val bits = queue.take()
      assertEquals(Cage.getLong(bits, 0), i.toLong)
      assertEquals(Cage.getLong(bits, 8), ~i.toLong)
      Malloc.free(Address.ofBits(bits), 16L + i % 200)
    maker.join()
end MallocTest

/** Runs code while C uses a segment. */
object Searched:
  import java.lang.foreign.{Arena, FunctionDescriptor, Linker, MemorySegment}
  import java.lang.foreign.ValueLayout.{ADDRESS, JAVA_INT, JAVA_LONG}
  import java.lang.invoke.{MethodHandles, MethodType}

  /** Runs `body` when C's `bsearch` compares elements of the segment. */
  def by(segment: MemorySegment)(body: () => Unit): Unit =
    val linker = Linker.nativeLinker()
    val pointer = classOf[MemorySegment]
    val comparing = Comparing(body)
    val compare = MethodHandles.lookup().bind(
      comparing,
      "compare",
      MethodType.methodType(classOf[Int], pointer, pointer)
    )
    val bsearch = linker.downcallHandle(
      linker.defaultLookup().findOrThrow("bsearch"),
      FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS)
    )
    val arena = Arena.ofConfined()
    try
      val stub =
        linker.upcallStub(compare, FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), arena)
      bsearch.invokeWithArguments(segment, segment, 4L, 1L, stub): Unit
    finally arena.close()
    comparing.failure.foreach(throw _)
  end by

  final class Comparing(body: () => Unit):
    var failure: Option[Throwable] = None

    // An exception thrown through C code would end the JVM.
    def compare(key: MemorySegment, element: MemorySegment): Int =
      try body()
      catch case e: Throwable => failure = Some(e)
      0
end Searched
