package undercroft.actor

/** What becomes of the messages that are not handled, and how many there were; and what else an
  * actor has beside its queue. Its name, counts and refusals are for any thread, the rest for the
  * owner's.
  */
private[actor] abstract class Post[T](
    val system: ActorSystem,
    val parent: Cell[?] | Null,
    val runner: Runner,
    start: Behavior[T],
    box: Mailbox,
    private val number: Long
) extends MailQueue[T](box, start):
  this: Cell[T] =>

  /** Where it is in its life: one of [[State]]. */
  protected final var state: Byte = State.New
  protected final var isMuted = false
  protected final var family: Family | Null = null

  /** Whether the user's code that runs has no message: a setup, or the handler of a signal. */
  protected final var hasNoMessage = false

  /** Whether it is at commands, or at something of a process: not idle, though nothing waits. */
  @volatile private[actor] final var isAtWork = false

  // ---- ActorRef

  def name: String =
    val own = if side == null then "" else side.nn.name
    if own.nonEmpty then own else s"${system.name}/$number"

  def isStopped: Boolean = headVolatile eq Node.Closed

  // ---- what it has beside

  private[actor] def ownSide(): Side =
    val own = side match
      case null => Side()
      case some => some
    side = own
    own

  private[actor] def ownFamily(): Family =
    val own = family match
      case null => Family()
      case some => some
    family = own
    own

  private[actor] def stopCause: Throwable | Null = if side == null then null else side.nn.stopCause
  private[actor] def familyOrNull: Family | Null = family

  private[actor] def causesOrNull: Causes | Null = if side == null then null else side.nn.causes

  /** It as a line of a [[Tree]]. Any thread. */
  private[actor] def row(depth: Int): Tree.Row =
    val own = side
    val now = counts
    val above = parent
    Tree.Row(
      name,
      number,
      if above == null || above.parent == null then -1 else above.numberOf,
      depth,
      if isMuted then "waits for room" else State.named(state),
      now.waiting,
      now.stashed,
      now.handled,
      now.failed,
      now.deadCount,
      now.restarts,
      if own == null then 0 else own.busyNanos
    )

  private[actor] def numberOf: Long = number

  /** Its counts, as of a system with no other actor. Exact once it is at rest. Any thread. */
  private[actor] def counts: Audit =
    val own = side
    val stash = if own == null then null else own.stash
    Audit(
      actors = 1,
      sent = sentCount + inWindow,
      handled = handledAcquire,
      failed = if own == null then 0 else own.failed,
      stashed = if stash == null then 0 else stash.size,
      waiting = waitingCount + inWindow,
      dead = if own == null then Map.empty else own.deadByReason,
      restarts = if own == null then 0 else own.restarts
    )

  /** Whether it has had nothing to do for the moment. Any thread; see [[Audit]]. */
  private[actor] def seemsIdle: Boolean =
    val own = side
    !isNotifiedVolatile && waitingCount + inWindow == 0 && !hasCommandsVolatile && !isAtWork &&
    (own == null || own.stash == null || own.stash.nn.dueCount == 0) &&
    (state == State.Running || (state == State.Paused && (own == null || !own.isHalted)))

  /** What it is at, by a number that changes with each message; -1 while it waits for one, or for
    * something else that comes to it. Any thread; of an actor that keeps a thread.
    */
  private[actor] def task: Long =
    val own = side
    val isBegun = state == State.Running || state == State.Starting
    val hasMessage = isBegun && (waitingCount + inWindow > 0 ||
      (own != null && own.stash != null && own.stash.nn.dueCount > 0))
    if hasMessage || (state == State.Starting && !isProcess) then doneAcquire + handledAcquire
    else -1L

  // ---- dead letters

  /** A message that was counted as sent to this actor is not handled. */
  protected final def lose(message: AnyRef, reason: Reason): Unit =
    ownSide().countDead(reason)
    system.totals.lost(reason)
    tellOfLoss(message, reason)

  private def tellOfLoss(message: AnyRef, reason: Reason): Unit =
    message match
      case notice: Notice => notice.tooLate(reason)
      case _              => ()
    val told = Notice.shown(message)
    // A timer's message is worth a word only where nobody knows what to do with it.
    val shown =
      if told == null && reason == Reason.Unhandled then Notice.kept(message) else told
    if shown != null then system.report(Event.DeadLetter(this, shown, reason))

  protected final def bury(message: AnyRef): Unit = lose(message, Reason.Stopped)

  /** A message never got into the mailbox. Any thread. */
  private def refuse(message: AnyRef, reason: Reason): Unit =
    system.totals.refused(reason)
    tellOfLoss(message, reason)

  protected def whenClosed(message: AnyRef): Unit = refuse(message, Reason.Stopped)
  protected def whenDropped(message: AnyRef): Unit = refuse(message, Reason.Full)

  // ---- before all others

  override def tellFirst(message: T): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    val one = message.asInstanceOf[AnyRef]
    if commandsWaiting + urgentWaiting >= ActorRef.FirstLimit then
      refuse(one, Reason.Full)
      throw MailboxFullException(
        s"${ActorRef.FirstLimit} messages wait to be handled first by $name"
      )
    else if pushCommand(Command.First(traced(one))) then wake()
    else refuse(one, Reason.Stopped)

  private def urgentWaiting: Int =
    val own = side
    val stash = if own == null then null else own.stash
    if stash == null then 0 else stash.urgentCount

  private[actor] def tooLateFirst(message: AnyRef): Unit = refuse(message, Reason.Stopped)

  /** Has a message handled next. It is counted as one that was stashed is. */
  private[actor] def putFirst(message: AnyRef): Unit =
    countSentRelease()
    countOtherRelease()
    ownSide().ownStash().putFirst(message)

  // ---- a full mailbox

  protected def whenFull(message: AnyRef, thread: Thread): Unit = mailbox.overflow match
    case Overflow.Wait =>
      side.nn.waiters.nn.waitFor(this, Runner.current(thread)) match
        case null => putAnyway(message)
        case cycle =>
          refuse(message, Reason.Full)
          throw MailboxFullException(cycle)
    case Overflow.Fail =>
      refuse(message, Reason.Full)
      throw MailboxFullException(s"the mailbox of $name is full: ${mailbox.limit} messages wait")
    case Overflow.DropNewest => refuse(message, Reason.Full)
    case Overflow.DropOldest => refuse(message, Reason.Full)

  /** Whether senders that wait may go on. Any thread. */
  private[actor] def hasRoom: Boolean =
    (headVolatile eq Node.Closed) || waitingCount <= mailbox.limit / 2

  protected final def letIn(): Unit =
    java.lang.invoke.VarHandle.fullFence()
    val waiters = side.nn.waiters.nn
    if !waiters.isEmptyVolatile && hasRoom then waiters.release(this)

  private[actor] def mute(): Unit = isMuted = true
  private[actor] def unmute(): Unit =
    isMuted = false
    Waiters.lock.synchronized(ownSide().waitsFor = null)

  /** The actor that it waits for. Under [[Waiters.lock]], by whatever thread. */
  private[actor] def waitsFor: Cell[?] | Null =
    val own = side
    val reply = if own == null then null else own.waitsUntil
    if own == null || (reply != null && !reply.isOpen) then null else own.waitsFor
end Post
