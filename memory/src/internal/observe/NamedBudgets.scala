package undercroft.memory
package internal.observe

/** The budgets with one name, which have one row in the [[Ledger]].
  *
  * Thread-safe. When their number has doubled, budgets without owners and bytes are removed, so
  * that a program may create any number of them. A removed budget is added again when it gets an
  * owner or bytes.
  */
private[memory] final class NamedBudgets(name: String):
  private var budgets = List.empty[Budget]
  private var count = 0
  private var maxCount = NamedBudgets.LeastRemoved
  private var removedPeak = 0L
  private var removedTotal = 0L
  @volatile private var firstUnlimited: Budget | Null = null

  /** The first budget without a limit; null if there is none. */
  def unlimited: Budget | Null = firstUnlimited

  def add(budget: Budget): Unit = synchronized:
    if !budget.isListed then
      if count >= maxCount then removeIdle()
      budget.isListed = true
      removedTotal -= budget.removedCount
      budget.removedCount = 0
      budgets = budget :: budgets
      count += 1
      if firstUnlimited == null && budget.limitBytes == Long.MaxValue then firstUnlimited = budget

  private def removeIdle(): Unit =
    budgets = budgets.filter: budget =>
      // Cleared before the check: an owner that the check does not see adds the budget again.
      budget.isListed = false
      val isUsed = budget.liveCount != 0 || budget.liveBytes != 0
      budget.isListed = isUsed
      if !isUsed then remove(budget)
      isUsed
    count = budgets.size
    maxCount = (2 * count).max(NamedBudgets.LeastRemoved)

  private def remove(budget: Budget): Unit =
    budget.removedCount = budget.totalCount
    removedTotal += budget.removedCount
    removedPeak = removedPeak.max(budget.peakBytes)

  def row: Ledger.Row = synchronized:
    val liveBytes = budgets.map(_.liveBytes).sum
    Ledger.Row(
      name,
      liveBytes,
      budgets.map(_.peakBytes).foldLeft(removedPeak.max(liveBytes))(_.max(_)),
      budgets.map(_.liveCount).sum,
      removedTotal + budgets.map(_.totalCount).sum
    )
end NamedBudgets

private[memory] object NamedBudgets:
  /** Smallest number of budgets that are searched for idle ones. */
  private val LeastRemoved = 16
