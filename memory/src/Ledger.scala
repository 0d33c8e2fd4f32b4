package undercroft.memory

import java.util.concurrent.ConcurrentHashMap

/** Who holds how much memory below the garbage collector.
  *
  * Any thread. A report is a snapshot: owners that work while it is made are seen a little before
  * or after.
  */
object Ledger:
  /** Owners shown by a name of their own; later ones share a row. */
  private val NamesShown = 4096

  private val budgets = ConcurrentHashMap[String, Budget]()

  private[memory] val sharedRegions: Budget = Budget("shared regions", Long.MaxValue)
  private[memory] val reservations: Budget = Budget("reservations", Long.MaxValue)

  /** One owner's bytes and counts. Bytes are whole pages of 64 KiB. */
  final case class Row(
      name: String,
      liveBytes: Long,
      peakBytes: Long,
      liveCount: Long,
      totalCount: Long
  ) derives CanEqual

  private[memory] def show(budget: Budget): Unit =
    if budgets.size < NamesShown then
      val _ = budgets.putIfAbsent(budget.name, budget)

  private[memory] def shown(name: String): Budget | Null = budgets.get(name)
end Ledger
