package undercroft.exchange
package internal.storage

import scala.annotation.nowarn
import sun.misc.Unsafe

/** Trades packed into 13 bytes each in one block of `Unsafe.allocateMemory`, unchecked.
  *
  * The rival to beat. The JDK is removing Unsafe, which is the warning that this one file mutes.
  */
@nowarn("cat=deprecation")
final class UnsafeExchange private (unsafe: Unsafe, start: Long) extends StockExchange:
  import PackedTrade.*
  private var end = start

  def order(ticket: Int, amount: Int, price: Int, buy: Boolean): Unit =
    unsafe.putInt(end, ticket)
    unsafe.putInt(end + Amount, amount)
    unsafe.putInt(end + Price, price)
    unsafe.putByte(end + Buy, if buy then 1.toByte else 0.toByte)
    end += Bytes

  def dayBalance: BigInt = total(start, end)(balance)

  private def balance(from: Long, until: Long): BigInt =
    var at = from
    ExactSum.sumWhile(at < until):
      val amount = unsafe.getInt(at + Amount)
      val balance =
        Trade.balance(amount, unsafe.getInt(at + Price), unsafe.getByte(at + Buy) == 1)
      at += Bytes
      balance

  def bytesHeld: Option[Long] = Some(end - start)
  def close(): Unit = unsafe.freeMemory(start)
end UnsafeExchange

@nowarn("cat=deprecation")
object UnsafeExchange:

  /** Throws CannotHold where the JDK denies Unsafe, by its flag or by no longer having it. */
  def apply(capacity: Long): UnsafeExchange =
    try
      val field = classOf[Unsafe].getDeclaredField("theUnsafe").nn
      field.setAccessible(true)
      val unsafe = field.get(null).asInstanceOf[Unsafe]
      new UnsafeExchange(unsafe, unsafe.allocateMemory(capacity * PackedTrade.Bytes))
    catch
      case _: (UnsupportedOperationException | ReflectiveOperationException | LinkageError) =>
        throw CapacityExceeded("Unsafe is denied by this JDK")
end UnsafeExchange
