package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, InternalMessage}

/** The levels of a priority mailbox, and the user's level function. Thread-safe if the function is.
  */
private[actor] final class MessageLevels(val count: Int, levelOf: Any => Int):
  /** The level function; null when the actor has stopped. Racy, but benign: a sender that still
    * calls it gets a dead letter.
    */
  private var function: (Any => Int) | Null = levelOf

  /** Releases the level function, for an actor that has stopped. */
  def release(): Unit = function = null

  /** The level of a message to `cell`. Throws the exceptions of the level function.
    *
    * @param isOwner
    *   whether this is the actor's thread, which may convert messages
    */
  def of(cell: ActorCell[?], message: AnyRef, isOwner: Boolean): Int =
    val content = message match
      case internal: InternalMessage => internal.ranked(cell, isOwner)
      case _                         => message
    val present = function
    if (content eq null) || present == null then count - 1
    else if content eq InternalMessage.Urgent then 0
    else
      val level = present(content)
      if level < 0 || level >= count then
        throw IllegalStateException(
          s"the level function of ${cell.name} returned $level, but the levels are 0 to ${count - 1}"
        )
      level
end MessageLevels

private[actor] object MessageLevels:
  /** The levels of a mailbox, or null. */
  def of(mailbox: Mailbox | PriorityMailbox[Nothing]): MessageLevels | Null = mailbox match
    case priorities: PriorityMailbox[?] =>
      MessageLevels(priorities.levels, priorities.level.asInstanceOf[Any => Int])
    case _: Mailbox => null

  def limits(mailbox: Mailbox | PriorityMailbox[Nothing]): Mailbox = mailbox match
    case priorities: PriorityMailbox[?] => priorities.mailbox
    case mailbox: Mailbox               => mailbox
end MessageLevels
