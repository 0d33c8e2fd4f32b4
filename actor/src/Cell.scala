package undercroft.actor

/** An actor, and its turns.
  *
  * It is made of layers, each for what the ones below leave open: the [[Lane]] that other threads
  * leave messages on, the [[MailQueue]], the [[Post]] that tells of messages that are not handled,
  * the [[Life]] from start to stop, and these turns; the [[View]] is what its own code sees of it,
  * the [[Delivery]] what a process asks of it.
  *
  * All but `tell`, `wake` and what the senders' side of the [[Lane]] has is for the owner's thread.
  */
private[actor] final class Cell[T](
    system: ActorSystem,
    parent: Cell[?] | Null,
    runner: Runner,
    first: Behavior[T],
    box: Mailbox,
    number: Long
) extends Life[T](system, parent, runner, first, box, number),
      Delivery[T],
      View[T]:

  /** Links the children of one parent. Under the lock of its [[Family]]. */
  private[actor] var previous: Cell[?] | Null = null
  private[actor] var next: Cell[?] | Null = null

  // ---- before it runs

  /** Whether a turn is needed before there is a message. */
  private[actor] def needsStart: Boolean = state == State.New

  /** Looks at the first behaviour; runs none of the user's code. The spawner's. */
  private[actor] def prepare(name: String): Unit =
    if name.nonEmpty then ownSide().name = name
    if mailbox.overflow == Overflow.Wait then ownSide().waiters = Waiters()
    unwrap()
    readSlotsBy(behavior)
    if Behavior.isReady(behavior) then state = State.Running

  // ---- turns

  protected def cell: Cell[T] = this
  protected def schedule(): Unit = runner.ready(this)
  private[actor] def wake(): Unit = if notifyVolatile() then runner.wake(this)
  protected def takeOver(thread: Thread): Boolean = runner.takeOver(this, thread)

  /** Whether a turn would do anything. */
  private[actor] def hasWork: Boolean =
    hasCommandsVolatile || state == State.New ||
      (state == State.Running && !isMuted && !isIdle)

  /** Whether something came that was not looked at yet. */
  private[actor] def hasMail: Boolean = hasCommandsVolatile || hasDueNow || !isMailEmpty

  private def isIdle: Boolean =
    isMailEmpty && !hasDue

  private def hasDue: Boolean =
    val own = side
    own != null && own.stash != null && own.stash.nn.hasDue

  /** The message that its next turn begins with, or null: for who looks on. The owner's. */
  private[actor] def upcoming: AnyRef | Null =
    val own = side
    val due = if own == null || own.stash == null then null else own.stash.nn.peekDue
    if due ne null then due else peek

  /** Handles what waits, until there is nothing more or the slice is spent. */
  private[actor] def turn(slice: Slice): Unit =
    if hasCommandsVolatile then obey()
    if state == State.New then start()
    if state == State.Running && !isMuted then work(slice)
    endTurn()

  private def endTurn(): Unit = if state == State.Ending then finish()

  /** Handles a message that was handed to it, then what else there is. A worker's. */
  private[actor] def serve(message: AnyRef, slice: Slice): Unit =
    if hasCommandsVolatile then
      putBack(message)
      turn(slice)
    else
      endServed(handleOwn(message), slice)

  /** As [[serve]], for a message in a slot. */
  private[actor] def serveSlot(slot: Long, slots: Slots, slice: Slice): Unit =
    if hasCommandsVolatile then
      putBackSlot(slot)
      turn(slice)
    else
      endServed(handleSlot(slot, slots), slice)

  private def endServed(isHandled: Boolean, slice: Slice): Unit =
    if Switches.audits then countDoneRelease(isHandled)
    val isOver = slice.isSpent()
    if hasNothing then setResting()
    else if isOver then endTurn()
    else turn(slice)

  /** Whether it takes messages, and none waits. The owner's. */
  private[actor] def hasNothing: Boolean =
    state == State.Running && !isMuted && !hasCommandsVolatile && isAllDone && !hasDue

  private def work(slice: Slice): Unit =
    var going = true
    while going do
      val own = side
      val due = if own == null then null
      else
        own.stash match
          case null  => null
          case stash => stash.nextDue()
      val message = if due eq null then poll() else due
      if message eq null then going = false
      else
        if due ne null then countAgainRelease()
        val isHandled =
          if message eq Slot.Mark then handleSlot(slotInHand, Worker.here(this).slots)
          else handle(message)
        countDoneRelease(isHandled)
        if due ne null then own.nn.stash.nn.dueCount -= 1
        if hasCommandsVolatile then obey()
        if state != State.Running || isMuted || slice.isSpent() then going = false
    if mailbox.overflow == Overflow.Wait then letIn()
  end work

  /** Has a message handled; whether it is, or else its end is counted elsewhere. */
  private def handle(message: AnyRef): Boolean = message match
    case notice: Notice => handleNotice(if Switches.causes then traceable(notice) else notice)
    case _              => handleOwn(message)

  /** What the runtime brings has a cause as well. */
  private def traceable(notice: Notice): Notice = notice match
    case known: (Traced | Retried) => known
    case other                     => Traced.brought(this, other)

  private def handleNotice(notice: Notice): Boolean =
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

  /** Goes on as a handler answered; whether the message is handled by that. */
  private def isHandled(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    ((next eq Behavior.same) || hasBecome(next, message, isStashed)) && !isStashed

  private def hasBecome(next: Behavior[T], message: AnyRef, isStashed: Boolean): Boolean =
    if next eq Behavior.unhandled then
      if !isStashed then lose(message, Reason.Unhandled)
      false
    else if next eq Behavior.skipped then
      lose(message, Reason.Cancelled)
      false
    else
      become(next)
      true

  private def handleSlot(slot: Long, slots: Slots): Boolean =
    var isStashed = false
    val isHandled =
      try
        val next = behavior.receiveSlot(slot, this)
        if side != null then isStashed = afterwardsOf(slot)
        val goesOn = (next eq Behavior.same) || hasBecome(
          next,
          if next eq Behavior.unhandled then shown(slot) else Slot.Mark,
          isStashed
        )
        goesOn && !isStashed
      catch
        case cause: Throwable =>
          failedWith(
            cause,
            if isStashed then null else if ruleOf(cause) == null then Slot.Mark else shown(slot)
          )
          false
    slots.give(slot, Slot.sizeOf(slot))
    isHandled
  end handleSlot

  private def afterwardsOf(slot: Long): Boolean =
    val own = ownSide()
    val stash = own.stash
    if stash != null && stash.isAsked then afterwards(reader.load(slot).asInstanceOf[AnyRef])
    else
      if own.timers != null then own.timers.nn.touch()
      false

  /** The message in a slot as an object; what tells why, where its constructor refuses it. */
  protected def shown(slot: Long): AnyRef =
    try reader.load(slot).asInstanceOf[AnyRef]
    catch case cause: Throwable => Slot.Refused(cause)

  /** Does what the handler of a message asked for; whether it stashed the message. */
  private def afterwards(message: AnyRef): Boolean =
    val own = ownSide()
    val timers = own.timers
    if timers != null && !message.isInstanceOf[Quiet] then timers.touch()
    val stash = own.stash
    stash != null && stash.settle(Notice.aside(message))

  private def become(next: Behavior[T]): Unit =
    if next == null then throw IllegalStateException(s"a handler of $name returned null")
    else if next eq Behavior.stopped then beginStop(null)
    else
      if next.isInstanceOf[Behavior.Supervised[?]] then forgetSupervision()
      install(next)

  /** Makes the behaviour what is to be next, through any depth of setups. */
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
          throw IllegalStateException(s"$name is to be a process, which has to be spawned as one")
        case _: Behavior.Supervised[?] =>
          behavior = next
          unwrap()
          next = behavior
        case _ =>
          throw IllegalStateException(
            s"the setup of $name ended in ${Behavior.named(next)}, which is no behaviour"
          )
    end while
    if next eq Behavior.stopped then beginStop(null)
    else
      behavior = next
      readSlotsBy(next)
      val stash = stashOrNull
      if stash != null && stash.wantsAll then stash.bringBack() // a setup asked for it
  end install

  /** Runs a process to its end, or to where it is left because the actor stops or begins anew. */
  private def run(process: Behavior.Process[T]): Unit =
    val own = Inbox[T](this)
    inbox = own
    isAtWork = true // but where it waits
    behavior = Behavior.Catching(own)
    process.body(this, own)
    beginStop(null) // before its last message is counted: until it has ended it is not idle
    own.end(isHandled = true)
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
    var each = takeCommands(null)
    while each != null do
      val command = each
      each = command.next
      command.next = null
      if state == State.Stopped then command.tooLate(this) else command(this)
end Cell
