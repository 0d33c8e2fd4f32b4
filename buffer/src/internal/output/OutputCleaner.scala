package undercroft.buffer
package internal.output

import java.lang.ref.Cleaner
import java.util.concurrent.atomic.AtomicLong
import undercroft.memory.{Budget, Ledger, MemoryLimitException, Pages, Reservation}

/** The off-heap memory of an output. If the output is leaked, the JVM's cleaner runs this: it frees
  * the memory, counts the leak and logs a warning.
  */
private[buffer] final class OutputCleaner extends Runnable:
  private var reservations: List[Reservation] = Nil
  private val site: List[String] = if Ledger.recordsLeaks then OutputCleaner.callers() else Nil

  /** Reserves address space; null if there is none left. */
  def open(budget: Budget, bytes: Long, pages: Pages): Reservation | Null =
    try
      val reservation = Reservation.within(budget, bytes, pages)
      OutputCleaner.reserved.addAndGet(bytes): Unit
      synchronized { reservations = reservation :: reservations }
      reservation
    catch case _: MemoryLimitException => null

  /** Closes a reservation. FFM rejects this while native code uses a segment; nothing changes then.
    */
  def close(reservation: Reservation): Unit =
    // A close interrupted by a StackOverflowError may not have reached all threads: the memory is
    // then never reused.
    if reservation.whole.scope.isAlive || !reservation.isOpen then reservation.close()
    val wasHeld = synchronized:
      val before = reservations
      reservations = before.filterNot(_ eq reservation)
      reservations.size < before.size
    if wasHeld then OutputCleaner.reserved.addAndGet(-reservation.maxBytes): Unit

  def run(): Unit =
    val left = synchronized(reservations)
    if left.nonEmpty then
      val bytes = left.map(_.committedBytes).sum
      left.foreach(close)
      OutputCleaner.dropped.incrementAndGet(): Unit
      val where =
        if site.isEmpty then "; -Dundercroft.leaks=on reports its allocation site"
        else site.mkString("; it was allocated at\n  ", "\n  ", "")
      OutputCleaner.logger.log(
        System.Logger.Level.WARNING,
        s"a byte output that held $bytes bytes was dropped without being closed, and freed$where"
      )
end OutputCleaner

private[buffer] object OutputCleaner:
  private val Frames = 16
  private val logger = System.getLogger("undercroft.buffer")
  private val walker = StackWalker.getInstance()
  private val reserved = AtomicLong()

  /** Number of leaked outputs. */
  val dropped: AtomicLong = AtomicLong()

  val cleaner: Cleaner = Cleaner.create()

  /** Bytes of address space reserved by all outputs. */
  def reservedBytes: Long = reserved.get

  private def callers(): List[String] =
    val prefix = "undercroft.buffer."
    val frames = walker.walk(_.filter(!_.getClassName.startsWith(prefix)).limit(Frames).toArray)
    frames.map(_.toString).toList
end OutputCleaner
