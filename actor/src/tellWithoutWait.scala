package undercroft.actor

import internal.cell.{ActorCell, DeadLetters, MessageAdapter}

/** Sends a message to one of several receivers: if its mailbox is full, the message becomes a dead
  * letter there, also with [[Overflow.Backpressure]], which would keep the sender from the others.
  */
private[actor] def tellWithoutWait[T](ref: ActorRef[T], message: T): Unit =
  val target: ActorCell[?] | Null = ref match
    case cell: ActorCell[?]            => cell
    case adapter: MessageAdapter[?, ?] => adapter.cell
    case _                             => null
  if (target ne null) && wouldWait(target) then
    DeadLetters.reject(target, message.asInstanceOf[AnyRef], DeadLetterReason.Full)
  else
    try ref.tell(message)
    catch case _: MailboxFullException => () // the message is a dead letter already

private def wouldWait(cell: ActorCell[?]): Boolean =
  cell.mailbox.overflow == Overflow.Backpressure && cell.waitingCount >= cell.mailbox.limit
