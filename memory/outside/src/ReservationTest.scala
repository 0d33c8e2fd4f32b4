package outside.memory

import java.util.concurrent.CompletableFuture
import undercroft.memory.*
import undercroft.tools.ForkedJvm

class ReservationTest extends undercroft.tools.Suite:

  test("a reservation that is larger than its use leaves idle memory to others"):
    Ledger.trim() // the idle pages of thread caches count as live before
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

  test("a reservation of a scoped region grows on the region's thread only"):
    Region.named("confined"):
      val reservation = Region.current.reserve(1.GiB)
      reservation.segment(100): Unit
      val committedBytes = reservation.committedBytes
      val liveBytes = Ledger.report().liveBytes
      var error: Option[RegionThreadException] = None
      val thread = Thread: () =>
        error = Some(intercept[RegionThreadException](reservation.segment(10.MiB)))
      thread.start()
      thread.join()
      assertEquals(error.map(_.region), Some("region \"confined\""))
      assertEquals(reservation.committedBytes, committedBytes)
      assertEquals(Ledger.report().liveBytes, liveBytes)
      assertEquals(reservation.segment(10.MiB).byteSize, 10.MiB)

  test("the ledger's row of scoped regions includes their reservations until these are closed"):
    def scopedBytes: Long = Ledger.report().rows.find(_.name == "scoped regions").get.liveBytes
    val before = scopedBytes
    Region.scoped:
      val reservation = Region.current.reserve(1.GiB)
      reservation.segment(10.MiB): Unit
      assertEquals(scopedBytes, before + 10.MiB)
      reservation.close()
      assertEquals(scopedBytes, before)
      Region.current.reserve(1.GiB).segment(10.MiB): Unit
      assertEquals(scopedBytes, before + 10.MiB)
    assertEquals(scopedBytes, before)

  test("the leak of a region includes its reservations until these are closed"):
    val name = "region with a reservation"
    def leakedBytes: Option[Long] = Ledger.leaks().find(_.owner.contains(name)).map(_.bytes)
    Ledger.recordLeaks(true)
    try
      val region = Region.shared(name)
      val reservation = region.reserve(1.GiB)
      reservation.segment(10.MiB): Unit
      assertEquals(leakedBytes, Some(10.MiB))
      reservation.close()
      assertEquals(leakedBytes, Some(0L))
      region.close()
      assertEquals(leakedBytes, None)
    finally Ledger.recordLeaks(false)

  test("a reservation of no region is reported by the name of its budget"):
    val name = "reported logs"
    def leakedBytes: Option[Long] = Ledger.leaks().find(_.owner == name).map(_.bytes)
    Ledger.recordLeaks(true)
    try
      val reservation = Reservation.within(Budget(name, 10.MiB), 1.GiB)
      reservation.segment(1.MiB): Unit
      assertEquals(leakedBytes, Some(1.MiB))
      reservation.close()
      assertEquals(leakedBytes, None)
      val error = intercept[RegionClosedException](reservation.segment(1))
      assertEquals(error.getMessage, s"reservation in the budget of $name is closed")
    finally Ledger.recordLeaks(false)

  test("a reservation that the system rejects leaves its address space to smaller requests"):
    val flags = Seq("-Dundercroft.limit=64m", "-Dundercroft.range=16g")
    val result = ForkedJvm.run(
      classOf[RejectedReservation.type],
      ForkedJvm.Granted ++ flags,
      shell = "ulimit -d 1000000;" // in KiB: much less than 8 GiB
    )
    assertEquals((result.output.trim, result.exit), ("all good", 0))

  test("a region keeps no reservation that was closed long before the region"):
    val region = Region.shared()
    def closed(): java.lang.ref.WeakReference[Reservation] =
      val reservation = region.reserve(1.MiB)
      reservation.close()
      java.lang.ref.WeakReference(reservation)
    val first = closed()
    for _ <- 1 to 100 do closed(): Unit
    var rounds = 0
    while first.get != null && rounds < 100 do
      System.gc()
      rounds += 1
    assert(first.get == null, s"reachable after $rounds collections")
    region.close()
end ReservationTest

/** Reserves more writable memory than the system grants, then allocates on two threads. */
object RejectedReservation:
  private def allocate(): Unit = Region.scoped(Region.allocate(100).fill(1)): Unit

  def main(args: Array[String]): Unit =
    for pages <- Seq(Pages.huge, Pages.small) do
      val budget =
        try
          Reservation(8.GiB, pages).close()
          "none"
        catch case error: MemoryLimitException => error.budget
      assert(budget == "the system's address space", budget)
      CompletableFuture.runAsync(() => allocate()).get(): Unit
      allocate()
    println("all good")
end RejectedReservation
