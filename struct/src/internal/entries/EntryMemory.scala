package undercroft.struct
package internal.entries

import internal.bytes.ValueLayouts
import undercroft.memory.internal.cage.Cage
import undercroft.memory.{Allocator, Reservation}

/** The memory of a map's entries: a separate reservation, committed from its start.
  *
  * A place is a position in [[Cage.open]]; accesses are not checked. If the memory is confined,
  * [[thread]] is the thread that may use it, until it is closed; if it is shared, an [[EntryTable]]
  * admits one writer at a time and validates reads.
  */
private[struct] abstract class EntryMemory(
    allocator: Allocator,
    reservedBytes: Long,
    onClose: EntryMemory => Unit
):
  protected val reservation: Reservation = allocator.reserve(reservedBytes)
  private val bits = reservation.address.bits

  /** Whether it is confined to one thread. */
  val isConfined: Boolean = reservation.thread != null

  /** The place of its first byte. */
  val start: Long = Cage.placeOf(bits)

  /** The thread that may use it; null after the close, and null if it is shared. */
  private[struct] var thread: Thread | Null = reservation.thread

  /** Whether it has not been released. */
  @volatile private[struct] var isOpen = true

  reservation.onClose: () =>
    thread = null
    isOpen = false
    onClose(this)

  /** Commits at least the first `bytes` bytes. */
  def commit(bytes: Long): Unit =
    if bytes > reservation.committedBytes then
      val _ = reservation.segment(bytes)

  def committedBytes: Long = reservation.committedBytes

  /** The most bytes that it can have without another reservation. */
  def maxBytes: Long = reservation.maxBytes

  /** If it is confined, throws on a wrong thread or after the close. */
  def refuse(): Unit =
    if isConfined then
      val _ = reservation.whole.get(ValueLayouts.byte, 0)

  def isAlive: Boolean = reservation.whole.scope.isAlive

  /** The error for a use after the close, which names the owner. */
  def closed: RuntimeException =
    try
      Cage.check(bits, 0, 1)
      Cage.closing(bits)
    catch case stale: RuntimeException => stale

  final def int(place: Long): Int = Cage.open.get(ValueLayouts.int, Cage.within(place))
  final def long(place: Long): Long = Cage.open.get(ValueLayouts.long, Cage.within(place))
  final def setInt(place: Long, word: Int): Unit =
    Cage.open.set(ValueLayouts.int, Cage.within(place), word)
  final def set(place: Long, word: Long): Unit =
    Cage.open.set(ValueLayouts.long, Cage.within(place), word)

  def close(): Unit = reservation.close()
end EntryMemory
