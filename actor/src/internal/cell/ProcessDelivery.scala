package undercroft.actor
package internal.cell

import internal.mailbox.{FullMailbox, MessageQueue}

/** Runs a process, and delivers messages to its [[Inbox]]. Owner thread only. */
private[actor] object ProcessDelivery:

  /** Runs a process until it returns, or unwinds because the actor stops or restarts. */
  def run[T](cell: ActorCell[T], process: Behavior.Process[T]): Unit =
    val inbox = Inbox[T](cell)
    cell.isProcess = true
    cell.inbox = inbox
    cell.isAtWork = true // except while it waits
    cell.behavior = Behavior.Catching(inbox)
    process.body(ActorContext(cell), inbox)
    // Before its last message is counted: the actor is not idle until it has ended.
    Lifecycle.beginStop(cell, null)
    inbox.settle()
    cell.inbox = null

  /** Executes pending system messages, and leaves a process that is to stop or to restart. */
  def obey(cell: ActorCell[?]): Unit =
    if cell.state == State.Starting then Lifecycle.endStart(cell)
    if cell.hasSystemMessagesVolatile then SystemMessage.runAll(cell)
    if cell.state != State.Running then throw Inbox.Leave

  /** Executes pending system messages and delivers the next message, if any, to the inbox. Returns
    * whether there was a message.
    */
  def step[T](cell: ActorCell[T], inbox: Inbox[T]): Boolean =
    obey(cell)
    val message =
      if hasDueNow(cell) then null // due messages go first
      else
        if inbox.isOverfull then requireRoom(cell, inbox)
        MessageQueue.poll(cell)
    val coldState = cell.coldStateOrNull
    if coldState != null && (message ne null) then coldState.touch(message)
    message match
      case null                     => ()
      case message: InternalMessage => inbox.isDead = isDeliveredDead(cell, inbox, message)
      case _                        => inbox.catchIt(message.asInstanceOf[T])
    if cell.mailbox.overflow == Overflow.Backpressure then FullMailbox.releaseWaiters(cell)
    message ne null

  /** Delivers an internal message: afterwards the inbox either holds a message, to be handled
    * later, or nothing. Returns whether the message is a dead letter. If the delivery fails, the
    * message is the current one of the inbox.
    */
  private def isDeliveredDead[T](
      cell: ActorCell[T],
      inbox: Inbox[T],
      message: InternalMessage
  ): Boolean =
    try
      val next = message.deliver(cell, cell.behavior)
      if next eq Behavior.stopped then Lifecycle.beginStop(cell, null)
      val reason =
        if next eq Behavior.unhandled then DeadLetterReason.Unhandled
        else if next eq Behavior.skipped then DeadLetterReason.Cancelled
        else null
      if reason != null then DeadLetters.add(cell, message, reason)
      reason != null
    catch
      case cause: Throwable =>
        inbox.failAtDelivery(message)
        throw cause

  /** Whether due messages exist that the process has not seen yet. */
  def hasDueNow(cell: ActorCell[?]): Boolean =
    val stash = cell.stashOrNull
    stash != null && stash.dueCount > 0

  /** Whether a message or a system message exists that the process has not seen yet. */
  def hasUnseen(cell: ActorCell[?]): Boolean =
    cell.hasSystemMessagesVolatile || hasDueNow(cell) || !MessageQueue.isEmpty(cell)

  /** Throws if a message waits, and the stash still exceeds its limit. */
  private def requireRoom(cell: ActorCell[?], inbox: Inbox[?]): Unit =
    val stash = cell.coldState().ownStash()
    inbox.isOverfull = stash.size > ActorContext.StashLimit
    if inbox.isOverfull && !MessageQueue.isEmpty(cell) then throw overflow(cell, stash)

  /** Stashes a message that the process does not want now. */
  def stash(cell: ActorCell[?], message: AnyRef): Unit =
    val stash = cell.coldState().ownStash()
    if stash.size >= ActorContext.StashLimit then throw overflow(cell, stash)
    stash.put(message)

  private def overflow(cell: ActorCell[?], stash: Stash): StashOverflowException =
    StashOverflowException(s"the stash of ${cell.name} is full: ${stash.size} messages")
end ProcessDelivery
