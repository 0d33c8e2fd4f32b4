package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, Envelope, InternalMessage}

/** A message whose level function failed with `failure`: its delivery fails likewise. */
private[actor] final class UnrankedMessage(sent: AnyRef, failure: Throwable) extends Envelope(sent):
  override def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    super.deliver(cell, Behavior.Failed(failure))
  override def kept: AnyRef | Null = InternalMessage.kept(message)
end UnrankedMessage
