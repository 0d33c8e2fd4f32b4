package undercroft.lab.bench

import java.util.{HashMap, SplittableRandom}
import undercroft.memory.{Malloc, Region}
import undercroft.struct.*

final case class Offer(id: Long, price: Int, amount: Int, before: Ref[Offer], after: Ref[Offer])
    derives Struct
final case class Level(first: Ref[Offer], last: Ref[Offer]) derives Struct
final class HeapOffer(
    val id: Long,
    val price: Int,
    var amount: Int,
    var before: HeapOffer | Null,
    var after: HeapOffer | Null
)
final class HeapLevel(var first: HeapOffer | Null, var last: HeapOffer | Null)

/** A book of offers by price, oldest first, with an index by number: three times `size` offers are
  * added, and after each a random one of the last `size` is cancelled, if it still exists, or the
  * cheapest are bought. The off-heap form of an offer is a block of Malloc, freed on removal.
  */
object OrderBook extends Program:
  private val prices = 1000
  private val rounds = 3

  /** The actions of round `i`: the price of a new offer, the number to cancel, the amount to buy.
    */
  private inline def traded(size: Int)(inline add: (Long, Int, Int) => Unit)(
      inline cancel: Long => Boolean
  )(inline buy: Int => Int): Long =
    val random = SplittableRandom(11)
    var sum = 0L
    var i = 0L
    while i < size.toLong * rounds do
      add(i, random.nextInt(prices), 1 + random.nextInt(100))
      if random.nextInt(4) > 0 then
        if cancel((i - random.nextInt(size)).max(0)) then sum += i
      else sum += buy(random.nextInt(100))
      i += 1
    sum

  def onHeap(size: Int)(done: () => Unit): Long =
    val levels = Array.fill(prices)(HeapLevel(null, null))
    val offers = HashMap[Long, HeapOffer]()
    def takeOut(offer: HeapOffer): Unit =
      val level = levels(offer.price)
      val (before, after) = (offer.before, offer.after)
      if before == null then level.first = after else before.after = after
      if after == null then level.last = before else after.before = before
      offers.remove(offer.id): Unit
    def add(id: Long, price: Int, amount: Int): Unit =
      val level = levels(price)
      val last = level.last
      val offer = HeapOffer(id, price, amount, last, null)
      if last == null then level.first = offer else last.after = offer
      level.last = offer
      offers.put(id, offer): Unit
    def cancel(id: Long): Boolean =
      val offer: HeapOffer | Null = offers.get(id)
      if offer != null then takeOut(offer)
      offer != null
    def buy(amount: Int): Int =
      var left = amount
      var at = 0
      while left > 0 && at < prices do
        val oldest = levels(at).first
        if oldest == null then at += 1
        else
          val part = left.min(oldest.amount)
          left -= part
          oldest.amount -= part
          if oldest.amount == 0 then takeOut(oldest)
      amount - left
    val sum = traded(size)(add)(cancel)(buy)
    done()
    sum + offers.size
  end onHeap

  def inRegion(size: Int)(done: () => Unit)(using Region): Long =
    val levels = Rows[Level](prices)
    val offers = StructMap[Long, Ref[Offer]]()
    def takeOut(offer: Ref[Offer]): Unit =
      val level = levels.ref(offer.price)
      val (before, after) = (offer.before, offer.after)
      if Ref.isNone(before) then level.first = after else before.after = after
      if Ref.isNone(after) then level.last = before else after.before = before
      offers.remove(offer.id): Unit
      Malloc.free(Ref.address(offer))
    def add(id: Long, price: Int, amount: Int): Unit =
      val level = levels.ref(price)
      val last = level.last
      val offer = Ref(Offer(id, price, amount, last, Ref.none))(using Malloc)
      if Ref.isNone(last) then level.first = offer else last.after = offer
      level.last = offer
      offers(id) = offer
    def cancel(id: Long): Boolean =
      val offer = offers.getOrElse(id, Ref.none[Offer])
      if !Ref.isNone(offer) then takeOut(offer)
      !Ref.isNone(offer)
    def buy(amount: Int): Int =
      var left = amount
      var at = 0
      while left > 0 && at < prices do
        val oldest = levels.ref(at).first
        if Ref.isNone(oldest) then at += 1
        else
          val part = left.min(oldest.amount)
          left -= part
          oldest.update(_.amount)(_ - part)
          if oldest.amount == 0 then takeOut(oldest)
      amount - left
    val sum = traded(size)(add)(cancel)(buy)
    val left = offers.size
    done()
    offers.foreach((_, offer) => Malloc.free(Ref.address(offer)))
    sum + left
  end inRegion
end OrderBook
