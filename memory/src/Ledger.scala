package undercroft.memory

import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.CollectionHasAsScala

/** Who holds how much memory below the garbage collector.
  *
  * Any thread. A report is a snapshot: owners that work while it is made are seen a little before
  * or after.
  */
object Ledger:
  /** Owners shown by a name of their own; later ones are counted in the whole only. */
  private val NamesShown = 4096

  /** The row of scoped regions without a name or budget of their own. */
  private[memory] val ScopedRegions = "scoped regions"

  private val budgets = ConcurrentHashMap[String, Budget]()

  private[memory] val sharedRegions: Budget = Budget("shared regions", Long.MaxValue)
  private[memory] val reservations: Budget = Budget("reservations", Long.MaxValue)

  /** One owner's bytes and counts.
    *
    * Bytes are whole pages of 64 KiB. For scoped regions without a name the peak is the sum of the
    * peaks of the threads: at least the true one.
    */
  final case class Row(
      name: String,
      liveBytes: Long,
      peakBytes: Long,
      liveCount: Long,
      totalCount: Long
  ) derives CanEqual

  /** Memory that is still held: by whom, how many bytes, and the calls that allocated it. */
  final case class Leak(owner: String, bytes: Long, site: List[String]) derives CanEqual

  /** All of it at one moment. Bytes. */
  final case class Report(
      rows: List[Row],
      liveBytes: Long,
      peakBytes: Long,
      idleBytes: Long,
      limitBytes: Long,
      cage: String,
      pages: String
  ) derives CanEqual:

    /** A table for people. */
    def show: String =
      val head =
        f"${"owner"}%-24s ${"live bytes"}%16s ${"peak bytes"}%16s ${"live"}%10s ${"total"}%14s"
      val lines = rows.map: row =>
        f"${row.name}%-24s ${row.liveBytes}%16d ${row.peakBytes}%16d ${row.liveCount}%10d ${row.totalCount}%14d"
      val whole =
        s"live $liveBytes, peak $peakBytes, idle $idleBytes, limit $limitBytes bytes; $cage; $pages"
      (head :: lines ++ List(whole)).mkString("\n")

  /** What every owner holds now. */
  def report(): Report =
    val named = CollectionHasAsScala(budgets.values).asScala.toList.map: budget =>
      if budget eq Malloc.budget then malloc
      else
        Row(
          budget.name,
          budget.liveBytes,
          budget.peakBytes,
          budget.liveCount,
          budget.totalCount
        )
    val idle = PagePool.idleBytes
    Report(
      (scoped :: named).sortBy(_.name),
      PagePool.whole.liveBytes - idle,
      PagePool.whole.peakBytes,
      idle,
      PagePool.whole.limitBytes,
      Cage.space.description,
      Pages.describe
    )
  end report

  /** Records from now on where regions, reservations and blocks are allocated. It costs
    * microseconds for each; the property `undercroft.leaks=on` does the same from the beginning.
    */
  def recordLeaks(on: Boolean): Unit = Leaks.record(on)

  /** Whether leaks are recorded now. */
  private[undercroft] def recordsLeaks: Boolean = Leaks.recording

  /** What is still held of all that was allocated while leaks were recorded. */
  def leaks(): List[Leak] = Leaks.all.map(site => Leak(site.owner, site.bytes, site.frames))

  /** Registers the [[LedgerMXBean]] with the platform's MBean server, once. The property
    * `undercroft.mxbean=on` does the same at the first use of memory. It costs 100 ms where JMX is
    * not in use yet.
    *
    * @throws java.lang.UnsupportedOperationException
    *   in a runtime without the module `java.management`
    */
  def registerMXBean(): Unit =
    if !hasManagement then
      throw UnsupportedOperationException("this runtime has no module java.management")
    LedgerBean.register()

  /** Does what the properties ask for at the first use of memory. */
  private[memory] def start(): Unit = if Settings.mxbean && hasManagement then registerMXBean()

  private def hasManagement: Boolean =
    ModuleLayer.boot.findModule("java.management").isPresent

  /** Returns idle memory to the system, until at most `keepBytes` are kept for reuse. */
  def trim(keepBytes: Long = 0): Unit = PagePool.trim(keepBytes)

  /** Bytes of memory that the whole process may hold here: the property `undercroft.limit`, else
    * what the container's or machine's memory leaves beside the heap.
    */
  def limitBytes: Long = PagePool.whole.limitBytes

  private def scoped: Row =
    val lanes = Lane.all.toList
    Row(
      ScopedRegions,
      lanes.map(_.scopedBytes).sum,
      lanes.map(_.scopedPeak).sum,
      lanes.map(_.scopedLive).sum,
      lanes.map(_.scopedTotal).sum
    )

  private def malloc: Row =
    val heaps = Malloc.heaps
    Row(
      Malloc.budget.name,
      Malloc.budget.liveBytes,
      Malloc.budget.peakBytes,
      heaps.map(heap => heap.givenOut - heap.freed).sum + Malloc.largeCount,
      heaps.map(_.givenOut).sum + Malloc.largeTotal
    )

  private[memory] def show(budget: Budget): Unit =
    if budgets.size < NamesShown then
      val _ = budgets.putIfAbsent(budget.name, budget)

  private[memory] def shown(name: String): Budget | Null = budgets.get(name)
end Ledger
