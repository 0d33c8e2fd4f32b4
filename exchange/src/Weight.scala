package undercroft.exchange

import java.lang.ref.Reference

/** Weighs objects: what a full collection leaves with them, less what it leaves without. */
final class Weight:
  private var loaded = 0L

  def load(exchange: StockExchange): Unit =
    loaded = Weight.afterCollection()
    Reference.reachabilityFence(exchange)

  /** Bytes a trade, after the last reference to what was loaded is gone. */
  def bytesPerTrade(trades: Long): Double =
    (loaded - Weight.afterCollection()).toDouble / trades

object Weight:

  /** Trades below which objects are too light against the JVM's own comings and goings. */
  val LeastTrades = 100_000L

  /** The weight of a trade on a day of its own, big enough to tell. */
  def apart(storage: Storage): Double =
    val weight = Weight()
    loadApart(storage, weight)
    weight.bytesPerTrade(LeastTrades)

  private def loadApart(storage: Storage, weight: Weight): Unit =
    val exchange = storage.open(LeastTrades)
    try
      Day.record(exchange, LeastTrades, _ => ())
      weight.load(exchange)
    finally exchange.close()

  private def afterCollection(): Long =
    System.gc()
    used

  /** Bytes of the heap in use, garbage included. */
  def used: Long =
    val runtime = Runtime.getRuntime.nn
    runtime.totalMemory - runtime.freeMemory
end Weight
