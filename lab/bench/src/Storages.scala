package undercroft.lab.bench

import java.lang.foreign.Arena
import undercroft.memory.Pages

/** A storage of a day's trades, which a fork finds by its name. */
trait TradingDay extends AutoCloseable:
  /** Records `trades` trades, computes the balance, and frees the memory of the day. */
  def run(trades: Int): Long

/** The storages of the `trades` experiment by name. */
object Storages:

  /** Opens the storage called `name` for days of at most `trades` trades. */
  def open(name: String, trades: Int): TradingDay = name match
    case "list-buffer"           => made(_ => ListBufferExchange())
    case "array-buffer"          => made(_ => ArrayBufferExchange())
    case "int-array"             => made(IntArrayExchange(_))
    case "heap-buffer"           => made(BufferExchange.heap)
    case "direct-buffer"         => made(BufferExchange.direct)
    case "unsafe"                => made(UnsafeDay(_, 13))
    case "unsafe-c-layout"       => made(UnsafeDay(_, 16))
    case "unsafe-huge"           => reused(trades, 13)
    case "segment-confined"      => made(SegmentExchange(Arena.ofConfined().nn, _))
    case "segment-shared"        => made(SegmentExchange(Arena.ofShared().nn, _))
    case "scala-offheap"         => scoped(ScalaOffheap.day)
    case "rows"                  => scoped(TableStorages.rows(Pages.small))
    case "rows-huge"             => scoped(TableStorages.rows(Pages.huge))
    case "packed-rows"           => scoped(TableStorages.packedRows(Pages.small))
    case "packed-rows-huge"      => scoped(TableStorages.packedRows(Pages.huge))
    case "growing-rows"          => scoped(TableStorages.growing(Pages.small))
    case "growing-rows-huge"     => scoped(TableStorages.growing(Pages.huge))
    case "zeroed-rows"           => scoped(TableStorages.zeroed(Pages.small))
    case "zeroed-rows-huge"      => scoped(TableStorages.zeroed(Pages.huge))
    case "columns"               => scoped(TableStorages.columns(Pages.small))
    case "columns-huge"          => scoped(TableStorages.columns(Pages.huge))
    case "java-array-list"       => made(_ => JavaStorages.Objects())
    case "java-int-array"        => made(JavaStorages.Ints(_))
    case "java-heap-buffer"      => made(JavaStorages.Buffer.heap(_).nn)
    case "java-direct-buffer"    => made(JavaStorages.Buffer.direct(_).nn)
    case "java-unsafe"           => made(JavaStorages.Raw(_))
    case "java-segment-confined" => made(JavaStorages.Segment(_))
    case "c-malloc"              => compiled("packed", "malloc")
    case "c-malloc-c-layout"     => compiled("c", "malloc")
    case "c-huge"                => compiled("packed", "huge")
    case "c-huge-c-layout"       => compiled("c", "huge")
    case other                   => throw IllegalArgumentException(s"no storage is called $other")

  /** Creates an exchange for each day. */
  private def made(exchange: Int => StockExchange): TradingDay = new TradingDay:
    def run(trades: Int): Long =
      val open = exchange(trades)
      try StockExchange.day(open, trades)
      finally open.close()
    def close(): Unit = ()

  /** Tables in a region of each day. */
  private def scoped(day: Int => Long): TradingDay = new TradingDay:
    def run(trades: Int): Long = day(trades)
    def close(): Unit = ()

  /** Unsafe over huge pages that stay mapped from day to day. */
  private def reused(trades: Int, stride: Int): TradingDay = new TradingDay:
    private val bytes = trades.toLong * stride
    private val address = LibC.map(bytes, huge = true)
    def run(trades: Int): Long = StockExchange.day(UnsafeReused(address, stride), trades)
    def close(): Unit = LibC.unmap(address, bytes)

  /** The C program; its process lives from day to day. */
  private def compiled(layout: String, memory: String): TradingDay = new TradingDay:
    private val c = CTrades.start()
    def run(trades: Int): Long = c.day(layout, memory, trades)
    def close(): Unit = c.close()
end Storages
