package undercroft.memory

/** The [[Ledger]] for JMX: what `Ledger.registerMXBean` registers as `dev.undercroft:type=Ledger`.
  *
  * Any thread. Bytes are whole pages of 64 KiB, as in [[Ledger.Report]]; each attribute is read at
  * a moment of its own.
  */
trait LedgerMXBean:
  /** Bytes that owners hold now. */
  def getLiveBytes: Long

  /** The most bytes that were live or idle at one time. */
  def getPeakBytes: Long

  /** Bytes that the page pool keeps for reuse. */
  def getIdleBytes: Long

  /** Bytes that the process may hold here. */
  def getLimitBytes: Long

  /** Each owner's bytes and counts, by the owner's name: a `TabularData`. */
  def getOwners: java.util.Map[String, LedgerMXBean.Owner]

  /** Whether the places that allocate are recorded. */
  def isLeakRecording: Boolean

  /** Switches the recording on or off; see [[Ledger.recordLeaks]]. */
  def setLeakRecording(on: Boolean): Unit

  /** What is still held of all that was allocated while leaks were recorded. */
  def getLeaks: Array[LedgerMXBean.Leak]

  /** Returns idle memory to the system, until at most `keepBytes` are kept for reuse. */
  def trim(keepBytes: Long): Unit

  /** The report as a table for people. */
  def report(): String
end LedgerMXBean

object LedgerMXBean:
  /** The object name. */
  val Name = "dev.undercroft:type=Ledger"

  /** One owner's bytes and counts; see [[Ledger.Row]]. */
  trait Owner:
    def getLiveBytes: Long
    def getPeakBytes: Long
    def getLiveCount: Long
    def getTotalCount: Long

  /** Memory that is still held, and the frames of the stack that allocated it, innermost first. */
  trait Leak:
    def getOwner: String
    def getBytes: Long
    def getSite: Array[String]
