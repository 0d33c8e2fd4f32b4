package undercroft.actor

import java.util.concurrent.atomic.AtomicBoolean
import undercroft.memory.{Cage, MemoryException, Region}

/** The slots that one worker has to give. Its thread alone; nothing is ever waited for.
  *
  * Free slots are linked by their first eight bytes. What an actor sent on one worker may be
  * handled on another, so slots wander: a worker that has more than two batches of them free leaves
  * one with the others' [[SlotMemory]], and one that has none takes one from there.
  */
private[actor] final class Slots(memory: SlotMemory):
  private val free = new Array[Long](Slot.Sizes)
  private val counts = new Array[Int](Slot.Sizes)
  private val spare = new Array[Long](Slot.Sizes)

  // The slot that came back last, which is the next to go: it is in the cache, and on no list.
  private var last = 0L
  private var lastSize = 0

  /** A free slot, or 0 where there is no more memory for any. */
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
      free(size) = Slot.getLong(slot, 0)
      counts(size) -= 1
    slot

  def give(slot: Long, size: Int): Unit =
    val before = last
    if before != 0 then giveFree(before, lastSize)
    last = slot
    lastSize = size

  private def giveFree(slot: Long, size: Int): Unit =
    if counts(size) == Slots.Batch then putAside(size)
    Slot.setLong(slot, 0, free(size))
    free(size) = slot
    counts(size) += 1

  private def refill(size: Int): Long =
    val batch = if spare(size) != 0 then spare(size) else memory.take(size)
    spare(size) = 0
    free(size) = batch
    counts(size) = if batch == 0 then 0 else Slots.Batch
    batch

  private def putAside(size: Int): Unit =
    if spare(size) != 0 then memory.give(spare(size), size)
    spare(size) = free(size)
    free(size) = 0
    counts(size) = 0
end Slots

private[actor] object Slots:
  /** Slots that go from worker to worker at once: few enough to be made at once, too. */
  inline val Batch = 256

/** The memory of a system's slots: made when it is first wanted, given back with the system. Any
  * thread, by a lock, once for each batch.
  */
private[actor] final class SlotMemory(system: String):
  private var region: Region | Null = null
  private var isClosed = false
  private val batches = Array.fill(Slot.Sizes)(LongRing(4))

  /** As many linked slots as make a batch, or 0 at the limit. */
  def take(size: Int): Long = synchronized:
    if isClosed || !SlotMemory.isReady then 0L
    else
      val batch = batches(size).poll()
      if batch != 0 then batch else make(size)

  def give(batch: Long, size: Int): Unit = synchronized(batches(size).add(batch))

  private def make(size: Int): Long =
    val own = region match
      case null => Region.shared(s"messages of $system", SlotMemory.LimitBytes)
      case some => some
    region = own
    val bytes = Slot.bytesOf(size)
    try
      val first = Cage.placeOf(own.block(bytes.toLong * Slots.Batch, bytes).bits)
      var i = 0
      while i < Slots.Batch do
        Slot.setLong(
          first + i.toLong * bytes,
          0,
          if i + 1 < Slots.Batch then first + (i + 1L) * bytes else 0L
        )
        i += 1
      first
    catch case _: MemoryException => 0L

  /** Gives all of it back. No worker runs any more. */
  def close(): Unit = synchronized:
    isClosed = true
    if region != null then region.nn.close()
    region = null
end SlotMemory

private[actor] object SlotMemory:
  /** Bytes of one system's slots: some millions of messages that wait. What does not fit any more
    * is sent as an object.
    */
  val LimitBytes: Long = 256L << 20

  @volatile private var isOpen = false
  private val isOpening = AtomicBoolean()

  /** Whether the cage is there. The first use of it in a process takes a tenth of a second, which
    * is too long for a handler: it is made on a thread of its own, and messages are objects
    * meanwhile.
    */
  private def isReady: Boolean =
    if !isOpen && isOpening.compareAndSet(false, true) then
      Thread.ofPlatform.daemon.name("undercroft-cage").start(() => open()): Unit
    isOpen

  /** Makes it here and now. */
  def open(): Unit =
    isOpen = Cage.openMask > 0
end SlotMemory
