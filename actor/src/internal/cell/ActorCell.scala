package undercroft.actor
package internal.cell

import internal.dispatch.{ActorSettings, Dispatcher, HandlerClock, SystemFailure, TimeSlice}
import internal.dispatch.Worker
import internal.mailbox.{EvictingQueue, FullMailbox, LongRing, MessageQueue, MessageSlot, Ring}
import internal.mailbox.SlotPool
import scala.annotation.publicInBinary
import scala.concurrent.Future

/** An actor cell: the runtime's object behind an `ActorRef`. This class sends to the actor and runs
  * its turns; the [[ActorFields]] have its hot state. The other parts are functions over a cell:
  * [[MessageQueue]], [[FullMailbox]], [[DeadLetters]], [[Lifecycle]], [[FaultHandling]],
  * [[GroupRestart]] and [[DeathWatch]]; a process has an [[Inbox]]. The [[RunState]] and the
  * [[State]] define its states.
  *
  * Owner thread only, except `tell`, `wake`, the fields that do not change and the sender side of
  * the [[ActorFields]].
  */
private[actor] final class ActorCell[T](
    val system: ActorSystem,
    val parent: ActorCell[?] | Null,
    val runner: Dispatcher,
    start: Behavior[T],
    val mailbox: Mailbox,
    val number: Long
) extends ActorFields[T](start):

  // ---- the message queue: see [[MessageQueue]]

  /** The oldest queued message, if it is an object. */
  var first: AnyRef | Null = null

  /** The messages after the first one. */
  var rest: Ring[AnyRef] | Null = null

  /** The oldest queued message, if it is in a slot. At most one of the two fields is in use. */
  var firstSlot: Long = 0L

  /** The slots after the first one; `rest` has a mark for each of them. */
  var restSlots: LongRing | Null = null

  /** The slot for which `MessageQueue.poll` returned [[MessageSlot.Mark]]. */
  var polledSlot: Long = 0L

  /** The behavior that loads messages from slots. */
  var slotReader: Behavior.Slotted[T] | Null = null

  /** Whether an `EvictingQueue` holds all messages, because the overflow strategy drops the oldest.
    */
  val isEvicting: Boolean = mailbox.overflow == Overflow.DropOldest

  /** The queue of an actor that `isEvicting`, else null. */
  private val evicting: EvictingQueue | Null =
    if isEvicting then EvictingQueue(mailbox.limit) else null

  /** The queue of an actor that `isEvicting`. */
  def evictingQueue: EvictingQueue = evicting.nn

  /** Whether a message may be handed off if it needs no further work than its handler. */
  private val allowsHandOff: Boolean =
    mailbox.overflow == Overflow.Fail || mailbox.overflow == Overflow.DropNewest

  /** Whether the context of each send is kept for the system's tracer: see [[ContextEnvelope]]. */
  val isTraced: Boolean = Tracing.isUsed && system.tracing.tracer != null

  // ---- lifecycle, supervision and family

  /** Whether the running user code has no current message: a setup, a signal handler or a decision
    * about a failure.
    */
  var hasNoMessage = false

  /** Whether it evaluates the setup of its next behavior, or did so and failed: then it cannot
    * continue.
    */
  var isEvaluating = false

  /** Whether it executes system messages or runs a process: then it is not idle, even if no message
    * waits.
    */
  @volatile var isAtWork = false

  /** The behavior that it was spawned with. */
  var spawnedAs: Behavior[T] = start

  /** The innermost supervision layer of the present behavior. */
  var supervisor: Supervisor | Null = null

  /** The inbox of a process. */
  var inbox: Inbox[T] | Null = null

  /** Its children; null if it never had one. */
  var familyOrNull: Children | Null = null

  /** Links the children of one parent. Guarded by the lock of its [[Children]]. */
  var previous: ActorCell[?] | Null = null
  var next: ActorCell[?] | Null = null

  /** Links the actors that arrive at one worker; written by the thread that set `notified`. */
  var nextArrived: ActorCell[?] | Null = null

  /** Whether it was spawned as a process, or its present incarnation has become one. */
  var isProcess: Boolean = Behavior.isProcess(start)

  /** Whether a turn is needed before the first message. */
  def needsStart: Boolean = state == State.New

  /** The cold state, allocated on first use. */
  def coldState(): ColdState =
    val coldState = coldStateOrNull.orCreate(ColdState())
    coldStateOrNull = coldState
    coldState

  /** The children, allocated on first use. */
  def family(): Children =
    val children = familyOrNull.orCreate(Children())
    familyOrNull = children
    children

  /** Whether it reports a failure, on this thread, of a message that it will handle again. */
  def isRetrying: Boolean =
    val coldState = coldStateOrNull
    coldState != null && coldState.isRetrying

  def stashOrNull: Stash | Null =
    val coldState = coldStateOrNull
    if coldState == null then null else coldState.stash

  // ---- ActorRef

  /** The name that it was spawned with, or empty. */
  def givenName: String =
    val coldState = coldStateOrNull
    if coldState == null then "" else coldState.name

  def name: String =
    val givenName = this.givenName
    if !givenName.isEmpty then givenName else s"${system.name}/$number"

  override def path: String = ActorPaths.of(this)

  def isStopped: Boolean = headVolatile eq InboundNode.Closed

  def whenStopped: Future[Unit] = system.stopFutures.of(this)

  /** Derived from the actor's number, so that a set of actors has the same order when a simulation
    * is replayed.
    */
  override def hashCode: Int = system.engine.hashOf(number)

  def tell(message: T): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    val rawMessage = message.asInstanceOf[AnyRef]
    val thread = Thread.currentThread
    if (ownerVolatile eq thread) && isResting && isInboundEmptyVolatile &&
      !thread.asInstanceOf[Worker].isBlocked
    then
      thread.asInstanceOf[Worker].handOff(this, rawMessage)
    else MessageQueue.put(this, inContext(rawMessage), mailbox.limit)

  /** The message with the context of this thread, if the actor is traced. */
  def inContext(message: AnyRef): AnyRef =
    if Tracing.isUsed && isTraced then ContextEnvelope.sent(this, message) else message

  /** Queues an internal message as `tell` does; the limit applies. */
  def tellBounded(message: InternalMessage): Unit =
    MessageQueue.put(this, inContext(message), mailbox.limit)

  /** Queues an internal message; the limit does not apply. */
  def tellInternal(message: AnyRef): Unit = MessageQueue.put(this, message, Int.MaxValue)

  override def tellPriority(message: T): Unit = MessageQueue.putPriority(this, message)

  override private[undercroft] def hasRoom: Boolean =
    val evictingSize = if isEvicting then evictingQueue.size else 0
    val waiting = waitingAtAcquire(headVolatile) + evictingSize
    waiting < mailbox.limit && hasRoomInStash(waiting)

  override private[undercroft] def storesEvents: Boolean =
    val stash = stashOrNull
    stash != null && stash.keeper != null

  override private[undercroft] def tellConfirmed(message: T, concluded: Boolean => Unit): Unit =
    tellBounded(ConfirmedMessage(message.asInstanceOf[AnyRef], concluded))

  override private[undercroft] def stopInOrder(): Unit = tellInternal(StopInOrder)

  override private[undercroft] def isLifecycleTurnDue: Boolean =
    mayBeEnded || state != State.Running

  /** Whether one more message could be stashed if all waiting ones were. */
  private def hasRoomInStash(waiting: Long): Boolean =
    val stash = stashOrNull
    stash == null || waiting + stash.size < stash.limit

  @publicInBinary override private[undercroft] def openSlot(kind: Long, header: Long): Long =
    if kind != slotKind then 0L
    else
      Thread.currentThread match
        case worker: Worker if !worker.isBlocked =>
          if ownerVolatile eq worker then
            if isResting && isInboundEmptyVolatile then worker.handOffSlot(this, header)
            else MessageQueue.addSlot(this, worker, header)
          else if runner.takeOver(this, worker) then MessageQueue.addSlot(this, worker, header)
          else 0L
        case _ => 0L

  // ---- turns

  /** Schedules a turn. Thread-safe. */
  def wake(): Unit =
    if notifyVolatile() then runner.wake(this)

  /** Also releases its messages and its state: a turn that runs ends after its handler. */
  override def closeBySystem(): Unit =
    super.closeBySystem()
    first = null
    rest = null
    behavior = Behavior.stopped

  /** Sends a system message. Returns false if the actor accepts no more. Thread-safe. */
  def tellSystem(message: SystemMessage): Boolean =
    val isAccepted = pushSystemMessage(message)
    if isAccepted then SystemFailure.guard(this)(wake())
    isAccepted

  /** Sets it resting if it may rest, else idle: no turn is due. */
  def endScheduled(): Unit = if canRest && isPlain then setResting() else setIdle()

  /** Whether a handed-off message needs no further work than its handler. */
  private def isPlain: Boolean = allowsHandOff && !(Tracing.isUsed && isTraced)

  /** Whether a turn would have work to do. */
  def hasWork: Boolean =
    (hasSystemMessagesVolatile && !hasFailed) || state == State.New ||
      (state == State.Running && !isMuted && hasMessages)

  /** Whether its system ends by a fatal error, and it has stopped: its next turn may fail again. */
  private def hasFailed: Boolean = state == State.Stopped && system.failure.isBegun

  /** Whether a message waits: in the message queue, in the inbound queue, or unstashed. */
  def hasMessages: Boolean = !MessageQueue.isEmpty(this) || hasDue

  private def hasDue: Boolean =
    val stash = stashOrNull
    stash != null && stash.hasDue

  /** Whether it accepts messages, and none waits: as `!hasMessages`, by the counts. */
  private def canRest: Boolean =
    state == State.Running && !isMuted && !hasSystemMessagesVolatile && areAllCompleted && !hasDue

  /** Handles waiting messages until there are none or the time slice is spent. */
  def turn(slice: TimeSlice): Unit =
    if hasSystemMessagesVolatile then SystemMessage.runAll(this)
    if state == State.New then Lifecycle.start(this)
    if state == State.Running && !isMuted then work(slice)
    endTurn()

  private def endTurn(): Unit = if state == State.Ending then Lifecycle.finish(this)

  /** Handles a directly handed-off message, then all that waits. Called by a worker. */
  def serve(message: AnyRef, slice: TimeSlice): Unit =
    if hasSystemMessagesVolatile then
      MessageQueue.requeueFirst(this, message)
      turn(slice)
    else
      val from = HandlerClock.begin()
      val isHandled = handleUserMessage(message)
      HandlerClock.end(this, from)
      endServed(isHandled, slice)

  /** As [[serve]], for a message in a slot. */
  def serveSlot(slot: Long, slots: SlotPool, slice: TimeSlice): Unit =
    if hasSystemMessagesVolatile then
      MessageQueue.requeueFirstSlot(this, slot)
      turn(slice)
    else
      val from = HandlerClock.begin()
      val isHandled = handleSlot(slot, slots)
      HandlerClock.end(this, from)
      endServed(isHandled, slice)

  private def endServed(isHandled: Boolean, slice: TimeSlice): Unit =
    if ActorSettings.audits then countDoneRelease(isHandled)
    val isOver = slice.isSpent()
    if canRest then setResting()
    else if isOver then endTurn()
    else turn(slice)

  private def work(slice: TimeSlice): Unit =
    var isWorking = true
    while isWorking do
      val coldState = coldStateOrNull
      val dueMessage = if coldState == null then null
      else
        coldState.stash match
          case null  => null
          case stash => stash.nextDue()
      val message = if dueMessage eq null then MessageQueue.poll(this) else dueMessage
      if message eq null then isWorking = false
      else
        if dueMessage ne null then countAgainRelease()
        val from = HandlerClock.begin()
        val isHandled =
          if message eq MessageSlot.Mark then handleSlot(polledSlot, Worker.here(this).slots)
          else handle(message)
        HandlerClock.end(this, from)
        countDoneRelease(isHandled)
        val waiters = if coldState == null then null else coldState.waiters
        if waiters != null then FullMailbox.releaseKnown(this, waiters)
        if dueMessage ne null then coldState.nn.stash.nn.endDue()
        if hasSystemMessagesVolatile then SystemMessage.runAll(this)
        if state != State.Running || isMuted || slice.isSpent() then isWorking = false
    end while
    if mailbox.overflow == Overflow.Backpressure then FullMailbox.releaseWaiters(this)
  end work

  // ---- handling one message

  /** Handles a message. Returns whether it is handled; if not, its outcome was counted elsewhere.
    */
  private def handle(message: AnyRef): Boolean = message match
    case message: InternalMessage => handleInternal(message)
    case _                        => handleUserMessage(message)

  private def handleInternal(message: InternalMessage): Boolean =
    handled(message)(message.deliver(this, behavior))

  private def handleUserMessage(message: AnyRef): Boolean =
    handled(message)(behavior.receive(message.asInstanceOf[T]))

  private inline def handled(message: AnyRef)(inline delivered: Behavior[T]): Boolean =
    var isStashed = false
    try
      val next = delivered
      if coldStateOrNull != null then isStashed = coldStateOrNull.nn.settle(message)
      isHandled(next, message, isStashed)
    catch
      case cause: Throwable =>
        FaultHandling.failed(this, cause, if isStashed then null else message)
        false

  private def handleSlot(slot: Long, slots: SlotPool): Boolean =
    var isStashed = false
    val isHandled =
      try
        val next = behavior.receiveSlot(slot, this)
        if coldStateOrNull != null then
          isStashed = coldStateOrNull.nn.settleSlot(slot, slotReader.nn)
        val isContinued = (next eq Behavior.same) || hasBecome(
          next,
          if next eq Behavior.unhandled then MessageQueue.loadSlot(this, slot)
          else MessageSlot.Mark,
          isStashed
        )
        isContinued && !isStashed
      catch
        case cause: Throwable =>
          FaultHandling.failed(
            this,
            cause,
            if isStashed then null
            else if FaultHandling.ruleOf(this, cause) == null then MessageSlot.Mark
            else MessageQueue.loadSlot(this, slot)
          )
          false
    slots.release(slot, MessageSlot.sizeOf(slot))
    isHandled
  end handleSlot

  /** Applies the behavior that a handler returned. Returns whether the message counts as handled.
    */
  private def isHandled(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    ((next eq Behavior.same) || hasBecome(next, message, isStashed)) && !isStashed

  private def hasBecome(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    if next eq Behavior.unhandled then
      if !isStashed then DeadLetters.add(this, message, DeadLetterReason.Unhandled)
      false
    else if next eq Behavior.skipped then
      DeadLetters.add(this, message, DeadLetterReason.Cancelled)
      false
    else
      become(next)
      true

  private def become(next: Behavior[T]): Unit =
    if next == null then throw IllegalStateException(s"a handler of $name returned null")
    else if next eq Behavior.stopped then Lifecycle.beginStop(this, null)
    else if Behavior.isReady(next) then Lifecycle.install(this, next)
    else
      val former = supervisor
      try Lifecycle.install(this, next)
      finally
        val present = supervisor
        if former != null && present != null then present.replace(former)
end ActorCell
