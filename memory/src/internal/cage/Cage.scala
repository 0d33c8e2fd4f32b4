package undercroft.memory
package internal.cage

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import scala.annotation.nowarn

/** The cage: the one reserved range of address space that contains all Undercroft memory.
  *
  * An access takes the bits of an [[Address]] and the distance of a field from it. A read loads
  * first and compares the page's generation afterwards, with a fence between, so its result was
  * read while the reference was valid, even if the close of its region races with it. A store
  * compares first; a store that races with the close is detected late, by the next access. Neither
  * can crash or leave the cage, whatever the bits.
  *
  * Thread-safe; does not allocate. Every access throws [[StaleReferenceException]],
  * [[NullReferenceException]], or [[BlockBoundsException]] (blocks of Malloc).
  *
  * An aligned field never crosses a page boundary, so one comparison, for its last byte, suffices:
  * it rejects a reference with one flipped bit that crosses into the next page. For fields of
  * packed layouts, [[CagePacked]] compares the second page as well if the access crosses into it.
  */
@scala.annotation.publicInBinary
private[undercroft] object Cage:
  inline val GenerationBits = 20
  inline val GenerationMask = 0xfffff
  inline val FullRange = 0x100000000000L
  inline val PageShift = 16
  inline val PageBytes = 0x10000L

  /** Memory is decommitted in chunks of the size of a huge page. */
  inline val ChunkBytes = 0x200000L
  inline val ChunkPages = 32

  /** The bits of an address. */
  inline def bitsOf(offset: Long, generation: Int): Long = offset << GenerationBits | generation
  inline def offsetOf(bits: Long): Long = bits >>> GenerationBits
  inline def generationOf(bits: Long): Int = bits.toInt & GenerationMask

  /** The bits of an address `bytes` bytes after another. */
  inline def moved(bits: Long, bytes: Long): Long = bits + (bytes << GenerationBits)

  private[memory] val space: AddressSpace = AddressSpace.reserve()

  /** The whole cage. Reading a free page of it is harmless; writing one is not. */
  val segment: MemorySegment = space.segment

  /** The segment for stores whose place was checked before: see [[placeOf]]. */
  val open: MemorySegment = space.open
  // A variable, although it never changes: the JIT would load a 64-bit constant in each access.
  @nowarn("msg=unset private variable")
  private var openBase: Long = space.openBase
  val openMask: Long = java.lang.Long.highestOneBit(open.byteSize) - 1

  /** The place of an address in [[open]]. The JIT folds small distances from it into the store
    * instruction; it cannot do that for an offset in the cage, whose base is a 64-bit constant.
    */
  def placeOf(bits: Long): Long = openBase + offsetOf(bits)

  /** The same as [[placeOf]], or another readable place if the address is not readable. */
  def readableAt(bits: Long, bytes: Int): Long =
    val offset = offsetOf(bits)
    openBase + (if guarded && offset + bytes > space.readableEnd then 0 else offset)

  /** Whether reading at any address is harmless, without a check before it. */
  def readsAnywhere: Boolean = !guarded

  /** The same place, masked so that the JIT eliminates the bounds check of accesses there. */
  inline def within(place: Long): Long = place & openMask

  private val table: MemorySegment = space.table
  private val guarded: Boolean = space.guarded

  /** Whether an offset of 44 bits is in the cage. Free of cost if the cage has its full range. */
  private[memory] def holds(offset: Long): Boolean = !guarded || offset < space.readableEnd

  space.raise(ChunkBytes)
  // The first chunk is never allocated, so that null and small integers are stale references.
  table.asSlice(0, ChunkPages * 4L).fill(PageTable.Retired.toByte): Unit

  def getByte(bits: Long, at: Long): Byte =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 1)
    val value = segment.get(ValueLayout.JAVA_BYTE, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset) then recheck(bits, offset, 1)
    value

  def getShort(bits: Long, at: Long): Short =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 2)
    val value = segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 1) then recheck(bits, offset, 2)
    value

  def getChar(bits: Long, at: Long): Char =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 2)
    val value = segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 1) then recheck(bits, offset, 2)
    value

  def getInt(bits: Long, at: Long): Int =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 4)
    val value = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 3) then recheck(bits, offset, 4)
    value

  def getLong(bits: Long, at: Long): Long =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 8)
    val value = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 7) then recheck(bits, offset, 8)
    value

  def getFloat(bits: Long, at: Long): Float =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 4)
    val value = segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 3) then recheck(bits, offset, 4)
    value

  def getDouble(bits: Long, at: Long): Double =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 8)
    val value = segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset)
    VarHandle.loadLoadFence()
    if !live(bits, offset + 7) then recheck(bits, offset, 8)
    value

  def setByte(bits: Long, at: Long, value: Byte): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 1)
    if !owned(bits, offset) then recheck(bits, offset, 1)
    segment.set(ValueLayout.JAVA_BYTE, offset, value)

  def setShort(bits: Long, at: Long, value: Short): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 2)
    if !owned(bits, offset + 1) then recheck(bits, offset, 2)
    segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, value)

  def setChar(bits: Long, at: Long, value: Char): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 2)
    if !owned(bits, offset + 1) then recheck(bits, offset, 2)
    segment.set(ValueLayout.JAVA_CHAR_UNALIGNED, offset, value)

  def setInt(bits: Long, at: Long, value: Int): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 4)
    if !owned(bits, offset + 3) then recheck(bits, offset, 4)
    segment.set(ValueLayout.JAVA_INT_UNALIGNED, offset, value)

  def setLong(bits: Long, at: Long, value: Long): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 8)
    if !owned(bits, offset + 7) then recheck(bits, offset, 8)
    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value)

  def setFloat(bits: Long, at: Long, value: Float): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 4)
    if !owned(bits, offset + 3) then recheck(bits, offset, 4)
    segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, value)

  def setDouble(bits: Long, at: Long, value: Double): Unit =
    val offset = offsetOf(bits) + at
    if guarded then admit(bits, offset, 8)
    if !owned(bits, offset + 7) then recheck(bits, offset, 8)
    segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, value)

  /** The cage offset of a byte that may be stored to. Adjacent bytes of the same owner may be
    * stored to without further checks. A close that races with such stores is detected late, as for
    * every store.
    */
  def storable(bits: Long, at: Long): Long =
    val offset = (offsetOf(bits) + at) & (FullRange - 1)
    if guarded then admit(bits, offset, 1)
    if !owned(bits, offset) then recheck(bits, offset, 1)
    offset

  /** Whether a reference is valid for the page of an offset. */
  def live(bits: Long, offset: Long): Boolean =
    val entry = table.get(ValueLayout.JAVA_INT_UNALIGNED, (offset >>> PageShift) << 2)
    entry == generationOf(bits)

  /** The same as [[live]], and false for generation 0, which no reference has: an unused page
    * appears to have it. Reading such a page yields zero; a store to it could fail.
    */
  private[memory] def owned(bits: Long, offset: Long): Boolean =
    generationOf(bits) != 0 && live(bits, offset)

  /** Rejects invalid references before the access. */
  private[memory] def admit(bits: Long, offset: Long, width: Int): Unit =
    val last = offset + width - 1
    if last >= space.readableEnd || !owned(bits, last) then CageSlowPath.slow(bits, offset, width)

  /** Slow path for a page that is not live: accepts blocks of Malloc. */
  private[memory] def recheck(bits: Long, offset: Long, width: Int): Unit =
    CageSlowPath.slow(bits, offset, width)

  /** Checks that `bytes` bytes at distance `offset` from the reference all belong to it; one
    * comparison if they are in one page of a region.
    */
  def check(bits: Long, offset: Long, bytes: Long): Unit =
    val first = offsetOf(bits) + offset
    val last = first + bytes - 1
    if offset < 0 || bytes <= 0 || (first | last) >= FullRange || (first | last) < 0
      || (first ^ last) >= PageBytes || !holds(first) || !owned(bits, first)
    then CageSlowPath.span(bits, offset, bytes)

  /** Whether `bytes` bytes at a reference, at most a page, belong to it and to a region; false for
    * blocks of Malloc. After a fence, true means that earlier reads were valid.
    */
  def isLive(bits: Long, bytes: Int): Boolean =
    val first = offsetOf(bits)
    val last = first + bytes - 1
    last < FullRange && holds(last) && owned(bits, first) && live(bits, last)

  /** The error for an access while another thread closes the owner: the segment is closed already,
    * the address is not yet stale.
    */
  private[undercroft] def closing(bits: Long): StaleReferenceException =
    CageSlowPath.stale(bits, offsetOf(bits))

  /** The address of the first byte of a live segment that an [[Allocator]] allocated. */
  def addressOf(segment: MemorySegment): Address = CageSlowPath.addressOf(segment)

  /** The bytes at an address, checked only by this call: the caller keeps the owner alive. */
  def segmentOf(address: Address, byteSize: Long): MemorySegment =
    CageSlowPath.span(address.bits, 0, byteSize)
    segment.asSlice(address.offset, byteSize)

  /** Whether a segment is in the cage. */
  def isInside(segment: MemorySegment): Boolean = space.offsetOf(segment) >= 0
end Cage
