package undercroft.memory
package internal.observe

import java.util.ArrayList
import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters.CollectionHasAsScala

/** The budgets with one name, which have one row in the [[Ledger]].
  *
  * Thread-safe. When their number has doubled, budgets without owners and bytes are removed, so
  * that a program may create any number of them. A removed budget is added again when it gets an
  * owner or bytes.
  */
private[memory] final class NamedBudgets(name: String):
  private val budgets = ArrayList[Budget]()
  private var maxCount = NamedBudgets.LeastRemoved
  private var removedPeak = 0L
  private var removedTotal = 0L
  @volatile private var firstUnlimited: Budget | Null = null

  /** The first budget without a limit; null if there is none. */
  def unlimited: Budget | Null = firstUnlimited

  def add(budget: Budget): Unit = synchronized:
    if !budget.isListed then
      if budgets.size >= maxCount then removeIdle()
      budget.isListed = true
      removedTotal -= budget.removedCount
      budget.removedCount = 0
      budgets.add(budget): Unit
      if firstUnlimited == null && budget.limitBytes == Long.MaxValue then firstUnlimited = budget

  private def removeIdle(): Unit =
    val _ = budgets.removeIf: budget =>
      // Cleared before the check: an owner that the check does not see adds the budget again.
      budget.isListed = false
      val isUsed = budget.liveCount != 0 || budget.liveBytes != 0
      budget.isListed = isUsed
      if !isUsed then remove(budget)
      !isUsed
    maxCount = Math.max(2 * budgets.size, NamedBudgets.LeastRemoved)

  private def remove(budget: Budget): Unit =
    budget.removedCount = budget.totalCount
    removedTotal += budget.removedCount
    removedPeak = Math.max(removedPeak, budget.peakBytes)

  def row: Ledger.Row = synchronized:
    val budgets = this.budgets.asScala
    val liveBytes = budgets.map(_.liveBytes).sum
    Ledger.Row(
      name,
      liveBytes,
      budgets.map(_.peakBytes).foldLeft(Math.max(removedPeak, liveBytes))(_.max(_)),
      budgets.map(_.liveCount).sum,
      removedTotal + budgets.map(_.totalCount).sum
    )
end NamedBudgets

private[memory] object NamedBudgets:
  /** Smallest number of budgets that are searched for idle ones. */
  private val LeastRemoved = 16

  /** Largest number of names with a row of their own; later ones are counted in the total only. */
  private val NamesShown = 4096

  /** The row of scoped regions without a name or budget. */
  val ScopedRegions = "scoped regions"

  // Here and not in the Ledger, whose reports load Scala's collections at the first region.
  private val byName = ConcurrentHashMap[String, NamedBudgets]()

  def all: Iterable[NamedBudgets] = byName.values.asScala

  /** The budgets of a name; null if too many names have a row. */
  def of(name: String): NamedBudgets | Null =
    val row = byName.get(name)
    if row != null || byName.size >= NamesShown then row
    else
      val created = NamedBudgets(name)
      val existing = byName.putIfAbsent(name, created)
      if existing == null then created else existing

  /** The budget of a name without a limit; null if there is none. */
  def unlimited(name: String): Budget | Null =
    val row = byName.get(name)
    if row == null then null else row.unlimited
end NamedBudgets
