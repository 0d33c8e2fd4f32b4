package undercroft.memory
package internal.observe

import internal.platform.LoaderLifetime
import java.lang.invoke.{MethodHandles, MethodType}
import java.lang.management.ManagementFactory
import javax.management.{DynamicMBean, MBeanServer, ObjectName, StandardMBean}

/** The ledger as a JMX bean. Loading this class loads JMX. */
private[memory] final class LedgerBean extends LedgerMXBean:
  def getLiveBytes: Long = Ledger.report().liveBytes
  def getPeakBytes: Long = Ledger.report().peakBytes
  def getIdleBytes: Long = Ledger.report().idleBytes
  def getLimitBytes: Long = Ledger.limitBytes

  def getOwners: java.util.Map[String, LedgerMXBean.Owner] =
    val owners = java.util.TreeMap[String, LedgerMXBean.Owner]()
    // A budget may have the name of the row of scoped regions.
    for (name, rows) <- Ledger.report().rows.groupBy(_.name) do
      val _ = owners.put(name, owner(rows))
    owners

  def isLeakRecording: Boolean = Leaks.recording
  def setLeakRecording(on: Boolean): Unit = Ledger.recordLeaks(on)
  def getLeaks: Array[LedgerMXBean.Leak] = Ledger.leaks().map(leak).toArray
  def trim(keepBytes: Long): Unit = Ledger.trim(keepBytes)
  def report(): String = Ledger.report().show

  /** The sums of the rows of one name. */
  private def owner(rows: List[Ledger.Row]): LedgerMXBean.Owner =
    new LedgerMXBean.Owner:
      def getLiveBytes: Long = rows.map(_.liveBytes).sum
      def getPeakBytes: Long = rows.map(_.peakBytes).sum
      def getLiveCount: Long = rows.map(_.liveCount).sum
      def getTotalCount: Long = rows.map(_.totalCount).sum

  private def leak(source: Ledger.Leak): LedgerMXBean.Leak =
    new LedgerMXBean.Leak:
      def getOwner: String = source.owner
      def getBytes: Long = source.bytes
      def getSite: Array[String] = source.site.toArray
end LedgerBean

private[memory] object LedgerBean:
  /** Registers the bean with the platform's server; idempotent. */
  def register(): Unit = synchronized:
    val server = ManagementFactory.getPlatformMBeanServer.nn
    val name = ObjectName(LedgerMXBean.Name)
    if !server.isRegistered(name) then
      val bean = StandardMBean(LedgerBean(), classOf[LedgerMXBean], true)
      val _ = server.registerMBean(LoaderLifetime.weak(classOf[DynamicMBean], bean), name)
      LoaderLifetime.afterUnload:
        MethodHandles.publicLookup
          .findVirtual(
            classOf[MBeanServer],
            "unregisterMBean",
            MethodType.methodType(classOf[Unit], classOf[ObjectName])
          )
          .bindTo(server)
          .bindTo(name)
