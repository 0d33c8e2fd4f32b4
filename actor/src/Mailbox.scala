package undercroft.actor

/** How many messages an actor may have waiting, and what happens to one too many.
  *
  * What the runtime itself sends, such as `Terminated`, is not held against the limit. The limit
  * may be exceeded by one message, where an actor on the same worker and another thread send at the
  * same moment: an exact one would cost an atomic operation for each message.
  */
final case class Mailbox(limit: Int = Mailbox.DefaultLimit, overflow: Overflow = Overflow.Fail)
    derives CanEqual:
  if limit < 1 then throw IllegalArgumentException(s"a mailbox's limit of $limit is below 1")

object Mailbox:
  /** Messages: about 2 MiB when they come from other threads, and a few milliseconds of work. */
  final val DefaultLimit = 65_536

  val default: Mailbox = Mailbox()

/** What happens to a message when the mailbox is full. */
enum Overflow derives CanEqual:
  /** The sender gets a [[MailboxFullException]]. */
  case Fail

  /** The message goes to the dead letters. */
  case DropNewest

  /** The message that waited longest goes to the dead letters. */
  case DropOldest

  /** The sender waits until half of the mailbox is free: a thread by blocking. An actor without a
    * thread of its own gets no turn until then; what its current handler sends is taken beyond the
    * limit, and so is the message with which an actor waits that is told to stop. A wait that would
    * never end, because the actors wait for each other, is a [[MailboxFullException]] that names
    * them.
    */
  case Wait
end Overflow
