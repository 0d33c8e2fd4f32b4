package undercroft.struct

import undercroft.memory.internal.cage.CageAtomic
import scala.annotation.publicInBinary

/** An Int field of a struct with atomic access: `ref.atomic(_.count).getAndAdd(1)`.
  *
  * The operations and their memory order are as in [[java.lang.invoke.VarHandle]]. Each checks the
  * reference, as every access through it does. Thread-safe; does not allocate.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Counter(hits: Int, misses: Int) derives Struct
  * val region = Region.shared("counters")
  * val counter = Ref(Counter(0, 0))(using region)
  * println(counter.atomic(_.hits).getAndAdd(1))
  * region.close()
  * }}}
  */
final class AtomicIntField @publicInBinary private[struct] (private val address: Long)
    extends AnyVal:
  /** Loads the value with volatile or acquire order.
    *
    * {{{
    * final case class Counter(hits: Int, misses: Int) derives Struct
    * val counter = Ref(Counter(3, 4))
    * println(counter.atomic(_.misses).getVolatile) // 4
    * }}}
    */
  def getVolatile: Int = CageAtomic.getIntVolatile(address)
  def getAcquire: Int = CageAtomic.getIntAcquire(address)

  /** Stores a value with volatile or release order.
    *
    * {{{
    * final case class Counter(hits: Int, misses: Int) derives Struct
    * val counter = Ref(Counter(3, 4))
    * counter.atomic(_.misses).setRelease(0)
    * println(counter()) // Counter(3,0)
    * }}}
    */
  def setVolatile(value: Int): Unit = CageAtomic.setIntVolatile(address, value)
  def setRelease(value: Int): Unit = CageAtomic.setIntRelease(address, value)

  /** Stores `value` if the current value is `expected`; returns whether it did.
    *
    * {{{
    * final case class Counter(hits: Int, misses: Int) derives Struct
    * val counter = Ref(Counter(3, 4))
    * println(counter.atomic(_.hits).compareAndSet(expected = 3, value = 5)) // true
    * println(counter.atomic(_.hits).compareAndSet(expected = 3, value = 6)) // false
    * }}}
    */
  def compareAndSet(expected: Int, value: Int): Boolean =
    CageAtomic.compareAndSetInt(address, expected, value)

  /** Adds `delta`; returns the previous value.
    *
    * {{{
    * final case class Counter(hits: Int, misses: Int) derives Struct
    * val counter = Ref(Counter(3, 4))
    * println(counter.atomic(_.hits).getAndAdd(2)) // 3
    * println(counter.hits) // 5
    * }}}
    */
  def getAndAdd(delta: Int): Int = CageAtomic.getAndAddInt(address, delta)

  /** Stores `value`; returns the previous value.
    *
    * {{{
    * final case class Counter(hits: Int, misses: Int) derives Struct
    * val counter = Ref(Counter(3, 4))
    * println(counter.atomic(_.hits).getAndSet(0)) // 3
    * }}}
    */
  def getAndSet(value: Int): Int = CageAtomic.getAndSetInt(address, value)
end AtomicIntField

/** A Long field of a struct with atomic access; see [[AtomicIntField]].
  *
  * {{{
  * final case class Totals(bytes: Long, requests: Long) derives Struct
  * val totals = Ref(Totals(0, 0))
  * def count(): Unit = totals.atomic(_.bytes).getAndAdd(10)
  * List.fill(4)(Thread.startVirtualThread(() => count())).foreach(_.join())
  * println(totals.bytes) // 40
  * }}}
  */
final class AtomicLongField @publicInBinary private[struct] (private val address: Long)
    extends AnyVal:
  def getVolatile: Long = CageAtomic.getLongVolatile(address)
  def getAcquire: Long = CageAtomic.getLongAcquire(address)
  def setVolatile(value: Long): Unit = CageAtomic.setLongVolatile(address, value)
  def setRelease(value: Long): Unit = CageAtomic.setLongRelease(address, value)

  /** Stores `value` if the current value is `expected`; returns whether it did.
    *
    * {{{
    * final case class Totals(bytes: Long, requests: Long) derives Struct
    * val totals = Ref(Totals(10, 1))
    * println(totals.atomic(_.bytes).compareAndSet(expected = 10, value = 20)) // true
    * }}}
    */
  def compareAndSet(expected: Long, value: Long): Boolean =
    CageAtomic.compareAndSetLong(address, expected, value)

  /** Adds `delta`; returns the previous value.
    *
    * {{{
    * final case class Totals(bytes: Long, requests: Long) derives Struct
    * val totals = Ref(Totals(10, 1))
    * println(totals.atomic(_.bytes).getAndAdd(5)) // 10
    * println(totals.bytes) // 15
    * }}}
    */
  def getAndAdd(delta: Long): Long = CageAtomic.getAndAddLong(address, delta)

  /** Stores `value`; returns the previous value. */
  def getAndSet(value: Long): Long = CageAtomic.getAndSetLong(address, value)
end AtomicLongField
