package orderBook

import java.io.BufferedOutputStream
import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.{HashMap, SplittableRandom}
import scala.util.Using

/** Writes a day: the same for equal arguments. First there are `live` limits, then `messages`
  * messages: 82 % replace an order, 9 % are limits, 6 % cancel an order, and 3 % buy or sell at the
  * market, as in exchange-core's benchmark. There are about `live` orders all the time; which of
  * them is replaced or cancelled is random.
  */
object Generate:
  def write(file: Path, messages: Long, live: Int, seed: Long): Unit =
    Using.resource(BufferedOutputStream(Files.newOutputStream(file), 1 << 16)): out =>
      val generated = Generated(live, seed)
      var index = 0L
      while index < live + messages do
        out.write(if index < live then generated.limit() else generated.next())
        index += 1
end Generate

/** The next messages of a day. A book of objects reports the traded orders. */
final private class Generated(live: Int, seed: Long) extends Book.Orders:
  private val random = SplittableRandom(seed)
  private val message = ByteBuffer.allocate(Day.Bytes).order(ByteOrder.nativeOrder())
  private val book = Heap(this)

  /** The orders in any order, each a number, a quantity and a side, and the place of each number.
    */
  private val ids = new Array[Long](live * 2 + 100)
  private val quantities = new Array[Int](ids.length)
  private val sides = new Array[Boolean](ids.length)
  private val places = HashMap[Long, Int]()
  private def count = places.size

  private var lastId = 0L
  private var lastPrice = 100_000
  private var traded = 0

  def next(): Array[Byte] =
    val kind = random.nextInt(100)
    // Of 15 in 100 messages more are limits if there are too few orders.
    val isLimit = random.nextInt(15) < (if count < live then 12 else 6)
    if count == 0 || kind >= 85 && isLimit then limit()
    else if kind < 82 then replace()
    else if kind < 85 then market()
    else cancel()

  def limit(): Array[Byte] = limited(0, random.nextBoolean(), Day.Limit)

  private def replace(): Array[Byte] =
    val place = random.nextInt(count)
    limited(ids(place), removed(place), Day.Replace)

  private def cancel(): Array[Byte] =
    val place = random.nextInt(count)
    val id = ids(place)
    book.cancel(id)
    bytes(0, id, 0, 0, Day.Cancel, removed(place))

  private def market(): Array[Byte] =
    val (isBuy, quantity) = (random.nextBoolean(), 1 + random.nextInt(100))
    book.market(isBuy, quantity)
    bytes(0, 0, 0, quantity, Day.Market, isBuy)

  /** A new order; an old one, if there is one, was removed here. */
  private def limited(old: Long, isBuy: Boolean, kind: Int): Array[Byte] =
    lastId += 1
    val (id, price, quantity) = (lastId, newPrice(isBuy), 1 + random.nextInt(100))
    traded = 0
    if kind == Day.Limit then book.limit(id, isBuy, price, quantity)
    else book.replace(old, id, price, quantity)
    if traded < quantity then
      val place = count
      ids(place) = id
      quantities(place) = quantity - traded
      sides(place) = isBuy
      places.put(id, place): Unit
    bytes(id, old, price, quantity, kind, isBuy)

  /** A price beside the last trade's; one in a hundred is behind it, and may trade. */
  private def newPrice(isBuy: Boolean): Int =
    val distance =
      if random.nextInt(100) == 0 then -5
      else if random.nextBoolean() then 1 + random.nextInt(10)
      else (1 - 500 * Math.log(1 - random.nextDouble())).toInt
    if isBuy then lastPrice - distance else lastPrice + distance

  def add(id: Long, price: Int, quantity: Int): Unit =
    lastPrice = price
    traded += quantity
    val place = places.get(id)
    quantities(place) -= quantity
    if quantities(place) == 0 then
      val _ = removed(place)

  /** Removes the order at a place, to which the last one moves; returns whether it buys. */
  private def removed(place: Int): Boolean =
    val isBuy = sides(place)
    places.remove(ids(place)): Unit
    val last = count
    ids(place) = ids(last)
    quantities(place) = quantities(last)
    sides(place) = sides(last)
    if place != last then places.put(ids(place), place): Unit
    isBuy

  private def bytes(
      id: Long,
      old: Long,
      price: Int,
      quantity: Int,
      kind: Int,
      isBuy: Boolean
  ): Array[Byte] =
    message.putLong(0, id).putLong(8, old).putInt(16, price).putShort(20, quantity.toShort)
    message.put(22, kind.toByte).put(23, (if isBuy then 1 else 0).toByte)
    message.array
end Generated
