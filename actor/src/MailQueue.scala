package undercroft.actor

import scala.annotation.publicInBinary

/** The messages that wait for an actor, in one order.
  *
  * What its own thread sends to an actor at rest is not queued at all: it goes into the hand of the
  * [[Worker]], together with the actor. What else its own thread sends is queued here by plain
  * stores: the first message in a field, more of them in a ring. What other threads send comes by
  * the [[Lane]] and is moved here. Whenever something is queued here, what lies on the lane goes
  * first: so the order of every sender is kept, even of one that sent from another thread and was
  * moved to this one meanwhile.
  */
private[actor] abstract class MailQueue[T](val mailbox: Mailbox, start: Behavior[T])
    extends Lane[T](start):
  import MailQueue.*

  private var first: AnyRef | Null = null
  private var rest: Ring[AnyRef] | Null = null

  // Messages in slots: the first one in a field, the others in a ring of their own, with a mark for
  // each in the ring of all. Only one of the two fields holds a message.
  private var firstSlot = 0L
  private var restSlots: LongRing | Null = null
  private var polledSlot = 0L
  private var ownReader: Behavior.Slotted[T] | Null = null

  /** Holds all messages instead, where the oldest may have to go. */
  private val window: Window | Null =
    if mailbox.overflow == Overflow.DropOldest then Window(mailbox.limit) else null

  /** Whether it has a turn to come, and what may be done if not. The owner's. */
  private var standing: Byte = Idle

  /** Whether it has a turn to come, or has one now, or must not have one. The owner's. */
  private[actor] final def isScheduled: Boolean = standing == Scheduled
  private[actor] final def setScheduled(): Unit = standing = Scheduled

  /** Whether its worker may hand it a message. The owner's. */
  private[actor] final def isResting: Boolean = standing == Resting

  /** It has no turn to come. If it `rests`, it takes messages, and none waits. The owner's. */
  private[actor] final def setIdle(rests: Boolean): Unit =
    standing = if rests && isPlain then Resting else Idle

  /** It was handed a message, has handled it, and nothing else waits. The owner's. */
  protected final def setResting(): Unit = standing = Resting

  /** Whether a message that is handed to it needs nothing but its handler. */
  private def isPlain: Boolean =
    mailbox.overflow == Overflow.Fail || mailbox.overflow == Overflow.DropNewest

  /** The actor that this is of. */
  protected def cell: Cell[T]

  /** Sees to it that the owner, who is this thread, gives it a turn. */
  protected def schedule(): Unit

  /** Sees to it that it gets a turn, from whatever thread. */
  private[actor] def wake(): Unit

  /** Makes this thread the owner, if that is better than to wake another. */
  protected def takeOver(thread: Thread): Boolean

  /** Deals with a message that finds the mailbox full. */
  protected def whenFull(message: AnyRef, thread: Thread): Unit

  /** Deals with a message that came too late. */
  protected def whenClosed(message: AnyRef): Unit

  /** Deals with a message that had to go for a newer one. */
  protected def whenDropped(message: AnyRef): Unit

  final def tell(message: T): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    val one = message.asInstanceOf[AnyRef]
    val thread = Thread.currentThread
    if !Switches.causes && (ownerVolatile eq thread) && standing == Resting &&
      isLaneEmptyVolatile && !thread.asInstanceOf[Worker].isAway
    then
      if Switches.audits then countSentRelease()
      standing = Scheduled
      thread.asInstanceOf[Worker].hand(cell, one)
    else put(traced(one), mailbox.limit)

  /** The message as it is queued: with its cause, where these are recorded. */
  protected final def traced(message: AnyRef): AnyRef =
    if Switches.causes then Traced.sent(message) else message

  /** Queues a message that wants an answer, as `tell` does. */
  final def tellAsk(asked: Asked): Unit = put(traced(asked), mailbox.limit)

  /** Queues what the runtime sends, whatever the limit. */
  final def tellNotice(notice: AnyRef): Unit = put(notice, Int.MaxValue)

  private def put(message: AnyRef, limit: Int): Unit =
    val thread = Thread.currentThread
    if window != null then putInWindow(message, window)
    else if isHere(thread) || takeOver(thread) then putHere(message, limit, thread)
    else putAcross(message, limit, thread)

  /** Queues a message beyond the limit. */
  protected final def putAnyway(message: AnyRef): Unit = put(message, Int.MaxValue)

  /** Whether this thread may queue what it sends. */
  private def isHere(thread: Thread): Boolean =
    (ownerVolatile eq thread) && !Worker.isAway(thread)

  private def putHere(message: AnyRef, limit: Int, thread: Thread): Unit =
    if !isLaneEmptyVolatile then drainLane()
    val newest = headVolatile
    if newest eq Node.Closed then whenClosed(message)
    else if waitingAt(newest) >= limit then whenFull(message, thread)
    else
      countSentRelease()
      enqueue(message)
      scheduleOnce()

  private def scheduleOnce(): Unit =
    if standing != Scheduled then
      standing = Scheduled
      schedule()

  private def putAcross(message: AnyRef, limit: Int, thread: Thread): Unit =
    var newest = headVolatile
    var waiting = true
    while waiting do
      if newest eq Node.Closed then
        waiting = false
        whenClosed(message)
      else if waitingAtAcquire(newest) >= limit then
        waiting = false
        whenFull(message, thread)
      else if casHead(newest, Node(message, newest, newest.number + 1)) then
        waiting = false
        wake()
      else newest = headVolatile

  private def putInWindow(message: AnyRef, window: Window): Unit =
    val dropped = window.add(message)
    if dropped eq null then wake()
    else if dropped eq message then whenClosed(message)
    else
      whenDropped(dropped)
      wake()

  /** Moves what lies on the lane here. The owner's. */
  protected final def drainLane(): Unit = moveHere(takeLane())

  /** Moves the last of the lane here and takes no more. The owner's. */
  protected final def closeMail(): Unit =
    moveHere(closeLane())
    if window != null then
      val left = window.close()
      while !left.isEmpty do
        countSentRelease()
        enqueue(left.poll)

  private def moveHere(oldest: Node | Null): Unit =
    var each = oldest
    while each != null do
      val message = each.message
      val next = each.next
      each.message = null
      each.next = null
      if message != null then enqueue(message)
      each = next

  private def enqueue(message: AnyRef): Unit =
    if isQueueEmpty then first = message else enqueueMore(message)

  /** Queues a message, which was handed and is not handled now, before all others. */
  private[actor] final def putBack(message: AnyRef): Unit =
    makeWay()
    first = message

  private[actor] final def putBackSlot(slot: Long): Unit =
    makeWay()
    firstSlot = slot

  private def makeWay(): Unit =
    if !Switches.audits then countSentRelease() // it was not when it was handed
    if firstSlot != 0 then
      ownRing().addFirst(Slot.Mark)
      ownSlotRing().addFirst(firstSlot)
      firstSlot = 0
    else
      val message = first
      if message ne null then ownRing().addFirst(message)
      first = null

  private def isQueueEmpty: Boolean =
    val more = rest
    (first eq null) && firstSlot == 0 && (more == null || more.isEmpty)

  private def enqueueMore(message: AnyRef): Unit = ownRing().add(message)

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

  // ---- messages in slots

  /** Has its behaviours read slots from now on, if this one does and none did before. */
  protected final def readSlotsBy(behavior: Behavior[T]): Unit =
    if kind == 0 then
      val slotted = behavior.slotted
      if slotted != null then
        ownReader = slotted
        kind = slotted.kind

  /** What made its behaviours read slots: it knows how to load their messages. */
  private[actor] final def reader: Behavior.Slotted[T] = ownReader.nn

  /** The kind of all slots that it takes; 0 for none. */
  private[actor] final def slotKind: Long = kind

  @publicInBinary final override private[undercroft] def openSlot(kind: Long, header: Long): Long =
    if Switches.causes || kind != this.kind then 0L
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
    val slot = worker.slots.take(Slot.sizeIn(header))
    if slot != 0 then
      Slot.setLong(slot, 0, header)
      if Switches.audits then countSentRelease()
      standing = Scheduled
      worker.handSlot(cell, slot)
    slot

  private def queueSlot(worker: Worker, header: Long): Long =
    if !isLaneEmptyVolatile then drainLane()
    val newest = headVolatile
    val isFull = waitingAt(newest) >= mailbox.limit
    val slot =
      if (newest eq Node.Closed) || window != null || isFull then 0L
      else worker.slots.take(Slot.sizeIn(header))
    if slot != 0 then
      Slot.setLong(slot, 0, header)
      countSentRelease()
      if isQueueEmpty then firstSlot = slot
      else
        enqueueMore(Slot.Mark)
        ownSlotRing().add(slot)
      scheduleOnce()
    slot
  end queueSlot

  /** The slot that [[poll]] answered [[Slot.Mark]] for. */
  protected final def slotInHand: Long = polledSlot

  // ---- taking

  /** The message that waited longest, or null. The owner's. */
  protected final def poll(): AnyRef | Null =
    val message = queued()
    if (message ne null) || isLaneEmptyVolatile then message
    else
      drainLane()
      queued()

  /** The message that [[poll]] would answer, or null. The owner's, whose messages are objects. */
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
      Slot.Mark
    else
      val message = if window == null then first else fromWindow(window)
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

  private def fromWindow(window: Window): AnyRef | Null =
    if window.size == 0 then first // nobody else empties it
    else
      countSentRelease() // before it is taken: it is somewhere at each moment
      window.poll()

  /** Messages in the window: sent, but not counted yet. */
  private[actor] final def inWindow: Int = if window == null then 0 else window.size

  /** Whether nothing waits. The owner's. */
  protected final def isMailEmpty: Boolean =
    isQueueEmpty && isLaneEmptyVolatile && inWindow == 0
end MailQueue

private[actor] object MailQueue:
  /** It has no turn to come. */
  private inline val Idle = 0

  /** Nor waits any message, and its worker may hand it one. */
  private inline val Resting = 1

  /** It has a turn to come, or has one now, or must not have one. */
  private inline val Scheduled = 2

  /** Messages of a ring at first: 32 bytes. */
  private inline val FirstCapacity = 4

  /** A larger ring is let go when it is empty: an idle actor is to be small, and one that has a few
    * messages again and again is to make no garbage.
    */
  private inline val KeptCapacity = 16
