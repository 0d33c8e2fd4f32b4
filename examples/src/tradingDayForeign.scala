import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.{JAVA_BOOLEAN, JAVA_INT}
import scala.util.Using

@main def tradingDayForeign(): Unit =
  val size = 16L // of a trade: ticket at 0, amount at 4, price at 8, buy at 12
  Using.resource(Arena.ofConfined()): arena =>
    val trades = arena.allocate(1_000_000 * size, 4)
    for i <- 0 until 1_000_000 do
      trades.set(JAVA_INT, i * size, i)
      trades.set(JAVA_INT, i * size + 4, 100)
      trades.set(JAVA_INT, i * size + 8, 250 + i % 3)
      trades.set(JAVA_BOOLEAN, i * size + 12, i % 2 == 0)
    var balance = 0L
    for i <- 0 until 1_000_000 do
      val value = trades.get(JAVA_INT, i * size + 4).toLong * trades.get(JAVA_INT, i * size + 8)
      balance += (if trades.get(JAVA_BOOLEAN, i * size + 12) then value else -value)
    println(balance)

// prints:
// 100
