package undercroft.exchange

import internal.run.Day
import internal.storage.{CapacityExceeded, Storage}

class StorageTest extends undercroft.tools.Suite:

  /** Sum of (-1)^i i^2 for i below n. */
  private def closedForm(trades: Long): BigInt =
    val sum = BigInt(trades) * (trades - 1) / 2
    if trades % 2 == 0 then -sum else sum

  for storage <- Storage.values do
    test(s"${storage.name}: the balance of a day equals the closed form"):
      for trades <- Seq(1L, 2L, 4_097L, 100_000L) do
        val day = Day.of(storage, trades, _ => ())(_ => ())
        assertEquals(day.balance, closedForm(trades), s"$trades trades")

    test(s"${storage.name}: the balance of the largest trades is exact"):
      val orders = Seq(
        (1, Int.MaxValue, Int.MaxValue, true),
        (2, Int.MaxValue, Int.MaxValue, true),
        (3, Int.MaxValue, Int.MaxValue, true),
        (4, Int.MinValue, Int.MinValue, true),
        (5, Int.MinValue, Int.MaxValue, false)
      )
      val exchange = storage.open(orders.size)
      try
        orders.foreach(exchange.order.tupled)
        val expected = orders.map((_, amount, price, buy) =>
          BigInt(amount) * price * (if buy then 1 else -1)
        )
        assertEquals(exchange.dayBalance, expected.sum)
      finally exchange.close()
  end for

  test("a packed trade takes 13 bytes, and one with C ABI layout or four Ints 16"):
    val bytes = Storage.values.flatMap: storage =>
      val exchange = storage.open(10)
      try
        Day.record(exchange, 10, _ => ())
        exchange.bytesHeld.map(storage.name -> _ / 10)
      finally exchange.close()
    val expected = Map(
      "int-array" -> 16L,
      "heap-buffer" -> 13L,
      "direct-buffer" -> 13L,
      "unsafe" -> 13L,
      "segment" -> 13L,
      "rows" -> 16L,
      "packed-rows" -> 13L,
      "columns" -> 13L
    )
    assertEquals(bytes.toMap, expected)

  test("a day beyond the size of an array or buffer throws CapacityExceeded"):
    def reason(storage: Storage, trades: Long) =
      intercept[CapacityExceeded](storage.open(trades)).getMessage
    val array = "too large: an array ends at 2 147 483 639"
    assertEquals(reason(Storage.Ints, 536_870_910), array)
    assertEquals(reason(Storage.Heap, 165_191_050), array)
    assertEquals(reason(Storage.Arrays, 2_147_483_640L), array)
    assertEquals(
      reason(Storage.Direct, 165_191_050),
      "too large: a ByteBuffer ends at 2 147 483 647"
    )
    assertEquals(
      reason(Storage.Lists, 2_147_483_648L),
      "too large: a ListBuffer's count ends at 2 147 483 647"
    )

  test("the largest day that fits is accepted"):
    assertEquals(
      CapacityExceeded.orElse(165_191_049, 13, CapacityExceeded.LongestArray, "an array"),
      2147483637
    )
    assertEquals(
      CapacityExceeded.orElse(2147483639, 1, CapacityExceeded.LongestArray, "an array"),
      2147483639
    )
end StorageTest
