package undercroft.actor
package internal.cell

import internal.dispatch.Dispatcher
import internal.mailbox.{MessageQueue, Waiters}

/** Dead letters, overflow and message counters of an actor, and its state other than the queue.
  * Name, counts and rejections are thread-safe; the rest is for the owner thread only.
  */
private[actor] abstract class DeadLetters[T](
    val system: ActorSystem,
    val parent: ActorCell[?] | Null,
    val runner: Dispatcher,
    start: Behavior[T],
    box: Mailbox,
    private val number: Long
) extends MessageQueue[T](box, start):
  this: ActorCell[T] =>

  /** The lifecycle state: one of [[State]]. */
  protected final var state: Byte = State.New
  protected final var isMuted = false
  protected final var family: Children | Null = null

  /** Whether the running user code has no current message: a setup or a signal handler. */
  protected final var hasNoMessage = false

  /** Whether it executes system messages or runs a process: then it is not idle, even if no message
    * waits.
    */
  @volatile private[actor] final var isAtWork = false

  // ---- ActorRef

  def name: String =
    val givenName = if side == null then "" else side.nn.name
    if givenName.nonEmpty then givenName else s"${system.name}/$number"

  def isStopped: Boolean = headVolatile eq InboundNode.Closed

  /** Derived from the actor's number, so that a set of actors has the same order when a simulation
    * is replayed.
    */
  override def hashCode: Int = system.engine.hashOf(number)

  // ---- cold state

  private[actor] def ownSide(): ColdState =
    val coldState = side match
      case null      => ColdState()
      case coldState => coldState
    side = coldState
    coldState

  private[actor] def ownFamily(): Children =
    val children = family match
      case null     => Children()
      case children => children
    family = children
    children

  private[actor] def stopCause: Throwable | Null = if side == null then null else side.nn.stopCause
  private[actor] def familyOrNull: Children | Null = family

  private[actor] def causesOrNull: MessageCauses | Null =
    if side == null then null else side.nn.causes

  /** The actor's row of a [[ActorTree]]. Thread-safe. */
  private[actor] def row(depth: Int): ActorTree.Row =
    val coldState = side
    val now = counts
    val above = parent
    ActorTree.Row(
      name,
      number,
      if above == null || above.parent == null then -1 else above.numberOf,
      depth,
      if isMuted then "waits for room" else State.named(state),
      now.waiting,
      now.stashed,
      now.handled,
      now.failed,
      now.deadLetterCount,
      now.restarts,
      if coldState == null then 0 else coldState.busyNanos
    )

  private[actor] def numberOf: Long = number

  /** The actor's counts, as an audit of one actor. Exact when it is idle. Thread-safe. */
  private[actor] def counts: Audit =
    val coldState = side
    val stash = if coldState == null then null else coldState.stash
    Audit(
      actors = 1,
      sent = sentCount + inWindow,
      handled = handledAcquire,
      failed = if coldState == null then 0 else coldState.failed,
      stashed = if stash == null then 0 else stash.size,
      waiting = waitingCount + inWindow,
      deadLetters = if coldState == null then Map.empty else coldState.deadByReason,
      restarts = if coldState == null then 0 else coldState.restarts
    )

  /** Whether it seems to have no work at the moment. Thread-safe, but racy: see [[Audit]]. */
  private[actor] def seemsIdle: Boolean =
    val coldState = side
    val stash = if coldState == null then null else coldState.stash // once: a stop sets it to null
    !isNotifiedVolatile && waitingCount + inWindow == 0 && !hasCommandsVolatile && !isAtWork &&
    (stash == null || stash.dueCount == 0) &&
    (state == State.Running ||
      (state == State.Paused && (coldState == null || !coldState.isHalted)))

  /** A number that changes with each message, or -1 while the actor waits for a message or another
    * event. Thread-safe; for an actor with its own thread.
    */
  private[actor] def task: Long =
    val coldState = side
    val stash = if coldState == null then null else coldState.stash // once: a stop sets it to null
    val isBegun = state == State.Running || state == State.Starting
    val hasMessage = isBegun && (waitingCount + inWindow > 0 ||
      (stash != null && stash.dueCount > 0))
    if hasMessage || (state == State.Starting && !isProcess) then doneAcquire + handledAcquire
    else -1L

  // ---- dead letters

  /** Makes a message that was counted as sent to this actor a dead letter. */
  protected final def deadLetter(message: AnyRef, reason: DeadLetterReason): Unit =
    Dispatcher.surely(ownSide().countDead(reason))
    system.totals.lost(reason)
    Dispatcher.surely(tellOfLoss(message, reason))

  private def tellOfLoss(message: AnyRef, reason: DeadLetterReason): Unit =
    message match
      case notice: InternalMessage => notice.tooLate(reason)
      case _                       => ()
    val content = InternalMessage.shown(message)
    // A lost timer message is worth a report only if the behavior does not handle it.
    val lostMessage =
      if content == null && reason == DeadLetterReason.Unhandled then InternalMessage.kept(message)
      else content
    if lostMessage != null then system.report(ActorEvent.DeadLetter(this, lostMessage, reason))

  protected final def deadLetter(message: AnyRef): Unit =
    deadLetter(message, DeadLetterReason.Stopped)

  /** Rejects a message that never entered the mailbox. Thread-safe. */
  private def refuse(message: AnyRef, reason: DeadLetterReason): Unit =
    system.totals.refused(reason)
    tellOfLoss(message, reason)

  protected def whenClosed(message: AnyRef): Unit = refuse(message, DeadLetterReason.Stopped)
  protected def whenDropped(message: AnyRef): Unit = refuse(message, DeadLetterReason.Full)

  // ---- priority messages

  override def tellPriority(message: T): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    val rawMessage = message.asInstanceOf[AnyRef]
    if commandsWaiting + urgentWaiting >= ActorRef.PriorityLimit then
      refuse(rawMessage, DeadLetterReason.Full)
      throw MailboxFullException(
        s"the priority queue of $name is full: ${ActorRef.PriorityLimit} messages wait"
      )
    else if pushCommand(SystemMessage.First(traced(rawMessage))) then wake()
    else refuse(rawMessage, DeadLetterReason.Stopped)

  private def urgentWaiting: Int =
    val coldState = side
    val stash = if coldState == null then null else coldState.stash
    if stash == null then 0 else stash.urgentCount

  private[actor] def tooLateFirst(message: AnyRef): Unit = refuse(message, DeadLetterReason.Stopped)

  /** Queues a message to be handled next. It is counted like a stashed message. */
  private[actor] def putFirst(message: AnyRef): Unit =
    ownSide().ownStash().putFirst(message) // first: it may throw OutOfMemoryError
    countSentRelease()
    countOtherRelease()

  // ---- full mailbox

  protected def whenFull(message: AnyRef, thread: Thread): Unit = mailbox.overflow match
    case Overflow.Backpressure =>
      side.nn.waiters.nn.waitFor(this, Dispatcher.current(thread), AskMessage.in(message)) match
        case null             => putAnyway(message)
        case Waiters.TimedOut => refuse(message, DeadLetterReason.Full) // the ask fails
        case cycle =>
          refuse(message, DeadLetterReason.Full)
          throw MailboxFullException(cycle)
    case Overflow.Fail =>
      refuse(message, DeadLetterReason.Full)
      throw MailboxFullException(s"the mailbox of $name is full: ${mailbox.limit} messages wait")
    case Overflow.DropNewest => refuse(message, DeadLetterReason.Full)
    case Overflow.DropOldest => refuse(message, DeadLetterReason.Full)

  /** Whether waiting senders may continue. Thread-safe. */
  private[actor] def hasRoom: Boolean =
    (headVolatile eq InboundNode.Closed) || waitingCount <= mailbox.limit / 2

  protected final def letIn(): Unit =
    java.lang.invoke.VarHandle.fullFence()
    val waiters = side.nn.waiters.nn
    if !waiters.isEmptyVolatile && hasRoom then waiters.release(this)

  private[actor] def mute(): Unit = isMuted = true
  private[actor] def unmute(): Unit =
    isMuted = false
    Waiters.lock.synchronized(ownSide().waitsFor = null)

  /** The actor that this one waits for. Guarded by [[Waiters.lock]], on any thread. */
  private[actor] def waitsFor: ActorCell[?] | Null =
    val coldState = side
    val reply = if coldState == null then null else coldState.waitsUntil
    if coldState == null || (reply != null && !reply.isOpen) then null else coldState.waitsFor
end DeadLetters
