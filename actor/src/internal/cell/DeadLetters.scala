package undercroft.actor
package internal.cell

/** The dead letters of an actor: messages that it accepted, and messages that it rejected. A notice
  * to a stopped actor, for example that another actor has stopped, is none of them.
  */
private[actor] object DeadLetters:

  /** Makes a message that was counted as sent to this actor a dead letter. Owner thread only. */
  def add(cell: ActorCell[?], message: AnyRef, reason: DeadLetterReason): Unit =
    cell.coldState().countDead(reason)
    cell.system.observe.totals.lost(reason)
    report(cell, message, reason)

  /** Completes a message that waits in an actor that stops. Owner thread only. */
  def close(cell: ActorCell[?], message: AnyRef): Unit =
    if InternalMessage.isNotice(message) then cell.countHandledRelease()
    else
      add(cell, message, DeadLetterReason.Stopped)
      cell.countOtherRelease()

  /** Rejects a message that never entered the mailbox. Thread-safe. */
  def reject(cell: ActorCell[?], message: AnyRef, reason: DeadLetterReason): Unit =
    if !InternalMessage.isNotice(message) || reason != DeadLetterReason.Stopped then
      cell.system.observe.totals.refused(reason)
      report(cell, message, reason)

  private def report(cell: ActorCell[?], message: AnyRef, reason: DeadLetterReason): Unit =
    message match
      case message: InternalMessage => message.tooLate(reason)
      case _                        => ()
    val content = InternalMessage.shown(message)
    // A lost timer message is worth a report only if the behavior does not handle it.
    val lostMessage =
      if content == null && reason == DeadLetterReason.Unhandled then keptContent(message)
      else content
    if lostMessage != null then
      cell.system.report(ActorEvent.DeadLetter(cell, lostMessage, reason))

  /** The user message that could be handled again, or null. */
  private def keptContent(message: AnyRef): AnyRef | Null =
    val keptMessage = InternalMessage.kept(message)
    if keptMessage == null then null else InternalMessage.shown(keptMessage)
end DeadLetters
