package undercroft.memory

import internal.cage.Cage
import internal.observe.Leaks

class LedgerTest extends undercroft.tools.Suite:
  private def row(name: String): Ledger.Row =
    Ledger.report().rows.find(_.name == name).getOrElse(fail(s"no row $name"))

  test("Ledger.report has a named region's live and peak bytes and its counts"):
    val region = Region.shared("ledger test")
    region.allocate(10.MiB, 8): Unit
    val open = row("ledger test")
    assertEquals(open.liveBytes, 10.MiB)
    assertEquals(open.liveCount, 1L)
    region.close()
    val closed = row("ledger test")
    assertEquals(closed.liveBytes, 0L)
    assertEquals(closed.peakBytes, 10.MiB)
    assertEquals((closed.liveCount, closed.totalCount), (0L, 1L))

  test("the row of a name includes bytes of a budget that was idle while others were created"):
    val name = "idle budget"
    val budget = Budget(name, 10.MiB)
    budget.charge(2.MiB)
    budget.release(2.MiB)
    val others = Vector.fill(100)(Budget(name, 10.MiB))
    budget.charge(1.MiB)
    assertEquals(row(name).liveBytes, 1.MiB)
    budget.release(1.MiB)
    others.foreach(other => assertEquals(other.liveBytes, 0L))
    assertEquals((row(name).liveBytes, row(name).peakBytes), (0L, 2.MiB))

  test("Ledger.report has a row each for scoped regions, Malloc and reservations"):
    val scoped = row("scoped regions")
    val malloc = row("Malloc")
    val reservation = Reservation(1.GiB)
    reservation.segment(1.MiB): Unit
    val large = Malloc.allocateBlock(1.MiB, 8)
    Region.scoped:
      Region.allocate(1.MiB): Unit
      assert(row("scoped regions").liveBytes >= scoped.liveBytes + 1.MiB)
      assertEquals(row("scoped regions").totalCount, scoped.totalCount + 1)
    assertEquals(row("scoped regions").liveBytes, scoped.liveBytes)
    assertEquals(row("Malloc").liveBytes, malloc.liveBytes + 1.MiB)
    assertEquals(row("Malloc").liveCount, malloc.liveCount + 1)
    assert(row("reservations").liveBytes >= 1.MiB)
    assertEquals(row("reservations").liveCount, 1L)
    Malloc.free(large)
    reservation.close()
    assertEquals(row("reservations").liveCount, 0L)
    assertEquals(row("Malloc").liveCount, malloc.liveCount)

  test("the show method of a ledger report returns a table with the limit and the kind of pages"):
    val text = Ledger.report().show
    assert(text.contains("scoped regions"), text)
    assert(text.contains("limit "), text)
    assert(text.contains("undercroft.pages="), text)

  test("Ledger.leaks reports the owner, the bytes and the allocation site"):
    Ledger.recordLeaks(true)
    val region = Region.shared("leaky")
    region.allocate(1.MiB, 8): Unit
    val block = Malloc.allocateBlock(123, 8)
    Ledger.recordLeaks(true)
    val leaks = Ledger.leaks()
    val ofRegion = leaks.find(_.bytes == 1.MiB).getOrElse(fail(leaks.toString))
    val ofBlock = leaks.find(_.bytes == 123).getOrElse(fail(leaks.toString))
    for leak <- List(ofRegion, ofBlock) do
      assert(leak.site.head.contains("LedgerTest.scala"), leak.site.toString)
    assert(ofRegion.owner.contains("leaky"), ofRegion.owner)
    assertEquals(ofBlock.owner, "Malloc")
    Malloc.free(block)
    region.close()
    assertEquals(Ledger.leaks().count(leak => leak.bytes == 123 || leak.bytes == 1.MiB), 0)
    Ledger.recordLeaks(false)

  test("Ledger.leaks omits a block that was freed after the recording ended"):
    Ledger.recordLeaks(true)
    val block = Malloc.allocateBlock(124, 8)
    Ledger.recordLeaks(false)
    assertEquals(Ledger.leaks().map(_.bytes), List(124L))
    assert(Leaks.recorded)
    Malloc.free(block)
    assertEquals(Ledger.leaks(), Nil)
    assert(!Leaks.recorded)

  test("Ledger.trim decommits idle memory, which reads as zero when it is allocated again"):
    assume(Cage.space.returnsMemory)
    Region.scoped:
      Region.allocate(64.MiB).fill(1): Unit
    assert(Ledger.report().idleBytes >= 64.MiB)
    Ledger.trim()
    assert(Ledger.report().idleBytes < 16.MiB, Ledger.report().show)
    Region.scoped:
      val again = Region.allocate(64.MiB)
      assertEquals((0L until 64.MiB by 4096).find(again.get(Bytes, _) != 0), None)

  test("Ledger.trim returns the idle pages of the current thread's cache"):
    Region.scoped(Region.allocate(8)): Unit
    val before = Ledger.report().liveBytes
    Ledger.trim()
    assert(Ledger.report().liveBytes < before, s"$before before\n${Ledger.report().show}")

  test("a freed span is reused by the next allocation of the same size"):
    def span(): Long = Region.scoped:
      val address = Cage.addressOf(Region.allocate(40.MiB))
      address.offset
    assertEquals(span(), span())

  private val Bytes = java.lang.foreign.ValueLayout.JAVA_BYTE
end LedgerTest
