import undercroft.memory.*
import undercroft.struct.*

/** An offer in the queue of its price, which is ordered by age. */
case class Offer(id: Long, price: Int, amount: Int, before: Ref[Offer], after: Ref[Offer])
    derives Struct

/** All offers at one price, oldest first. */
case class Level(first: Ref[Offer], last: Ref[Offer], amount: Long) derives Struct

/** An order book by price. Offers are allocated and freed one by one, so each is a block of Malloc.
  */
final class Book(prices: Int)(using Region):
  private val levels = Rows[Level](prices)
  private val offers = StructMap[Long, Ref[Offer]]()

  /** Throws IllegalArgumentException, and changes nothing, if there is no such price, or an offer
    * with this id.
    */
  def add(id: Long, price: Int, amount: Int): Unit =
    checkPrice(price)
    require(!offers.contains(id), s"id must be new, but an offer has it: $id")
    val level = levels.ref(price)
    val offer = Ref(Offer(id, price, amount, level.last, Ref.none))(using Malloc)
    if Ref.isNone(level.last) then level.first = offer else level.last.after = offer
    level.last = offer
    level.update(_.amount)(_ + amount)
    offers(id) = offer

  def cancel(id: Long): Boolean =
    val offer = offers.getOrElse(id, Ref.none[Offer])
    val known = !Ref.isNone(offer)
    if known then takeOut(offer)
    known

  /** Buys up to `amount` at no more than `price`, cheapest and oldest first; returns the amount
    * bought.
    */
  def buy(price: Int, amount: Int): Int =
    checkPrice(price)
    var left = amount
    var at = 0
    while left > 0 && at <= price do
      val level = levels.ref(at)
      if Ref.isNone(level.first) then at += 1
      else
        val oldest = level.first
        val part = left.min(oldest.amount)
        left -= part
        level.update(_.amount)(_ - part)
        oldest.update(_.amount)(_ - part)
        if oldest.amount == 0 then takeOut(oldest)
    amount - left

  def amount(price: Int): Long = levels(price).amount
  def size: Long = offers.size

  private def checkPrice(price: Int): Unit =
    require(price >= 0 && price < prices, s"price must be in [0, $prices), but is $price")

  private def takeOut(offer: Ref[Offer]): Unit =
    val level = levels.ref(offer.price)
    val (before, after) = (offer.before, offer.after)
    if Ref.isNone(before) then level.first = after else before.after = after
    if Ref.isNone(after) then level.last = before else after.before = before
    val amount = offer.amount
    level.update(_.amount)(_ - amount)
    offers.remove(offer.id): Unit
    Malloc.free(Ref.address(offer)) // all references to it are stale now
end Book

@main def orderBook(): Unit =
  Region.scoped:
    val book = Book(prices = 1000)
    book.add(id = 1, price = 101, amount = 30)
    book.add(id = 2, price = 100, amount = 20)
    book.add(id = 3, price = 100, amount = 40)
    println(book.buy(price = 100, amount = 35)) // the oldest offer at 100, and a part of the next
    println(book.amount(100))
    println(book.cancel(id = 3))
    println(book.cancel(id = 3))
    println(book.buy(price = 101, amount = 50))
    println(book.size)

// prints:
// 35
// 25
// true
// false
// 30
// 0
