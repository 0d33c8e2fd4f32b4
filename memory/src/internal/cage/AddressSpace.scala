package undercroft.memory
package internal.cage

import internal.platform.Native
import java.lang.foreign.{Arena, MemorySegment}

/** The address space of the cage: commits memory and returns it to the system.
  *
  * There are two kinds: [[NativeSpace]] over reserved memory, and [[FileSpace]] over a sparse file
  * in shared memory, for processes without native access.
  */
private[memory] trait AddressSpace:
  /** Size of the cage in bytes: a power of two. */
  def range: Long

  /** The largest alignment in bytes that a segment's address has if its offset has it. */
  def largestAlignment: Long

  /** The whole cage and one more page that stays empty, so that no masked offset is out of bounds.
    */
  def segment: MemorySegment

  /** A segment that contains the cage from [[openBase]] on: all addresses if native access is
    * allowed.
    */
  def open: MemorySegment
  def openBase: Long

  /** One Int for each page. */
  def table: MemorySegment

  /** [[PageTable.HistorySlots]] Longs for each page. */
  def history: MemorySegment

  /** Whether an offset must also be checked before it is read, not only afterwards. */
  def guarded: Boolean

  /** The table is readable below this offset. */
  def readableEnd: Long

  /** Whether memory can be returned to the system. */
  def returnsMemory: Boolean

  /** A description for reports. */
  def description: String

  /** Largest number of bytes available; Long.MaxValue if the space has no limit of its own. */
  def capacity: Long

  /** Makes all offsets below `end` addressable. The caller holds the pool's lock. */
  def raise(end: Long): Unit

  /** Ensures that pages that were never used can be written. */
  def commit(offset: Long, bytes: Long): Unit

  /** Returns whole chunks to the system; they read as zero afterwards. */
  def decommit(offset: Long, bytes: Long): Unit

  /** Advises huge pages for whole chunks that were never touched; false if that is not available.
    */
  def adviseHuge(offset: Long, bytes: Long): Boolean

  /** Commits pages that are about to be written, if that is cheaper than page faults. */
  def populate(offset: Long, bytes: Long): Unit

  /** The same bytes as a segment with the lifetime of `arena`. */
  def window(offset: Long, bytes: Long, arena: Arena): MemorySegment

  /** The cage offset of a segment made by [[window]], or -1 for any other segment. */
  def offsetOf(segment: MemorySegment): Long

  /** Removes the record of a window whose arena was closed. */
  def forget(window: MemorySegment): Unit
end AddressSpace

private[memory] object AddressSpace:
  def reserve(): AddressSpace =
    val native = if Native.available then NativeSpace.reserve() else null
    if native != null then native else FileSpace.reserve()
