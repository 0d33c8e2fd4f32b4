package outside.buffer

import java.lang.ref.Reference
import undercroft.buffer.*
import undercroft.memory.*

/** Budgets that segment pools share with other owners. */
class IdleSegmentsTest extends undercroft.tools.Suite:

  /** Runs `body` while idle segments of a pool hold the whole budget of 1 MiB. */
  private def whileFull(name: String)(body: Budget => Unit): Unit =
    val budget = Budget(name, 1.MiB)
    val pool = SegmentPool.lockFree(idleLimitBytes = 1.MiB, budget = Some(budget))
    Buffer(using pool).write(new Array[Byte](1 << 20)).clear()
    assertEquals((budget.liveBytes, pool.metrics.idleBytes), (1.MiB, 1.MiB))
    body(budget)
    Reference.reachabilityFence(pool)

  test("idle segments do not make a region exceed their budget"):
    whileFull("region of idle segments"): budget =>
      Region.within(budget):
        assertEquals(Region.allocate(100).byteSize, 100L)
    whileFull("large block of idle segments"): budget =>
      Region.within(budget):
        assertEquals(Region.allocate(1.MiB).byteSize, 1.MiB)

  test("idle segments do not make a reservation exceed their budget"):
    whileFull("reservation of idle segments"): budget =>
      val reservation = Reservation.within(budget, 1.GiB)
      assertEquals(reservation.segment(100).byteSize, 100L)
      reservation.close()

  test("pools that became unreachable do not keep their budget charged"):
    val budget = Budget("unreachable pools", 4 * 8192)
    for i <- 1 to 10 do
      val pool = SegmentPool.lockFree(budget = Some(budget))
      Buffer(using pool).writeInt(i).clear()
      System.gc()
end IdleSegmentsTest
