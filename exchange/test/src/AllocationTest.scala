package undercroft.exchange

import internal.storage.{StockExchange, Storage}
import undercroft.testkit.{assertAllocates, bytesPerCall}

/** Recording allocates nothing, also where every storage runs through the same call. */
class AllocationTest extends undercroft.tools.Suite:

  /** Number of orders after which an exchange is closed and another one is opened. */
  private val Room = 5_000_000L

  /** The one call that all storages go through, so that it is megamorphic. */
  private def record(exchange: StockExchange): Unit = exchange.order(1, 2, 3, true)

  private def warmUp(): Unit =
    for _ <- 1 to 200; storage <- Storage.values do
      val exchange = storage.open(1000)
      try for _ <- 1 to 1000 do record(exchange)
      finally exchange.close()

  for storage <- Seq(Storage.InRows, Storage.InPackedRows, Storage.InColumns) do
    test(s"${storage.name}: recording an order allocates nothing with all storages loaded"):
      warmUp()
      var exchange = storage.open(Room)
      var recorded = 0L
      try
        assertAllocates(0):
          if recorded == Room then
            exchange.close()
            exchange = storage.open(Room)
            recorded = 0
          recorded += 1
          record(exchange)
      finally exchange.close()

  test("the allocation canary detects a list of objects"):
    warmUp()
    var exchange = Storage.Lists.open(1000)
    var recorded = 0
    // A new list now and then, so that however long this takes the heap holds it.
    val bytes = bytesPerCall:
      if recorded == 1000 then
        exchange = Storage.Lists.open(1000)
        recorded = 0
      recorded += 1
      record(exchange)
    assert(bytes >= 32, s"$bytes bytes a call")
end AllocationTest
