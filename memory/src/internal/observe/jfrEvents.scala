package undercroft.memory
package internal.observe

import jdk.jfr.{
  Category,
  DataAmount,
  Description,
  Event,
  Label,
  Name,
  Period,
  StackTrace,
  Throttle
}

/** The lifetime of a region. At most a hundred per second unless a recording requests more: regions
  * may be opened millions of times per second.
  */
@Name("dev.undercroft.Region")
@Label("Region")
@Category(Array("Undercroft", "Memory"))
@Description("A region, from its opening to its close")
@StackTrace(false)
@Throttle("100/s")
private[memory] final class RegionEvent extends Event:
  @Label("Region") var region: String | Null = null
  @Label("Owner") @Description("The row of the ledger") var owner: String | Null = null
  @Label("Bytes") @Description("Held at the close") @DataAmount var bytes: Long = 0
  @Label("Shared") @Description("Open to several threads") var shared: Boolean = false

/** The page pool committed memory. */
@Name("dev.undercroft.PoolGrowth")
@Label("Page Pool Growth")
@Category(Array("Undercroft", "Memory"))
@Description("Pages were committed: fresh ones, or ones that had been returned to the system")
private[memory] final class PoolGrowthEvent extends Event:
  @Label("Bytes") @DataAmount var bytes: Long = 0
  @Label("Held") @Description("Live and idle, afterwards") @DataAmount var heldBytes: Long = 0

/** The page pool returned memory to the system. */
@Name("dev.undercroft.PoolReturn")
@Label("Page Pool Return")
@Category(Array("Undercroft", "Memory"))
@Description("Idle pages were returned to the system")
private[memory] final class PoolReturnEvent extends Event:
  @Label("Bytes") @DataAmount var bytes: Long = 0
  @Label("Held") @Description("Live and idle, afterwards") @DataAmount var heldBytes: Long = 0

/** A budget rejected a charge with a [[MemoryLimitException]]. */
@Name("dev.undercroft.BudgetExceeded")
@Label("Budget Exceeded")
@Category(Array("Undercroft", "Memory"))
@Description("A request exceeded the available bytes of a budget")
private[memory] final class BudgetExceededEvent extends Event:
  @Label("Budget") var budget: String | Null = null
  @Label("Requested") @DataAmount var asked: Long = 0
  @Label("Available") @DataAmount var available: Long = 0

/** A periodic sample of all memory. */
@Name("dev.undercroft.Memory")
@Label("Off-Heap Memory")
@Category(Array("Undercroft", "Memory"))
@Description("The off-heap memory of Undercroft")
@StackTrace(false)
@Period("10 s")
private[memory] final class MemoryEvent extends Event:
  @Label("Live") @DataAmount var liveBytes: Long = 0
  @Label("Peak") @Description("Live and idle, at most") @DataAmount var peakBytes: Long = 0
  @Label("Idle") @Description("Kept for reuse") @DataAmount var idleBytes: Long = 0
  @Label("Limit") @DataAmount var limitBytes: Long = 0

/** A periodic sample of one row of the ledger. */
@Name("dev.undercroft.Owner")
@Label("Memory Owner")
@Category(Array("Undercroft", "Memory"))
@Description("The memory of one owner: a row of the ledger")
@StackTrace(false)
@Period("10 s")
private[memory] final class OwnerEvent extends Event:
  @Label("Owner") var owner: String | Null = null
  @Label("Live") @DataAmount var liveBytes: Long = 0
  @Label("Peak") @DataAmount var peakBytes: Long = 0
  @Label("Live Count") var liveCount: Long = 0
  @Label("Total Count") var totalCount: Long = 0

/** Memory that is still held, with its allocation site, at the end of each chunk of a recording;
  * only memory allocated while leaks were recorded.
  */
@Name("dev.undercroft.Leak")
@Label("Outstanding Memory")
@Category(Array("Undercroft", "Memory"))
@Description("Memory that was allocated while leaks were recorded, and is not freed yet")
@StackTrace(false)
@Period("endChunk")
private[memory] final class LeakEvent extends Event:
  @Label("Owner") var owner: String | Null = null
  @Label("Bytes") @DataAmount var bytes: Long = 0
  @Label("Allocation Site") @Description("Frames, a line each") var site: String | Null = null
