package undercroft.memory

import internal.alloc.{PagePool, ThreadCache}
import internal.cage.Cage
import internal.observe.{Leaks, LedgerBean, NamedBudgets}
import java.util.Locale

/** Live and peak bytes of off-heap memory, by owner.
  *
  * Thread-safe. A report is a snapshot: concurrent changes of owners may be included or not.
  *
  * {{{
  * println(Ledger.report().show) // a line for each owner
  * Ledger.trim() // returns idle memory to the system
  * }}}
  */
object Ledger:
  private[memory] val sharedRegions: Budget = Budget("shared regions", Long.MaxValue)
  private[memory] val reservations: Budget = Budget("reservations", Long.MaxValue)

  /** Scoped regions without a name or budget of threads without a thread cache. */
  private[memory] val uncachedRegions: Budget =
    Budget(NamedBudgets.ScopedRegions, Long.MaxValue, isShown = false)

  /** Bytes and counts of one owner, or of all owners with one name.
    *
    * Bytes are whole pages of 64 KiB. If several budgets have one name, live bytes and counts are
    * their sums, and the peak is the largest peak of one of them, or the live bytes if those are
    * more. For scoped regions without a name the peak is a sum of peaks of threads: an upper bound
    * of the true peak.
    */
  final case class Row(
      name: String,
      liveBytes: Long,
      peakBytes: Long,
      liveCount: Long,
      totalCount: Long
  ) derives CanEqual

  /** Memory that is still held: its owner, its size in bytes, and its allocation site. */
  final case class Leak(owner: String, bytes: Long, site: List[String]) derives CanEqual

  /** A snapshot of the whole ledger. All amounts are in bytes. */
  final case class Report(
      rows: List[Row],
      liveBytes: Long,
      peakBytes: Long,
      idleBytes: Long,
      limitBytes: Long,
      cage: String,
      pages: String
  ) derives CanEqual:

    /** The report as a text table.
      *
      * {{{
      * println(Ledger.report().show)
      * }}}
      */
    def show: String =
      val head =
        f"${"owner"}%-24s ${"live bytes"}%16s ${"peak bytes"}%16s ${"live"}%10s ${"total"}%14s"
      val lines = rows.map: row =>
        "%-24s %16d %16d %10d %14d".formatLocal(
          Locale.ROOT,
          row.name,
          row.liveBytes,
          row.peakBytes,
          row.liveCount,
          row.totalCount
        )
      val whole =
        s"live $liveBytes, peak $peakBytes, idle $idleBytes, limit $limitBytes bytes; $cage; $pages"
      (head :: lines ++ List(whole)).mkString("\n")
  end Report

  /** A report of the memory that every owner holds now. The rows `thread caches` and
    * `retired pages` have the live pages without an owner: up to 2 MiB for each thread, and pages
    * whose generations are used up, until a whole chunk of 2 MiB of them is returned to the system.
    *
    * {{{
    * Region.named("orders"):
    *   Region.allocate(1.MiB)
    *   val row = Ledger.report().rows.find(_.name == "orders")
    *   println(row.exists(_.liveBytes >= 1.MiB)) // true
    * }}}
    */
  def report(): Report =
    val named = NamedBudgets.all.toList.map: budgets =>
      val row = budgets.row
      if row.name == Malloc.budget.name then withBlocks(row) else row
    val idle = PagePool.idleBytes
    Report(
      (scoped :: unowned ::: named).sortBy(_.name),
      PagePool.whole.liveBytes - idle,
      PagePool.whole.peakBytes,
      idle,
      PagePool.whole.limitBytes,
      Cage.space.description,
      Pages.describe
    )
  end report

  /** Switches the recording of allocation sites of regions, reservations and blocks on or off. It
    * costs microseconds for each; the property `undercroft.leaks=on` switches it on from the start.
    *
    * {{{
    * Ledger.recordLeaks(on = true)
    * val region = Region.shared("orders") // not closed
    * region.allocate(1000, 8)
    * Ledger.recordLeaks(on = false)
    * println(Ledger.leaks().exists(_.owner.contains("orders"))) // true
    * region.close()
    * }}}
    */
  def recordLeaks(on: Boolean): Unit = Leaks.record(on)

  /** Whether allocation sites are being recorded. */
  private[undercroft] def recordsLeaks: Boolean = Leaks.recording

  /** The memory that is still held, of all that was allocated while leaks were recorded.
    *
    * {{{
    * for leak <- Ledger.leaks() do println(s"${leak.bytes} bytes of ${leak.owner}")
    * }}}
    */
  def leaks(): List[Leak] = Leaks.all.map(site => Leak(site.owner, site.bytes, site.frames))

  /** Registers the [[LedgerMXBean]] with the platform's MBean server; idempotent. The property
    * `undercroft.mxbean=on` does the same at the first use of memory. It costs 100 ms if JMX is not
    * initialized yet.
    *
    * {{{
    * Ledger.registerMXBean() // jconsole then shows dev.undercroft:type=Ledger
    * }}}
    *
    * @throws java.lang.UnsupportedOperationException
    *   in a runtime without the module `java.management`
    */
  def registerMXBean(): Unit =
    if !hasManagement then
      throw UnsupportedOperationException("this runtime has no module java.management")
    LedgerBean.register()

  /** Registers the bean if this runtime has JMX. */
  private[memory] def start(): Unit = if hasManagement then registerMXBean()

  private def hasManagement: Boolean =
    ModuleLayer.boot.findModule("java.management").isPresent

  /** Returns idle memory to the system until at most `keepBytes` are kept for reuse. Idle pages of
    * the current thread and of threads that have ended are included. This may wait for 1 ms,
    * because other threads may still be storing to memory that was just freed.
    *
    * {{{
    * Region.scoped(Region.allocate(10.MiB).byteSize)
    * val idleBytes = Ledger.report().idleBytes
    * Ledger.trim()
    * println(Ledger.report().idleBytes <= idleBytes) // true
    * }}}
    */
  def trim(keepBytes: Long = 0): Unit =
    ThreadCache.trimIdle()
    PagePool.trim(keepBytes)

  /** Limit of the process's memory in bytes: the property `undercroft.limit`, or else the memory of
    * the container or machine minus the heap.
    *
    * {{{
    * println(Ledger.limitBytes >= 1.MiB) // true
    * }}}
    */
  def limitBytes: Long = PagePool.whole.limitBytes

  /** Bytes kept for reuse. */
  private[undercroft] def idleBytes: Long = PagePool.idleBytes

  /** Adds a reclaimer that is called before the limit of the process rejects a charge: see
    * [[Budget.onShortage]].
    */
  private[undercroft] def onShortage(reclaimer: Reclaimer): Unit =
    PagePool.whole.onShortage(reclaimer)

  private def scoped: Row =
    val caches = ThreadCache.all.toList
    Row(
      NamedBudgets.ScopedRegions,
      uncachedRegions.liveBytes + caches.map(_.scopedBytes).sum,
      uncachedRegions.peakBytes + caches.map(_.scopedPeak).sum,
      uncachedRegions.liveCount + caches.map(_.scopedLive).sum,
      uncachedRegions.totalCount + caches.map(_.scopedTotal).sum
    )

  /** The rows of pages without an owner: those that threads keep for their next allocations, and
    * those that are never reused.
    */
  private def unowned: List[Row] =
    for
      (name, bytes) <- List(
        "thread caches" -> ThreadCache.all.map(_.cachedBytes).sum,
        "retired pages" -> PagePool.retiredBytes
      )
      if bytes > 0
    yield Row(name, bytes, bytes, bytes / Cage.PageBytes, bytes / Cage.PageBytes)

  /** The row of Malloc with the counts of its blocks. */
  private def withBlocks(row: Row): Row =
    val heaps = Malloc.heaps
    row.copy(
      liveCount = row.liveCount + heaps.map(_.liveBlocks).sum + Malloc.largeCount,
      totalCount = row.totalCount + heaps.map(_.givenOut).sum + Malloc.largeTotal
    )
end Ledger
