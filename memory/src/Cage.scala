package undercroft.memory

import java.lang.foreign.{MemorySegment, ValueLayout}
import java.lang.invoke.VarHandle
import scala.annotation.nowarn

/** The one range of address space that all memory of Undercroft lies in.
  *
  * An access takes the bits of an [[Address]] and the distance of a field from it. A read reads
  * first and compares the generation of the page afterwards, with a fence between, so that what it
  * returns was read while the reference was good, however the close of its region races with it. A
  * store compares first; a store that races with the close is detected late, by the next access.
  * Neither can crash or leave the cage, whatever the bits.
  *
  * Any thread; nothing allocated. Every access throws [[StaleReferenceException]],
  * [[NullReferenceException]], or [[BlockBoundsException]] (blocks of Malloc).
  *
  * A field that is aligned never crosses a page, and so needs one comparison, made for its last
  * byte: a reference with one damaged bit that crosses into the next page is refused by it. For
  * fields of packed layouts, [[CagePacked]] compares a second page where the access crosses into
  * it.
  */
@scala.annotation.publicInBinary
private[undercroft] object Cage:
  inline val GenerationBits = 20
  inline val GenerationMask = 0xfffff
  inline val FullRange = 0x100000000000L
  inline val PageShift = 16
  inline val PageBytes = 0x10000L

  /** Memory goes back to the system in chunks of the size of a huge page. */
  inline val ChunkBytes = 0x200000L
  inline val ChunkPages = 32

  /** The bits of an address. */
  inline def bitsOf(offset: Long, generation: Int): Long = offset << GenerationBits | generation
  inline def offsetOf(bits: Long): Long = bits >>> GenerationBits
  inline def generationOf(bits: Long): Int = bits.toInt & GenerationMask

  /** The bits of an address `bytes` bytes further on. */
  inline def moved(bits: Long, bytes: Long): Long = bits + (bytes << GenerationBits)

  private[memory] val space: Space = Space.reserve()

  /** All of the cage. Reading a free page of it is harmless; writing one is not. */
  val segment: MemorySegment = space.segment

  /** What stores go through whose place was checked before: see [[placeOf]]. */
  val open: MemorySegment = space.open
  // No constant, though it never changes: each access would load its 64 bits anew.
  @nowarn("msg=unset private variable")
  private var openBase: Long = space.openBase
  val openMask: Long = java.lang.Long.highestOneBit(open.byteSize) - 1

  /** Where the memory of an address is in [[open]]. The compiler adds small distances to it in the
    * store itself, which it does not to an offset in the cage, whose base is a constant of 64 bits.
    */
  def placeOf(bits: Long): Long = openBase + offsetOf(bits)

  /** As [[placeOf]], and some place that can be read where that is none. */
  def readableAt(bits: Long, bytes: Int): Long =
    val offset = offsetOf(bits)
    openBase + (if guarded && offset + bytes > space.readableEnd then 0 else offset)

  /** The same place, and the compiler knows that no access there needs a check of bounds. */
  inline def within(place: Long): Long = place & openMask

  private val table: MemorySegment = space.table
  private val guarded: Boolean = space.guarded

  /** Whether an offset of 44 bits lies in the cage; where the cage is whole, this costs nothing. */
  private[memory] def holds(offset: Long): Boolean = !guarded || offset < space.readableEnd

  space.raise(ChunkBytes)
  // The first chunk is never given out, so that null and small numbers point to nothing.
  for page <- 0L until ChunkPages.toLong do
    table.set(ValueLayout.JAVA_INT_UNALIGNED, page << 2, Generations.Retired)

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

  /** Where in the cage a byte lies that may be stored to: what lies beside it and belongs to the
    * same owner may be stored to as well, without a check for each. A close that races with such
    * stores is detected late, as with every store.
    */
  def storable(bits: Long, at: Long): Long =
    val offset = (offsetOf(bits) + at) & (FullRange - 1)
    if guarded then admit(bits, offset, 1)
    if !owned(bits, offset) then recheck(bits, offset, 1)
    offset

  /** Whether a reference is good for the page that an offset lies in. */
  private[memory] def live(bits: Long, offset: Long): Boolean =
    val entry = table.get(ValueLayout.JAVA_INT_UNALIGNED, (offset >>> PageShift) << 2)
    entry == generationOf(bits)

  /** As [[live]], and no reference of generation 0: nobody has one, and a page that was never used
    * seems to be of it. Reading such a page finds zero; a store to it could fail.
    */
  private[memory] def owned(bits: Long, offset: Long): Boolean =
    generationOf(bits) != 0 && live(bits, offset)

  /** Refuses what is not good, before anything is touched. */
  private[memory] def admit(bits: Long, offset: Long, width: Int): Unit =
    val last = offset + width - 1
    if last >= space.readableEnd || !owned(bits, last) then CageCheck.slow(bits, offset, width)

  /** What is not a live page may still be a block of Malloc. */
  private[memory] def recheck(bits: Long, offset: Long, width: Int): Unit =
    CageCheck.slow(bits, offset, width)

  /** Checks that `bytes` bytes at a distance of `offset` from the reference all belong to it: with
    * one comparison where they lie in one page of a region.
    */
  def check(bits: Long, offset: Long, bytes: Long): Unit =
    val first = offsetOf(bits) + offset
    val last = first + bytes - 1
    if offset < 0 || bytes <= 0 || (first | last) >= FullRange || (first | last) < 0
      || (first ^ last) >= PageBytes || !holds(first) || !owned(bits, first)
    then CageCheck.span(bits, offset, bytes)

  /** Whether `bytes` bytes from a reference on, at most a page, belong to it, and to a region:
    * blocks of Malloc answer false. After a fence it tells that what was read before was good.
    */
  def isLive(bits: Long, bytes: Int): Boolean =
    val first = offsetOf(bits)
    val last = first + bytes - 1
    last < FullRange && holds(last) && owned(bits, first) && live(bits, last)

  /** The error for an access that came between the end of a segment and that of its address, while
    * another thread closes the owner.
    */
  private[undercroft] def closing(bits: Long): StaleReferenceException =
    CageCheck.stale(bits, offsetOf(bits))

  /** The address of the first byte of a live segment that came from an [[Allocator]]. */
  def addressOf(segment: MemorySegment): Address = CageCheck.addressOf(segment)

  /** The bytes that an address points to, checked now and not again: the caller keeps the owner
    * alive.
    */
  def segmentOf(address: Address, byteSize: Long): MemorySegment =
    CageCheck.span(address.bits, 0, byteSize)
    segment.asSlice(address.offset, byteSize)

  /** Whether a segment lies in the cage. */
  def isInside(segment: MemorySegment): Boolean = space.offsetOf(segment) >= 0
end Cage
