package undercroft.memory

import internal.cage.Cage
import java.lang.management.ManagementFactory
import javax.management.openmbean.{CompositeData, TabularData}
import javax.management.{Attribute, JMX, ObjectName}

class LedgerMXBeanTest extends undercroft.tools.Suite:
  private val server = ManagementFactory.getPlatformMBeanServer.nn
  private val name = ObjectName(LedgerMXBean.Name)
  private def attribute(named: String): Any = server.getAttribute(name, named)

  override def beforeAll(): Unit =
    Ledger.registerMXBean()
    Ledger.registerMXBean() // a second time does nothing

  test("the attributes of LedgerMXBean have the totals of the ledger's report"):
    val report = Ledger.report()
    assertEquals[Any, Any](attribute("LiveBytes"), report.liveBytes)
    assertEquals[Any, Any](attribute("PeakBytes"), report.peakBytes)
    assertEquals[Any, Any](attribute("IdleBytes"), report.idleBytes)
    assertEquals[Any, Any](attribute("LimitBytes"), report.limitBytes)

  test("the Owners attribute of LedgerMXBean is a table of open types"):
    val region = Region.shared("managed")
    region.allocate(5.MiB, 8): Unit
    val owners = attribute("Owners").asInstanceOf[TabularData]
    val row = owners.get(Array[Any]("managed").asInstanceOf[Array[Object]]).nn
    val owner = row.get("value").asInstanceOf[CompositeData]
    assertEquals[Any, Any](owner.get("liveBytes"), 5.MiB)
    assertEquals[Any, Any](owner.get("liveCount"), 1L)
    region.close()
    val proxy = JMX.newMXBeanProxy(server, name, classOf[LedgerMXBean]).nn
    assertEquals(proxy.getOwners.get("managed").nn.getLiveBytes, 0L)
    assertEquals(proxy.getOwners.get("managed").nn.getPeakBytes, 5.MiB)

  test("LedgerMXBean records leaks while LeakRecording is set and reports their allocation sites"):
    server.setAttribute(name, Attribute("LeakRecording", true))
    assertEquals[Any, Any](attribute("LeakRecording"), true)
    val block = Malloc.allocateBlock(321, 8)
    server.setAttribute(name, Attribute("LeakRecording", false))
    val leaks = attribute("Leaks").asInstanceOf[Array[CompositeData]]
    Malloc.free(block)
    val after = attribute("Leaks").asInstanceOf[Array[CompositeData]]
    assert(!after.exists(_.get("bytes").equals(321L)), "freed after the recording")
    val leak = leaks.find(_.get("bytes").equals(321L)).getOrElse(fail(leaks.mkString))
    assertEquals[Any, Any](leak.get("owner"), "Malloc")
    val site = leak.get("site").asInstanceOf[Array[String]]
    assert(site.head.contains("LedgerMXBeanTest.scala"), site.mkString("\n"))

  test("the trim operation of LedgerMXBean decommits idle memory, and report returns the table"):
    assume(Cage.space.returnsMemory)
    Region.scoped(Region.allocate(32.MiB).fill(1): Unit)
    server.invoke(name, "trim", Array[Any](0L).asInstanceOf[Array[Object]], Array("long")): Unit
    assert(attribute("IdleBytes").asInstanceOf[Long] < 16.MiB)
    val report = server.invoke(name, "report", Array.empty[Object], Array.empty[String])
    assert(report.toString.contains("scoped regions"), report.toString)
end LedgerMXBeanTest
