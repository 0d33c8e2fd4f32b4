package undercroft.memory

import internal.alloc.PagePool
import internal.cage.Cage
import java.lang.foreign.MemorySegment
import scala.util.Random

class ReservationTest extends undercroft.tools.Suite:
  /** Without pages whose generations are used up, which may be any span's: they stay charged. */
  private def liveBytes = Ledger.report().liveBytes - PagePool.retiredBytes
  private def idleBytes = Ledger.report().idleBytes

  /** Leaves written pages behind and reserves them again, most of them without committing them. */
  private def reservedOverIdle(writtenBytes: Long): Reservation =
    val written = Reservation(1.GiB)
    written.segment(writtenBytes).fill(1): Unit
    written.close()
    Reservation(1.GiB)

  test("idle pages inside a reservation count as idle, not live, until they are committed"):
    val before = liveBytes
    val reservation = reservedOverIdle(32.MiB)
    assertEquals(liveBytes, before)
    val idle = idleBytes
    reservation.segment(8.MiB): Unit
    assertEquals(liveBytes, before + reservation.committedBytes)
    assertEquals(idleBytes, idle - reservation.committedBytes)
    reservation.close()
    assertEquals(liveBytes, before)

  test("idle pages inside a reservation are returned to the system and are zero afterwards"):
    assume(Cage.space.returnsMemory, "only reserved address space returns memory")
    val reservation = reservedOverIdle(32.MiB)
    reservation.segment(4.MiB): Unit
    val idle = idleBytes
    Ledger.trim()
    assert(idleBytes <= idle - 20.MiB, s"$idle bytes before, $idleBytes after")
    reservation.ensureUninit(30.MiB)
    val zeros = MemorySegment.ofArray(new Array[Byte](8.MiB.toInt))
    assertEquals(reservation.whole.asSlice(16.MiB, 8.MiB).mismatch(zeros), -1L)
    reservation.close()

  test("live and idle bytes add up over random reservations, growth, trims and closes"):
    val seed = Random.nextLong()
    val random = Random(seed)
    Ledger.trim() // the idle pages of thread caches count as live before
    val before = liveBytes
    var open = Vector.empty[Reservation]
    for step <- 1 to 2000 do
      random.nextInt(8) match
        case 0 | 1 => open :+= Reservation(1.MiB << random.nextInt(12))
        case 2 | 3 if open.nonEmpty =>
          val closed = open(random.nextInt(open.size))
          closed.close()
          open = open.filterNot(_ eq closed)
        case 4 => Ledger.trim(random.nextLong(64.MiB))
        case _ if open.nonEmpty =>
          val grown = open(random.nextInt(open.size))
          grown.segment(random.nextLong(grown.maxBytes.min(8.MiB)) + 1): Unit
        case _ => ()
      val expected = before + open.map(r => Sizes.pages(r.committedBytes) * Cage.PageBytes).sum
      assertEquals(liveBytes, expected, s"seed $seed, step $step")
      assert(idleBytes >= 0, s"seed $seed, step $step")
    open.foreach(_.close())
    assertEquals(liveBytes, before, s"seed $seed")

  test("a stale reference to a reservation of no region has the name of its budget"):
    val reservation = Reservation.within(Budget("stale logs", 1.MiB), 1.MiB)
    reservation.segment(8): Unit
    reservation.close()
    val error =
      intercept[StaleReferenceException](Cage.getLong(reservation.address.bits, 0))
    assertEquals(error.owner, Some("stale logs"))

  test("a growth that a limit rejects leaves live and idle bytes unchanged"):
    val budget = Budget("growth", 4.MiB)
    val before = reservedOverIdle(16.MiB)
    before.close()
    val reservation = Reservation.within(budget, 1.GiB)
    reservation.segment(2.MiB): Unit
    val (live, idle) = (liveBytes, idleBytes)
    intercept[MemoryLimitException](reservation.segment(8.MiB)): Unit
    assertEquals((liveBytes, idleBytes), (live, idle))
    reservation.close()
end ReservationTest
