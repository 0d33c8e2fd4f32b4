package orderBook

// A day of messages through a book, for all programs alike: reads the file, times each message, and
// prints the answer and the times.

import java.lang.foreign.{Arena, MemorySegment}
import java.lang.foreign.ValueLayout.{JAVA_BYTE, JAVA_INT, JAVA_LONG, JAVA_SHORT}
import java.nio.channels.FileChannel
import java.nio.file.{Path, StandardOpenOption}
import scala.util.Using

/** The number of orders, and a digest of them in their order. */
final private class Digest extends Book.Orders:
  private var digest = 0L
  private var count = 0L

  def add(id: Long, price: Int, quantity: Int): Unit =
    count += 1
    digest = (digest ^ id ^ price.toLong << 32 ^ quantity) * 0x9e3779b97f4a7c15L + (digest >>> 29)

  override def toString = f"$count $digest%016x"

object Day:
  /** The bytes of a message: its number, the order that it replaces or cancels, a price, a
    * quantity, the kind, and whether it buys.
    */
  val Bytes = 24
  final val Limit = 0
  final val Replace = 1
  final val Cancel = 2
  final val Market = 3

  /** The share of the messages, the first ones, that are not in the percentiles. */
  private val WarmUp = 0.1

  /** Runs the messages of a file through a new book. The first `opening` messages are not timed:
    * the orders before the market opens.
    */
  def run(file: Path, opening: Long)(newBook: Book.Orders => Book): Unit =
    val (trades, live) = (Digest(), Digest())
    val book = newBook(trades)
    Using.resource(FileChannel.open(file, StandardOpenOption.READ)): channel =>
      val messages = channel.size / Bytes
      val session =
        Session(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size, Arena.global()), book)
      val measured = opening + ((messages - opening) * WarmUp).toLong
      session.run(0, opening, Times(), Times())
      val start = System.nanoTime
      session.run(opening, measured, Times(), Times())
      val (times, delays) = (Times(), Times())
      session.run(measured, messages, times, delays)
      val perMessage = (System.nanoTime - start).toDouble / (messages - opening)
      book.foreach(live)
      println(s"trades $trades, orders $live")
      println(f"message=$perMessage%.1f ${times.percentiles("p")} ${delays.percentiles("delay")}")
end Day

final private class Session(messages: MemorySegment, book: Book):
  import Day.{Bytes, Cancel, Limit, Market, Replace}
  import Session.{Block, PeriodNanos}

  /** The time for which a message waits for the ones before it, had one come each period. */
  private var queue = 0L

  /** Handles the messages from one to another. */
  def run(from: Long, until: Long, times: Times, delays: Times): Unit =
    queue = 0
    for start <- from until until by Block do
      handleAll(start, until.min(start + Block), times, delays)

  private def handleAll(from: Long, until: Long, times: Times, delays: Times): Unit =
    var index = from
    var before = System.nanoTime
    while index < until do
      handle(index * Bytes)
      val now = System.nanoTime
      times.add(now - before)
      val delay = queue + now - before
      delays.add(delay)
      queue = (delay - PeriodNanos).max(0)
      before = now
      index += 1

  private def handle(at: Long): Unit =
    val id = messages.get(JAVA_LONG, at)
    val old = messages.get(JAVA_LONG, at + 8)
    val price = messages.get(JAVA_INT, at + 16)
    val quantity = messages.get(JAVA_SHORT, at + 20).toInt
    val isBuy = messages.get(JAVA_BYTE, at + 23) != 0
    messages.get(JAVA_BYTE, at + 22).toInt match
      case Limit   => book.limit(id, isBuy, price, quantity)
      case Replace => book.replace(old, id, price, quantity)
      case Cancel  => book.cancel(old)
      case Market  => book.market(isBuy, quantity)
end Session

private object Session:
  /** The messages of a call, so that the compiled code of a call is that of all. */
  private val Block = 1000L

  /** The time between two messages of the second line of percentiles. */
  private val PeriodNanos = 2000L

/** Counts of times, in steps of at most 1/32. */
final class Times:
  private val counts = new Array[Long](64 * 32)

  def add(nanos: Long): Unit =
    val shift = (58 - java.lang.Long.numberOfLeadingZeros(nanos | 63)).toInt
    counts(shift * 32 + (nanos >>> shift).toInt) += 1

  /** The time that a share of all does not exceed. */
  private def quantile(share: Double): Long =
    val rank = (counts.sum * share).toLong
    var (index, sum) = (0, counts(0))
    while sum <= rank && index + 1 < counts.length do
      index += 1
      sum += counts(index)
    if index < 64 then index else (index % 32 + 33L << index / 32 - 1) - 1

  def percentiles(name: String): String =
    val shares = Seq("50" -> 0.5, "99" -> 0.99, "999" -> 0.999, "9999" -> 0.9999)
    shares.map((text, share) => s"$name$text=${quantile(share)}").mkString(" ")
end Times
