package undercroft.memory

import internal.alloc.Reclaiming
import internal.observe.{MemoryJfr, NamedBudgets}
import internal.platform.AtomicMaximum
import java.util.concurrent.atomic.AtomicLong
import scala.annotation.tailrec

/** A named limit in bytes shared by any number of owners, and the bytes they hold.
  *
  * Thread-safe; a charge costs an atomic exchange, and a second one for a new peak. A charge beyond
  * the limit throws a [[MemoryLimitException]] with the budget's name, never an OutOfMemoryError.
  * Before, idle segments of the budget's pools are freed, and, if some of their segments, or byte
  * outputs, may be unreachable, the garbage collector runs, with waits of at most 511 ms, at most
  * once in a second.
  *
  * {{{
  * val budget = Budget("cache", limitBytes = 1.MiB)
  * Region.within(budget):
  *   try Region.allocate(2.MiB)
  *   catch case error: MemoryLimitException => println(error.getMessage)
  * }}}
  */
final class Budget private (val name: String, val limitBytes: Long, row: NamedBudgets | Null):
  private val live = AtomicLong()
  private val peak = AtomicLong()
  private val owners = AtomicLong()
  private val opened = AtomicLong()
  private val reclaiming = Reclaiming()

  /** Whether the ledger's row of the name includes this budget. */
  @volatile private[memory] var isListed = false

  /** The [[totalCount]] when it was removed from that row; guarded by the row's lock. */
  private[memory] var removedCount = 0L

  /** Bytes held now.
    *
    * {{{
    * val budget = Budget("requests", limitBytes = 10.MiB)
    * val region = Region.shared(budget)
    * region.allocate(1.MiB, 8)
    * println(budget.liveBytes >= 1.MiB) // true
    * region.close()
    * println((budget.liveBytes, budget.peakBytes >= 1.MiB)) // (0,true)
    * }}}
    */
  def liveBytes: Long = live.get

  /** Largest number of bytes held at one time. */
  def peakBytes: Long = peak.get

  /** Number of regions, reservations and other owners that are open now. */
  def liveCount: Long = owners.get

  /** Number of owners opened since the process started. */
  def totalCount: Long = opened.get

  /** Bytes below the limit.
    *
    * {{{
    * println(Budget("requests", limitBytes = 10.MiB).availableBytes == 10.MiB) // true
    * }}}
    */
  def availableBytes: Long = Math.max(limitBytes - live.get, 0)

  /** Adds a reclaimer of idle memory, unless it was added before, that is called before this budget
    * rejects a charge. The budget holds a weak reference: the reclaimer's owner keeps it alive.
    */
  private[undercroft] def onShortage(reclaimer: Reclaimer): Unit = reclaiming.add(reclaimer)

  private[undercroft] def charge(bytes: Long): Unit =
    hold(bytes)
    raisePeak()

  /** Charges bytes that do not count for the peak before [[raisePeak]], because the request may
    * still be rejected elsewhere.
    *
    * @param isOptional
    *   whether the caller requests less if the charge is rejected: then no memory is reclaimed for
    *   it, and its rejection emits no JFR event
    */
  private[memory] def hold(bytes: Long, isOptional: Boolean = false): Unit =
    holdOr(bytes, isOptional)(tryHold(bytes))

  /** The same as [[hold]], with `retry` as the charge: called first, and after memory was
    * reclaimed.
    */
  private[memory] def holdOr(bytes: Long, isOptional: Boolean)(retry: => Boolean): Unit =
    if !retry && (isOptional || !reclaimed(bytes)(retry)) then
      val available = availableBytes
      if !isOptional then MemoryJfr.budgetExceeded(name, bytes, available)
      throw MemoryLimitException(name, bytes, available)

  private def reclaimed(bytes: Long)(retry: => Boolean): Boolean =
    bytes <= limitBytes && reclaiming.until(bytes)(() => retry)

  // Never adds bytes that it might have to subtract again: other charges would see them and be
  // rejected.
  @tailrec
  private[memory] def tryHold(bytes: Long): Boolean =
    val current = live.get
    if bytes > limitBytes - current then false
    else live.compareAndSet(current, current + bytes) || tryHold(bytes)

  private[memory] def raisePeak(): Unit =
    AtomicMaximum.raise(peak, live.get)
    if row != null && !isListed then row.add(this)

  private[undercroft] def release(bytes: Long): Unit =
    val _ = live.addAndGet(-bytes)

  private[memory] def enter(): Unit =
    val _ = owners.incrementAndGet()
    val _ = opened.incrementAndGet()
    if row != null && !isListed then row.add(this)

  private[memory] def leave(): Unit =
    val _ = owners.decrementAndGet()
end Budget

object Budget:
  /** A budget of `limitBytes` bytes, shown in the [[Ledger]] under its name.
    *
    * {{{
    * val budget = Budget("requests", limitBytes = 10.MiB)
    * println(Ledger.report().rows.exists(_.name == "requests")) // true
    * }}}
    */
  def apply(name: String, limitBytes: Long): Budget =
    if name == null then throw NullPointerException("the name of a budget is null")
    if limitBytes < 0 then throw InvalidSizeException(limitBytes, Long.MaxValue)
    Budget(name, limitBytes, isShown = true)

  /** The budget of a named owner: owners with the same name and without a limit share a budget. All
    * budgets of one name share a row of the ledger.
    */
  private[memory] def of(name: String, limitBytes: Long): Budget =
    val budget = if limitBytes == Long.MaxValue then NamedBudgets.unlimited(name) else null
    if budget != null then budget else apply(name, limitBytes)

  private[memory] def apply(name: String, limitBytes: Long, isShown: Boolean): Budget =
    val row = if isShown then NamedBudgets.of(name) else null
    val budget = new Budget(name, limitBytes, row)
    if row != null then row.add(budget)
    budget
end Budget
