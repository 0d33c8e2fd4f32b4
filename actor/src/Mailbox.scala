package undercroft.actor

/** The limit of an actor's mailbox and its overflow strategy.
  *
  * A full mailbox still accepts messages of the runtime, such as `Terminated`, but until they are
  * handled they take room as other messages do; only [[Overflow.DropOldest]] does not count them.
  * The limit may be exceeded by one message if an actor on the same worker and another thread send
  * at the same moment: an exact limit would cost an atomic operation per message.
  *
  * {{{
  * ActorSystem.scoped("prices"):
  *   val latest = spawn(Behavior.ignore[Int], mailbox = Mailbox(100, Overflow.DropOldest))
  *   for price <- 1 to 1000 do latest ! price
  * }}}
  */
final case class Mailbox(limit: Int = Mailbox.DefaultLimit, overflow: Overflow = Overflow.Fail)
    derives CanEqual:
  if limit < 1 then throw IllegalArgumentException(s"limit must be at least 1, but is $limit")
  if overflow == null then
    throw NullPointerException("the overflow strategy of a mailbox is null")

object Mailbox:
  /** In messages: about 2 MiB if they come from other threads, and a few milliseconds of work. */
  final val DefaultLimit = 65_536

  /** The mailbox of an actor that is spawned without one.
    *
    * {{{
    * println(Mailbox.default) // Mailbox(65536,Fail)
    * }}}
    */
  val default: Mailbox = Mailbox()

/** Overflow strategy: the outcome of a message if the mailbox is full.
  *
  * {{{
  * def prices: Mailbox = Mailbox(limit = 100, overflow = Overflow.DropOldest) // the newest count
  * def orders: Mailbox = Mailbox(limit = 1000, overflow = Overflow.Backpressure) // none is lost
  * }}}
  */
enum Overflow derives CanEqual:
  /** The sender gets a [[MailboxFullException]]. */
  case Fail

  /** The new message becomes a dead letter. */
  case DropNewest

  /** The oldest waiting message becomes a dead letter. */
  case DropOldest

  /** Back-pressure: the sender waits until half of the mailbox is free. A thread, or an actor with
    * its own thread, blocks. Any other actor is muted: it gets no turn until then, and messages
    * that its current handler still sends exceed the limit. A message also exceeds the limit if its
    * sender is an actor that stops, or whose stop is requested during the wait. If the wait would
    * be a deadlock of actors that wait for each other, or the waiting thread is interrupted, the
    * message becomes a dead letter, and the sender gets a [[MailboxFullException]] with the reason.
    *
    * {{{
    * ActorSystem.scoped("orders"):
    *   val books = spawn(Behavior.ignore[Int], mailbox = Mailbox(10, Overflow.Backpressure))
    *   for order <- 1 to 1000 do books ! order // waits while the mailbox is full
    * }}}
    */
  case Backpressure
end Overflow
