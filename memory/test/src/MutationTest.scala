package undercroft.memory

import internal.alloc.PagePool
import internal.cage.{Cage, CagePacked, PageTable}
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED

/** Flips bits of live references: no access may read another owner's bytes undetected. */
class MutationTest extends undercroft.tools.Suite:
  private val widths: List[(Int, (Long, Long) => Unit, (Long, Long) => Unit)] = List(
    (1, (b, at) => Cage.getByte(b, at): Unit, (b, at) => Cage.setByte(b, at, 1)),
    (2, (b, at) => Cage.getShort(b, at): Unit, (b, at) => Cage.setShort(b, at, 1)),
    (2, (b, at) => Cage.getChar(b, at): Unit, (b, at) => Cage.setChar(b, at, 1)),
    (4, (b, at) => Cage.getInt(b, at): Unit, (b, at) => Cage.setInt(b, at, 1)),
    (8, (b, at) => Cage.getLong(b, at): Unit, (b, at) => Cage.setLong(b, at, 1)),
    (4, (b, at) => Cage.getFloat(b, at): Unit, (b, at) => Cage.setFloat(b, at, 1)),
    (8, (b, at) => Cage.getDouble(b, at): Unit, (b, at) => Cage.setDouble(b, at, 1)),
    (2, (b, at) => CagePacked.getShort(b, at): Unit, (b, at) => CagePacked.setShort(b, at, 1)),
    (2, (b, at) => CagePacked.getChar(b, at): Unit, (b, at) => CagePacked.setChar(b, at, 1)),
    (4, (b, at) => CagePacked.getInt(b, at): Unit, (b, at) => CagePacked.setInt(b, at, 1)),
    (8, (b, at) => CagePacked.getLong(b, at): Unit, (b, at) => CagePacked.setLong(b, at, 1)),
    (4, (b, at) => CagePacked.getFloat(b, at): Unit, (b, at) => CagePacked.setFloat(b, at, 1)),
    (8, (b, at) => CagePacked.getDouble(b, at): Unit, (b, at) => CagePacked.setDouble(b, at, 1))
  )

  /** The bits of the word around the byte that the bits point to. */
  private def wordAt(bits: Long): Long = Cage.moved(bits, -(Cage.offsetOf(bits) & 7))

  private def refused(body: => Unit): Boolean =
    try
      body
      false
    catch case _: MemoryException => true

  /** Many owners that fill every word with their own value; some are closed. */
  private def owners(body: (List[(Long, Long)], List[Long]) => Unit): Unit =
    // Values that no earlier owner of the pages can have left.
    val salt = System.nanoTime << 16
    val regions = (1L to 40L).map(i => (Region.shared(), salt + i))
    val blocks = regions.flatMap: (region, i) =>
      val sizes = List(64L, 4096, 65_536, 300_000)
      sizes.map: size =>
        val block = region.allocateBlock(size, 64)
        for at <- 0L until size by 8 do Cage.setLong(block.bits, at, i)
        (block.bits, i)
    val mallocs = (1L to 500L).map: i =>
      val block = Malloc.allocateBlock(64, 8)
      for at <- 0L until 64 by 8 do Cage.setLong(block.bits, at, salt + 1000 + i)
      (block.bits, salt + 1000 + i)
    val (closing, open) = regions.partition((_, i) => i % 4 == 0)
    closing.foreach((region, _) => region.close())
    val closed = closing.map(_._2).toSet
    val live = blocks.filter((_, i) => !closed(i)) ++ mallocs
    val stale = blocks.filter((_, i) => closed(i)).map(_._1)
    body(live.toList, stale.toList)
    open.foreach((region, _) => region.close())
    mallocs.foreach((bits, _) => Malloc.free(Address.ofBits(bits)))
  end owners

  test("a live reference with one flipped bit reads its owner's bytes or throws a MemoryException"):
    owners: (live, _) =>
      var accepted = 0
      var foreign = 0
      val markers = live.map(_._2).toSet
      for (bits, value) <- live; bit <- 0 until 64 do
        val flipped = bits ^ (1L << bit)
        val read =
          try Some(Cage.getLong(wordAt(flipped), 0))
          catch case _: MemoryException => None
        read.foreach: content =>
          accepted += 1
          // The gaps between an owner's blocks are zero; no block contains zero here.
          if content != value && markers(content) then foreign += 1
      assert(accepted > 0, "flips inside a block are good references")
      // Single pages and pages of Malloc that were reused at different rates may collide, rarely.
      assert(foreign <= live.size * 64 / 100, s"$foreign of ${live.size * 64} flips")

  test("a reference whose generation is off by one throws a MemoryException"):
    owners: (live, _) =>
      for (bits, _) <- live; step <- List(1L, -1L) do
        val neighbor = bits + step
        for (_, read, store) <- widths do
          assert(refused(read(neighbor, 0)), java.lang.Long.toHexString(neighbor))
          assert(refused(store(neighbor, 0)), java.lang.Long.toHexString(neighbor))

  test("a stale reference throws at every access width, even after its pages were reused"):
    owners: (_, stale) =>
      def check() =
        for bits <- stale; (_, read, store) <- widths do
          assert(refused(read(bits, 0)))
          assert(refused(store(bits, 0)))
      check()
      val again = (1 to 40).map(_ => Region.shared())
      again.foreach(_.allocateBlock(300_000, 8): Unit)
      check()
      again.foreach(_.close())
      Ledger.trim()
      check()

  test("accessing a field that crosses into another owner's page throws a MemoryException"):
    val first = Region.shared()
    val before = first.allocateBlock(65_536, 8)
    for (width, read, store) <- widths; back <- 1 until width do
      val at = 65_536L - back
      val next = (before.offset + 65_536) >>> Cage.PageShift
      // The next page belongs to another owner or is free: never of this generation.
      assert(!Cage.live(before.bits, next << Cage.PageShift))
      assert(refused(read(before.bits, at)), s"$width bytes at $at")
      assert(refused(store(before.bits, at)), s"$width bytes at $at")
    first.close()

  test("a packed field that crosses a page boundary inside one span is read and written"):
    val region = Region.shared()
    val span = region.allocateBlock(200_000, 8)
    for back <- 1 until 8 do
      val at = 65_536L - back
      CagePacked.setLong(span.bits, at, 0x1122334455667788L)
      assertEquals(CagePacked.getLong(span.bits, at), 0x1122334455667788L)
    region.close()

  test("references to null, the first chunk and the end of the cage throw a MemoryException"):
    val e = intercept[NullReferenceException](Cage.getInt(0, 4))
    assert(e.getMessage.contains("null reference"))
    val end = Cage.space.range
    val edges =
      List(1L, 8, 65_535, 65_536, Cage.ChunkBytes - 8, end - 65_536, end - 8, end - 1, end) ++
        (30 to 43).map(1L << _) ++ (30 to 43).map(bit => (1L << bit) - 8) ++ List(
          Cage.FullRange - 1
        )
    for offset <- edges; generation <- List(1, 5, PageTable.Last) do
      val bits = Cage.bitsOf(offset & (Cage.FullRange - 1), generation)
      for (_, read, store) <- widths do
        val page = PagePool.page(bits)
        if page < Cage.ChunkPages || offset >= Cage.space.range / 2 then
          assert(refused(read(bits, 0)), s"$offset of $generation")
          assert(refused(store(bits, 0)), s"$offset of $generation")

  test("a random reference throws a MemoryException"):
    val random = java.util.Random(7)
    var accepted = 0
    for _ <- 1 to 100_000 do
      if !refused(Cage.getLong(wordAt(random.nextLong()), 0): Unit) then accepted += 1
    assertEquals(accepted, 0)

  test("Cage.check accepts a byte range of a live span and rejects negative, huge and closed ones"):
    val region = Region.shared()
    val block = region.allocateBlock(3 * 65_536, 8)
    val secondBlock = region.allocateBlock(8, 8)
    val random = java.util.Random(11)
    for _ <- 1 to 10_000 do
      val from = random.nextLong(3 * 65_536)
      Cage.check(block.bits, from, random.nextLong(3 * 65_536 - from + 1))
    for from <- List(0L, 1, 65_535, 65_536); bytes <- List(-1L, Long.MinValue, Long.MaxValue) do
      assert(refused(Cage.check(block.bits, from, bytes)), s"$bytes bytes from $from on")
    for from <- List(-1L, -65_536L, Long.MinValue, Long.MaxValue, Cage.FullRange) do
      assert(refused(Cage.check(block.bits, from, 8)), s"8 bytes from $from on")
    region.close()
    for from <- List(0L, 8, 65_528, 65_536); bytes <- List(1L, 8, 65_536) do
      assert(refused(Cage.check(block.bits, from, bytes)), s"$bytes bytes from $from on, closed")
    assert(refused(Cage.check(secondBlock.bits, 0, 8)))
    assert(refused(Cage.check(0, 0, 8)))

  test("Cage.check rejects a range that exceeds its block, and segmentOf covers the block"):
    val region = Region.shared()
    val block = region.allocateBlock(65_536, 8)
    Cage.check(block.bits, 0, 65_536)
    intercept[MemoryException](Cage.check(block.bits, 0, 65_537)): Unit
    intercept[MemoryException](Cage.check(block.bits, -1, 8)): Unit
    intercept[MemoryException](Cage.check(block.bits, 8, -1)): Unit
    intercept[MemoryException](Cage.check(block.bits, 8, Long.MaxValue)): Unit
    val segment = Cage.segmentOf(block, 65_536)
    segment.set(JAVA_LONG_UNALIGNED, 65_528, 9)
    assertEquals(Cage.getLong(block.bits, 65_528), 9L)
    region.close()
end MutationTest
