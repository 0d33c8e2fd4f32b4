package undercroft.memory

class ReclaimerTest extends undercroft.tools.Suite:

  /** Holds bytes of a budget, and releases them on request. */
  private final class Idle(budget: Budget, bytes: Long, afterCollection: Boolean = false)
      extends Reclaimer:
    var requests = 0
    private var heldBytes = bytes
    budget.charge(bytes)

    def reclaim(missing: Long): Unit =
      requests += 1
      if !afterCollection || requests > 1 then
        budget.release(heldBytes)
        heldBytes = 0
    def awaitsCollection: Boolean = afterCollection

  test("a budget asks its reclaimers for idle memory before it rejects a charge"):
    val budget = Budget("reclaimed", 100)
    val idle = Idle(budget, 80)
    budget.onShortage(idle)
    budget.charge(20)
    assertEquals(idle.requests, 0)
    budget.charge(50)
    assertEquals(idle.requests, 1)
    assertEquals(budget.liveBytes, 70L)
    intercept[MemoryLimitException](budget.charge(50)): Unit
    assertEquals(budget.liveBytes, 70L)

  test("a budget asks a reclaimer again after a garbage collection if awaitsCollection is true"):
    val budget = Budget("collected", 100)
    val idle = Idle(budget, 80, afterCollection = true)
    budget.onShortage(idle)
    budget.charge(50)
    assert(idle.requests > 1)
    assertEquals(budget.liveBytes, 50L)

  test("a budget rejects a charge above its limit without asking its reclaimers"):
    val budget = Budget("limited", 100)
    val idle = Idle(budget, 80)
    budget.onShortage(idle)
    intercept[MemoryLimitException](budget.charge(101)): Unit
    assertEquals(idle.requests, 0)
    assertEquals(budget.peakBytes, 80L)

  test("a charge inside a reclaimer throws without asking the reclaimers again"):
    val budget = Budget("nested", 100)
    budget.charge(100)
    var rejected = 0
    val nested = new Reclaimer:
      def reclaim(bytes: Long): Unit =
        intercept[MemoryLimitException](budget.charge(1)): Unit
        rejected += 1
      def awaitsCollection: Boolean = false
    budget.onShortage(nested)
    intercept[MemoryLimitException](budget.charge(10)): Unit
    assertEquals(rejected, 1)
end ReclaimerTest
