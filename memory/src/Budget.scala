package undercroft.memory

import java.util.concurrent.atomic.AtomicLong
import scala.annotation.tailrec

/** A named limit of bytes that any number of owners share, and what they hold of it.
  *
  * Any thread; charging costs an atomic exchange, and a second one where it is a new peak. Reaching
  * the limit is a [[MemoryLimitException]] with the budget's name, never an OutOfMemoryError.
  */
final class Budget private (val name: String, val limitBytes: Long):
  private val live = AtomicLong()
  private val peak = AtomicLong()
  private val owners = AtomicLong()
  private val opened = AtomicLong()

  /** Bytes held now. */
  def liveBytes: Long = live.get

  /** The most bytes that were held at one time. */
  def peakBytes: Long = peak.get

  /** Regions, reservations and the like that hold some of it now. */
  def liveCount: Long = owners.get

  /** How many have been opened since the process began. */
  def totalCount: Long = opened.get

  /** Bytes that can still be had. */
  def availableBytes: Long = (limitBytes - live.get).max(0)

  private[undercroft] def charge(bytes: Long): Unit =
    if !tryCharge(bytes) then
      val available = availableBytes
      Flight.budgetExceeded(name, bytes, available)
      throw MemoryLimitException(name, bytes, available)

  // Never adds what it might have to take back: others would see it, and be refused for it.
  @tailrec
  private[memory] def tryCharge(bytes: Long): Boolean =
    val held = live.get
    if bytes > limitBytes - held then false
    else if live.compareAndSet(held, held + bytes) then
      raisePeak(held + bytes)
      true
    else tryCharge(bytes)

  private def raisePeak(now: Long): Unit =
    if now > peak.get then
      val _ = peak.accumulateAndGet(now, (a, b) => a.max(b))

  private[undercroft] def release(bytes: Long): Unit =
    val _ = live.addAndGet(-bytes)

  private[memory] def enter(): Unit =
    val _ = owners.incrementAndGet()
    val _ = opened.incrementAndGet()

  private[memory] def leave(): Unit =
    val _ = owners.decrementAndGet()
end Budget

object Budget:
  /** A budget of `limitBytes` bytes, shown in the [[Ledger]] under its name. */
  def apply(name: String, limitBytes: Long): Budget =
    if limitBytes < 0 then throw InvalidSizeException(limitBytes, Long.MaxValue)
    Budget(name, limitBytes, shown = true)

  /** The budget of an owner with a name: those of the same name and no limit share a row. */
  private[memory] def of(name: String, limitBytes: Long): Budget =
    val known = if limitBytes == Long.MaxValue then Ledger.shown(name) else null
    if known != null && known.limitBytes == limitBytes then known else apply(name, limitBytes)

  private[memory] def apply(name: String, limitBytes: Long, shown: Boolean): Budget =
    val budget = new Budget(name, limitBytes)
    if shown then Ledger.show(budget)
    budget
