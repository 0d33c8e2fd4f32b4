package undercroft.buffer
package internal.output

import undercroft.memory.internal.cage.Cage
import java.lang.foreign.MemorySegment
import java.util.ConcurrentModificationException
import undercroft.memory.{Budget, MemoryLimitException, Pages, Reservation}

/** The reservations that hold the bytes of a [[ByteOutput]]: one, or several if no address space
  * for one is left. All reservations in use are full, except the last.
  *
  * {{{
  *   bytes    0 .. 1 MiB      the first reservation, small because most outputs are
  *   beyond                   one of `maxBytes` bytes; the bytes of the first are copied once, and no
  *                            later growth copies
  *   without address space    the largest available reservation, and further ones after it
  * }}}
  *
  * For one thread at a time, which the output's claim ensures. Other threads may read it meanwhile:
  * an extent is accessed through a segment of its committed bytes, which FFM checks. It has no
  * reference to its output, so that it can free the memory of a leaked output.
  */
private[buffer] final class Extents(
    maxBytes: Long,
    budget: Budget,
    pages: Pages,
    cleaner: OutputCleaner
):
  private var extents: Array[Extent] = Extents.None

  def count: Int = extents.length

  /** The committed bytes of an extent. */
  def memory(index: Int): MemorySegment = extent(index).memory
  def origin(index: Int): Long = extent(index).reservation.address.bits
  def capacity(index: Int): Long = extent(index).reservation.maxBytes
  def committed(index: Int): Long = extent(index).memory.byteSize

  /** Whether the memory of an extent is open. */
  def isAlive(index: Int): Boolean = extent(index).memory.scope.isAlive

  private def extent(index: Int): Extent =
    val array = extents
    if index >= array.length then
      throw ConcurrentModificationException(
        s"another thread freed the memory of the byte output: extent $index of ${array.length}"
      )
    array(index)

  /** The position of the first byte of an extent. */
  def start(index: Int): Long =
    var sum = 0L
    var i = 0
    while i < index do
      sum += capacity(i)
      i += 1
    sum

  /** The extent that contains a position; the last one for the position after all extents. */
  def at(position: Long): Int =
    var rest = position
    var i = 0
    while i < count - 1 && rest >= capacity(i) do
      rest -= capacity(i)
      i += 1
    i

  /** Commits the first `bytes` bytes; `used` of them contain data. Throws a MemoryLimitException
    * beyond a budget; the data is then unchanged.
    *
    * @return
    *   whether the data was moved to another reservation
    */
  def grow(used: Long, bytes: Long): Boolean =
    var room = start(count)
    val moves = count <= 1 && bytes > room && move(used, bytes)
    if moves then room = capacity(0)
    while room < bytes do
      val rest = maxBytes - room
      val next =
        reserve(Math.min(rest, Math.max(bytes - room, room)), Math.min(rest, Extents.SmallBytes))
      if next == null then throw MemoryLimitException("the cage's address space", bytes - room, 0)
      append(next)
      room += next.maxBytes
    commit(bytes)
    moves

  /** Frees all extents. If native code uses one of several, FFM rejects its close: that extent and
    * those after it remain.
    */
  def close(): Unit =
    var freed = 0
    try
      while freed < count do
        cleaner.close(extents(freed).reservation)
        freed += 1
    finally
      extents =
        if freed == count then Extents.None
        else java.util.Arrays.copyOfRange(extents, freed, count).nn

  private def commit(bytes: Long): Unit =
    var rest = bytes
    var i = 0
    while rest > 0 do
      val extentBytes = Math.min(rest, capacity(i))
      if extentBytes > committed(i) then
        extents(i) = extents(i).reservation match
          case reservation =>
            reservation.ensureUninit(extentBytes)
            Extent(reservation)
      rest -= extentBytes
      i += 1

  /** Moves to one reservation for `bytes` bytes, if there is address space for it. */
  private def move(used: Long, bytes: Long): Boolean =
    val next =
      if bytes <= Extents.SmallBytes then
        cleaner.open(budget, Math.min(Extents.SmallBytes, maxBytes), pages)
      else larger(bytes)
    if next == null then false
    else
      try
        next.ensureUninit(bytes)
        val moved = Array(Extent(next))
        if used > 0 then MemorySegment.copy(memory(0), 0, moved(0).memory, 0, used)
        close() // throws an IllegalStateException if native code uses the bytes
        extents = moved
      catch
        case e: Throwable =>
          cleaner.close(next)
          throw e
      true
  end move

  /** One reservation of `maxBytes` bytes while address space is plentiful; otherwise a smaller one,
    * but at least twice the bytes needed now, so that moves stay rare.
    */
  private def larger(bytes: Long): Reservation | Null =
    val minBytes = Math.min(maxBytes, bytes * 2)
    val plenty = OutputCleaner.reservedBytes + maxBytes <= Extents.plentyBytes
    reserve(
      if plenty then maxBytes else Math.min(maxBytes, Math.max(minBytes, Extents.CrowdedBytes)),
      minBytes
    )

  /** The largest available reservation among `bytes`, half of it and so on, down to `minBytes`. */
  private def reserve(bytes: Long, minBytes: Long): Reservation | Null =
    var size = bytes
    var next = cleaner.open(budget, size, pages)
    while next == null && size > minBytes do
      size = Math.max(size / 2, minBytes)
      next = cleaner.open(budget, size, pages)
    next

  private def append(next: Reservation): Unit =
    val longer = java.util.Arrays.copyOf(extents, count + 1)
    longer(count) = Extent(next)
    extents = longer
end Extents

/** A reservation and its committed part. */
private[buffer] final class Extent(val reservation: Reservation):
  val memory: MemorySegment = reservation.whole.asSlice(0, reservation.committedBytes)

private[buffer] object Extents:
  private val None = new Array[Extent](0)

  /** Size of the first reservation in bytes: small, because reserving costs a step per page of 64
    * KiB.
    */
  val SmallBytes: Long = 1L << 20

  /** Size in bytes of a later reservation when address space is scarce, if the output needs no
    * more.
    */
  private val CrowdedBytes = 64L << 20

  /** Limit of the address space reserved by all outputs, half of the cage; below it each output
    * reserves the most that it may grow to.
    */
  private val plentyBytes: Long = Cage.segment.byteSize / 2
