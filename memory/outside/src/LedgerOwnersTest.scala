package outside.memory

import java.lang.management.ManagementFactory
import java.util.concurrent.{CountDownLatch, TimeUnit}
import javax.management.{JMX, ObjectName}
import undercroft.memory.*

/** The owners of memory in the ledger's JMX bean. */
class LedgerOwnersTest extends undercroft.tools.Suite:

  private def owner(name: String): LedgerMXBean.Owner =
    Ledger.registerMXBean()
    val server = ManagementFactory.getPlatformMBeanServer
    val bean = JMX.newMXBeanProxy(server, ObjectName(LedgerMXBean.Name), classOf[LedgerMXBean])
    bean.getOwners.get(name)

  test("a shared region named as the row of scoped regions is added to that row"):
    val name = "scoped regions"
    val region = Region.shared(name)
    region.allocate(10.MiB, 8): Unit
    Region.scoped:
      Region.allocate(5.MiB): Unit
      val rows = Ledger.report().rows.filter(_.name == name)
      assertEquals(rows.size, 2)
      val sums = owner(name)
      assertEquals(sums.getLiveBytes, rows.map(_.liveBytes).sum)
      assertEquals(sums.getLiveCount, rows.map(_.liveCount).sum)
      assert(sums.getLiveBytes >= 15.MiB, s"${sums.getLiveBytes}")
    region.close()

  private def row(name: String): Ledger.Row =
    Ledger.report().rows.find(_.name == name).getOrElse(fail(s"no row $name"))

  test("the ledger's row of a name includes each of several owners with a limit"):
    val name = "repeated import"
    def run(body: => Unit): Unit =
      Region.named(name, limitBytes = 10.MiB):
        Region.allocate(5.MiB): Unit
        body
    for round <- 1 to 50 do
      run(assertEquals((row(name).liveBytes, row(name).liveCount), (5.MiB, 1L), s"round $round"))
    run(run(assertEquals((row(name).liveBytes, row(name).liveCount), (10.MiB, 2L))))
    val closed = row(name)
    assertEquals((closed.liveBytes, closed.liveCount, closed.totalCount), (0L, 0L, 52L))
    assert(closed.peakBytes >= 5.MiB, s"$closed")

  test("the ledger's row of a name includes each budget that is used after others were created"):
    val name = "budget of a tenant"
    val budgets = Seq.fill(100)(Budget(name, limitBytes = 10.MiB))
    for (budget, i) <- budgets.zipWithIndex do
      Region.within(budget):
        Region.allocate(1.MiB): Unit
        assertEquals(row(name).liveBytes, 1.MiB, s"budget $i")
        assertEquals((row(name).liveCount, row(name).totalCount), (1L, 2L * i + 1))
      val reservation = Reservation.within(budget, 1.MiB)
      reservation.segment(1.MiB): Unit
      assertEquals(row(name).liveBytes, 1.MiB, s"budget $i")
      reservation.close()
    assertEquals(row(name).liveBytes, 0L)

  test("the ledger's row of scoped regions includes those of threads without a thread cache"):
    val name = "scoped regions"
    val count = 200 // more than there are thread caches
    val before = row(name)
    val (opened, done) = (CountDownLatch(count), CountDownLatch(1))
    val threads = Seq.fill(count):
      Thread.startVirtualThread: () =>
        Region.scoped:
          Region.current.allocateBlock(8, 8): Unit
          opened.countDown()
          done.await()
    try
      assert(opened.await(60, TimeUnit.SECONDS))
      val open = row(name)
      assertEquals(open.liveCount - before.liveCount, count.toLong)
      assertEquals(open.totalCount - before.totalCount, count.toLong)
      assertEquals(open.liveBytes - before.liveBytes, count * 64.KiB)
    finally
      done.countDown()
      threads.foreach(_.join())
    assertEquals((row(name).liveCount, row(name).liveBytes), (before.liveCount, before.liveBytes))

  test("a null budget of a scoped region or a reservation is rejected by its name"):
    def none[A]: A = null.asInstanceOf[A]
    val region = intercept[NullPointerException](Region.within(none[Budget])(fail("it ran")))
    assertEquals(region.getMessage, "the budget of a scoped region is null")
    val reservation = intercept[NullPointerException](Reservation.within(none[Budget], 1.MiB))
    assertEquals(reservation.getMessage, "the budget of a reservation is null")

  test("null arguments of a shared region are rejected by their names"):
    def none[A]: A = null.asInstanceOf[A]
    def messageOf(body: => Any): String = intercept[NullPointerException](body).getMessage
    assertEquals(messageOf(Region.shared(none[String])), "the name of a shared region is null")
    assertEquals(messageOf(Region.shared(none[Budget])), "the budget of a shared region is null")
    assertEquals(
      messageOf(Region.shared("orders", pages = none[Pages])),
      "the pages of the region orders are null"
    )

  test("null arguments of a scoped region, a reservation and a budget are rejected by their names"):
    def none[A]: A = null.asInstanceOf[A]
    def messageOf(body: => Any): String = intercept[NullPointerException](body).getMessage
    val budget = Budget("null pages", 1.MiB)
    assertEquals(messageOf(Region.named(none[String])(())), "the name of a scoped region is null")
    assertEquals(
      messageOf(Region.named("orders", pages = none[Pages])(())),
      "the pages of the region orders are null"
    )
    assertEquals(
      messageOf(Region.within(budget, none[Pages])(())),
      "the pages of the region null pages are null"
    )
    assertEquals(
      messageOf(Region.withPages(none[Pages])(())),
      "the pages of a scoped region are null"
    )
    assertEquals(
      messageOf(Reservation(1.MiB, none[Pages])),
      "the pages of a reservation are null"
    )
    assertEquals(messageOf(Budget(none[String], 1.MiB)), "the name of a budget is null")
  test("the rows of a report add up to the live bytes, with those of the caches of threads"):
    val threads = List.fill(4)(Thread.ofPlatform.start(() =>
      Region.scoped(for _ <- 1 to 20 do Region.allocate(60_000): Unit)
    ))
    threads.foreach(_.join())
    val blocks = List.fill(1000)(Malloc.allocateBlock(2000, 8))
    Region.scoped:
      Region.allocate(3.MiB): Unit
      val report = Ledger.report()
      assertEquals(report.rows.map(_.liveBytes).sum, report.liveBytes, report.show)
      assert(row("thread caches").liveBytes >= 65536, report.show)
    blocks.foreach(Malloc.free)
end LedgerOwnersTest
