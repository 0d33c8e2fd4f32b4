package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, ActorFields, InboundNode}
import internal.dispatch.{ActorSettings, Worker}
import scala.annotation.publicInBinary

/** The message queue of an actor: all waiting messages in one order.
  *
  *   - Direct hand-off: if an idle actor's own thread sends to it, the message is not queued; the
  *     [[Worker]] keeps it in its next-turn slot, together with the actor.
  *   - Other messages of its own thread are queued here by plain stores: the first one in a field,
  *     further ones in a ring.
  *   - Messages of other threads arrive in the inbound queue, the [[ActorFields]], and are moved
  *     here.
  *
  * Before a message is queued here, the inbound queue is drained. This preserves the order of each
  * sender, even of a sender that has migrated from another thread to this one.
  */
private[actor] abstract class MessageQueue[T](val mailbox: Mailbox, start: Behavior[T])
    extends ActorFields[T](start):
  import MessageQueue.*

  private var first: AnyRef | Null = null
  private var rest: Ring[AnyRef] | Null = null

  // Messages in slots: the first one in a field, the others in their own ring, with a mark for each
  // in the ring of all messages. At most one of the two fields holds a message.
  private var firstSlot = 0L
  private var restSlots: LongRing | Null = null
  private var polledSlot = 0L
  private var ownReader: Behavior.Slotted[T] | Null = null

  /** Holds all messages instead, if the overflow strategy drops the oldest. */
  private val window: EvictingQueue | Null =
    if mailbox.overflow == Overflow.DropOldest then EvictingQueue(mailbox.limit) else null

  /** Run state: idle, resting (idle and open to direct hand-off) or scheduled. Owner thread only.
    */
  private var standing: Byte = Idle

  /** Whether a turn is due or running, or turns are not allowed. Owner thread only. */
  private[actor] final def isScheduled: Boolean = standing == Scheduled
  private[actor] final def setScheduled(): Unit = standing = Scheduled

  /** Whether its worker may hand it a message directly. Owner thread only. */
  private[actor] final def isResting: Boolean = standing == Resting

  /** Sets it idle: no turn is due. If `rests`, it accepts messages and none waits. Owner thread
    * only.
    */
  private[actor] final def setIdle(rests: Boolean): Unit =
    standing = if rests && isPlain then Resting else Idle

  /** Sets it resting after a handed-off message, if nothing else waits. Owner thread only. */
  protected final def setResting(): Unit = standing = Resting

  /** Whether a handed-off message needs no further work than its handler. */
  private def isPlain: Boolean =
    mailbox.overflow == Overflow.Fail || mailbox.overflow == Overflow.DropNewest

  /** The actor cell of this queue. */
  protected def cell: ActorCell[T]

  /** Schedules a turn on this thread, which is the owner. */
  protected def schedule(): Unit

  /** Schedules a turn. Thread-safe. */
  private[actor] def wake(): Unit

  /** Makes this thread the owner if that is cheaper than waking another thread. */
  protected def takeOver(thread: Thread): Boolean

  /** Applies the overflow strategy to a message. */
  protected def whenFull(message: AnyRef, thread: Thread): Unit

  /** Handles a message sent after the mailbox was closed. */
  protected def whenClosed(message: AnyRef): Unit

  /** Handles a message that was dropped for a newer one. */
  protected def whenDropped(message: AnyRef): Unit

  final def tell(message: T): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    val rawMessage = message.asInstanceOf[AnyRef]
    val thread = Thread.currentThread
    if !ActorSettings.causes && (ownerVolatile eq thread) && standing == Resting &&
      isLaneEmptyVolatile && !thread.asInstanceOf[Worker].isAway
    then
      thread.asInstanceOf[Worker].hand(cell, rawMessage) // first: it may throw OutOfMemoryError
      if ActorSettings.audits then countSentRelease()
      standing = Scheduled
    else put(traced(rawMessage), mailbox.limit)

  /** The message as it is queued: wrapped with its cause if causes are recorded. */
  protected final def traced(message: AnyRef): AnyRef =
    if ActorSettings.causes then TracedMessage.sent(message) else message

  /** Queues the message of an ask, as `tell` does. */
  final def tellAsk(question: AskMessage): Unit = put(traced(question), mailbox.limit)

  /** Queues an internal message; the limit does not apply. */
  final def tellNotice(notice: AnyRef): Unit = put(notice, Int.MaxValue)

  private def put(message: AnyRef, limit: Int): Unit =
    val thread = Thread.currentThread
    if window != null then putInWindow(message, window)
    else if isHere(thread) || takeOver(thread) then putHere(message, limit, thread)
    else putAcross(message, limit, thread)

  /** Queues a message beyond the limit. */
  protected final def putAnyway(message: AnyRef): Unit = put(message, Int.MaxValue)

  /** Whether this thread may write to the queue directly. */
  private def isHere(thread: Thread): Boolean =
    (ownerVolatile eq thread) && !Worker.isAway(thread)

  private def putHere(message: AnyRef, limit: Int, thread: Thread): Unit =
    if !isLaneEmptyVolatile then drainFirst()
    val newest = headVolatile
    if newest eq InboundNode.Closed then whenClosed(message)
    else if waitingAt(newest) >= limit then whenFull(message, thread)
    else
      enqueue(message) // first: it may throw OutOfMemoryError
      countSentRelease()
      scheduleOnce()

  /** Drains the inbound queue before a message is appended. The actor rests no longer, even if that
    * message is then rejected: a direct hand-off would overtake the drained messages. Its turn is
    * due, because the sender of the first of them wakes it.
    */
  private def drainFirst(): Unit =
    drainLane()
    if standing == Resting then standing = Idle

  private def scheduleOnce(): Unit =
    if standing != Scheduled then
      standing = Scheduled
      schedule()

  private def putAcross(message: AnyRef, limit: Int, thread: Thread): Unit =
    var newest = headVolatile
    var waiting = true
    while waiting do
      if newest eq InboundNode.Closed then
        waiting = false
        whenClosed(message)
      else if waitingAtAcquire(newest) >= limit then
        waiting = false
        whenFull(message, thread)
      else if casHead(newest, InboundNode(message, newest, newest.number + 1)) then
        waiting = false
        wake()
      else newest = headVolatile

  private def putInWindow(message: AnyRef, window: EvictingQueue): Unit =
    // A simulation may run other steps before a send; on real threads no thread takes this actor
    // over.
    if cell.system.engine.isSimulated then takeOver(Thread.currentThread): Unit
    val dropped = window.add(message)
    if dropped eq null then wake()
    else if dropped eq message then whenClosed(message)
    else
      whenDropped(dropped)
      wake()

  /** Moves all inbound messages to the queue. Owner thread only. */
  protected final def drainLane(): Unit =
    val newest = headVolatile
    if newest ne InboundNode.Closed then
      val count = countTo(newest)
      // Throws OutOfMemoryError, and changes nothing, if there is no room for them.
      if isQueueEmpty then
        if count > 1 then ownRing().reserve(count - 1)
      else ownRing().reserve(count)
      moveHere(takeTo(newest))

  private def isLaneDrained: Boolean =
    try
      drainLane()
      true
    catch case _: OutOfMemoryError => false

  /** Closes the mailbox. Returns the last inbound nodes, oldest first; they follow the messages
    * queued here. Owner thread only.
    */
  protected final def closeMail(): InboundNode | Null = closeLane()

  /** Closes the window, if there is one, and returns its messages. */
  protected final def closeWindow(): java.util.ArrayDeque[AnyRef] | Null =
    if window == null then null else window.close()

  /** Releases the fields that only a live actor needs. Owner thread only, when no message waits. */
  protected final def releaseMail(): Unit =
    rest = null
    restSlots = null
    ownReader = null

  private def moveHere(oldest: InboundNode | Null): Unit =
    var node = oldest
    while node != null do
      val message = node.message
      val next = node.next
      node.message = null
      node.next = null
      if message != null then enqueue(message)
      node = next

  private def enqueue(message: AnyRef): Unit =
    if isQueueEmpty then first = message else enqueueMore(message)

  /** Queues a handed-off message that is not handled now, before all others. */
  private[actor] final def putBack(message: AnyRef): Unit =
    makeWay()
    first = message

  private[actor] final def putBackSlot(slot: Long): Unit =
    makeWay()
    firstSlot = slot

  private def makeWay(): Unit =
    if firstSlot != 0 then
      ownRing().reserve(1)
      ownSlotRing().reserve(1)
      ownRing().addFirst(MessageSlot.Mark)
      ownSlotRing().addFirst(firstSlot)
      firstSlot = 0
    else
      val message = first
      if message ne null then ownRing().addFirst(message)
      first = null
    if !ActorSettings.audits then countSentRelease() // the direct hand-off did not count it

  private def isQueueEmpty: Boolean =
    val ring = rest
    (first eq null) && firstSlot == 0 && (ring == null || ring.isEmpty)

  private def enqueueMore(message: AnyRef): Unit = ownRing().add(message)

  private def ownRing(): Ring[AnyRef] = rest match
    case null =>
      val ring = Ring[AnyRef](FirstCapacity)
      rest = ring
      ring
    case ring => ring

  private def ownSlotRing(): LongRing = restSlots match
    case null =>
      val ring = LongRing(FirstCapacity)
      restSlots = ring
      ring
    case ring => ring

  // ---- messages in slots

  /** Lets the actor accept slots from now on, if this behavior reads slots and none did before. */
  protected final def readSlotsBy(behavior: Behavior[T]): Unit =
    if kind == 0 then
      val slotted = behavior.slotted
      if slotted != null then
        ownReader = slotted
        kind = slotted.kind

  /** The behavior that loads messages from slots. */
  private[actor] final def reader: Behavior.Slotted[T] = ownReader.nn

  /** The kind of all slots that the actor accepts; 0 for none. */
  private[actor] final def slotKind: Long = kind

  @publicInBinary final override private[undercroft] def openSlot(kind: Long, header: Long): Long =
    if ActorSettings.causes || kind != this.kind then 0L
    else
      Thread.currentThread match
        case worker: Worker if !worker.isAway =>
          if ownerVolatile eq worker then
            if standing == Resting && isLaneEmptyVolatile then handSlot(worker, header)
            else queueSlot(worker, header)
          else if takeOver(worker) then queueSlot(worker, header)
          else 0L
        case _ => 0L

  private def handSlot(worker: Worker, header: Long): Long =
    worker.emptyHand() // first: it may throw OutOfMemoryError
    val slot = worker.slots.take(MessageSlot.sizeIn(header))
    if slot != 0 then
      MessageSlot.setLong(slot, 0, header)
      if ActorSettings.audits then countSentRelease()
      standing = Scheduled
      worker.handSlot(cell, slot)
    slot

  private def queueSlot(worker: Worker, header: Long): Long =
    if !isLaneEmptyVolatile then drainFirst()
    val newest = headVolatile
    val isFull = waitingAt(newest) >= mailbox.limit
    val slot =
      if (newest eq InboundNode.Closed) || window != null || isFull then 0L
      else
        if !isQueueEmpty then // first: they may throw OutOfMemoryError
          ownRing().reserve(1)
          ownSlotRing().reserve(1)
        worker.slots.take(MessageSlot.sizeIn(header))
    if slot != 0 then
      MessageSlot.setLong(slot, 0, header)
      countSentRelease()
      if isQueueEmpty then firstSlot = slot
      else
        enqueueMore(MessageSlot.Mark)
        ownSlotRing().add(slot)
      scheduleOnce()
    slot
  end queueSlot

  /** The slot for which [[poll]] returned [[MessageSlot.Mark]]. */
  protected final def slotInHand: Long = polledSlot

  // ---- taking

  /** Removes and returns the oldest message, or null. Owner thread only. */
  private[actor] final def poll(): AnyRef | Null =
    val message = queued()
    if (message ne null) || isLaneEmptyVolatile then message
    else
      // If there is no memory to move all, move only the oldest one.
      if !isLaneDrained then first = takeOldest()
      queued()

  /** Returns the message that [[poll]] would return, or null. Owner thread only; for queues of
    * objects.
    */
  private[actor] final def peek: AnyRef | Null =
    if isQueueEmpty && !isLaneEmptyVolatile then drainLane()
    val oldest = if window == null then null else window.peek
    if oldest ne null then oldest
    else if first ne null then first
    else if rest == null then null
    else rest.nn.peek

  private def queued(): AnyRef | Null =
    val slot = firstSlot
    if slot != 0 then
      firstSlot = 0
      polledSlot = slot
      MessageSlot.Mark
    else
      val message = if window == null then first else fromWindow(window)
      if message ne null then
        first = null
        message
      else fromRing()

  private def fromRing(): AnyRef | Null =
    val ring = rest
    if ring == null then null
    else
      val oldest = ring.poll()
      if oldest eq MessageSlot.Mark then polledSlot = restSlots.nn.poll()
      if ring.isEmpty && ring.capacity > KeptCapacity then
        rest = null
        restSlots = null
      oldest

  private def fromWindow(window: EvictingQueue): AnyRef | Null =
    if window.size == 0 then first // no other thread empties it
    else
      countSentRelease() // before the removal: at each moment it is counted somewhere
      window.poll()

  /** The number of messages in the window: sent, but not counted yet. */
  private[actor] final def inWindow: Int = if window == null then 0 else window.size

  /** Whether no message waits. Owner thread only. */
  protected final def isMailEmpty: Boolean =
    isQueueEmpty && isLaneEmptyVolatile && inWindow == 0
end MessageQueue

private[actor] object MessageQueue:
  /** No turn is due. */
  private inline val Idle = 0

  /** No turn is due, no message waits, and its worker may hand it a message directly. */
  private inline val Resting = 1

  /** A turn is due or running, or turns are not allowed. */
  private inline val Scheduled = 2

  /** The initial capacity of a ring, in messages: 32 bytes. */
  private inline val FirstCapacity = 4

  /** The largest ring that is kept when empty: larger ones are released so that idle actors are
    * small; smaller ones are kept so that repeated short queues do not produce garbage.
    */
  private inline val KeptCapacity = 16
