package undercroft.buffer
package internal.output

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong
import undercroft.memory.{Budget, Ledger, MemoryLimitException, Pages, Reclaimer, Reservation}

/** The off-heap memory of an output. If the output is leaked, the JVM's cleaner runs this: it frees
  * the memory, returns it to the system, counts the leak and logs a warning. A charge that a budget
  * would reject runs the garbage collector first. Memory that native code uses at that time is
  * freed later, before an output reserves memory or the cleaner frees another one.
  */
private[buffer] final class OutputCleaner extends Runnable:
  private var reservations: List[Reservation] = Nil
  private val site: List[String] = if Ledger.recordsLeaks then OutputCleaner.callers() else Nil

  /** Reserves address space; null if there is none left. */
  def open(budget: Budget, bytes: Long, pages: Pages): Reservation | Null =
    OutputCleaner.freeUnused()
    budget.onShortage(OutputCleaner.Dropped)
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

  /** Frees the memory that native code does not use; returns whether none is left. */
  private def free(): Boolean =
    for reservation <- synchronized(reservations) do
      try close(reservation)
      catch case _: IllegalStateException => ()
    synchronized(reservations).isEmpty

  def run(): Unit =
    OutputCleaner.freeUnused()
    val left = synchronized(reservations)
    if left.nonEmpty then
      val bytes = left.map(_.committedBytes).sum
      val idleBytes = Ledger.idleBytes
      val isFreed = free()
      Ledger.trim(idleBytes) // no output is about to reuse the memory
      if !isFreed then OutputCleaner.inUse.add(this): Unit
      OutputCleaner.dropped.incrementAndGet(): Unit
      val outcome = if isFreed then "freed" else "is freed later, because native code uses it"
      val where =
        if site.isEmpty then "; -Dundercroft.leaks=on reports its allocation site"
        else site.mkString("; it was allocated at\n  ", "\n  ", "")
      OutputCleaner.logger.log(
        System.Logger.Level.WARNING,
        s"a byte output that held $bytes bytes was dropped without being closed, and $outcome$where"
      )
end OutputCleaner

private[buffer] object OutputCleaner:
  private val Frames = 16
  private val logger = System.getLogger("undercroft.buffer")
  private val walker = StackWalker.getInstance()
  private val reserved = AtomicLong()

  /** The memory of leaked outputs that native code used when it was to be freed. */
  private val inUse = ConcurrentLinkedQueue[OutputCleaner]()

  /** Frees the memory of [[inUse]] that native code uses no longer. */
  private def freeUnused(): Unit =
    var tries = inUse.size
    while tries > 0 do
      val next = inUse.poll()
      if next != null && !next.free() then inUse.add(next): Unit
      tries -= 1

  /** Lets the garbage collector find leaked outputs before a budget rejects a charge. */
  private object Dropped extends Reclaimer:
    def reclaim(bytes: Long): Unit = freeUnused()
    def awaitsCollection: Boolean = reserved.get > 0

  Ledger.onShortage(Dropped)

  /** Number of leaked outputs. */
  val dropped: AtomicLong = AtomicLong()

  /** Bytes of address space reserved by all outputs. */
  def reservedBytes: Long = reserved.get

  private def callers(): List[String] =
    val prefix = "undercroft.buffer."
    val frames = walker.walk(_.filter(!_.getClassName.startsWith(prefix)).limit(Frames).toArray)
    frames.map(_.toString).toList
end OutputCleaner
