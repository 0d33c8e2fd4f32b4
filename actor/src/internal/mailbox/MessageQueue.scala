package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, AskMessage, DeadLetters, InboundNode, SystemMessage}
import internal.dispatch.{SystemFailure, Worker}

/** The message queue of an actor: all waiting messages in one order.
  *
  *   - Direct hand-off: if a resting actor's own thread sends to it, the message is not queued; the
  *     [[Worker]] keeps it in its next-turn slot, together with the actor.
  *   - Other messages of its own thread are queued here by plain stores: the first one in a field,
  *     further ones in a ring.
  *   - Messages of other threads arrive in the inbound queue, in the fields of the cell, and are
  *     moved here.
  *
  * Before a message is queued here, the inbound queue is drained. This preserves the order of each
  * sender, even of a sender that has migrated from another thread to this one.
  *
  * A message in a slot is queued as a position: the first one in a field, the others in a ring of
  * their own, with a mark for each in the ring of all messages.
  *
  * Owner thread only, except [[put]] and [[putPriority]].
  */
private[actor] object MessageQueue:

  // ---- sending

  /** Queues a message, unless `limit` messages wait. Thread-safe. */
  def put(cell: ActorCell[?], message: AnyRef, limit: Int): Unit =
    val thread = Thread.currentThread
    if cell.isEvicting then putEvicting(cell, message)
    else if isWritable(cell, thread) || cell.runner.takeOver(cell, thread) then
      putByOwner(cell, message, limit, thread)
    else putInbound(cell, message, limit, thread)

  /** Whether this thread may write to the queue directly. */
  private def isWritable(cell: ActorCell[?], thread: Thread): Boolean =
    (cell.ownerVolatile eq thread) && !Worker.isBlocked(thread)

  private def putByOwner(cell: ActorCell[?], message: AnyRef, limit: Int, thread: Thread): Unit =
    if !cell.isInboundEmptyVolatile then drainFirst(cell)
    val newest = cell.headVolatile
    if newest eq InboundNode.Closed then
      DeadLetters.reject(cell, message, DeadLetterReason.Stopped)
    else if cell.waitingAt(newest) >= limit then FullMailbox.overflow(cell, message, thread)
    else
      SystemFailure.guard(cell):
        enqueue(cell, message)
        cell.countSentRelease()
        scheduleOnce(cell)

  /** Drains the inbound queue before a message is appended. The actor rests no longer, even if that
    * message is then rejected: a direct hand-off would overtake the drained messages. Its turn is
    * due, because the sender of the first of them wakes it.
    */
  private def drainFirst(cell: ActorCell[?]): Unit =
    drainInbound(cell)
    if cell.isResting then cell.setIdle()

  private def scheduleOnce(cell: ActorCell[?]): Unit =
    if cell.isIdle then
      cell.setScheduled()
      cell.runner.ready(cell)

  private def putInbound(cell: ActorCell[?], message: AnyRef, limit: Int, thread: Thread): Unit =
    var newest = cell.headVolatile
    var isPending = true
    while isPending do
      if newest eq InboundNode.Closed then
        isPending = false
        DeadLetters.reject(cell, message, DeadLetterReason.Stopped)
      else if cell.waitingAtAcquire(newest) >= limit then
        isPending = false
        FullMailbox.overflow(cell, message, thread)
      else if cell.casHead(newest, InboundNode(message, newest, newest.number + 1)) then
        isPending = false
        SystemFailure.guard(cell):
          if cell.notifyVolatile() then
            if thread.isVirtual && AskMessage.isAwaitedBy(message, thread) then
              cell.runner.wakeForReply(cell)
            else cell.runner.wake(cell)
      else newest = cell.headVolatile

  private def putEvicting(cell: ActorCell[?], message: AnyRef): Unit =
    // A simulation may run other steps before a send; on real threads no thread takes this actor
    // over.
    if cell.system.engine.isSimulated then
      cell.runner.takeOver(cell, Thread.currentThread): Unit
    val dropped = cell.evictingQueue.add(message)
    if dropped eq null then SystemFailure.guard(cell)(cell.wake())
    else if dropped eq EvictingQueue.Closed then
      DeadLetters.reject(cell, message, DeadLetterReason.Stopped)
    else
      SystemFailure.guard(cell):
        cell.wake()
        DeadLetters.reject(cell, dropped, DeadLetterReason.Full)

  /** Sends a priority message, which is a system message until it arrives. Thread-safe. */
  def putPriority(cell: ActorCell[?], message: Any): Unit =
    if message == null then throw NullPointerException(s"a message to ${cell.name} is null")
    val rawMessage = message.asInstanceOf[AnyRef]
    val stash = cell.stashOrNull
    val urgentCount = if stash == null then 0 else stash.urgentCount
    val count = cell.priorityMessageCount + urgentCount
    if count >= ActorRef.PriorityLimit then
      DeadLetters.reject(cell, rawMessage, DeadLetterReason.Full)
      throw MailboxFullException(
        s"the priority queue of ${cell.name} is full: $count messages wait"
      )
    else if !cell.tellSystem(PriorityMessage(cell.inContext(rawMessage))) then
      DeadLetters.reject(cell, rawMessage, DeadLetterReason.Stopped)

  /** A priority message: due before all waiting messages, and counted like a stashed one. */
  private final class PriorityMessage(message: AnyRef) extends SystemMessage:
    override def isPriority: Boolean = true
    def apply(cell: ActorCell[?]): Unit =
      cell.coldState().ownStash().putFirst(message)
      cell.countSentRelease()
      cell.countOtherRelease()
    override def tooLate(cell: ActorCell[?]): Unit =
      DeadLetters.reject(cell, message, DeadLetterReason.Stopped)

  // ---- the inbound queue

  /** Moves all inbound messages to the queue. */
  private def drainInbound(cell: ActorCell[?]): Unit =
    val newest = cell.headVolatile
    if newest ne InboundNode.Closed then
      val count = cell.inboundCount(newest)
      if count > FirstCapacity then ring(cell).reserve(count)
      moveNodes(cell, cell.takeTo(newest))

  private def moveNodes(cell: ActorCell[?], oldest: InboundNode | Null): Unit =
    var node = oldest
    while node != null do
      val message = node.message
      val next = node.next
      node.message = null
      node.next = null
      if message != null then enqueue(cell, message)
      node = next

  // ---- queueing

  private def enqueue(cell: ActorCell[?], message: AnyRef): Unit =
    if isLocalEmpty(cell) then cell.first = message else ring(cell).add(message)

  /** Queues a handed-off message that is not handled now, before all others. */
  def requeueFirst(cell: ActorCell[?], message: AnyRef): Unit =
    requeueSecond(cell)
    cell.first = message

  /** As [[requeueFirst]], for a message in a slot. */
  def requeueFirstSlot(cell: ActorCell[?], slot: Long): Unit =
    requeueSecond(cell)
    cell.firstSlot = slot

  /** Moves the first message to the ring. */
  private def requeueSecond(cell: ActorCell[?]): Unit =
    if cell.firstSlot != 0 then
      ring(cell).addFirst(MessageSlot.Mark)
      slotRing(cell).addFirst(cell.firstSlot)
      cell.firstSlot = 0
    else
      val message = cell.first
      if message ne null then ring(cell).addFirst(message)
      cell.first = null
    // The direct hand-off did not count it.
    if !internal.dispatch.ActorSettings.audits then cell.countSentRelease()

  /** Allocates a slot for a message that the caller writes, and queues it. Returns 0 if the mailbox
    * is closed or full, or there is no slot.
    */
  def addSlot(cell: ActorCell[?], worker: Worker, header: Long): Long =
    if !cell.isInboundEmptyVolatile then drainFirst(cell)
    val newest = cell.headVolatile
    val isFull = cell.waitingAt(newest) >= cell.mailbox.limit
    val slot =
      if (newest eq InboundNode.Closed) || isFull then 0L
      else worker.slots.take(MessageSlot.sizeIn(header))
    if slot != 0 then
      SystemFailure.guard(cell):
        MessageSlot.setLong(slot, 0, header)
        cell.countSentRelease()
        if isLocalEmpty(cell) then cell.firstSlot = slot
        else
          ring(cell).add(MessageSlot.Mark)
          slotRing(cell).add(slot)
        scheduleOnce(cell)
    slot
  end addSlot

  private def ring(cell: ActorCell[?]): Ring[AnyRef] = cell.rest match
    case null =>
      val ring = Ring[AnyRef](FirstCapacity)
      cell.rest = ring
      ring
    case ring => ring

  private def slotRing(cell: ActorCell[?]): LongRing = cell.restSlots match
    case null =>
      val ring = LongRing(FirstCapacity)
      cell.restSlots = ring
      ring
    case ring => ring

  // ---- taking

  /** Removes and returns the oldest message, or null; [[MessageSlot.Mark]] if it is in the slot
    * `polledSlot`.
    */
  def poll(cell: ActorCell[?]): AnyRef | Null =
    val message = pollLocal(cell)
    if (message ne null) || cell.isInboundEmptyVolatile then message
    else
      drainInbound(cell)
      pollLocal(cell)

  private def pollLocal(cell: ActorCell[?]): AnyRef | Null =
    val slot = cell.firstSlot
    if slot != 0 then
      cell.firstSlot = 0
      cell.polledSlot = slot
      MessageSlot.Mark
    else if cell.isEvicting then pollEvicting(cell)
    else
      val message = cell.first
      if message ne null then
        cell.first = null
        message
      else pollRing(cell)

  private def pollRing(cell: ActorCell[?]): AnyRef | Null =
    val ring = cell.rest
    if ring == null then null
    else
      val oldest = ring.poll()
      if oldest eq MessageSlot.Mark then cell.polledSlot = cell.restSlots.nn.poll()
      if ring.isEmpty && ring.capacity > KeptCapacity then
        cell.rest = null
        cell.restSlots = null
      oldest

  private def pollEvicting(cell: ActorCell[?]): AnyRef | Null =
    val evicting = cell.evictingQueue
    if evicting.size == 0 then null // no other thread empties it
    else
      cell.countSentRelease() // before the removal: at each moment it is counted somewhere
      evicting.poll()

  /** The message that the next turn begins with, or null; for inspection of queues of objects. */
  def peek(cell: ActorCell[?]): AnyRef | Null =
    val stash = cell.stashOrNull
    val dueMessage = if stash == null then null else stash.peekDue
    if dueMessage ne null then dueMessage else peekQueued(cell)

  private def peekQueued(cell: ActorCell[?]): AnyRef | Null =
    if isLocalEmpty(cell) && !cell.isInboundEmptyVolatile then drainInbound(cell)
    if cell.isEvicting then cell.evictingQueue.peek
    else if cell.first ne null then cell.first
    else if cell.rest == null then null
    else cell.rest.nn.peek

  /** Whether no message waits in the queue and in the inbound queue. */
  def isEmpty(cell: ActorCell[?]): Boolean =
    isLocalEmpty(cell) && cell.isInboundEmptyVolatile &&
      !(cell.isEvicting && cell.evictingQueue.size != 0)

  private def isLocalEmpty(cell: ActorCell[?]): Boolean =
    val ring = cell.rest
    (cell.first eq null) && cell.firstSlot == 0 && (ring == null || ring.isEmpty)

  // ---- slots

  /** Lets the actor accept slots from now on, if this behavior reads slots and none did before. */
  def acceptSlots[T](cell: ActorCell[T], behavior: Behavior[T]): Unit =
    if cell.slotKind == 0 && !cell.isTraced && !cell.isEvicting then
      val slotted = behavior.slotted
      if slotted != null then
        cell.slotReader = slotted
        cell.slotKind = slotted.kind

  /** The message in a slot as an object; a [[MessageSlot.Refused]] with the reason if its
    * constructor throws.
    */
  def loadSlot(cell: ActorCell[?], slot: Long): AnyRef =
    try cell.slotReader.nn.load(slot).asInstanceOf[AnyRef]
    catch case cause: Throwable => MessageSlot.Refused(cause)

  // ---- end

  /** Closes the mailbox; all waiting messages become dead letters, in their order. */
  def close(cell: ActorCell[?]): Unit =
    // The last inbound nodes follow the messages queued here.
    var node = cell.closeInbound()
    if cell.isEvicting then cell.evictingQueue.close()
    var message = poll(cell)
    while message ne null do
      if message eq MessageSlot.Mark then
        DeadLetters.close(cell, loadSlot(cell, cell.polledSlot))
        Worker.here(cell).slots.release(cell.polledSlot, MessageSlot.sizeOf(cell.polledSlot))
      else DeadLetters.close(cell, message)
      message = poll(cell)
    while node != null do
      val last = node.message
      node.message = null
      node = node.next
      if last != null then DeadLetters.close(cell, last)
  end close

  /** Releases the fields that only a live actor needs. */
  def release(cell: ActorCell[?]): Unit =
    cell.rest = null
    cell.restSlots = null
    cell.slotReader = null

  /** The initial capacity of a ring, in messages: 32 bytes. */
  private inline val FirstCapacity = 4

  /** The largest ring that is kept when empty: larger ones are released so that idle actors are
    * small; smaller ones are kept so that repeated short queues do not produce garbage.
    */
  inline val KeptCapacity = 16
end MessageQueue
