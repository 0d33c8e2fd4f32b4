package undercroft.buffer

import java.lang.foreign.MemorySegment
import undercroft.memory.{Budget, Cage, MemoryLimitException, Pages, Reservation}

/** The reservations that the bytes of a [[ByteOutput]] lie in: one, or several where no address
  * space for one is left. All but the last in use are full.
  *
  * {{{
  *   bytes    0 .. 1 MiB      the first reservation, small because most outputs are
  *   beyond                   one of `upTo` bytes; what the first held is copied, and that is all
  *                            that growth ever copies
  *   without address space    what could be had, and further ones after it
  * }}}
  *
  * One thread at a time. It knows nothing of its output, so that it can free what a dropped output
  * held.
  */
private[buffer] final class Extents(upTo: Long, budget: Budget, pages: Pages, held: Held):
  private var reservations: Array[Reservation] = Extents.None

  def count: Int = reservations.length
  def memory(index: Int): MemorySegment = reservations(index).whole
  def origin(index: Int): Long = reservations(index).address.bits
  def capacity(index: Int): Long = reservations(index).upToBytes
  def committed(index: Int): Long = reservations(index).committedBytes

  /** The position of the first byte of an extent. */
  def start(index: Int): Long =
    var sum = 0L
    var i = 0
    while i < index do
      sum += capacity(i)
      i += 1
    sum

  /** The extent that a position lies in; the last one for the position after all of them. */
  def at(position: Long): Int =
    var rest = position
    var i = 0
    while i < count - 1 && rest >= capacity(i) do
      rest -= capacity(i)
      i += 1
    i

  /** Makes the first `bytes` bytes memory, of which `used` are in use. What does not fit a budget
    * is a MemoryLimitException, after which everything in use is where it was.
    *
    * @return
    *   whether the bytes in use were moved to another reservation
    */
  def grow(used: Long, bytes: Long): Boolean =
    var room = start(count)
    val moves = count <= 1 && bytes > room && move(used, bytes)
    if moves then room = capacity(0)
    while room < bytes do
      val most = upTo - room
      val next =
        reserve(Math.min(most, Math.max(bytes - room, room)), Math.min(most, Extents.SmallBytes))
      if next == null then throw MemoryLimitException("the cage's address space", bytes - room, 0)
      append(next)
      room += next.upToBytes
    commit(bytes)
    moves

  /** Frees all of it. Where native code uses one of several, FFM refuses that: then it and those
    * after it are left.
    */
  def close(): Unit =
    var freed = 0
    try
      while freed < count do
        held.close(reservations(freed))
        freed += 1
    finally
      reservations =
        if freed == count then Extents.None
        else java.util.Arrays.copyOfRange(reservations, freed, count)

  private def commit(bytes: Long): Unit =
    var rest = bytes
    var i = 0
    while rest > 0 do
      val some = Math.min(rest, capacity(i))
      if some > committed(i) then reservations(i).ensureUninit(some)
      rest -= some
      i += 1

  /** Moves to one reservation that holds `bytes` bytes, if there is address space for it. */
  private def move(used: Long, bytes: Long): Boolean =
    val next =
      if bytes <= Extents.SmallBytes then
        held.open(budget, Math.min(Extents.SmallBytes, upTo), pages)
      else larger(bytes)
    if next == null then false
    else
      try next.ensureUninit(bytes)
      catch
        case e: Throwable =>
          held.close(next)
          throw e
      if used > 0 then MemorySegment.copy(memory(0), 0, next.whole, 0, used)
      try close()
      catch
        case e: IllegalStateException => // native code uses the bytes now
          held.close(next)
          throw e
      append(next)
      true
  end move

  /** One reservation for all that may follow while there is plenty of address space; less of it
    * where there is not, but at least twice what is needed now, so that moves stay rare.
    */
  private def larger(bytes: Long): Reservation | Null =
    val least = Math.min(upTo, bytes * 2)
    val plenty = Held.reservedBytes + upTo <= Extents.plentyBytes
    reserve(if plenty then upTo else Math.min(upTo, Math.max(least, Extents.CrowdedBytes)), least)

  /** The largest reservation that can be had of `bytes`, half of it and so on, down to `least`. */
  private def reserve(bytes: Long, least: Long): Reservation | Null =
    var size = bytes
    var next = held.open(budget, size, pages)
    while next == null && size > least do
      size = Math.max(size / 2, least)
      next = held.open(budget, size, pages)
    next

  private def append(next: Reservation): Unit =
    val longer = java.util.Arrays.copyOf(reservations, count + 1)
    longer(count) = next
    reservations = longer
end Extents

private[buffer] object Extents:
  private val None = new Array[Reservation](0)

  /** Reserving costs a step for each page of 64 KiB, so the first reservation is small. */
  val SmallBytes: Long = 1L << 20

  /** What an output gets beyond that when address space is scarce, if it needs no more. */
  private val CrowdedBytes = 64L << 20

  /** While all outputs together have reserved less than half of the cage, each gets all that it may
    * grow to.
    */
  private val plentyBytes: Long = Cage.segment.byteSize / 2
