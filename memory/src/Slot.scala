package undercroft.memory

import java.lang.foreign.ValueLayout

/** One slot of a page of [[Malloc]]: a header of 8 bytes, then the block.
  *
  * {{{
  *   63        44 43     40    39    38            20 19           0
  *  +------------+---------+--------+----------------+--------------+
  *  | generation |  state  | window |  block begins  |  block size  |   in bytes from the slot's beginning
  *  +------------+---------+--------+----------------+--------------+
  * }}}
  */
private[memory] object Slot:
  inline val HeaderBytes = 8L
  inline val Free = 0L
  inline val Live = 1L
  inline val FreedElsewhere = 2L
  private inline val Window = 1L << 39

  private val segment = Cage.segment

  def header(slot: Long): Long = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, slot)
  def setHeader(slot: Long, header: Long): Unit =
    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, slot, header)

  def header(generation: Int, state: Long, begin: Long, size: Long): Long =
    generation.toLong << 44 | state << 40 | begin << 20 | size
  def generation(header: Long): Int = (header >>> 44).toInt
  def state(header: Long): Long = (header >>> 40) & 0xf
  def begin(header: Long): Long = (header >>> 20) & 0x7ffff

  /** Whether there is a segment over the block. */
  def isWindowed(header: Long): Boolean = (header & Window) != 0
  def setWindowed(slot: Long): Unit = setHeader(slot, header(slot) | Window)
  def size(header: Long): Long = header & 0xfffff

  /** Where the slot around an offset begins. */
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
    val found =
      if state(header) == Live then s"the block is in generation ${generation(header)}"
      else "the block was freed"
    StaleReferenceException(
      Some(Owners.name(Owners.Malloc)),
      offset,
      Cage.generationOf(bits),
      found
    )
end Slot
