package outside.memory

import undercroft.memory.*

class ReservationTest extends undercroft.tools.Suite:

  test("a reservation that is larger than its use leaves idle memory to others"):
    val written = Reservation(1.GiB)
    written.segment(16.MiB).fill(1): Unit
    written.close()
    val before = Ledger.report()
    val reservation = Reservation(1.GiB)
    assertEquals(Ledger.report().liveBytes, before.liveBytes)
    Ledger.trim()
    val after = Ledger.report()
    assert(after.idleBytes <= before.idleBytes, s"${before.show}\n${after.show}")
    assertEquals(after.liveBytes, before.liveBytes)
    reservation.segment(1.MiB): Unit
    assertEquals(Ledger.report().liveBytes, before.liveBytes + reservation.committedBytes)
    reservation.close()
end ReservationTest
