package undercroft.buffer

import java.lang.ref.Cleaner
import java.util.concurrent.atomic.AtomicLong
import undercroft.memory.{Budget, Ledger, MemoryLimitException, Pages, Reservation}

/** What an output holds outside the heap. When the output is dropped without a close, the JVM's
  * cleaner runs this: it frees the memory, counts it and logs a warning.
  */
private[buffer] final class Held extends Runnable:
  private var reservations: List[Reservation] = Nil
  private val site: List[String] = if Ledger.recordsLeaks then Held.callers() else Nil

  /** Null where there is no address space for it. */
  def open(budget: Budget, bytes: Long, pages: Pages): Reservation | Null =
    try
      val reservation = Reservation.within(budget, bytes, pages)
      Held.reserved.addAndGet(bytes): Unit
      synchronized { reservations = reservation :: reservations }
      reservation
    catch case _: MemoryLimitException => null

  /** FFM refuses it while native code still uses a segment; nothing changes then. */
  def close(reservation: Reservation): Unit =
    reservation.close()
    val wasHeld = synchronized:
      val before = reservations
      reservations = before.filterNot(_ eq reservation)
      reservations.size < before.size
    if wasHeld then Held.reserved.addAndGet(-reservation.upToBytes): Unit

  def run(): Unit =
    val left = synchronized(reservations)
    if left.nonEmpty then
      val bytes = left.map(_.committedBytes).sum
      left.foreach(close)
      Held.dropped.incrementAndGet(): Unit
      val where =
        if site.isEmpty then "; -Dundercroft.leaks=on tells where it was made"
        else site.mkString("; it was made at\n  ", "\n  ", "")
      Held.logger.log(
        System.Logger.Level.WARNING,
        s"a byte output that held $bytes bytes was dropped without being closed, and freed$where"
      )
end Held

private[buffer] object Held:
  private val Frames = 16
  private val logger = System.getLogger("undercroft.buffer")
  private val walker = StackWalker.getInstance()
  private val reserved = AtomicLong()

  /** Outputs that were dropped unclosed. */
  val dropped: AtomicLong = AtomicLong()

  val cleaner: Cleaner = Cleaner.create()

  /** Bytes of address space that all outputs hold. */
  def reservedBytes: Long = reserved.get

  private def callers(): List[String] =
    val own = "undercroft.buffer."
    val frames = walker.walk(_.filter(!_.getClassName.startsWith(own)).limit(Frames).toArray)
    frames.map(_.toString).toList
end Held
