package undercroft.actor
package internal.cell

import internal.dispatch.{ActorSettings, Dispatcher, ReceiveTimeoutTimer, TimeSlice, Worker}
import internal.mailbox.{MessageSlot, SlotPool, Waiters}

/** An actor cell: the runtime's object behind an `ActorRef`. This class runs the actor's turns.
  *
  * It consists of layers, each of which extends the one before: the [[ActorFields]] with the fields
  * that other threads access, the [[MessageQueue]], the [[DeadLetters]] with dead letters and
  * counts, the [[Lifecycle]] with failure, restart and stop, and this class. The [[CellContext]]
  * implements the actor's context, the [[ProcessDelivery]] delivers messages to a process.
  *
  * Owner thread only, except `tell`, `wake` and the sender side of the [[ActorFields]].
  */
private[actor] final class ActorCell[T](
    system: ActorSystem,
    parent: ActorCell[?] | Null,
    runner: Dispatcher,
    first: Behavior[T],
    box: Mailbox,
    number: Long
) extends Lifecycle[T](system, parent, runner, first, box, number),
      ProcessDelivery[T],
      CellContext[T]:

  /** Links the children of one parent. Guarded by the lock of its [[Children]]. */
  private[actor] var previous: ActorCell[?] | Null = null
  private[actor] var next: ActorCell[?] | Null = null

  // ---- before the first turn

  /** Whether a turn is needed before the first message. */
  private[actor] def needsStart: Boolean = state == State.New

  /** Unwraps the first behavior; runs no user code. Called by the spawning thread. */
  private[actor] def prepare(name: String): Unit =
    if name.nonEmpty then ownSide().name = name
    if mailbox.overflow == Overflow.Backpressure then ownSide().waiters = Waiters()
    unwrap()
    readSlotsBy(behavior)
    if Behavior.isReady(behavior) then state = State.Running

  // ---- turns

  protected def cell: ActorCell[T] = this
  protected def schedule(): Unit = runner.ready(this)
  private[actor] def wake(): Unit = if notifyVolatile() then runner.wake(this)
  protected def takeOver(thread: Thread): Boolean = runner.takeOver(this, thread)

  /** Whether a turn would have work to do. */
  private[actor] def hasWork: Boolean =
    hasCommandsVolatile || state == State.New ||
      (state == State.Running && !isMuted && !isIdle)

  /** Whether anything waits that has not been looked at yet. */
  private[actor] def hasMail: Boolean = hasCommandsVolatile || hasDueNow || !isMailEmpty

  private def isIdle: Boolean =
    isMailEmpty && !hasDue

  private def hasDue: Boolean =
    val coldState = side
    coldState != null && coldState.stash != null && coldState.stash.nn.hasDue

  /** The message that the next turn begins with, or null; for inspection. Owner thread only. */
  private[actor] def upcoming: AnyRef | Null =
    val coldState = side
    val stash = if coldState == null then null else coldState.stash
    val dueMessage = if stash == null then null else stash.peekDue
    if dueMessage ne null then dueMessage else peek

  /** Handles waiting messages until there are none or the time slice is spent. */
  private[actor] def turn(slice: TimeSlice): Unit =
    if hasCommandsVolatile then obey()
    if state == State.New then start()
    if state == State.Running && !isMuted then work(slice)
    endTurn()

  private def endTurn(): Unit = if state == State.Ending then finish()

  /** Handles a directly handed-off message, then all that waits. Called by a worker. */
  private[actor] def serve(message: AnyRef, slice: TimeSlice): Unit =
    if hasCommandsVolatile then
      putBack(message)
      turn(slice)
    else
      endServed(handleOwn(message), slice)

  /** As [[serve]], for a message in a slot. */
  private[actor] def serveSlot(slot: Long, slots: SlotPool, slice: TimeSlice): Unit =
    if hasCommandsVolatile then
      putBackSlot(slot)
      turn(slice)
    else
      endServed(handleSlot(slot, slots), slice)

  private def endServed(isHandled: Boolean, slice: TimeSlice): Unit =
    if ActorSettings.audits then countDoneRelease(isHandled)
    val isOver = slice.isSpent()
    if hasNothing then setResting()
    else if isOver then endTurn()
    else turn(slice)

  /** Whether it accepts messages, and none waits. Owner thread only. */
  private[actor] def hasNothing: Boolean =
    state == State.Running && !isMuted && !hasCommandsVolatile && isAllDone && !hasDue

  private def work(slice: TimeSlice): Unit =
    var going = true
    while going do
      val coldState = side
      val dueMessage = if coldState == null then null
      else
        coldState.stash match
          case null  => null
          case stash => stash.nextDue()
      val message = if dueMessage eq null then poll() else dueMessage
      if message eq null then going = false
      else
        if dueMessage ne null then countAgainRelease()
        val isHandled =
          if message eq MessageSlot.Mark then handleSlot(slotInHand, Worker.here(this).slots)
          else handle(message)
        countDoneRelease(isHandled)
        if dueMessage ne null then coldState.nn.stash.nn.dueCount -= 1
        if hasCommandsVolatile then obey()
        if state != State.Running || isMuted || slice.isSpent() then going = false
    if mailbox.overflow == Overflow.Backpressure then letIn()
  end work

  /** Handles a message. Returns whether it is handled; if not, its outcome was counted elsewhere.
    */
  private def handle(message: AnyRef): Boolean = message match
    case notice: InternalMessage =>
      handleNotice(if ActorSettings.causes then traceable(notice) else notice)
    case _ => handleOwn(message)

  /** Records a cause for an internal message, too. */
  private def traceable(notice: InternalMessage): InternalMessage = notice match
    case message: (TracedMessage | RetriedMessage) => message
    case message                                   => TracedMessage.brought(this, message)

  private def handleNotice(notice: InternalMessage): Boolean =
    var isStashed = false
    try
      val next = notice.deliver(this, behavior)
      if side != null then isStashed = afterwards(notice)
      isHandled(next, notice, isStashed)
    catch
      case cause: Throwable =>
        failedWith(cause, if isStashed then null else notice)
        false

  private def handleOwn(message: AnyRef): Boolean =
    var isStashed = false
    try
      val next = behavior.receive(message.asInstanceOf[T])
      if side != null then isStashed = afterwards(message)
      isHandled(next, message, isStashed)
    catch
      case cause: Throwable =>
        failedWith(cause, if isStashed then null else message)
        false

  /** Applies the behavior that a handler returned. Returns whether the message counts as handled.
    */
  private def isHandled(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    ((next eq Behavior.same) || hasBecome(next, message, isStashed)) && !isStashed

  private def hasBecome(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    if next eq Behavior.unhandled then
      if !isStashed then deadLetter(message, DeadLetterReason.Unhandled)
      false
    else if next eq Behavior.skipped then
      deadLetter(message, DeadLetterReason.Cancelled)
      false
    else
      become(next)
      true

  private def handleSlot(slot: Long, slots: SlotPool): Boolean =
    var isStashed = false
    val isHandled =
      try
        val next = behavior.receiveSlot(slot, this)
        if side != null then isStashed = afterwardsOf(slot)
        val goesOn = (next eq Behavior.same) || hasBecome(
          next,
          if next eq Behavior.unhandled then shown(slot) else MessageSlot.Mark,
          isStashed
        )
        goesOn && !isStashed
      catch
        case cause: Throwable =>
          failedWith(
            cause,
            if isStashed then null
            else if ruleOf(cause) == null then MessageSlot.Mark else shown(slot)
          )
          false
    slots.give(slot, MessageSlot.sizeOf(slot))
    isHandled
  end handleSlot

  private def afterwardsOf(slot: Long): Boolean =
    val coldState = ownSide()
    val stash = coldState.stash
    if stash != null && stash.isAsked then afterwards(reader.load(slot).asInstanceOf[AnyRef])
    else
      if coldState.timers != null then coldState.timers.nn.touch()
      false

  /** The message in a slot as an object; a [[MessageSlot.Refused]] with the reason if its
    * constructor throws.
    */
  protected def shown(slot: Long): AnyRef =
    try reader.load(slot).asInstanceOf[AnyRef]
    catch case cause: Throwable => MessageSlot.Refused(cause)

  /** Applies the handler's requests for stash and timers. Returns whether it stashed the message.
    */
  private def afterwards(message: AnyRef): Boolean =
    val coldState = ownSide()
    val timers = coldState.timers
    if timers != null && !message.isInstanceOf[ReceiveTimeoutTimer] then timers.touch()
    val stash = coldState.stash
    stash != null && stash.settle(InternalMessage.aside(message))

  private def become(next: Behavior[T]): Unit =
    if next == null then throw IllegalStateException(s"a handler of $name returned null")
    else if next eq Behavior.stopped then beginStop(null)
    else
      if next.isInstanceOf[Behavior.Supervised[?]] then forgetSupervision()
      install(next)

  /** Installs the next behavior, evaluating any number of nested setups. */
  private def install(first: Behavior[T]): Unit =
    var next = first
    while !Behavior.isReady(next) && (next ne Behavior.stopped) do
      next match
        case setup: Behavior.Setup[T @unchecked] =>
          hasNoMessage = true
          try next = setup.make(this)
          finally hasNoMessage = false
        case process: Behavior.Process[T @unchecked]
            if state == State.Starting && runner.keepsThread =>
          run(process)
          next = Behavior.stopped
        case _: Behavior.Process[?] =>
          throw IllegalStateException(s"$name cannot become a process: spawn the process")
        case _: Behavior.Supervised[?] =>
          behavior = next
          unwrap()
          next = behavior
        case _ =>
          throw IllegalStateException(
            s"the setup of $name ended in ${Behavior.named(next)}, which is not a behavior"
          )
    end while
    if next eq Behavior.stopped then beginStop(null)
    else
      behavior = next
      readSlotsBy(next)
      val stash = stashOrNull
      if stash != null && stash.wantsAll then stash.bringBack() // a setup requested it
  end install

  /** Runs a process until it returns, or unwinds because the actor stops or restarts. */
  private def run(process: Behavior.Process[T]): Unit =
    val processInbox = Inbox[T](this)
    inbox = processInbox
    isAtWork = true // except while it waits
    behavior = Behavior.Catching(processInbox)
    process.body(this, processInbox)
    beginStop(null) // before its last message is counted: the actor is not idle until it has ended
    processInbox.end(isHandled = true)
    inbox = null

  private def start(): Unit =
    state = State.Starting
    try install(behavior)
    catch
      case cause: Throwable =>
        val message = if inbox == null then null else inbox.nn.inHand
        if cause ne Inbox.Leave then failedWith(cause, message)
        if inbox != null then inbox.nn.end(isHandled = false)
    inbox = null
    if state == State.Starting then begun()
    isAtWork = false

  private[actor] def obey(): Unit =
    val before = isAtWork
    isAtWork = true
    obeyAll()
    isAtWork = before

  private def obeyAll(): Unit =
    var remaining = takeCommands(null)
    while remaining != null do
      val command = remaining
      remaining = command.next
      command.next = null
      Dispatcher.surely(if state == State.Stopped then command.tooLate(this) else command(this))
end ActorCell
