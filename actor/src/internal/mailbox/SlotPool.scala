package undercroft.actor
package internal.mailbox

import undercroft.memory.internal.cage.Cage
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.memory.{MemoryException, Region}

/** The slot pool of one worker. Owner thread only; wait-free except for batch transfers.
  *
  * Free slots are linked through their first eight bytes. A message sent on one worker may be
  * handled on another, so slots migrate: a worker with more than two batches of free slots returns
  * one to the shared [[SlotMemory]], and a worker without free slots takes one from there.
  */
private[actor] final class SlotPool(memory: SlotMemory):
  private val free = new Array[Long](MessageSlot.Sizes)
  private val counts = new Array[Int](MessageSlot.Sizes)
  private val spare = new Array[Long](MessageSlot.Sizes)

  // The slot that was freed last and is allocated next: it is in the cache, and on no list.
  private var last = 0L
  private var lastSize = 0

  /** Allocates a slot. Returns 0 if there is no memory. */
  def take(size: Int): Long =
    val slot = last
    if slot != 0 && lastSize == size then
      last = 0
      slot
    else takeFree(size)

  private def takeFree(size: Int): Long =
    var slot = free(size)
    if slot == 0 then slot = refill(size)
    if slot != 0 then
      free(size) = MessageSlot.getLong(slot, 0)
      counts(size) -= 1
    slot

  def give(slot: Long, size: Int): Unit =
    val before = last
    if before != 0 then giveFree(before, lastSize)
    last = slot
    lastSize = size

  private def giveFree(slot: Long, size: Int): Unit =
    if counts(size) == SlotPool.Batch then putAside(size)
    MessageSlot.setLong(slot, 0, free(size))
    free(size) = slot
    counts(size) += 1

  private def refill(size: Int): Long =
    val batch = if spare(size) != 0 then spare(size) else memory.take(size)
    spare(size) = 0
    free(size) = batch
    counts(size) = if batch == 0 then 0 else SlotPool.Batch
    batch

  private def putAside(size: Int): Unit =
    if spare(size) != 0 then memory.give(spare(size), size)
    spare(size) = free(size)
    free(size) = 0
    counts(size) = 0
end SlotPool

private[actor] object SlotPool:
  /** The number of slots that move between workers at once; small enough to be allocated at once.
    */
  inline val Batch = 256

/** The memory of a system's slots: allocated on first use, freed with the system. Thread-safe, by a
  * lock that is taken once per batch.
  */
private[actor] final class SlotMemory(system: String):
  private var region: Region | Null = null
  private var isClosed = false
  private val batches = Array.fill(MessageSlot.Sizes)(LongRing(4))

  /** A batch of linked slots, or 0 at the limit. */
  def take(size: Int): Long = synchronized:
    if isClosed || !SlotMemory.isReady then 0L
    else
      val batch = batches(size).poll()
      if batch != 0 then batch else make(size)

  def give(batch: Long, size: Int): Unit = synchronized(batches(size).add(batch))

  private def make(size: Int): Long =
    val slotRegion = region match
      case null       => Region.shared(s"messages of $system", SlotMemory.LimitBytes)
      case slotRegion => slotRegion
    region = slotRegion
    val bytes = MessageSlot.bytesOf(size)
    try
      val first = Cage.placeOf(slotRegion.allocateBlock(bytes.toLong * SlotPool.Batch, bytes).bits)
      var i = 0
      while i < SlotPool.Batch do
        MessageSlot.setLong(
          first + i.toLong * bytes,
          0,
          if i + 1 < SlotPool.Batch then first + (i + 1L) * bytes else 0L
        )
        i += 1
      first
    catch case _: MemoryException => 0L

  /** Frees all memory. No worker may be running. */
  def close(): Unit = synchronized:
    isClosed = true
    if region != null then region.nn.close()
    region = null
end SlotMemory

private[actor] object SlotMemory:
  /** The largest number of bytes of one system's slots: some millions of waiting messages. Beyond
    * it, messages are sent as objects.
    */
  val LimitBytes: Long = 256L << 20

  @volatile private var isOpen = false
  private val isOpening = AtomicBoolean()

  /** Whether the cage is mapped. Its first use in a process takes 100 ms, which is too long for a
    * handler: a separate thread maps it, and messages are objects meanwhile.
    */
  private def isReady: Boolean =
    if !isOpen && isOpening.compareAndSet(false, true) then
      Thread.ofPlatform.daemon.name("undercroft-cage").start(() => open()): Unit
    isOpen

  /** Maps the cage on this thread. */
  def open(): Unit =
    isOpen = Cage.openMask > 0
end SlotMemory
