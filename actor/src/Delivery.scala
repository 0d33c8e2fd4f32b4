package undercroft.actor

/** How an actor that is a process comes to its messages: by its [[Inbox]]. The owner's thread. */
private[actor] trait Delivery[T]:
  this: Cell[T] =>

  /** Does what was commanded, and delivers the next message, if any, to the inbox; whether there
    * was one.
    */
  private[actor] def step(): Boolean =
    if state == State.Starting then begun()
    if hasCommandsVolatile then obey()
    if state != State.Running then throw Inbox.Leave
    val message = if hasDueNow then null else poll() // what is due goes before
    if side != null && side.nn.timers != null && (message ne null) && !message.isInstanceOf[Quiet]
    then side.nn.timers.nn.touch()
    message match
      case null           => ()
      case notice: Notice => deliver(notice)
      case _              => inbox.nn.catchIt(message.asInstanceOf[T])
    if mailbox.overflow == Overflow.Wait then letIn()
    message ne null

  /** Delivers a notice: the inbox has caught a message then, which is handled later, or there is
    * none for it.
    */
  private def deliver(notice: Notice): Unit =
    try
      val next = notice.deliver(this, behavior)
      if next eq Behavior.unhandled then lose(notice, Reason.Unhandled)
      else if next eq Behavior.skipped then lose(notice, Reason.Cancelled)
    catch
      case cause: Throwable =>
        ownSide().failed += 1
        countOtherRelease()
        throw cause

  /** Whether something is due that the process was not shown yet. */
  private[actor] def hasDueNow: Boolean =
    val stash = stashOrNull
    stash != null && stash.dueCount > 0

  private[actor] def stashOrNull: Stash | Null = if side == null then null else side.nn.stash

  private[actor] def putAside(message: AnyRef): Unit =
    val stash = ownSide().ownStash()
    if stash.size >= Context.StashLimit then
      throw StashFullException(s"the stash of $name is full: ${stash.size} messages")
    stash.put(message)
end Delivery
