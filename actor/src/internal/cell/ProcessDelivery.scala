package undercroft.actor
package internal.cell

import internal.dispatch.ReceiveTimeoutTimer

/** Delivers messages to the [[Inbox]] of a process. Owner thread only. */
private[actor] trait ProcessDelivery[T]:
  this: ActorCell[T] =>

  /** Executes pending system messages and delivers the next message, if any, to the inbox. Returns
    * whether there was a message.
    */
  private[actor] def step(): Boolean =
    if state == State.Starting then begun()
    if hasCommandsVolatile then obey()
    if state != State.Running then throw Inbox.Leave
    val message = if hasDueNow then null else poll() // due messages go first
    if side != null && side.nn.timers != null && (message ne null) && !message.isInstanceOf[
        ReceiveTimeoutTimer
      ]
    then side.nn.timers.nn.touch()
    message match
      case null                    => ()
      case notice: InternalMessage => deliver(notice)
      case _                       => inbox.nn.catchIt(message.asInstanceOf[T])
    if mailbox.overflow == Overflow.Backpressure then letIn()
    message ne null

  /** Delivers an internal message: afterwards the inbox either holds a message, to be handled
    * later, or nothing.
    */
  private def deliver(notice: InternalMessage): Unit =
    try
      val next = notice.deliver(this, behavior)
      if next eq Behavior.unhandled then deadLetter(notice, DeadLetterReason.Unhandled)
      else if next eq Behavior.skipped then deadLetter(notice, DeadLetterReason.Cancelled)
    catch
      case cause: Throwable =>
        ownSide().failed += 1
        countOtherRelease()
        throw cause

  /** Whether due messages exist that the process has not seen yet. */
  private[actor] def hasDueNow: Boolean =
    val stash = stashOrNull
    stash != null && stash.dueCount > 0

  private[actor] def stashOrNull: Stash | Null = if side == null then null else side.nn.stash

  private[actor] def putAside(message: AnyRef): Unit =
    val stash = ownSide().ownStash()
    if stash.size >= ActorContext.StashLimit then
      throw StashOverflowException(s"the stash of $name is full: ${stash.size} messages")
    stash.put(message)
end ProcessDelivery
