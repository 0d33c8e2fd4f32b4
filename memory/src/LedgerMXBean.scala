package undercroft.memory

/** The [[Ledger]] for JMX; `Ledger.registerMXBean` registers it as `dev.undercroft:type=Ledger`.
  *
  * Thread-safe. Bytes are whole pages of 64 KiB, as in [[Ledger.Report]]; each attribute is read
  * separately.
  *
  * {{{
  * import java.lang.management.ManagementFactory
  * import javax.management.{JMX, ObjectName}
  * Ledger.registerMXBean()
  * val server = ManagementFactory.getPlatformMBeanServer
  * val ledger = JMX.newMXBeanProxy(server, ObjectName(LedgerMXBean.Name), classOf[LedgerMXBean])
  * println(ledger.getLiveBytes <= ledger.getLimitBytes) // true
  * }}}
  */
trait LedgerMXBean:
  /** Bytes that owners hold now. */
  def getLiveBytes: Long

  /** Largest number of bytes that were live or idle at one time. */
  def getPeakBytes: Long

  /** Bytes that the page pool keeps for reuse. */
  def getIdleBytes: Long

  /** Limit of the process's memory in bytes. */
  def getLimitBytes: Long

  /** Bytes and counts of each owner by name: a `TabularData`. */
  def getOwners: java.util.Map[String, LedgerMXBean.Owner]

  /** Whether allocation sites are recorded. */
  def isLeakRecording: Boolean

  /** Switches the recording on or off; see [[Ledger.recordLeaks]]. */
  def setLeakRecording(on: Boolean): Unit

  /** The memory that is still held, of all that was allocated while leaks were recorded. */
  def getLeaks: Array[LedgerMXBean.Leak]

  /** Returns idle memory to the system until at most `keepBytes` are kept for reuse. */
  def trim(keepBytes: Long): Unit

  /** The report as a text table. */
  def report(): String
end LedgerMXBean

object LedgerMXBean:
  /** The object name. */
  val Name = "dev.undercroft:type=Ledger"

  /** Bytes and counts of one owner; see [[Ledger.Row]]. */
  trait Owner:
    def getLiveBytes: Long
    def getPeakBytes: Long
    def getLiveCount: Long
    def getTotalCount: Long

  /** Memory that is still held, with the stack frames of its allocation site, innermost first. */
  trait Leak:
    def getOwner: String
    def getBytes: Long
    def getSite: Array[String]
