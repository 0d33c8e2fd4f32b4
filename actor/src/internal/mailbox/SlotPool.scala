package undercroft.actor
package internal.mailbox

import undercroft.memory.internal.cage.Cage
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.memory.{MemoryException, Region}

/** The slot pool of one worker. Owner thread only; wait-free except for batch transfers.
  *
  * A message sent on one worker may be handled on another, so slots migrate: a worker with more
  * than two batches of free slots returns one to the shared [[SlotMemory]], and a worker without
  * free slots takes one from there.
  *
  * The addresses of free slots are on the heap. Links inside the slots would take no memory, but a
  * store that raced with the close of the memory's previous owner could overwrite them, and lead
  * the worker to write anywhere.
  */
private[actor] final class SlotPool(memory: SlotMemory):
  // By size: the free slots, oldest first, and their number.
  private val free = SlotPool.empty()
  private val counts = new Array[Int](MessageSlot.Sizes)

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
    if counts(size) == 0 then refill(size)
    val count = counts(size) - 1
    if count < 0 then 0L
    else
      counts(size) = count
      free(size)(count)

  def release(slot: Long, size: Int): Unit =
    val before = last
    last = slot
    val sizeBefore = lastSize
    lastSize = size
    if before != 0 then releaseFree(before, sizeBefore)

  private def releaseFree(slot: Long, size: Int): Unit =
    if free(size).length == 0 then open(size)
    else if counts(size) == 2 * SlotPool.Batch then returnOldest(size)
    free(size)(counts(size)) = slot
    counts(size) += 1

  /** Allocates the array of a size. */
  private def open(size: Int): Unit = free(size) = new Array[Long](2 * SlotPool.Batch)

  private def returnOldest(size: Int): Unit =
    memory.release(size, free(size))
    System.arraycopy(free(size), SlotPool.Batch, free(size), 0, SlotPool.Batch)
    counts(size) = SlotPool.Batch

  private def refill(size: Int): Unit =
    if free(size).length == 0 then open(size)
    counts(size) = memory.take(size, free(size))
end SlotPool

private[actor] object SlotPool:
  /** The number of slots that move between workers at once; small enough to be allocated at once.
    */
  inline val Batch = 256

  private[mailbox] def empty(): Array[Array[Long]] =
    val arrays = new Array[Array[Long]](MessageSlot.Sizes)
    java.util.Arrays.fill(arrays.asInstanceOf[Array[AnyRef]], new Array[Long](0))
    arrays
end SlotPool

/** The memory of a system's slots: allocated on first use, freed with the system. Thread-safe, by a
  * lock that is taken once per batch.
  */
private[actor] final class SlotMemory(system: String):
  private var region: Region | Null = null
  private var isClosed = false

  // By size: the free slots, and their number.
  private val free = SlotPool.empty()
  private val counts = new Array[Int](MessageSlot.Sizes)

  /** Moves a batch of free slots to the array of a worker. Returns their number: 0 at the limit. */
  def take(size: Int, target: Array[Long]): Int = synchronized:
    if isClosed || !SlotMemory.isReady then 0
    else if counts(size) == 0 then make(size, target)
    else
      counts(size) -= SlotPool.Batch
      System.arraycopy(free(size), counts(size), target, 0, SlotPool.Batch)
      SlotPool.Batch

  /** Takes the first batch of free slots in the array of a worker. */
  def release(size: Int, source: Array[Long]): Unit = synchronized:
    val count = counts(size)
    if count == free(size).length then
      free(size) = java.util.Arrays.copyOf(free(size), math.max(SlotPool.Batch, 2 * count))
    System.arraycopy(source, 0, free(size), count, SlotPool.Batch)
    counts(size) = count + SlotPool.Batch

  private def make(size: Int, target: Array[Long]): Int =
    val slotRegion = region.orCreate(Region.shared(s"messages of $system", SlotMemory.LimitBytes))
    region = slotRegion
    val bytes = MessageSlot.bytesOf(size).toLong
    try
      val first = Cage.placeOf(slotRegion.allocateBlock(bytes * SlotPool.Batch, bytes).bits)
      // The first slot is taken first.
      var i = 0
      while i < SlotPool.Batch do
        target(SlotPool.Batch - 1 - i) = first + i * bytes
        i += 1
      SlotPool.Batch
    catch case _: MemoryException => 0

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
