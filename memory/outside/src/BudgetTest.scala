package outside.memory

import undercroft.memory.*

class BudgetTest extends undercroft.tools.Suite:

  private def scoped: Ledger.Row = Ledger.report().rows.find(_.name == "scoped regions").get

  test("a request that the process limit rejects does not count towards the ledger's peakBytes"):
    val tooMuch = Ledger.limitBytes + (1 << 20)
    Region.scoped:
      Region.allocate(1 << 20): Unit
      intercept[MemoryLimitException](Region.allocate(tooMuch))
    assert(scoped.peakBytes < tooMuch, s"$scoped")
    assert(scoped.peakBytes >= (1 << 20), s"$scoped")

  test("a request that the process limit rejects does not count towards a budget's peakBytes"):
    val tooMuch = Ledger.limitBytes + (1 << 20)
    val budget = Budget("large enough", Long.MaxValue)
    Region.within(budget):
      Region.allocate(1 << 20): Unit
      intercept[MemoryLimitException](Region.allocate(tooMuch))
    assertEquals(budget.peakBytes, 1L << 20)
    assertEquals(budget.liveBytes, 0L)
end BudgetTest
