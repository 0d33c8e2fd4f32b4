package undercroft.memory
package internal.alloc

import internal.cage.{BlockHeader, Cage, OwnerNames, PageTable}
import java.lang.foreign.{Arena, MemorySegment}

/** A pin: while it is open, the owner of some bytes cannot free them, and [[segment]] gives access
  * to them, to the thread that opened the pin. Opened and closed by one thread.
  */
private[undercroft] final class Pin private[alloc] (
    private[alloc] val owner: Long,
    private[alloc] val offset: Long,
    private[alloc] val bytes: Long,
    private[alloc] val slot: Long,
    private[alloc] val cache: ThreadCache | Null
):
  private[alloc] var next: Pin | Null = null
  private var arena: Arena | Null = null
  private var window: MemorySegment | Null = null

  private[alloc] def openWindow(): Unit =
    val newArena = Arena.ofConfined()
    arena = newArena
    window = Cage.space.window(offset, bytes, newArena)

  /** Exactly the pinned bytes; closed with the pin. */
  def segment: MemorySegment = window.nn

  /** Ends the access through [[segment]], then the pin. */
  def close(): Unit =
    arena.nn.close()
    Cage.space.forget(window.nn)
    Pins.remove(this)
end Pin

/** The open pins, and the closes that exclude new ones.
  *
  * {{{
  *   bytes of                               a pin is recorded in         may be opened by
  *   a scoped region of a thread cache      the cache                    the region's thread
  *   a scoped region without a cache        the list of all threads      the region's thread
  *   another region, a reservation,
  *   a large block of Malloc                the list of all threads      every thread
  *   a slot of Malloc, of a thread cache    its header, the cache        the cache's thread
  *   a slot of a cache of no live thread    its header, the list         every thread
  *   a slot of Malloc, of the common heap   its header, the list         every thread
  * }}}
  *
  * Only the thread that may open a pin in a cache also frees the bytes, so neither needs a lock. In
  * the list of all threads, a pin and a close exclude each other by a lock: a close rejects open
  * pins and is announced until the memory is released, and a new pin rejects announced closes. The
  * lock is not held during the close itself, which may call code of the user.
  *
  * A thread claims a cache of no live thread only while it marks the header of a slot: the mark
  * protects the slot from the next thread of the cache. The last pin of a slot clears the mark, so
  * all pins of a slot are in one place: while the list has one, new ones are added to the list.
  */
