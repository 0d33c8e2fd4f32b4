package undercroft.memory
package internal.cage

import internal.platform.{LoaderLifetime, Native, Settings}
import java.lang.foreign.{Arena, MemorySegment}
import java.util.concurrent.locks.LockSupport

/** Reserved address space: readable everywhere, writable below a high-water mark that never falls.
  *
  * Reading unwritten pages costs no memory, and a racing access cannot crash, because nothing is
  * ever unmapped or write-protected again.
  */
private[memory] final class NativeSpace private (
    base: Long,
    val range: Long,
    val segment: MemorySegment,
    val table: MemorySegment,
    val history: MemorySegment
) extends AddressSpace:
  private var mark = 0L

  def largestAlignment: Long = Sizes.LargestAlignment
  def open: MemorySegment = Native.everything
  def openBase: Long = base
  def guarded: Boolean = range < Cage.FullRange
  def readableEnd: Long = range
  def returnsMemory: Boolean = true
  def capacity: Long = Long.MaxValue
  def description: String = s"$range bytes of reserved address space"

  // A system that does not overcommit may reject a whole step, but not the pages needed.
  def raise(end: Long): Unit =
    if end > mark && !raiseBy(NativeSpace.MarkStep, end) && !raiseBy(Cage.ChunkBytes, end) then
      throw MemoryLimitException("the system's address space", end - mark, 0)

  private def raiseBy(step: Long, end: Long): Boolean =
    val next = Math.min((end + step - 1) / step * step, range)
    val isRaised = Native.open(base + mark, next - mark)
    if isRaised then mark = next
    isRaised

  def commit(offset: Long, bytes: Long): Unit = ()

  def decommit(offset: Long, bytes: Long): Unit =
    if !Native.decommit(base + offset, bytes) then
      // Locked memory (mlockall) cannot be returned, but must read as zero as well.
      segment.asSlice(offset, bytes).fill(0): Unit

  def adviseHuge(offset: Long, bytes: Long): Boolean = Native.adviseHuge(base + offset, bytes)

  def populate(offset: Long, bytes: Long): Unit =
    val _ = Native.populate(base + offset, bytes)

  def window(offset: Long, bytes: Long, arena: Arena): MemorySegment =
    Native.bounded(segment.asSlice(offset, bytes), arena)

  def offsetOf(segment: MemorySegment): Long =
    val offset = segment.address - base
    if segment.isNative && offset >= 0 && offset < range then offset else -1

  def forget(window: MemorySegment): Unit = ()
end NativeSpace

private[memory] object NativeSpace:
  /** Step of the high-water mark in bytes, 1 GiB: large enough that its cost is negligible. */
  private val MarkStep = 1L << 30

  /** The longest single wait after a collection; all waits together take twice as long. */
  private val LongestWaitMillis = 256L

  /** Reserves the largest cage that the system grants, from the requested range downwards; null if
    * it grants none, and the file is used instead.
    */
  def reserve(): NativeSpace | Null =
    var range = Math.min(Settings.rangeBytes, Cage.FullRange)
    var space = reserve(range)
    if space == null && !LoaderLifetime.isPermanent then
      // Other class loaders may be unreachable: their ranges are unmapped after a collection.
      System.gc()
      space = reserveSoon(range)
    while space == null && range >= Settings.SmallestRange do
      space = reserve(range)
      range >>= 1
    space

  /** Tries again after waits of 1, 2, 4 and so on milliseconds. */
  private def reserveSoon(range: Long): NativeSpace | Null =
    var waitMillis = 1L
    var space: NativeSpace | Null = null
    while space == null && waitMillis <= LongestWaitMillis do
      LockSupport.parkNanos(waitMillis * 1_000_000)
      waitMillis *= 2
      space = reserve(range)
    space

  private def reserve(range: Long): NativeSpace | Null =
    val pages = range >>> Cage.PageShift
    // A little more than one entry per page: a field may reach past the end of the cage.
    val tableBytes = pages * 4 + Cage.PageBytes
    val historyBytes = pages * 8 * PageTable.HistorySlots
    // The base is aligned, so an aligned offset has an aligned address. The only offset of a range
    // of 1 GiB with the largest alignment is 0, so half of the range suffices there.
    val alignment = Math.min(Sizes.LargestAlignment, range / 2)
    // One reservation, so that the system grants all or nothing: the part that it grants of a range
    // that is too large would take the address space of a smaller one.
    val whole = range + Cage.ChunkBytes
    val reservedBytes = whole + alignment + tableBytes + historyBytes
    val reserved = Native.reserve(reservedBytes)
    val base = aligned(reserved, alignment)
    val books = base + whole
    if base == 0 || !Native.open(books, tableBytes + historyBytes) then null
    else
      Native.unmapAfterUnload(reserved, reservedBytes)
      NativeSpace(
        base,
        range,
        Native.segment(base, range + Cage.PageBytes),
        Native.segment(books, tableBytes),
        Native.segment(books + tableBytes, historyBytes)
      )
  end reserve

  private def aligned(address: Long, alignment: Long): Long =
    (address + alignment - 1) & -alignment
end NativeSpace
