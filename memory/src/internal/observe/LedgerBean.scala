package undercroft.memory
package internal.observe

import java.lang.management.ManagementFactory
import javax.management.{ObjectName, StandardMBean}

/** The ledger as a JMX bean. Loading this class loads JMX. */
private[memory] final class LedgerBean extends LedgerMXBean:
  def getLiveBytes: Long = Ledger.report().liveBytes
  def getPeakBytes: Long = Ledger.report().peakBytes
  def getIdleBytes: Long = Ledger.report().idleBytes
  def getLimitBytes: Long = Ledger.limitBytes

  def getOwners: java.util.Map[String, LedgerMXBean.Owner] =
    val owners = java.util.TreeMap[String, LedgerMXBean.Owner]()
    for row <- Ledger.report().rows do
      val _ = owners.put(row.name, owner(row))
    owners

  def isLeakRecording: Boolean = Leaks.recording
  def setLeakRecording(on: Boolean): Unit = Ledger.recordLeaks(on)
  def getLeaks: Array[LedgerMXBean.Leak] = Ledger.leaks().map(leak).toArray
  def trim(keepBytes: Long): Unit = Ledger.trim(keepBytes)
  def report(): String = Ledger.report().show

  private def owner(row: Ledger.Row): LedgerMXBean.Owner =
    new LedgerMXBean.Owner:
      def getLiveBytes: Long = row.liveBytes
      def getPeakBytes: Long = row.peakBytes
      def getLiveCount: Long = row.liveCount
      def getTotalCount: Long = row.totalCount

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
      val _ = server.registerMBean(bean, name)