private[undercroft] object Pins:
  /** How often a cache of a dead thread is claimed, while other threads have it for a moment. */
  private inline val MaxAttempts = 1000

  /** A close of all memory of an owner or, if `owner` is 0, of a range of bytes. */
  private final class Closing(val owner: Long, val offset: Long, val bytes: Long):
    var next: Closing | Null = null
    def isOf(pin: Pin): Boolean =
      if owner != 0 then pin.owner == owner
      else pin.offset < offset + bytes && offset < pin.offset + pin.bytes

  private val lock = Object()
  private var pins: Pin | Null = null
  private var closings: Closing | Null = null

  /** Pins `bytes` bytes at an address. Throws the errors of [[Cage.check]], and a
    * WrongThreadException if the bytes are confined to another thread.
    */
  def open(bits: Long, bytes: Long): Pin =
    Cage.check(bits, 0, bytes)
    val pin = add(bits, bytes)
    try pin.openWindow()
    catch
      case error: Throwable =>
        remove(pin)
        throw error
    pin

  private def add(bits: Long, bytes: Long): Pin =
    val offset = Cage.offsetOf(bits)
    val entry = PageTable.entry(offset >>> Cage.PageShift)
    if PageTable.isSlots(entry) then addSlot(bits, bytes, entry)
    else
      val owner = PageTable.owner(offset >>> Cage.PageShift, Cage.generationOf(bits))
      val cache = ThreadCache.ofOwner(owner)
      if cache != null then
        if !cache.isOwnedBy(Thread.currentThread) then throw wrongThread(OwnerNames.name(owner))
        // Checked again: the thread may have taken over the cache after the region was closed.
        Cage.check(bits, 0, bytes)
        add(Pin(owner, offset, bytes, 0, cache), bits)
      else
        val thread = ThreadCache.confinedTo(owner)
        if thread != null && (thread ne Thread.currentThread) then
          throw wrongThread(OwnerNames.name(owner))
        lock.synchronized:
          // Checked again: with the lock, no owner of these bytes begins to free them.
          Cage.check(bits, 0, bytes)
          add(Pin(owner, offset, bytes, 0, null), bits)
  end add

  private def addSlot(bits: Long, bytes: Long, entry: Int): Pin =
    val slot = BlockHeader.at(Cage.offsetOf(bits), PageTable.slotShift(entry))
    val thread = Thread.currentThread
    if PageTable.slotLane(entry) == ThreadCache.count then
      Malloc.lockingCommon:
        lock.synchronized(pinSlot(bits, bytes, entry, slot, null))
    else
      val cache = ThreadCache.at(PageTable.slotLane(entry))
      if cache.isOwnedBy(thread) then
        if !isListed(slot, cache) then pinSlot(bits, bytes, entry, slot, cache)
        else
          lock.synchronized:
            // Checked again: with the lock, no pin is removed from the list.
            pinSlot(bits, bytes, entry, slot, if isListed(slot, cache) then null else cache)
      else
        claim(cache, thread)
        // Not kept: a thread that pins blocks of many dead threads would own all their caches.
        try lock.synchronized(pinSlot(bits, bytes, entry, slot, null))
        finally cache.release()
  end addSlot

  /** Claims the cache of a dead thread. Another thread may have claimed it for a moment, to pin or
    * free a block.
    */
  private def claim(cache: ThreadCache, thread: Thread): Unit =
    var attempts = 0
    while !cache.claimFree(thread) do
      attempts += 1
      if attempts == MaxAttempts then throw wrongThread("the block of Malloc")
      Thread.`yield`()

  /** Whether a slot has a pin in the list of all threads; called by the thread of its cache. */
  private def isListed(slot: Long, cache: ThreadCache): Boolean =
    BlockHeader.isPinned(BlockHeader.header(slot)) && find(cache.pins)(_.slot == slot) == null

  /** Marks a slot and records its pin: in the cache or, if that is null, in the list. */
  private def pinSlot(
      bits: Long,
      bytes: Long,
      entry: Int,
      slot: Long,
      cache: ThreadCache | Null
  ): Pin =
    var isPinned = false
    while !isPinned do
      // Read before the check, so that a header that is replaced was live. Fails only if another
      // thread frees the block at this moment: the next check throws.
      val header = BlockHeader.header(slot)
      checkSlot(bits, bytes, entry)
      isPinned = Malloc.replaceHeader(slot, header, BlockHeader.pinned(header))
    add(Pin(OwnerNames.Malloc, Cage.offsetOf(bits), bytes, slot, cache), bits)
  end pinSlot

  /** Throws unless the page still has the slots of its entry, and the block is live. */
  private def checkSlot(bits: Long, bytes: Long, entry: Int): Unit =
    val offset = Cage.offsetOf(bits)
    if !PageTable.isSameSlots(entry, PageTable.entry(offset >>> Cage.PageShift)) then
      throw Cage.closing(bits)
    BlockHeader.check(bits, offset, bytes, PageTable.slotShift(entry))

  private def add(pin: Pin, bits: Long): Pin =
    val cache = pin.cache
    if cache != null then
      pin.next = cache.pins
      cache.pins = pin
    else
      var closing = closings
      while closing != null do
        if closing.isOf(pin) then throw Cage.closing(bits)
        closing = closing.next
      pin.next = pins
      pins = pin
    pin

  private[alloc] def remove(pin: Pin): Unit =
    val cache = pin.cache
    if cache != null then
      cache.pins = without(cache.pins, pin)
      if pin.slot != 0 then release(pin.slot, cache.pins)
    else if pin.slot != 0 then
      Malloc.lockingCommon:
        lock.synchronized:
          pins = without(pins, pin)
          release(pin.slot, pins)
    else lock.synchronized { pins = without(pins, pin) }

  /** Clears the mark of a slot that has no other pin. */
  private def release(slot: Long, others: Pin | Null): Unit =
    if find(others)(_.slot == slot) == null then
      BlockHeader.setHeader(slot, BlockHeader.unpinned(BlockHeader.header(slot)))

  private def without(pins: Pin | Null, pin: Pin): Pin | Null =
    if pins eq pin then pin.next
    else
      var before = pins
      while before != null && (before.next ne pin) do before = before.next
      if before != null then before.next = pin.next
      pins

  private def find(pins: Pin | Null)(isWanted: Pin => Boolean): Pin | Null =
    var pin = pins
    while pin != null && !isWanted(pin) do pin = pin.next
    pin

  /** Throws if a pin of a cache is open in memory of a region. */
  def rejectOwner(owner: Long, cache: ThreadCache): Unit =
    reject(find(cache.pins)(_.owner == owner))

  /** Runs the close of a region without a cache, unless a pin is open in its memory: then throws an
    * IllegalStateException, and nothing has changed.
    */
  def closingOwner(owner: Long)(close: () => Unit): Unit = closing(Closing(owner, 0, 0))(close)

  /** As [[closingOwner]], for `bytes` bytes of any owner. */
  def closingRange(owner: Long, offset: Long, bytes: Long)(close: () => Unit): Unit =
    val range = Closing(0, offset, bytes)
    val cache = ThreadCache.ofOwner(owner)
    if cache == null then closing(range)(close)
    else
      reject(find(cache.pins)(range.isOf(_)))
      close()

  private def closing(closing: Closing)(close: () => Unit): Unit =
    lock.synchronized:
      reject(find(pins)(closing.isOf(_)))
      closing.next = closings
      closings = closing
    try close()
    finally lock.synchronized { closings = withoutClosing(closing) }

  private def withoutClosing(closing: Closing): Closing | Null =
    if closings eq closing then closing.next
    else
      var before = closings
      while before != null && (before.next ne closing) do before = before.next
      if before != null then before.next = closing.next
      closings

  private def reject(pin: Pin | Null): Unit =
    if pin != null then throw inUse(OwnerNames.name(pin.owner), pin.offset, pin.bytes)

  /** The error of a free during a call that uses a pointer to the memory. */
  def inUse(owner: String, offset: Long, bytes: Long): IllegalStateException =
    IllegalStateException(
      s"memory of $owner cannot be freed while a call uses a pointer to it: $bytes bytes at " +
        s"offset $offset"
    )

  private def wrongThread(name: String): WrongThreadException =
    WrongThreadException(
      s"$name is confined to another thread, so thread ${Thread.currentThread} has no pointer to " +
        "its memory: use a shared region"
    )
end Pins
