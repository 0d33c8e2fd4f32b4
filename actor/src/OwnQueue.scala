package undercroft.actor

/** What waits for an actor, in one order: a field for the first message, and a ring for more. All
  * of it is for the owner's thread.
  *
  * Of a message in a slot the queue holds the slot's number: as the first one in a field of its
  * own, else in a ring of their own, with a mark in the ring of all where it has its turn.
  */
private[actor] abstract class OwnQueue[T](start: Behavior[T]) extends Lane[T](start):
  import OwnQueue.*

  // Only one of these two holds a message.
  private var first: AnyRef | Null = null
  private var firstSlot = 0L
  private var rest: Ring[AnyRef] | Null = null
  private var restSlots: LongRing | Null = null
  private var polledSlot = 0L

  protected final def isQueueEmpty: Boolean =
    val more = rest
    (first eq null) && firstSlot == 0 && (more == null || more.isEmpty)

  protected final def enqueue(message: AnyRef): Unit =
    if isQueueEmpty then first = message else ownRing().add(message)

  protected final def enqueueSlot(slot: Long): Unit =
    if isQueueEmpty then firstSlot = slot
    else
      ownRing().add(Slot.Mark)
      ownSlotRing().add(slot)

  /** Queues a message, which was handed and is not handled now, before all others. */
  private[actor] final def putBack(message: AnyRef): Unit =
    makeWay()
    first = message

  private[actor] final def putBackSlot(slot: Long): Unit =
    makeWay()
    firstSlot = slot

  private def makeWay(): Unit =
    if firstSlot != 0 then
      ownRing().addFirst(Slot.Mark)
      ownSlotRing().addFirst(firstSlot)
      firstSlot = 0
    else
      val message = first
      if message ne null then ownRing().addFirst(message)
      first = null

  /** The message that was queued first, or null; [[Slot.Mark]] for one in a slot. */
  protected final def queued(): AnyRef | Null =
    val slot = firstSlot
    if slot != 0 then
      firstSlot = 0
      polledSlot = slot
      Slot.Mark
    else
      val message = first
      if message ne null then
        first = null
        message
      else fromRing()

  private def fromRing(): AnyRef | Null =
    val more = rest
    if more == null then null
    else
      val oldest = more.poll()
      if oldest eq Slot.Mark then polledSlot = restSlots.nn.poll()
      if more.isEmpty && more.capacity > KeptCapacity then
        rest = null
        restSlots = null
      oldest

  /** The slot that [[queued]] answered [[Slot.Mark]] for. */
  protected final def slotInHand: Long = polledSlot

  private def ownRing(): Ring[AnyRef] = rest match
    case null =>
      val ring = Ring[AnyRef](FirstCapacity)
      rest = ring
      ring
    case some => some

  private def ownSlotRing(): LongRing = restSlots match
    case null =>
      val ring = LongRing(FirstCapacity)
      restSlots = ring
      ring
    case some => some
end OwnQueue

private[actor] object OwnQueue:
  /** Messages of a ring at first: 32 bytes. */
  private inline val FirstCapacity = 4

  /** A larger ring is let go when it is empty: an idle actor is to be small, and one that has a few
    * messages again and again is to make no garbage.
    */
  private inline val KeptCapacity = 16
