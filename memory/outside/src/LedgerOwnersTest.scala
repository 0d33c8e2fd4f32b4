package outside.memory

import java.lang.management.ManagementFactory
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

  test("null arguments of a shared region are rejected by their names"):
    def none[A]: A = null.asInstanceOf[A]
    def messageOf(body: => Any): String = intercept[NullPointerException](body).getMessage
    assertEquals(messageOf(Region.shared(none[String])), "the name of a shared region is null")
    assertEquals(messageOf(Region.shared(none[Budget])), "the budget of a shared region is null")
    assertEquals(
      messageOf(Region.shared("orders", pages = none[Pages])),
      "the pages of the region orders are null"
    )
end LedgerOwnersTest
