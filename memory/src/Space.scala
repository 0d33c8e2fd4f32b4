package undercroft.memory

import java.lang.foreign.{Arena, MemorySegment}

/** The address space under the cage, and how it becomes memory and is returned.
  *
  * Two kinds exist: [[NativeSpace]] over reserved memory, and [[FileSpace]] over a sparse file in
  * shared memory, for processes that may not call native code.
  */
private[memory] trait Space:
  /** Bytes of the cage: a power of two. */
  def range: Long

  /** The whole cage, and one page more that never holds anything, so that no masked offset is out
    * of bounds.
    */
  def segment: MemorySegment

  /** A segment that holds the cage from [[openBase]] on: everything, where native code may be
    * called.
    */
  def open: MemorySegment
  def openBase: Long

  /** One Int for each page. */
  def table: MemorySegment

  /** [[Generations.HistorySlots]] Longs for each page. */
  def history: MemorySegment

  /** Whether an offset has to be checked before it is read, not only after. */
  def guarded: Boolean

  /** Where the table can be read: below this offset. */
  def readableEnd: Long

  /** Whether memory can be returned to the system. */
  def returnsMemory: Boolean

  /** What it is, in words. */
  def description: String

  /** Bytes that can be had at most, where the space itself knows a limit. */
  def capacity: Option[Long]

  /** Makes all offsets below `end` addressable. Under the pool's lock. */
  def raise(end: Long): Unit

  /** Makes sure that pages which never were used can be written. */
  def commit(offset: Long, bytes: Long): Unit

  /** Returns whole chunks to the system; they read as zero from then on. */
  def giveBack(offset: Long, bytes: Long): Unit

  /** Advises huge pages for whole chunks that were never touched; false where that is not had. */
  def adviseHuge(offset: Long, bytes: Long): Boolean

  /** Makes pages memory that are about to be written, where that is cheaper than touching them. */
  def populate(offset: Long, bytes: Long): Unit

  /** The same bytes as a segment that lives as long as `arena`. */
  def window(offset: Long, bytes: Long, arena: Arena): MemorySegment

  /** Where in the cage a segment made by [[window]] begins, or -1 for a segment that is not ours.
    */
  def offsetOf(segment: MemorySegment): Long

  /** Forgets a window whose arena was closed. */
  def forget(window: MemorySegment): Unit
end Space

private[memory] object Space:
  def reserve(): Space =
    val native = if Native.available then NativeSpace.reserve() else null
    if native != null then native else FileSpace.reserve()
