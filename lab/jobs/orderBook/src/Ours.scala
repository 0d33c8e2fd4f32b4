package orderBook

// The book as the guide writes it: maps off-heap to structs that refer to each other.

import java.nio.file.Path
import undercroft.memory.*
import undercroft.struct.*

case class Order(
    id: Long,
    quantity: Int,
    isBuy: Boolean,
    level: Ref[Level],
    before: Ref[Order],
    after: Ref[Order]
) derives Struct

/** The oldest and the newest order of a price, and the sum of all. */
case class Level(price: Int, first: Ref[Order], last: Ref[Order], quantity: Long, next: Ref[Level])
    derives Struct

/** Orders and levels that are removed are used again. */
final class Ours(trades: Book.Orders)(using Region) extends Book:
  private val orders = StructMap[Long, Ref[Order]]()
  private val bids, asks = StructTreeMap[Int, Ref[Level]]()

  /** The removed orders and levels, linked by `after` and by `next`. */
  private var freeOrders = Ref.none[Order]
  private var freeLevels = Ref.none[Level]

  private def newOrder(): Ref[Order] =
    val order = freeOrders
    if Ref.isNone(order) then Ref.zeroed[Order]
    else
      freeOrders = order.after
      order

  private def newLevel(price: Int): Ref[Level] =
    val free = freeLevels
    val level = if Ref.isNone(free) then Ref.zeroed[Level] else free
    freeLevels = if Ref.isNone(free) then free else free.next
    level() = Level(price, Ref.none, Ref.none, 0, Ref.none)
    level

  private def levels(isBuy: Boolean) = if isBuy then bids else asks

  def limit(id: Long, isBuy: Boolean, price: Int, quantity: Int): Unit =
    val rest = matched(isBuy, price, quantity)
    if rest > 0 then
      val level = levels(isBuy).getOrElseUpdate(price, newLevel(price))
      val last = level.last
      val order = newOrder()
      order() = Order(id, rest, isBuy, level, last, Ref.none)
      if Ref.isNone(last) then level.first = order else last.after = order
      level.last = order
      level.update(_.quantity)(_ + rest)
      orders(id) = order

  def replace(id: Long, newId: Long, price: Int, quantity: Int): Unit =
    val order = orders.getOrElse(id, Ref.none[Order])
    if !Ref.isNone(order) then
      val isBuy = order.isBuy
      remove(order)
      limit(newId, isBuy, price, quantity)

  def cancel(id: Long): Unit =
    val order = orders.getOrElse(id, Ref.none[Order])
    if !Ref.isNone(order) then remove(order)

  def market(isBuy: Boolean, quantity: Int): Unit =
    val _ = matched(isBuy, if isBuy then Int.MaxValue else Int.MinValue, quantity)

  /** Trades with the best orders of the other side up to a price; returns the remaining quantity.
    */
  private def matched(isBuy: Boolean, price: Int, quantity: Int): Int =
    var rest = quantity
    while rest > 0 && crosses(isBuy, price) do
      val level = if isBuy then asks(asks.firstKey) else bids(bids.lastKey)
      val order = level.first
      val part = rest.min(order.quantity)
      trades.add(order.id, level.price, part)
      rest -= part
      if part == order.quantity then remove(order)
      else
        order.update(_.quantity)(_ - part)
        level.update(_.quantity)(_ - part)
    rest

  private def crosses(isBuy: Boolean, price: Int): Boolean =
    if isBuy then asks.nonEmpty && asks.firstKey <= price
    else bids.nonEmpty && bids.lastKey >= price

  private def remove(order: Ref[Order]): Unit =
    val (level, before, after) = (order.level, order.before, order.after)
    if Ref.isNone(before) then level.first = after else before.after = after
    if Ref.isNone(after) then level.last = before else after.before = before
    if Ref.isNone(level.first) then
      val _ = levels(order.isBuy).remove(level.price)
      level.next = freeLevels
      freeLevels = level
    else level.update(_.quantity)(_ - order.quantity)
    val _ = orders.remove(order.id)
    order.after = freeOrders
    freeOrders = order

  def foreach(all: Book.Orders): Unit =
    for side <- Seq(bids, asks) do
      side.foreach: (price, level) =>
        var order = level.first
        while !Ref.isNone(order) do
          all.add(order.id, price, order.quantity)
          order = order.after
end Ours

object Ours:
  def main(args: Array[String]): Unit = Region.scoped:
    Day.run(Path.of(args(0)), args(1).toLong)(Ours(_))
