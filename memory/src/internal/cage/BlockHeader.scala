package undercroft.memory
package internal.cage

import java.lang.foreign.ValueLayout

/** A slot of a page of [[Malloc]]: a block header of 8 bytes, then the block.
  *
  * {{{
  *   63        44 43     40    39       38    37           20 19           0
  *  +------------+---------+--------+--------+---------------+--------------+
  *  | generation |  state  | window | pinned | block begins  |  block size  |
  *  +------------+---------+--------+--------+---------------+--------------+
  * }}}
  *
  * The block's beginning is relative to the slot; it and the size are in bytes.
  */
private[memory] object BlockHeader:
  inline val HeaderBytes = 8L
  inline val Free = 0L
  inline val Live = 1L
  inline val FreedElsewhere = 2L

  /** The slot has used up its generations. */
  inline val Retired = 3L
  private inline val Window = 1L << 39
  private inline val Pinned = 1L << 38

  private val segment = Cage.segment

  def header(slot: Long): Long = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, slot)
  def setHeader(slot: Long, header: Long): Unit =
    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, slot, header)

  def header(generation: Int, state: Long, begin: Long, size: Long): Long =
    generation.toLong << 44 | state << 40 | begin << 20 | size
  def generation(header: Long): Int = (header >>> 44).toInt
  def state(header: Long): Long = (header >>> 40) & 0xf
  def begin(header: Long): Long = (header >>> 20) & 0x3ffff

  /** Whether a segment was created over the block. */
  def isWindowed(header: Long): Boolean = (header & Window) != 0
  def setWindowed(slot: Long): Unit = setHeader(slot, header(slot) | Window)
  def size(header: Long): Long = header & 0xfffff

  /** Whether a call uses a pointer to the block: see [[internal.alloc.Pins]]. */
  def isPinned(header: Long): Boolean = (header & Pinned) != 0
  def pinned(header: Long): Long = header | Pinned
  def unpinned(header: Long): Long = header & ~Pinned

  /** The beginning of the slot around an offset. */
  def at(offset: Long, shift: Int): Long = offset & -(1L << shift)

  /** Checks an access of `width` bytes against the block around it. */
  def check(bits: Long, offset: Long, width: Long, shift: Int): Unit =
    val slot = at(offset, shift)
    val h = header(slot)
    if state(h) != Live || generation(h) != Cage.generationOf(bits) then
      throw stale(bits, offset, h)
    val start = slot + begin(h)
    if offset < start || offset + width > start + size(h) then
      throw BlockBoundsException(offset - start, width, size(h))

  /** The address of an offset in a live block. */
  def addressOf(offset: Long, shift: Int): Address =
    val h = header(at(offset, shift))
    if state(h) != Live then throw stale(offset, offset, h)
    Address.ofBits(Cage.bitsOf(offset, generation(h)))

  def stale(bits: Long, offset: Long, header: Long): StaleReferenceException =
    val reason =
      if state(header) == Live then s"the block is in generation ${generation(header)}"
      else "the block was freed"
    StaleReferenceException(
      Some(OwnerNames.name(OwnerNames.Malloc)),
      offset,
      Cage.generationOf(bits),
      reason
    )
end BlockHeader
