package undercroft.actor

import internal.cell.{ActorCell, TracedMessage}

/** A message that an actor handled, and the message that caused it: see [[ActorSystem.explain]].
  *
  * {{{
  * def explain(system: ActorSystem, actor: ActorRef[Nothing]): Unit =
  *   for cause <- system.explain(actor) do println(cause.show)
  * }}}
  *
  * @param from
  *   the sending actor or thread
  * @param earlier
  *   the message that the sender was handling when it sent this one, if it is still remembered
  */
final case class MessageCause(
    actor: String,
    message: Any,
    from: String,
    earlier: Option[MessageCause]
) derives CanEqual:

  /** The causes in one line, from the last message back to the first.
    *
    * {{{
    * val order = new MessageCause("desk", "order 7", "thread main", None)
    * val payment = new MessageCause("till", "pay 250", "desk", Some(order))
    * println(payment.show) // till: pay 250, from desk <- desk: order 7, from thread main
    * }}}
    */
  def show: String =
    s"$actor: $message, from $from" + earlier.fold("")(cause => s" <- ${cause.show}")

private[actor] object MessageCause:
  /** The largest number of causes to follow back. */
  private inline val Deepest = 32

  /** The last messages of an actor, newest first. Thread-safe. */
  def of(cell: ActorCell[?], last: Int): Vector[MessageCause] =
    val notes = TracedMessage.causesOf(cell)
    if notes == null then Vector() else notes.last(last).map(of(cell, _, Deepest))

  private def of(cell: ActorCell[?], handled: TracedMessage, depth: Int): MessageCause =
    val sender = handled.sender
    val notes = if sender == null || depth == 0 then null else TracedMessage.causesOf(sender)
    val earlier = if notes == null then null else notes.find(handled.parent)
    MessageCause(
      cell.name,
      handled.shown match
        case null    => handled.toString
        case content => content
      ,
      if sender == null then handled.thread else sender.name,
      if earlier == null || sender == null then None else Some(of(sender, earlier, depth - 1))
    )
end MessageCause
