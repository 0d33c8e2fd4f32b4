package undercroft.exchange
package internal.run

import internal.storage.{StockExchange, Storage}
import java.lang.ref.Reference

/** Measures the heap footprint of objects: used heap after a full collection with them, minus used
  * heap after a full collection without them.
  */
final class HeapFootprint:
  private var loaded = 0L

  def load(exchange: StockExchange): Unit =
    loaded = HeapFootprint.afterCollection()
    Reference.reachabilityFence(exchange)

  /** Bytes for each trade; call it after the last reference to the loaded trades was dropped. */
  def bytesPerTrade(trades: Long): Double =
    (loaded - HeapFootprint.afterCollection()).toDouble / trades

object HeapFootprint:

  /** Trades below which objects are too light against the JVM's own comings and goings. */
  val LeastTrades = 100_000L

  /** The weight of a trade on a day of its own, big enough to tell. */
  def apart(storage: Storage): Double =
    val weight = HeapFootprint()
    loadApart(storage, weight)
    weight.bytesPerTrade(LeastTrades)

  private def loadApart(storage: Storage, weight: HeapFootprint): Unit =
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
end HeapFootprint
